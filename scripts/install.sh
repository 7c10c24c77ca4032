#!/usr/bin/env bash
# Installs cosyedge from this checkout as a service, or brings an installation to this version.
#
#   sudo scripts/install.sh             for the machine: /opt/cosyedge, cosyedge.service, /etc/cosyedge/cosyedge.yaml
#   scripts/install.sh --user           for a desktop: into the home directory, as a service of the user
#   scripts/install.sh --no-start       neither enabled nor started
#   scripts/install.sh --dry-run        only says what would be done
#
# Run as often as you like. The new version is made beside the old one and takes its place in one step; the
# configuration is made once and never touched again. PREFIX is a folder before all paths, for images. Debian 12
# and 13 and Raspberry Pi OS; from a package: scripts/deb.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=system start=yes dry="" prefix=${PREFIX:-}
for argument in "$@"; do
  case "$argument" in
    --user) mode=user ;;
    --no-start) start="" ;;
    --dry-run) dry=yes ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
[ -z "$prefix" ] || start=""

say() { printf '%s\n' "install: $*" >&2; }
# A command that changes something.
do_() {
  if [ -n "$dry" ]; then say "would run: $*"; else "$@"; fi
}

if [ "$mode" = user ]; then
  data=${XDG_DATA_HOME:-$HOME/.local/share}/cosyedge bin=$HOME/.local/bin
  configuration=${XDG_CONFIG_HOME:-$HOME/.config}/cosyedge/cosyedge.yaml
  units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
else
  data=/opt/cosyedge bin=/usr/local/bin
  configuration=/etc/cosyedge/cosyedge.yaml
  units=/etc/systemd/system
  if [ "$(id -u)" != 0 ] && [ -z "$dry" ] && [ -z "$prefix" ]; then
    say "this changes the system: run it with sudo, or with --user for yourself"
    exit 1
  fi
fi
case "$PWD/" in
  "$prefix$data"/*) say "this checkout lies where the installation goes, in $data: put it elsewhere"; exit 1 ;;
esac

# Whether there is a service manager to talk to.
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

# --- Debian packages

# PyAudio has no wheel for Linux: it is the distribution's, and so is the Python that it was built for.
packages=(python3 python3-venv python3-pyaudio libstdc++6)
missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [ "$state" = "ii " ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" = 0 ]; then
    say "installing ${missing[*]}"
    do_ env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    do_ env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
  else
    say "these packages are missing: sudo apt-get install ${missing[*]}"
    [ -n "$dry" ] || exit 1
  fi
fi

# --- the program

python=$(/usr/bin/python3 -c 'import sys; print(f"{sys.version_info.major}.{sys.version_info.minor}")' 2>/dev/null || echo 3.11)
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' cosyedge/__init__.py)
# One folder for each content: what is there already under its name is complete.
content=$({
  printf '%s %s\n' "$python" "$(uname -m)"
  find cosyedge models systemd scripts/lock.txt scripts/tree.sh -type f ! -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
} | sha256sum | cut -c1-12)
release=$data/$version-$content

if [ -e "$prefix$release/bin/cosyedge" ]; then
  say "$release is there already"
else
  say "making $release"
  if [ -z "$dry" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work" "$prefix$release.new"' EXIT
    /usr/bin/python3 -m venv "$work/pip"
    PIP=$work/pip/bin/python3 scripts/tree.sh "$prefix$release.new" "$release" "$python" "$(uname -m)"
    # A service may not write beside its code, and would compile it anew at every start.
    "$prefix$release.new/bin/python3" -m compileall -q -j 0 -s "$prefix$release.new" -p "$release" "$prefix$release.new/lib"
    scripts/uncache.sh "$prefix$release.new/lib"
    mv "$prefix$release.new" "$prefix$release"
  fi
fi

before=$(readlink "$prefix$data/current" 2>/dev/null || true)
do_ ln -sfn "${release##*/}" "$prefix$data/current.new"
do_ mv -T "$prefix$data/current.new" "$prefix$data/current"
do_ mkdir -p "$prefix$bin"
do_ ln -sfn "$data/current/bin/cosyedge" "$prefix$bin/cosyedge"

# --- the configuration

if [ -e "$prefix$configuration" ]; then
  say "$configuration stays as it is"
else
  say "making $configuration"
  do_ install -D -m 644 config/cosyedge.yaml "$prefix$configuration"
fi

# --- the service

if [ -n "$dry" ]; then
  say "would write the units to $units"
else
  made=$(mktemp -d)
  scripts/units.sh "$data/current/bin/cosyedge" "$made"
  mkdir -p "$prefix$units"
  if [ "$mode" = user ]; then
    install -m 644 "$made/user/"*.service "$prefix$units/"
  else
    install -m 644 "$made/system/"*.service "$prefix$units/"
  fi
  rm -rf "$made"
  # MemoryMax follows memory.limit_mb. A configuration that is wrong is told of at the start.
  dropin=$prefix$units/cosyedge.service.d/10-memory.conf
  if wanted=$("$prefix$release/bin/python3" -I -m cosyedge config --systemd --config "$prefix$configuration" 2>/dev/null); then
    mkdir -p "${dropin%/*}"
    printf '%s\n' "$wanted" >"$dropin"
  fi
fi
if manager; then
  ctl daemon-reload
  if [ -n "$start" ]; then
    ctl enable --quiet cosyedge.service
    ctl restart cosyedge.service
    # Nodes of cosyedge@.service that run are started anew as well; where there is none, nothing happens.
    ctl try-restart 'cosyedge@*.service'
  fi
fi

# Only now: what runs has its own files until it is restarted.
for old in "$prefix$data"/[0-9]*; do
  if [ -d "$old" ] && [ "${old##*/}" != "${release##*/}" ]; then do_ rm -rf "$old"; fi
done

[ -z "$before" ] || [ "$before" = "${release##*/}" ] || say "${before%-*} was replaced by $version"
say "ready: $bin/cosyedge check"
