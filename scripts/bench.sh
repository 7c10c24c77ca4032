#!/usr/bin/env bash
# Measures this machine: real-time factor, first audio, memory by part, start, heat. Arguments go to `cosyedge bench`:
# --check FILE compares with an earlier output, such as scripts/baseline.json, that of the bundle here on x86-64;
# --peers measures Piper and hibari too (cosyedge/bench/peers.py says where they are looked for), --plot FILE.png
# draws. The table goes to standard error; the last line of the output is one JSON object.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
.venv/bin/cosyedge bench --json --memory "$@"
