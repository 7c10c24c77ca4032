#!/usr/bin/env bash
# Makes the voice from nothing: teacher, corpus, acoustic model, vocoder, bundle, report.
#
#   scripts/train_voice.sh [step ...]      no step: all of them, in order
#
# Every step resumes what it finds in build/train and can be stopped at any moment. On two cores the whole
# takes about six hours; give each step a core of its own where you have more. To go on from the weights
# that ship, on a machine without checkpoints:
#
#   FROM=models/cosyedge-multi scripts/train_voice.sh setup lexicons corpus acoustic adapt sharpen export evaluate
set -euo pipefail
cd "$(dirname "$0")/.."

CORPUS_MINUTES=${CORPUS_MINUTES:-66}   # of each language
SHARDS=${SHARDS:-2}
BUNDLE=${BUNDLE:-models/cosyedge-multi}
WORK=${COSYEDGE_TRAIN_DIR:-build/train}
PYTHON=$WORK/venv/bin/python
BEGIN=(${FROM:+--from "$FROM"})
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

step_setup() {
    if [ ! -d /usr/share/help/zh_CN/gnome-help ]; then
        run_as_root apt-get update -q
        run_as_root apt-get install -y -q --no-install-recommends gnome-user-docs npm python3-venv
    fi
    [ -x "$PYTHON" ] || python3 -m venv "$WORK/venv"
    "$PYTHON" -m pip install -q -e '.[train]'
    if [ ! -d "$WORK/kokoro-js/voices" ]; then
        mkdir -p "$WORK/kokoro-js"
        (cd "$WORK/kokoro-js" && npm pack --silent kokoro-js@1.2.1 && tar xzf kokoro-js-1.2.1.tgz --strip-components=1 package/voices)
    fi
}

run_as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

step_lexicons() {
    mkdir -p "$WORK/lexicons"
    for lang in zh yue en ja ko; do
        "$PYTHON" "scripts/train/lexicon_$lang.py" "$WORK/lexicons"
    done
}

step_corpus() {
    local shard pids=()
    for shard in $(seq 0 $((SHARDS - 1))); do
        "$PYTHON" scripts/train/corpus.py --minutes "$CORPUS_MINUTES" --shard "$shard/$SHARDS" &
        pids+=($!)
    done
    for shard in "${pids[@]}"; do wait "$shard"; done
}

step_acoustic() {
    "$PYTHON" scripts/train/train_acoustic.py --minutes "${ACOUSTIC_MINUTES:-160}" "${BEGIN[@]}"
}
step_wavernn() { "$PYTHON" scripts/train/train_wavernn.py --minutes "${WAVERNN_MINUTES:-25}"; }
step_free() { "$PYTHON" scripts/train/finetune_wavernn.py --minutes "${FREE_MINUTES:-13}"; }
step_adapt() {
    "$PYTHON" scripts/train/finetune_wavernn.py --minutes "${ADAPT_MINUTES:-60}" --acoustic "${BEGIN[@]}"
}
step_sharpen() { "$PYTHON" scripts/train/sharpen_wavernn.py --minutes "${SHARPEN_MINUTES:-40}"; }
step_export() { "$PYTHON" scripts/train/export.py "$BUNDLE"; }
step_evaluate() { "$PYTHON" scripts/train/evaluate.py "$BUNDLE" "$WORK/bundles/fp32"; }

[ $# -gt 0 ] || set -- setup lexicons corpus wavernn acoustic free adapt sharpen export evaluate
for step in "$@"; do
    declare -F "step_$step" >/dev/null || { echo "unknown step: $step" >&2; exit 2; }
done
for step in "$@"; do
    echo "== $step"
    "step_$step"
done
