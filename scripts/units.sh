#!/usr/bin/env bash
# The unit files of systemd/ for a command at another place.
#
#   scripts/units.sh COMMAND FOLDER      into FOLDER/system and FOLDER/user
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# = 2 ] || { echo "usage: scripts/units.sh COMMAND FOLDER" >&2; exit 2; }

install -d "$2/system" "$2/user"
for unit in systemd/*.service systemd/user/*.service; do
  kind=system
  [ "${unit%/*}" = systemd ] || kind=user
  sed "s|^ExecStart=[^ ]*|ExecStart=$1|" "$unit" >"$2/$kind/${unit##*/}"
  chmod 644 "$2/$kind/${unit##*/}"
done
