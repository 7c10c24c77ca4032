#!/usr/bin/env bash
# Takes back what scripts/install.sh has installed. The configuration and the state stay, unless --purge is given.
#
#   sudo scripts/uninstall.sh           for the machine
#   scripts/uninstall.sh --user         for the user
#   scripts/uninstall.sh --purge        the configuration, the waiting announcements and the settings as well
#   scripts/uninstall.sh --dry-run      only says what would be done
#
# What the nodes have left at the broker (availability, state, health, discovery) is removed while it can be
# reached. Run as often as you like.
set -euo pipefail

mode=system purge="" dry="" prefix=${PREFIX:-}
for argument in "$@"; do
  case "$argument" in
    --user) mode=user ;;
    --purge) purge=yes ;;
    --dry-run) dry=yes ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

say() { printf '%s\n' "uninstall: $*" >&2; }
do_() {
  if [ -n "$dry" ]; then say "would run: $*"; else "$@"; fi
}

if [ "$mode" = user ]; then
  data=${XDG_DATA_HOME:-$HOME/.local/share}/cosyedge bin=$HOME/.local/bin
  configurations=${XDG_CONFIG_HOME:-$HOME/.config}/cosyedge
  units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
  states=("${XDG_STATE_HOME:-$HOME/.local/state}/cosyedge")
else
  data=/opt/cosyedge bin=/usr/local/bin
  configurations=/etc/cosyedge
  units=/etc/systemd/system
  states=(/var/lib/private/cosyedge /var/lib/private/cosyedge-* /var/lib/cosyedge /var/lib/cosyedge-*)
  if [ "$(id -u)" != 0 ] && [ -z "$dry" ] && [ -z "$prefix" ]; then
    say "this changes the system: run it with sudo, or with --user for yourself"
    exit 1
  fi
fi

manager() {
  if [ -n "$prefix" ]; then return 1; fi
  if [ "$mode" = user ]; then
    systemctl --user show-environment >/dev/null 2>&1
  else
    [ -d /run/systemd/system ]
  fi
}
ctl() {
  if [ "$mode" = user ]; then do_ systemctl --user "$@"; else do_ systemctl "$@"; fi
}

# --- the service

nodes=()
if manager; then
  mapfile -t nodes < <(systemctl "--$mode" list-units --plain --no-legend --all 'cosyedge@*.service' 2>/dev/null | cut -d' ' -f1)
  for unit in cosyedge.service "${nodes[@]}"; do
    ctl disable --quiet --now "$unit" 2>/dev/null || true
  done
fi

# --- what the nodes have left at the broker

program=$prefix$data/current/bin/cosyedge
credentials=""
if [ "$mode" = system ] && [ -e /etc/credstore/cosyedge-mqtt-password ] && [ -z "$dry" ]; then
  credentials=$(mktemp -d)
  trap 'rm -rf "$credentials"' EXIT
  ln -s /etc/credstore/cosyedge-mqtt-password "$credentials/mqtt-password" # the name that the unit gives it
fi
if [ -x "$program" ] && [ -z "$prefix" ]; then
  for unit in cosyedge.service "${nodes[@]}"; do
    node=${unit#cosyedge} node=${node#@} node=${node%.service}
    file=$configurations/${node:-cosyedge}.yaml
    [ -e "$file" ] || continue
    do_ env ${credentials:+CREDENTIALS_DIRECTORY="$credentials"} timeout 30 \
      "$program" forget --config "$file" ${node:+--mqtt-node "$node"} ||
      say "the broker still tells of the node of $file"
  done
fi

# --- the files

for file in "$units/cosyedge.service" "$units/cosyedge@.service" "$units/cosyedge.service.d/10-memory.conf" "$bin/cosyedge"; do
  if [ -e "$prefix$file" ] || [ -L "$prefix$file" ]; then do_ rm -f "$prefix$file"; fi
done
do_ rmdir --ignore-fail-on-non-empty "$prefix$units/cosyedge.service.d" 2>/dev/null || true
for release in "$prefix$data"/[0-9]* "$prefix$data/current"; do
  if [ -e "$release" ] || [ -L "$release" ]; then do_ rm -rf "$release"; fi
done
do_ rmdir --ignore-fail-on-non-empty "$prefix$data" 2>/dev/null || true
if manager; then ctl daemon-reload; fi

if [ -n "$purge" ]; then
  do_ rm -rf "$prefix$configurations"
  for state in "${states[@]}"; do do_ rm -rf "$prefix$state"; done
else
  say "the configuration is still in $configurations; --purge removes it"
fi
say "done"
