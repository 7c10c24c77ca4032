"""What the text front end costs: memory with every language loaded, and processor time per sentence.

Measured in a process of its own, which has imported nothing but the front end.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from cosyedge.errors import HostError
from cosyedge.text.spans import Lang

#: Sentences of about 30 characters with a figure in them; each is read many times with another figure,
#: so that nothing is measured twice.
SENTENCES: Final[dict[Lang, str]] = {
    "zh": "今天下午{}点客厅的温度是二十五度，请记得关好窗户，谢谢大家。",
    "yue": "今日下晝{}點客廳嘅溫度係二十五度，記得閂好窗，唔該晒大家呀。",
    "en": "It is {} degrees in the hallway.",
    "ja": "今日の午後{}時にリビングの窓を閉めてください。洗濯が終わりました。",
    "ko": "오늘 오후 {}시에 거실 창문을 닫아 주세요, 비가 옵니다.",
}
_ROUNDS: Final = 40


@dataclass(frozen=True, slots=True)
class TextCost:
    """Resident memory that the front end adds, in MB, and milliseconds of CPU per sentence of a language."""

    rss_mb: float
    cpu_ms: dict[Lang, float]


def text_cost(folder: Path, languages: Iterable[Lang]) -> TextCost:
    """Measured with the lexicons in ``folder``.

    Raises:
        HostError: ``internal``: the measuring process failed; its last words are in the sentence.
    """
    command = [sys.executable, "-m", "cosyedge.bench.text_cost", str(folder), *sorted(languages)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["without a word"])[-1]
        raise HostError("internal", f"Measuring the text front end failed: {last}")
    told = json.loads(done.stdout)
    return TextCost(told["rss_mb"], told["cpu_ms"])


def _measure(folder: Path, languages: list[Lang]) -> TextCost:
    before = _rss_mb()
    from cosyedge.text.reader import Reader

    reader = Reader(folder, frozenset(languages))
    for lang in languages:
        for _ in reader.read(SENTENCES[lang].format(3), lang):
            pass
    rss_mb = _rss_mb() - before
    cpu_ms: dict[Lang, float] = {}
    for lang in languages:
        taken: list[float] = []
        for figure in range(1, _ROUNDS + 1):
            start = time.process_time()
            for _ in reader.read(SENTENCES[lang].format(figure % 12 + 1), lang):
                pass
            taken.append((time.process_time() - start) * 1000)
        cpu_ms[lang] = round(statistics.median(taken), 2)
    return TextCost(round(rss_mb, 1), cpu_ms)


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    cost = _measure(Path(sys.argv[1]), cast(list[Lang], sys.argv[2:]))
    print(json.dumps({"rss_mb": cost.rss_mb, "cpu_ms": cost.cpu_ms}))
