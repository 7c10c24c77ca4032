#!/usr/bin/env bash
# Installs the programs of others that a node is tested with, into .peers (or COSYEDGE_PEERS): Node-RED, Home
# Assistant and Rhasspy's client of Hermes. What this machine can't have is left out and named; the tests that need
# it are then skipped. Run as often as you like, what is there is left alone.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${COSYEDGE_PEERS:-.peers}
node_red=4.1.15
home_assistant=(homeassistant==2025.3.4 paho-mqtt==2.1.0) # with the paho that its MQTT integration asks for
rhasspy=(rhasspy-hermes==0.6.2 wavchunk==1.0.2)

say() { printf '%s\n' "peers: $*" >&2; }

# The first Python whose version is within the limits: python_between 3.9 3.12
python_between() {
  local candidate
  for candidate in python3 python3.{13,12,11,10} "$HOME"/.pyenv/versions/3.*/bin/python3; do
    if "$candidate" - "$1" "$2" 2>/dev/null <<'PYTHON'; then
import sys
low, high = (tuple(map(int, text.split("."))) for text in sys.argv[1:])
sys.exit(not low <= sys.version_info[:2] <= high)
PYTHON
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

# environment NAME LOW HIGH PACKAGES...: a virtual environment in a Python between two versions
environment() {
  local name=$1 low=$2 high=$3 python
  shift 3
  [ -e "$folder/$name/complete" ] && return
  if ! python=$(python_between "$low" "$high"); then
    say "$name is left out: it needs a Python from $low to $high"
    return
  fi
  say "installing $name with $("$python" --version)"
  if "$python" -m venv --clear "$folder/$name" &&
    "$folder/$name/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; then
    touch "$folder/$name/complete"
  else
    say "$name is left out: it could not be installed"
    rm -rf "${folder:?}/$name"
  fi
}

mkdir -p "$folder"
environment home-assistant 3.13 3.13 "${home_assistant[@]}"
environment rhasspy-hermes 3.9 3.12 "${rhasspy[@]}" # its audio needs audioop, which 3.13 no longer has
if [ -e "$folder/node-red/node_modules/.bin/node-red" ]; then
  :
elif command -v npm >/dev/null; then
  say "installing node-red"
  npm install --silent --no-audit --no-fund --prefix "$folder/node-red" "node-red@$node_red" ||
    say "node-red is left out: it could not be installed"
else
  say "node-red is left out: there is no npm"
fi
say "ready: $folder"
