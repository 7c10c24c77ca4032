#!/usr/bin/env bash
# Installs what cosyedge needs into this checkout: Debian packages, and a virtual environment in .venv.
# Made for Debian 12 and 13 and Raspberry Pi OS; run as often as you like, what is there is left alone.
#
#   scripts/setup.sh          to run it
#   scripts/setup.sh --dev    to test it as well
#
# What is downloaded from the package index is the very files that scripts/lock.py has pinned, by their hashes.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(python3 python3-venv python3-dev gcc libc6-dev portaudio19-dev libportaudio2 libsndfile1
  mosquitto mosquitto-clients)
extras="" locks=(scripts/lock.txt scripts/lock_build.txt)
case "${1:-}" in
  "") ;;
  --dev)
    packages+=(libasound2-plugins pulseaudio pulseaudio-utils openssl shellcheck systemd git)
    extras="[dev]"
    locks+=(scripts/lock_dev.txt)
    ;;
  *)
    echo "usage: scripts/setup.sh [--dev]" >&2
    exit 2
    ;;
esac

say() { printf '%s\n' "setup: $*" >&2; }

# --- Debian packages

# Through the environment and not by `apt-get -o`, so that it holds in sudo too.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# A command whose output is of interest only when it fails.
quietly() {
  local output
  if ! output=$("$@" 2>&1); then
    printf '%s\n' "$output" >&2
    say "failed: $*"
    exit 1
  fi
}

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [ "$state" = "ii " ] || missing+=("$package")
done

if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    say "these packages are missing, and only root can install them: ${missing[*]}"
    exit 1
  fi
  say "installing ${missing[*]}"
  quietly as_root apt-get update
  quietly as_root apt-get install -y --no-install-recommends "${missing[@]}"
  # Debian starts a broker as soon as it is installed. Whether this machine is to have one is not ours to say.
  if [[ " ${missing[*]} " == *" mosquitto "* ]] && [ -d /run/systemd/system ]; then
    as_root systemctl disable --quiet --now mosquitto.service || true
    say "mosquitto is installed but not running; 'systemctl enable --now mosquitto' makes this machine a broker"
  fi
fi

# --- Python packages

python=python3
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  say "Python 3.11 or later is needed; this is $("$python" --version)"
  exit 1
fi

# Installed already for these very requirements, in this very place, by this very Python? All for --dev is more.
stamp=$( (pwd && "$python" --version && cat pyproject.toml scripts/lock*.txt) | sha256sum)
done_before=$(cat .venv/cosyedge-setup 2>/dev/null || true)
if [ "$done_before" != "$stamp$extras" ] && [ "$done_before" != "${stamp}[dev]" ]; then
  say "installing Python packages into .venv"
  if ! .venv/bin/python -c pass 2>/dev/null; then
    "$python" -m venv --clear .venv
  fi
  pip=(.venv/bin/python -m pip --disable-pip-version-check install --quiet)
  if "$python" -c 'import platform, sys
sys.exit(not ((3, 11) <= sys.version_info < (3, 15) and platform.machine() in ("x86_64", "aarch64")))'; then
    quietly "${pip[@]}" --require-hashes --no-deps --only-binary :all: "${locks[@]/#/--requirement=}"
    # With what is there by now: an environment that pip made for it would have what is newest.
    quietly "${pip[@]}" --require-hashes --no-deps --no-build-isolation --requirement scripts/lock_source.txt
    quietly "${pip[@]}" --no-deps --no-build-isolation --editable .
  else
    say "nothing is pinned for $("$python" --version) on $(uname -m): taking the newest that pyproject.toml allows"
    quietly "${pip[@]}" --editable ".$extras"
  fi
  # A service may not write beside its code, and would compile it anew at every start.
  .venv/bin/python -m compileall -q cosyedge
  scripts/uncache.sh .venv/lib
  printf '%s\n' "$stamp$extras" >.venv/cosyedge-setup
fi
say "ready: .venv/bin/cosyedge"
