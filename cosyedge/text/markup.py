"""Text as people and programs write it to plain text: Markdown, SSML, HTML, links, pictures.

What is only there to be seen goes; every word, number, sign of arithmetic and identifier stays. A line
stays a line, since its end is a pause. The work is linear in the length, and blocks come one at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cosyedge.text.characters import cleaned, folded
from cosyedge.text.readings import with_bracketed
from cosyedge.text.scripts import HAN, HANGUL, KANA
from cosyedge.text.tags import without_tags

#: A block is cut, between sentences or words if there are any, so that it stays below this.
_BLOCK: Final = 4000
_LONGEST_TAG: Final = 1000
_LINE_END: Final = re.compile(
    "(?:\r\n?|[\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029])[\\s\u2028\u2029]*(?<=[\n\r\x0b-\x85\u2028\u2029])"
)
_GAP: Final = re.compile(r"\n\s*\n\s*")
_CUT: Final = re.compile(r".*(?:[。！？!?.]|(\s))", re.DOTALL)
_FENCE: Final = re.compile(r"(```|~~~)[`~]*[\w+#.{}= -]{0,40}")
_FENCE_END: Final = {mark: re.compile(rf"\n[ \t]{{0,3}}{mark}+[ \t]*(?:\r?\n|\Z)") for mark in ("```", "~~~")}

_QUOTE: Final = re.compile(r"(?:>\s?)+(?!\s*\d)")
_HEADING: Final = re.compile(r"#{1,6}\s+")
_BULLET: Final = re.compile(r"(?:[-*+–—]\s+|[•‣◦▪●○·∙]\s*)(?:\[[ xX]\]\s+)?")
#: The number of a list item: a comma makes a shorter pause than a full stop would.
_NUMBERED: Final = re.compile(r"(\d{1,3})[.)] (?=\S)")
_NOTHING: Final = re.compile(r"[-*_=~#+•·—–─━═|:. ]+")
_REFERENCE: Final = re.compile(r"\[[^\[\]]*\]:\s*<?(?:[a-z]{2,6}:/?/?|/|#|www\.)\S*")

_TARGET: Final = r"(?:\(\s?<?(?:[^()\s<>]|\([^()\s]*\))*>?(?:\s(?:\"[^\"]*\"|'[^']*'))?\s?\)|\[[^\[\]]*\])"
_IMAGE: Final = re.compile(rf"!\[[^\[\]]*\]{_TARGET}")
_LINK: Final = re.compile(rf"\[([^\[\]]*)\]{_TARGET}")
_NOTE: Final = re.compile(r"\[\^[^\[\]\s]{1,40}\]|\[\[|\]\]")
#: A URL ends before white space, and before CJK text unless its host or a part behind / or = is in it.
_URL: Final = re.compile(
    r"<?(?:(?:https?|ftps?|sftp|ssh|mqtts?|wss?|file|rtsp)://|www\.(?=[a-z0-9]))"
    r"(?:[^\s<>\"'`\u2000-\u206f\u3000-\uffef]*[^\s<>\"'`\u2000-\u206f\u3000-\uffef.,;:!?)\]}*_~]"
    r"(?:(?<=[/=])[\u3040-\u9fff\uac00-\ud7a3][^\s<>\"'`\u2000-\u206f\u3000-\u3004\u3008-\u3020\uff00-\uffef]*)?"
    r"|[^\W\x00-\x7f][^\s<>\"'`\u2000-\u206f\u3000-\u3004\u3008-\u3020\uff00-\uffef]*)>?",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(
    r"<?(?:mailto:)?(?<![\w.+-])([a-z0-9][\w.+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6})>?",
    re.ASCII | re.IGNORECASE,
)
_MAIL_SIGNS: Final = str.maketrans(
    {"@": " at ", ".": " dot ", "_": " underscore ", "-": " dash ", "+": " plus "}
)
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_RUN: Final = re.compile(r"(?<!\\)(?:[*＊]+|_+|~~+|==+)")
_NAME_DOT: Final = re.compile(r"(?<=[a-z0-9][a-z])\.(?=[a-z]{2})")
_GLUED: Final = re.compile(r"(?<=[a-z]{2})([.!?])(?=[A-Z][a-z])")
_CELLS: Final = re.compile(r" ?\|[ |]*")
#: How the languages of a line call a link.
_LINK_WORDS: Final = (
    (re.compile(f"[{KANA}]"), "リンク"),
    (re.compile(f"[{HANGUL}]"), "링크"),
    (re.compile(f"[{HAN}]"), "链接"),
)
_TAG_START: Final = re.compile("<[/?A-Za-z]")


def plain_blocks(text: str) -> Iterator[str]:
    """The plain text piece by piece; a piece ends with a line or, in a very long one, with a word."""
    held = ""
    for block in _blocks(text):
        block = with_bracketed(block)
        shown = _GAP.sub("\n\n", without_tags(_GAP.sub("\n\n", block)))
        plain = "".join(map(_plain_line, shown.splitlines(keepends=True)))
        if plain.isspace():  # what was only there to be seen parts paragraphs
            if held and not held.endswith("\n\n"):
                held = held.rstrip(" ") + "\n"
        elif plain:
            if held:
                yield held
            held = plain
    if held:
        yield held


def _blocks(text: str) -> Iterator[str]:
    """Lines with the empty ones behind them, longer where a tag goes on, without fenced code."""
    at = 0
    unclosed: set[str] = set()  # fences that are never closed from here on
    while at < len(text):
        end = _line_end(text, at)
        line = cleaned(text[at:end])
        fence = _FENCE.fullmatch(line.strip()) if line[:80].strip()[:3] in _FENCE_END else None
        if fence and fence.group(1) not in unclosed:
            close = _FENCE_END[fence.group(1)].search(text, end - 1)
            if close:
                at = close.end()
                yield "\n"
                continue
            unclosed.add(fence.group(1))
        while "<" in line and end - at < _BLOCK:
            further = _tag_end(text, line, end)
            if further == end:
                break
            end = further
            line = cleaned(text[at:end])
        yield line
        at = end


def _line_end(text: str, at: int) -> int:
    found = _LINE_END.search(text, at, at + _BLOCK)
    if found:
        return found.end()
    if at + _BLOCK >= len(text):
        return len(text)
    cut = _CUT.match(text, at + _BLOCK // 2, at + _BLOCK)
    return cut.end() if cut else at + _BLOCK


def _tag_end(text: str, line: str, end: int) -> int:
    """The end of the line on which a tag or comment is closed that ``line``, ending at ``end``, opens."""
    comment = line.rfind("<!--")
    if comment >= 0 and "-->" not in line[comment:]:
        close = text.find("-->", end, end + _BLOCK)
        return _line_end(text, close) if close >= 0 else end
    opening = line.rfind("<")
    if ">" in line[opening:] or not _TAG_START.match(line, opening):
        return end
    close = text.find(">", end, end + _LONGEST_TAG)
    if close < 0 or text.find("<", end, close) >= 0:
        return end
    return _line_end(text, close)


def _plain_line(line: str) -> str:
    end = "\n" if line.endswith("\n") else " "
    body = " ".join(line.split())
    if _NOTHING.fullmatch(body) or _REFERENCE.fullmatch(body):
        return "" if "|" in body else "\n"
    for pattern in (_QUOTE, _HEADING, _BULLET):
        start = pattern.match(body)
        if start:
            body = body[start.end() :]
    if _NUMBERED.match(body):
        body = _NUMBERED.sub(r"\1, ", body, count=1)
    if "|" in body:
        body = _CELLS.sub(", ", body.strip("| "))
    if "[" in body:
        body = _LINK.sub(r"\1", _IMAGE.sub("", body))
        body = _NOTE.sub("", body)
    if "://" in body or "www." in body.lower():
        body = _URL.sub(f" {_link(body)} ", body)
    if "@" in body:
        body = _MAIL.sub(lambda match: f" {match.group(1).translate(_MAIL_SIGNS)} ", body)
    body = _ESCAPED.sub(r"\1", _RUN.sub(_plain_run, body)).replace("`", "")
    body = _GLUED.sub(r"\1 ", _NAME_DOT.sub(" dot ", body))
    return " ".join(folded(body).split()) + end


def _link(line: str) -> str:
    return next((word for script, word in _LINK_WORDS if script.search(line)), "link")


def _plain_run(match: re.Match[str]) -> str:
    """What a run of * _ ~ or = stands for: emphasis goes, multiplication and the words of a name stay."""
    run = match.group()
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    inside = bool(before) and bool(after)
    apart = before == after == " "
    if run[0] == "_":
        return " " if before.isalnum() and after.isalnum() else ""
    if run[0] == "~":
        return "" if run == "~~" else "~"
    if run[0] == "=":
        return "=" if inside and (apart or (before.isalnum() and after.isalnum())) else ""
    factors = inside and before.isalnum() and after.isalnum() and (before.isdigit() or after.isdigit())
    return "*" if len(run) == 1 and (apart or factors) else " " if apart else ""
