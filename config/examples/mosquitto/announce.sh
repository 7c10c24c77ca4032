#!/bin/sh
# Speaks a text on a node and waits until it was heard.
#
#   announce.sh NODE TEXT
#
# MQTT_HOST and MQTT_PORT name the broker (localhost, 1883). Exit codes: 0 heard, 1 not heard (standard error says
# why), 2 wrong arguments.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: announce.sh NODE TEXT" >&2
  exit 2
fi
node=$1
text=$(printf '%s' "$2" | tr '\n\t' '  ' | sed 's/[\\"]/\\&/g')
id="announce-$(date +%s)-$$"

folder=$(mktemp -d)
mkfifo "$folder/heard"
# %t is the topic, %p the payload. The state of the node comes first, because it is retained: from then on no
# result is missed.
mosquitto_sub -h "${MQTT_HOST:-localhost}" -p "${MQTT_PORT:-1883}" -q 1 -W 120 -F '%t %p' \
  -t "cosyedge/$node/availability" -t "cosyedge/$node/result" >"$folder/heard" &
listener=$!
trap 'kill "$listener" 2>/dev/null || true; rm -rf "$folder"' EXIT

while read -r topic payload; do
  case "$topic $payload" in
    *"/availability online")
      mosquitto_pub -h "${MQTT_HOST:-localhost}" -p "${MQTT_PORT:-1883}" -q 1 -t "cosyedge/$node/say" \
        -m "{\"id\": \"$id\", \"text\": \"$text\"}"
      ;;
    *"/availability "*)
      echo "$node is $payload" >&2
      exit 1
      ;;
    *"\"id\": \"$id\""*"\"state\": \"finished\""*)
      exit 0
      ;;
    *"\"id\": \"$id\""*"\"state\": \"queued\""* | *"\"id\": \"$id\""*"\"state\": \"started\""*) ;;
    *"\"id\": \"$id\""*)
      echo "$payload" >&2
      exit 1
      ;;
  esac
done <"$folder/heard"
echo "$node did not answer" >&2
exit 1
