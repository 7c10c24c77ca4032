#!/usr/bin/env bash
# Lets one daemon speak for hours, with everything that goes wrong in a house, and accounts for every
# announcement. Prints growth of memory with its confidence interval, open files, threads, underruns.
#
#   scripts/soak.sh --hours 24                the shipped voice on a sound card in real time
#   scripts/soak.sh --count 2000 --voice tiny so many announcements of the voice of the tests
#
# The last line of the output is one JSON object; the exit code is 1 if anything is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --dev
exec .venv/bin/python -m tests.soak "$@"
