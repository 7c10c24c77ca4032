#!/usr/bin/env bash
# Runs what is made for a Raspberry Pi on another machine: an ARM64 Debian, emulated, with cosyedge from its Debian
# package. Says whether it is right; how fast it would be can't be told from an emulation.
#
#   scripts/arm64.sh bookworm|trixie [CPU]      CPU as QEMU names it: cortex-a76 (Pi 5) by default, cortex-a72 (Pi 4)
#
# Needs root, and qemu-user-static, mmdebstrap and arch-test of Debian. What it checks, in this order:
#   - every library of the package loads with pages of 16 KB and asks for no newer glibc than the suite has
#   - `cosyedge say` makes a WAV file of a Chinese and English sentence, and plays it through PortAudio and ALSA
#   - the INT8 acoustic model and the vocoder's Loop give what they give on this machine (made in the same run)
#   - a processor that lacks what the libraries need is told of by name, and no instruction is tried
# The report is build/arm64-SUITE-CPU.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${1:-} cpu=${2:-cortex-a76}
case "$suite" in
  bookworm) glibc=2.36 ;;
  trixie) glibc=2.41 ;;
  *) echo "usage: scripts/arm64.sh bookworm|trixie [CPU]" >&2; exit 2 ;;
esac
[ -e "scripts/arm64/$cpu.cpuinfo" ] || { echo "no scripts/arm64/$cpu.cpuinfo" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "scripts/arm64.sh makes a root file system and mounts in it: run it as root" >&2; exit 2; }
for tool in qemu-aarch64-static mmdebstrap; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install qemu-user-static mmdebstrap arch-test" >&2; exit 2; }
done
text=${TEXT:-"你好。Hello."} # short: an emulation takes a minute for a second of speech
python=${PYTHON:-.venv/bin/python} # of this machine, with the runtime dependencies
export OPENBLAS_NUM_THREADS=1 PIP=${PIP:-$python}

binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
[ -e $binfmt/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >$binfmt/register

# The Debian part of the root is kept; no program of it runs while it is made.
kept=${COSYEDGE_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/cosyedge/roots}/arm64-$suite.tar
if [ ! -s "$kept" ]; then
  mkdir -p "${kept%/*}"
  mmdebstrap --quiet --arch=arm64 --variant=extract \
    --include=bash,coreutils,libc-bin,libgcc-s1,libstdc++6,python3,python3-minimal,python3-pyaudio \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' "$suite" "${kept%.tar}.new.tar"
  mv "${kept%.tar}.new.tar" "$kept"
fi

work=$(mktemp -d)
root=$work/root shared=$work/shared
trap 'rm -rf "$work"' EXIT
mkdir -p "$root" "$shared"
tar -xf "$kept" -C "$root"
COMPRESSION=none scripts/deb.sh "$suite" arm64
dpkg-deb -x "build/cosyedge_$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' cosyedge/__init__.py)_${suite}_arm64.deb" "$root"

# run CPUINFO COMMAND...: in the root, as that processor; the folder /w is shared. QEMU's processor and /proc/cpuinfo
# belong together: onnxruntime reads the file (and /sys), and with that of another machine it crashes.
run() {
  local cpuinfo=$1
  shift
  # shellcheck disable=SC2016 # they are expanded there
  unshare --mount --propagation private bash -c '
    root=$1 shared=$2 cpuinfo=$3
    shift 3
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mkdir -p "$root/w"
    mount --bind "$shared" "$root/w"
    mount --bind "$cpuinfo" "$root/proc/cpuinfo"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 QEMU_CPU="$CPU" ALSA_CONFIG_PATH=/w/asound.conf \
      OPENBLAS_NUM_THREADS=1 ORT_DISABLE_TELEMETRY=1 chroot "$root" "$@"' _ "$root" "$shared" "$cpuinfo" "$@"
}
export CPU=$cpu
cpuinfo=$PWD/scripts/arm64/$cpu.cpuinfo

report=build/arm64-$suite-$cpu.txt
step() { printf '\n== %s\n' "$*"; }
checks() {
  printf 'ARM64, %s, %s, %s\n' "$suite" "$cpu" "$(date -u +%Y-%m-%dT%H:%MZ)"
  printf 'commit %s\n' "$(git rev-parse HEAD 2>/dev/null || echo unknown)"

  step "libraries, pages of 16 KB"
  "$python" scripts/elf.py --glibc "$glibc" "$root/usr/lib/cosyedge" "$root"/usr/lib/python3/dist-packages/pyaudio \
    "$root"/usr/lib/aarch64-linux-gnu/{libportaudio.so.2*,libasound.so.2*} >"$work/elf"
  cat "$work/elf"

  step "import and load"
  run "$cpuinfo" cosyedge --version
  run "$cpuinfo" cosyedge voices --json
  run "$cpuinfo" /usr/lib/cosyedge/bin/python3 -I -c '
import platform, numpy, onnxruntime, pyaudio
print("Python", platform.python_version(), "numpy", numpy.__version__, "onnxruntime", onnxruntime.__version__)
print("PyAudio", pyaudio.__version__, pyaudio.get_portaudio_version_text())'

  step "say, to a WAV file"
  run "$cpuinfo" cosyedge say "$text" --out /w/arm64.wav --json

  step "say, through PortAudio and ALSA to a file"
  printf 'pcm.card {\n type file\n slave.pcm nothing\n file "/w/card.raw"\n format raw\n hint.description "a file"\n}\npcm.nothing {\n type null\n}\n' \
    >"$shared/asound.conf"
  run "$cpuinfo" cosyedge say "$text" --audio-device card --audio-rate 24000 --audio-lead-in-s 0 --json
  "$python" scripts/arm64/heard.py "$shared/card.raw" "$shared/arm64.wav"

  step "models, against this machine"
  # From the package's own code and bundle: the checkout may have moved on meanwhile.
  mkdir "$work/code"
  cp -r "$root"/usr/lib/cosyedge/lib/python3.*/site-packages/cosyedge "$work/code/"
  ln -s "$root/usr/lib/cosyedge/share/cosyedge/models" "$work/code/models"
  PYTHONPATH=$work/code "$python" scripts/arm64/graphs.py reference "$shared/graphs.npz" "$text"
  cp scripts/arm64/graphs.py "$shared/"
  run "$cpuinfo" /usr/lib/cosyedge/bin/python3 -I /w/graphs.py compare /w/graphs.npz

  step "a processor without asimd"
  sed 's/ asimd / /' "$cpuinfo" >"$work/cpuinfo"
  local status=0
  run "$work/cpuinfo" cosyedge voices 2>&1 || status=$?
  [ "$status" = 71 ]

  step 'all is right'
}
mkdir -p build
set -o pipefail
(checks) 2>&1 | tee "$report"
printf 'report: %s\n' "$report"
