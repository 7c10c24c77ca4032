#!/usr/bin/env bash
# Sets up, then checks everything: ruff, mypy, shellcheck, the tests.
#
#   scripts/test.sh           under eight minutes
#   scripts/test.sh --long    what takes longer too; writes reports/<date>-long.md, which names the commit
set -euo pipefail
cd "$(dirname "$0")/.."

long=""
case "${1:-}" in
  "") ;;
  --long) long=yes ;;
  *)
    echo "usage: scripts/test.sh [--long]" >&2
    exit 2
    ;;
esac

scripts/setup.sh --dev

step() { printf '\n== %s\n' "$*"; }

step ruff
.venv/bin/ruff check .
.venv/bin/ruff format --check .
step mypy
.venv/bin/mypy --strict
step shellcheck
shellcheck scripts/*.sh scripts/deb/p* config/examples/*/*.sh .ci/run

if [ -z "$long" ]; then
  step pytest
  exec .venv/bin/python -m pytest -m "not long"
fi

step "programs of others"
scripts/setup_peers.sh
step "pytest, long ones too"
mkdir -p reports
report=reports/$(date +%Y-%m-%d)-long.md
commit=$(git rev-parse HEAD)
[ -z "$(git status --porcelain)" ] || commit="$commit, with changes that are not committed"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
.venv/bin/python -m pytest -rA --durations=20 | tee "$log" || status=$?
{
  printf '# Long tests of %s\n\n' "$(date +%Y-%m-%d)"
  printf -- '- commit: %s\n' "$commit"
  printf -- '- machine: %s, %s\n' "$(uname -srm)" "$(.venv/bin/python --version)"
  printf -- '- exit code of pytest: %s\n\n' "$status"
  sed 's/^/    /' "$log"
} >"$report"
printf 'report: %s\n' "$report"
# The closing line of pytest stays the last that is printed.
grep -E '[0-9]+ (passed|failed|error)' "$log" | tail -n 1
exit "$status"
