#!/usr/bin/env bash
# Boots a Debian with systemd, mosquitto and the Debian package in a container, and tries all that the service
# promises: start, speech into a file, sandbox, reload, a broker and a card that are missing, kill, the watchdog, a
# second node, stop, upgrade, removal. scripts/boot/inside.py is what runs in there.
#
#   scripts/boot_test.sh [bookworm|trixie]      the suite of this machine by default, where it is one of them
#
# Needs root, systemd-container and mmdebstrap. The root file system is made once, in about two minutes, and kept in
# ~/.cache/cosyedge/roots ($COSYEDGE_ROOTS); with it a run takes about a minute and a half, for which nothing
# is downloaded but Python packages that pip does not have yet. The report is build/boot-SUITE.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${1:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
case "$suite" in
  bookworm | trixie) ;;
  *) suite=bookworm ;;
esac
[ "$(id -u)" = 0 ] || { echo "scripts/boot_test.sh boots a container: run it as root" >&2; exit 2; }
for tool in systemd-nspawn mmdebstrap; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install systemd-container mmdebstrap" >&2; exit 2; }
done
export PIP=${PIP:-.venv/bin/python}

kept=${COSYEDGE_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/cosyedge/roots}/boot-$suite.tar
if [ ! -s "$kept" ]; then
  mkdir -p "${kept%/*}"
  mmdebstrap --quiet --variant=minbase \
    --include=systemd-sysv,dbus,python3,python3-pyaudio,libasound2-plugins,mosquitto,mosquitto-clients \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' "$suite" "${kept%.tar}.new.tar"
  mv "${kept%.tar}.new.tar" "$kept"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/cosyedge-boot
mkdir "$root"
tar -xf "$kept" -C "$root"
COMPRESSION=none scripts/deb.sh "$suite"
package=$(find build -name "cosyedge_*_${suite}_$(dpkg --print-architecture).deb" -newer "$root/etc" | sort | tail -n 1)
mkdir "$root/boot-test"
cp "$package" scripts/boot/inside.py "$root/boot-test/"

# Nothing is asked of the network: what the package needs is there.
printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
cat >"$root/etc/asound.conf" <<'END'
pcm.card {
  type file
  slave.pcm nothing
  file "/var/lib/cosyedge/card.raw"
  format raw
  hint.description "a sound card that is a file"
}
pcm.nothing {
  type null
}
END
chroot "$root" dpkg -i "/boot-test/${package##*/}" >/dev/null
cmp config/cosyedge.yaml "$root/etc/cosyedge/cosyedge.yaml" # also where documentation is left out, as here
printf '{"mqtt": {"node": "boot"}, "audio": {"device": "card"}}\n' >"$root/etc/cosyedge/cosyedge.yaml"
install -m 644 scripts/boot/boot-test.service "$root/etc/systemd/system/"
ln -s ../boot-test.service "$root/etc/systemd/system/multi-user.target.wants/boot-test.service"
: >"$root/etc/machine-id"
printf 'boot test: %s s until now\n' "$SECONDS" >&2

timeout --kill-after=10 "${BOOT_TIMEOUT_S:-600}" systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit \
  --private-network --hostname=boot --console=pipe </dev/null >"$work/console" 2>&1 || true
report=build/boot-$suite.txt
{
  printf 'boot test, %s, %s, commit %s\n' "$suite" "$(date -u +%Y-%m-%dT%H:%MZ)" "$(git rev-parse HEAD 2>/dev/null || echo unknown)"
  cat "$root/boot-test/result" 2>/dev/null || tail -n 40 "$work/console"
} | tee "$report"
[ "$(tail -n 1 "$report")" = "all is right" ]
