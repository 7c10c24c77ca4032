"""Whether figures are worse than those that were kept: counts and ratios, never times.

A time says more of the machine and of what else it does than of the program; what is compared here is the
same on a fast machine and on a slow one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from cosyedge.errors import ConfigError

#: Figure → how much more than the baseline's it may be. Memory in MB counts pages, and differs a little from
#: run to run.
COUNTS: Final = {
    "bundle_mb": 0.5,
    "inference_threads": 0,
    "threads": 0,
    "rss_after_load_mb": 3.0,
    "rss_steady_mb": 3.0,
    "text_rss_mb": 2.0,
}
#: A ratio may be so many times that of the baseline: single runs on a busy machine were 1.4 times apart.
RATIO_SHARE: Final = 1.5


def read_baseline(path: Path) -> dict[str, Any]:
    """The last line of a file that ``cosyedge bench --json`` wrote.

    Raises:
        ConfigError: ``config_bad_value``.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8").strip().splitlines()[-1])
    except (OSError, ValueError, IndexError) as error:
        raise ConfigError("config_bad_value", f"{path} is no output of bench --json: {error}.") from error
    if not isinstance(told, dict):
        raise ConfigError("config_bad_value", f"{path} is no output of bench --json: it is no object.")
    return told


def regressions(figures: dict[str, Any], baseline: dict[str, Any]) -> list[str]:
    """A sentence for each figure that is worse; a figure that only one of both has is not compared."""
    found = []
    for name, allowed in COUNTS.items():
        now, before = figures.get(name), baseline.get(name)
        if now is not None and before is not None and now > before + allowed:
            found.append(f"{name} is {now:g}, and was {before:g}")
    now_ratios, old_ratios = figures.get("ratios") or {}, baseline.get("ratios") or {}
    return found + [
        f"the ratio {name} is {now_ratios[name]:g}, and was {old_ratios[name]:g}"
        for name in sorted(now_ratios.keys() & old_ratios.keys())
        if now_ratios[name] > old_ratios[name] * RATIO_SHARE
    ]
