#!/usr/bin/env bash
# Lets the kernel forget the libraries below a folder, so that it reads them anew when they are used.
#
#   scripts/uncache.sh FOLDER
#
# What was just written lies in its page cache in large pieces, and Linux 6.18 maps such a piece whole where one
# byte of it is touched: 20 MB more of onnxruntime and numpy are resident. What is read at its use lies in small
# ones, as after a start of the machine. What a running program has mapped stays.
set -euo pipefail
[ $# = 1 ] || { echo "usage: scripts/uncache.sh FOLDER" >&2; exit 2; }

find "$1" -type f -name '*.so*' -exec sync {} +
find "$1" -type f -name '*.so*' -exec dd if={} iflag=nocache count=0 status=none \;
