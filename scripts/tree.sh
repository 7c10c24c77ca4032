#!/usr/bin/env bash
# The installed program as a tree of files: Python packages from scripts/lock.txt, cosyedge, the bundle.
# scripts/install.sh and scripts/deb.sh put it where it belongs.
#
#   scripts/tree.sh TREE PREFIX PYTHON MACHINE
#
# TREE is the folder that is made; PREFIX, where it will lie; PYTHON, such as 3.11, its Python; MACHINE, x86_64 or
# aarch64. No file of it depends on the machine that makes it. $PIP names a Python that has pip (python3). PyAudio
# is not in it: it comes from the distribution's python3-pyaudio, built for the distribution's Python.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# = 4 ] || { echo "usage: scripts/tree.sh TREE PREFIX PYTHON MACHINE" >&2; exit 2; }
tree=$1 prefix=$2 python=$3 machine=$4
pip=${PIP:-python3}

site=$tree/lib/python$python/site-packages
rm -rf "$tree"
mkdir -p "$site" "$tree/bin" "$tree/share/cosyedge/models"

# pip takes the names of platforms literally: each glibc up to that of Debian 12.
platforms=(--platform "manylinux2014_$machine")
for minor in $(seq 17 36); do platforms+=(--platform "manylinux_2_${minor}_$machine"); done
"$pip" -m pip install --quiet --disable-pip-version-check --no-warn-script-location --root-user-action=ignore \
  --require-hashes --requirement "$here/scripts/lock.txt" --no-deps --only-binary :all: --no-compile \
  --python-version "$python" --implementation cp "${platforms[@]}" --target "$site"
# What only the makers of these packages run, and what onnxruntime has for making models.
find "$site" -depth -type d \( -name tests -o -name __pycache__ \) -exec rm -rf {} +
find "$site" -name '*.pyi' -delete
rm -rf "${site:?}/bin" "$site/numpy/f2py" "$site/numpy/_core/include" "$site/numpy/_core/lib" \
  "$site"/onnxruntime/{backend,datasets,quantization,tools,transformers}

# A virtual environment is these three things.
printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = %s\n' "$python" >"$tree/pyvenv.cfg"
ln -s "/usr/bin/python$python" "$tree/bin/python3"
printf '/usr/lib/python3/dist-packages\n' >"$site/debian-pyaudio.pth" # after our own, so only what we lack

(cd "$here" && find cosyedge -name '*.py' -exec install -m 644 -D {} "$site/{}" \;)
install -m 644 "$here/LICENSE" "$here/NOTICE" "$tree/share/cosyedge/"
cat >"$tree/bin/cosyedge" <<END
#!$prefix/bin/python3 -I
import sys

from cosyedge.cli import main

sys.exit(main())
END
chmod 755 "$tree/bin/cosyedge"

bundle=$(PYTHONPATH=$here "$pip" -B -c 'from cosyedge.options import Config; print(Config().models.bundle)')
mkdir "$tree/share/cosyedge/models/$bundle"
# What the program reads, and not the report of the training with its figures.
install -m 644 "$here/models/$bundle/"{bundle.yaml,*.onnx,*.lexicon} "$tree/share/cosyedge/models/$bundle/"
find "$tree" -type d -exec chmod 755 {} +
find "$tree" -type f -exec chmod 644 {} + # some wheels mark all of their files as programs
chmod 755 "$tree/bin/cosyedge"
