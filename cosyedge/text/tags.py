"""Tags and entities: the small part of SSML and HTML that changes what is heard; no tag is ever read."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.characters import cleaned
from cosyedge.text.clauses import break_mark
from cosyedge.text.rates import CLOSING, rate_opening
from cosyedge.text.readings import Alphabet, carried, is_said
from cosyedge.text.scripts import CJK, HANGUL

_TAG: Final = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]{0,40})"
    r"(?P<attributes>(?:\s+[\w:.-]{1,40}\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))*)\s*/?>"
)
#: Known names lose their tag even where the attributes make no sense, or the tag is cut short.
_KNOWN: Final = re.compile(
    r"</?(?:(?:speak|break|prosody|voice|say-as|phoneme|emphasis|mark|metadata|paragraph|sentence|strong|span|code)\b"
    r"[^<>]*(?:>|\Z)|(?:lang|audio|sub|p|s|w|a|b|i|u|br|hr|em|div|img|li|ul|ol|table|tr|td|th|h[1-6]|pre|font)"
    r"(?=[\s/>])[^<>]*>)",
    re.IGNORECASE,
)
_NOT_TEXT: Final = re.compile(r"<(?:\?[^<>]*\?|![A-Za-z][^<>]*)>")
_CDATA: Final = re.compile(r"<!\[CDATA\[|\]\]>")
_SAY_AS: Final = re.compile(r"<say-as\b([^<>]*)>([^<>]*)</say-as\s*>", re.IGNORECASE)
_SUB: Final = re.compile(r"<sub\s([^<>]*)>([^<>]*)</sub\s*>", re.IGNORECASE)
_PHONEME: Final = re.compile(r"<phoneme\b([^<>]*?)(?:/>|>([^<>]*)</phoneme\s*>)", re.IGNORECASE)
#: As SSML calls an alphabet, with or without ``x-``.
_ALPHABETS: Final[dict[str, Alphabet]] = {
    "": "ipa", "ipa": "ipa", "pinyin": "pinyin", "jyutping": "jyutping", "kana": "kana", "yomi": "kana",
    "cosyedge": "symbols",
}  # fmt: skip
_SUP: Final = re.compile(r"<sup>\s*([23])\s*</sup\s*>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"([\w:.-]{1,40})\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\s\"'<>=]+))")
_HIDDEN: Final = ("script", "style")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LENGTH: Final = re.compile(r"\+?(\d{0,6}(?:\.\d{0,6})?)\s*(ms|s)", re.IGNORECASE)

_LINES: Final = re.compile("br|s|sentence|li|tr|h[1-6]|d[td]|option|title")
_PARAGRAPHS: Final = re.compile("p|paragraph|div|hr|section|article|table|[uo]l|blockquote|pre")
#: SSML 1.1, 3.2.3: the strengths of a break, in seconds.
_STRENGTHS: Final = {"none": 0.0, "x-weak": 0.1, "weak": 0.2, "medium": 0.4, "strong": 0.7, "x-strong": 1.0}
_PLAIN_FIGURE: Final = re.compile(r"[0-9]{1,15}")
_DATE_PARTS: Final = re.compile(r"(\d{1,4})[-/. ](\d{1,4})[-/. ](\d{1,4})", re.ASCII)
_HANGUL: Final = re.compile(f"[{HANGUL}]")
_CJK: Final = re.compile(f"[{CJK}]")
_SPELLED: Final = frozenset(("characters", "spell-out", "verbatim", "digits", "telephone"))


def without_tags(text: str) -> str:
    """``text`` with breaks as :func:`~cosyedge.text.clauses.break_mark`, blocks as lines, and no tag."""
    if "<" in text:
        text = _CDATA.sub("", _NOT_TEXT.sub("", _without_hidden(text)))
        text = _PHONEME.sub(_phoneme, text)
        text = _SAY_AS.sub(_said_as, text)
        text = _SUB.sub(lambda match: _attributes(match.group(1)).get("alias", match.group(2)), text)
        text = _SUP.sub(lambda match: "²³"[int(match.group(1)) - 2], text)
        text = _KNOWN.sub("", _TAG.sub(_replaced, text))
    return _ENTITY.sub(_character, text) if "&" in text else text


def _without_hidden(text: str) -> str:
    """Without comments, scripts and styles; one that never ends hides nothing."""
    for opening, closing in (("<!--", "-->"), *((f"<{name}", f"</{name}>") for name in _HIDDEN)):
        folded = text.lower()
        if opening not in folded or len(folded) != len(text):
            continue
        kept: list[str] = []
        at = 0
        while True:
            start = folded.find(opening, at)
            end = folded.find(closing, start) if start >= 0 else -1
            if end < 0:
                break
            kept.append(text[at:start])
            at = end + len(closing)
        text = " ".join((*kept, text[at:]))
    return text


def _attributes(written: str) -> dict[str, str]:
    return {
        match.group(1).lower(): next(filter(None, match.groups()[1:]), "")
        for match in _ATTRIBUTE.finditer(written)
    }


def _replaced(match: re.Match[str]) -> str:
    name = match.group("name").lower()
    if name == "break":
        return _break(_attributes(match.group("attributes")))
    if name == "prosody":
        closes = bool(match.group("close"))
        return (
            CLOSING if closes else rate_opening(_attributes(match.group("attributes")).get("rate", "medium"))
        )
    if _PARAGRAPHS.fullmatch(name):
        return "\n\n"
    if _LINES.fullmatch(name):
        return "\n"
    return ", " if name in ("td", "th") and match.group("close") else ""


def _break(attributes: dict[str, str]) -> str:
    length = _LENGTH.fullmatch(attributes.get("time", "").strip())
    if length and length.group(1).strip("."):
        seconds = float(length.group(1)) / (1000 if length.group(2).lower() == "ms" else 1)
    else:
        seconds = _STRENGTHS.get(attributes.get("strength", "medium").lower(), _STRENGTHS["medium"])
    return break_mark(seconds) if seconds > 0 else " "


def _phoneme(match: re.Match[str]) -> str:
    """The reading that a tag gives; in an alphabet that nobody knows, what is written."""
    attributes, written = _attributes(match[1]), " ".join((match[2] or "").split())
    sounds = _ENTITY.sub(_character, attributes.get("ph", ""))
    alphabet = _ALPHABETS.get(attributes.get("alphabet", "").lower().removeprefix("x-"))
    if alphabet is None or not is_said(alphabet, sounds):
        return written
    return carried(alphabet, sounds, written)


def _said_as(match: re.Match[str]) -> str:
    """Text in the way of writing that the rules of its language read as it is asked for.

    Spelled-out text becomes single characters, so that no word or number is made of them.
    """
    attributes = _attributes(match.group(1))
    kind, written = attributes.get("interpret-as", "").lower(), match.group(2)
    if kind in _SPELLED:
        return " " + " ".join(written.upper().replace(" ", "")) + " "
    figure = written.strip()
    if kind in ("cardinal", "number") and _PLAIN_FIGURE.fullmatch(figure):
        return f"{int(figure):,}"  # no year and no code has commas
    if kind == "ordinal" and _PLAIN_FIGURE.fullmatch(figure):
        return _ordinal(int(figure), match.string)
    parts = _DATE_PARTS.fullmatch(figure) if kind == "date" else None
    order = attributes.get("format", "").lower()
    if parts and sorted(order) == ["d", "m", "y"]:
        year, month, day = (parts[order.index(part) + 1] for part in "ymd")
        return f"{year}-{month:0>2}-{day:0>2}" if len(year) == 4 else written
    return written


def _ordinal(number: int, text: str) -> str:
    if _HANGUL.search(text):
        return f"제{number}"
    if _CJK.search(text):
        return f"第{number}"
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _character(match: re.Match[str]) -> str:
    from html import unescape  # the table of names costs 300 kB, and few texts have an entity

    return cleaned(unescape(match.group()))
