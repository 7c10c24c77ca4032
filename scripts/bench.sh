#!/usr/bin/env bash
# Measures this machine: real-time factor, first audio, memory, start. Arguments go to `cosyedge bench`.
# The last line of the output is one JSON object.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
.venv/bin/cosyedge bench --json "$@"
