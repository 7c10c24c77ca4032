#!/usr/bin/env bash
# Builds the Debian package for one suite and one architecture, on any machine: nothing of it is compiled here.
#
#   scripts/deb.sh bookworm|trixie [amd64|arm64]      the architecture of this machine by default
#
# The result, build/cosyedge_VERSION_SUITE_ARCHITECTURE.deb, installs offline: its Python packages, from
# scripts/lock.txt, are inside, its other dependencies are in the suite. $PIP names a Python that has pip;
# COMPRESSION=none makes one in a hurry, for a test.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${1:-} architecture=${2:-$(dpkg --print-architecture)}
case "$suite" in
  bookworm) python=3.11 next_python=3.12 ;;
  trixie) python=3.13 next_python=3.14 ;;
  *) echo "usage: scripts/deb.sh bookworm|trixie [amd64|arm64]" >&2; exit 2 ;;
esac
case "$architecture" in
  amd64) machine=x86_64 ;;
  arm64) machine=aarch64 ;;
  *) echo "there are no wheels for $architecture, only for amd64 and arm64" >&2; exit 2 ;;
esac

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' cosyedge/__init__.py)
[ -n "$version" ]
version=$version~$suite
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

scripts/tree.sh "$root/usr/lib/cosyedge" /usr/lib/cosyedge "$python" "$machine"
mkdir -p "$root/usr/bin" "$root/usr/lib/systemd/system" "$root/usr/lib/systemd/user" "$root/DEBIAN"
ln -s ../lib/cosyedge/bin/cosyedge "$root/usr/bin/cosyedge"
scripts/units.sh /usr/bin/cosyedge "$root/usr/lib/systemd"

doc=$root/usr/share/doc/cosyedge
install -d "$doc"
# Not with the documentation, which small systems leave out: the installation needs it.
install -m 644 config/cosyedge.yaml "$root/usr/lib/cosyedge/share/cosyedge/"
install -m 644 README.md scripts/deb/copyright "$doc/"
printf 'cosyedge (%s) %s; urgency=medium\n\n  * See the history of the source.\n\n -- cosyedge <cosyedge@localhost>  %s\n' \
  "$version" "$suite" "$(date -R -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}")" |
  gzip -9n >"$doc/changelog.gz"
chmod 644 "$doc/changelog.gz"
install -D -m 644 scripts/deb/lintian-overrides "$root/usr/share/lintian/overrides/cosyedge"

size=$(du -sk --exclude=DEBIAN "$root" | cut -f1)
sed -e "s/@version@/$version/" -e "s/@architecture@/$architecture/" -e "s/@size@/$size/" \
  -e "s/@python@/$python/" -e "s/@next_python@/$next_python/" scripts/deb/control >"$root/DEBIAN/control"
install -m 755 scripts/deb/postinst scripts/deb/prerm scripts/deb/postrm "$root/DEBIAN/"
(cd "$root" && find usr -type f -printf '%P\0' | LC_ALL=C sort -z | sed -z 's|^|usr/|' | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
chmod 644 "$root/DEBIAN/md5sums" "$root/DEBIAN/control"

mkdir -p build
file=build/cosyedge_${version%~*}_${suite}_$architecture.deb
dpkg-deb --root-owner-group "-Z${COMPRESSION:-xz}" --build "$root" "$file" >/dev/null
printf 'deb: %s, %s MB, %s MB installed\n' "$file" "$(($(stat -c %s "$file") / 1000000))" "$((size / 1000))"
