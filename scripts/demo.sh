#!/usr/bin/env bash
# From nothing to a spoken announcement: installs what is needed, starts a broker of its own on a free port of
# the loopback interface and the daemon beside it, publishes one announcement in Chinese and English, waits
# until it was heard, and says where. Nothing is left running.
set -euo pipefail
cd "$(dirname "$0")/.."

text=${1:-"今天天气不错，适合出去走走。 Dinner is ready, please come to the kitchen."}
deadline_s=120

scripts/setup.sh

say() { printf '%s\n' "demo: $*"; }

work=$(mktemp -d)
broker="" listener="" daemon=""
cleanup() {
  trap - EXIT INT TERM
  for pid in $daemon $listener $broker; do
    kill "$pid" 2>/dev/null || true
  done
  for pid in $daemon $listener $broker; do
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# wait_for PATTERN WHAT PID: until a line of what was heard at the broker matches, while PID lives.
wait_for() {
  local ends=$((SECONDS + deadline_s))
  until grep -qE "$1" "$work/heard"; do
    if ! kill -0 "$3" 2>/dev/null; then
      say "$2: the process ended"
      return 1
    fi
    if [ "$SECONDS" -ge "$ends" ]; then
      say "$2: not within $deadline_s seconds"
      return 1
    fi
    sleep 0.1
  done
}

start_broker() {
  local try
  for try in 1 2 3 4 5; do
    port=$(.venv/bin/python -c '
import socket
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    print(free.getsockname()[1])')
    printf 'listener %s 127.0.0.1\nallow_anonymous true\nuser %s\n' "$port" "$(id -un)" >"$work/mosquitto.conf"
    PATH="$PATH:/usr/sbin" mosquitto -c "$work/mosquitto.conf" >"$work/mosquitto.log" 2>&1 &
    broker=$!
    while kill -0 "$broker" 2>/dev/null; do
      if mosquitto_pub -h 127.0.0.1 -p "$port" -t demo/marker -r -m here 2>/dev/null; then
        return 0
      fi
      sleep 0.1
    done
    say "port $port was taken (try $try)"
  done
  cat "$work/mosquitto.log"
  return 1
}

# announce OUTPUT: starts the daemon with that output, publishes, and waits for the end, which is then in $result;
# without a sound card that works there is no end, and $result stays empty.
announce() {
  node=demo-$1
  rm -rf "$work/wav" "$work/state"
  mkdir -p "$work/wav" "$work/state"
  : >"$work/heard"
  # The marker is retained: once it comes, everything is subscribed. The daemon is not there yet.
  mosquitto_sub -h 127.0.0.1 -p "$port" -v -t demo/marker -t "cosyedge/$node/health" \
    -t "cosyedge/$node/result" >"$work/heard" 2>&1 &
  listener=$!
  wait_for '^demo/marker here' "listening at the broker" "$listener" || return 1
  .venv/bin/cosyedge run --config /dev/null --mqtt-host 127.0.0.1 --mqtt-port "$port" --mqtt-node "$node" \
    --audio-output "$1" --audio-wav-path "$work/wav" --state-dir "$work/state" >"$work/daemon.log" 2>&1 &
  daemon=$!
  if ! wait_for '^cosyedge/[^/]*/health .*"status": ?"(ok|degraded)"' "starting the daemon" "$daemon" ||
    ! publish || ! wait_for "$ended|$no_card" "speaking" "$daemon"; then
    cat "$work/daemon.log"
    return 1
  fi
  result=$(grep -E "$ended" "$work/heard" | tail -n 1 || true)
  result=${result#cosyedge/*/result }
  local status=0
  kill "$daemon"
  wait "$daemon" || status=$?
  daemon=""
  kill "$listener"
  wait "$listener" || true
  listener=""
  if [ "$status" != 0 ]; then
    say "the daemon did not end cleanly ($status)"
    cat "$work/daemon.log"
    return 1
  fi
}
ended='^cosyedge/[^/]*/result .*"state": ?"(finished|failed|expired|cancelled)"'
no_card='^cosyedge/[^/]*/health .*"reasons": ?\[[^]]*"audio_'

publish() {
  .venv/bin/python -c 'import json, sys; print(json.dumps({"id": "demo", "text": sys.argv[1]}))' "$text" |
    mosquitto_pub -h 127.0.0.1 -p "$port" -q 1 -t "cosyedge/$node/say" -s
}

field() {
  .venv/bin/python -c 'import json, sys; print(json.loads(sys.argv[1]).get(sys.argv[2], ""))' "$result" "$1"
}

start_broker
say "a broker of our own listens on 127.0.0.1:$port"

heard="the sound card"
announce alsa
if [ -z "$result" ]; then
  say "there is no sound card that works here; a WAV file takes its place"
  announce wav
  mkdir -p build
  mv "$work"/wav/*.wav build/demo.wav
  heard="the file $PWD/build/demo.wav"
fi

printf '%s\n' "$result"
if [ "$(field state)" != finished ]; then
  say "the announcement was not spoken"
  exit 1
fi
say "heard from $heard: $(field audio_s) s of speech, the first sound after $(field first_audio_ms | cut -d. -f1) ms"
