"""The figures of `cosyedge bench` for people: one table, with what others publish beside ours."""

from __future__ import annotations

from typing import Any, Final

#: Published for CosyVoice-300M Lite on a processor; not measured here.
PUBLISHED: Final = {
    "system": "CosyVoice-300M Lite, as published",
    "rss_start_mb": 685,
    "rss_embedded_mb": 420,
    "first_audio_s": [0.9, 2.1],
    "zh_30_s": [2.6, 4.8],
    "disk_mb": 426,
    "model_mb": 128,
}
_WIDTH: Final = 34


def in_words(figures: dict[str, Any]) -> str:
    """Lines of the table."""
    lines: list[str] = []
    of_run = ("machine", "cosyedge", "python", "onnxruntime", "bundle", "runs")
    lines += [f"{name:{_WIDTH}} {figures[name]}" for name in of_run]
    for name in (
        "load_s", "ready_s", "rss_after_load_mb", "rss_steady_mb", "peak_rss_mb", "text_rss_mb",
        "inference_threads", "threads", "cpu_percent", "cpu_temp_c", "throttled",
    ):  # fmt: skip
        value = figures[name]
        lines.append(f"{name:{_WIDTH}} {'not told' if value is None else value}")
    lines += ["", f"{'':{_WIDTH}} {'p50':>8} {'p95':>8} {'p50 CPU':>8} {'p95 CPU':>8}"]
    lines += [_row("real-time factor", "rtf", figures), _row("first audio, ms", "first_audio_ms", figures)]
    for name, of_text in figures["texts"].items():
        lines.append(_row(f"{name} ({of_text['audio_s']:g} s): factor", "rtf", of_text))
        lines.append(_row("  first audio, ms", "first_audio_ms", of_text))
    lines += ["", f"{'':{_WIDTH}} {'ours':>16}   {PUBLISHED['system']}"]
    zh_30 = figures["texts"]["zh_30"]
    for label, ours, theirs in (
        ("memory after the start, MB", figures["rss_after_load_mb"], "685; embedded 420"),
        ("first audio, s", round((figures["first_audio_ms_p50"] or 0.0) / 1000, 3), "0.9 to 2.1"),
        ("30 characters, s", round((zh_30["rtf_p50"] or 0.0) * zh_30["audio_s"], 3), "2.6 to 4.8"),
        ("on disk, MB", figures["bundle_mb"], "426; model 128"),
    ):
        lines.append(f"{label:{_WIDTH}} {ours:>16}   {theirs}")
    for name, peer in (figures.get("peers") or {}).items():
        lines.append(f"{name:{_WIDTH}} " + ", ".join(f"{key} {value:g}" for key, value in peer.items()))
    if "memory" in figures:
        memory = figures["memory"]
        lines += ["", "memory by part, MB"]
        lines += [f"  {part:{_WIDTH - 2}} {added:>+8.1f}" for part, added in memory["parts_mb"].items()]
        lines.append(f"  {'loaded, nothing said (cold)':{_WIDTH - 2}} {memory['cold_mb']:>8.1f}")
        lines.append(f"  {'after the longest clause (warm)':{_WIDTH - 2}} {memory['warm_mb']:>8.1f}")
        lines.append(f"  {'of it pages of files':{_WIDTH - 2}} {memory['warm_files_mb']:>8.1f}")
        lines.append(f"  {'cold first audio, ms':{_WIDTH - 2}} {memory['cold_first_audio_ms']:>8.1f}")
    lines += ["", "ratios: " + ", ".join(f"{name} {value:g}" for name, value in figures["ratios"].items())]
    return "\n".join(lines)


def _row(label: str, name: str, figures: dict[str, Any]) -> str:
    values = (figures[f"{name}_p{percent}{cpu}"] for cpu in ("", "_cpu") for percent in (50, 95))
    cells = " ".join(f"{'' if value is None else f'{value:g}':>8}" for value in values)
    return f"{label:{_WIDTH}} {cells}"
