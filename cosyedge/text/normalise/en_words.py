"""English words that aren't written as they are said: acronyms, abbreviations, identifiers, Roman numerals.

A letter read by its name stays an upper-case letter; everything else becomes lower case
(:mod:`cosyedge.text.phonemes.en` is the other end of this contract).
"""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.en_numbers import cardinal, model_number, ordinal


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Read as words although they are written in capitals.
_SAID_AS_WORDS: Final = _listed(
    """
AIDS ASAP COVID EEPROM EPROM FAT FIFA GIF GNOME LAN LASER LIDAR LORA MAC MIME NAND NASA NATO OPEC PIN RADAR
RAID RAM ROM SCUBA SIM SMART SONAR SWAT UNESCO UNICEF WAN WIFI ZIP
"""
)
#: Short words that people put in capitals; any other run of two to four capitals is spelled.
_SHORT_WORDS: Final = _listed(
    """
ALSO AN AND ARE AREA ASK AT AUTO BABY BACK BATH BE BED BEEN BEST BIG BOTH BULB BUSY BUT BUY BY BYE CALL
CAN CAR CARE CASE CAT CITY CODE COLD COME COOL COPY DAD DARK DATA DATE DAY DEAR DEW DID DO DOG DONE DOOR
DOWN DRIP DROP DRY DUE EACH EAST EASY EAT ECO EDGE EGG ELSE END EVEN EVER EXIT FACE FAIL FALL FAN FAR
FAST FEEL FEW FILE FIND FIRE FISH FIVE FIX FLAT FLOW FOG FOOD FOR FORM FOUR FREE FROM FULL GAME GAS GATE
GAVE GET GIVE GO GONE GOOD GOT GROW HAD HALL HAND HARD HAS HAVE HE HEAR HEAT HELD HELP HER HERE HIGH HIS
HOLD HOME HOT HOUR HOW HUGE ICE IF IN INFO INTO IS ITEM ITS JOB JUST KEEP KEY KIDS KIND KNOW LAMP LAST
LATE LEAK LEFT LESS LET LIFE LIKE LINE LINK LIST LIVE LOAD LOCK LONG LOOK LOST LOUD LOW MADE MAIL MAIN
MAKE MANY MAY ME MEAL MEAN MEET MILD MIND MISS MODE MOM MORE MOST MOVE MUCH MUST MUTE MY NAME NEAR NEED
NEW NEWS NEXT NICE NINE NO NONE NOT NOTE NOW ODD OF OFF OH OIL OK OLD ON ONCE ONE ONLY OPEN OR OUR OUT
OVEN OVER OWN PAGE PAID PART PASS PAST PLAN PLAY PLUS POOL POST PULL PUSH PUT RAIN RATE RATS READ RED
REST RING RISE RISK ROAD ROOM RUN SAFE SAID SAME SAVE SAY SEE SEEN SELF SEND SET SHE SHOW SHUT SICK SIDE
SIGN SIX SIZE SKIP SLIP SLOW SNOW SO SOME SOON SPOT STAR STAY STEP STOP SUCH SUN SURE TAKE TALK TANK TASK
TEAM TELL TEN TEST THAN THAT THE THEM THEN THEY THIS TIME TIRE TO TOLD TOO TOOK TOP TOWN TRIP TRUE TRY
TURN TWO TYPE UNIT UP UPON USE USED USER VERY VIEW VOTE WAIT WAKE WALK WALL WANT WARM WARN WAS WASH WAY
WE WEAK WEEK WELL WENT WERE WEST WET WHAT WHEN WHO WHY WIDE WIFE WILL WIND WISH WITH WORD WORK YARD YEAR
YES YET YOU YOUNG YOUR ZERO ZONE
"""
)
#: Runs of capitals that are spelled although they could be words.
_SPELLED: Final = _listed(
    """
AAC AC ADSL AI AP API BIOS CEO CIA CPU DIY ETA EU EV FAQ FBI GPU HTTPS HVAC ID IO IOT IP ISO IT LED NAS
NVME OLED SATA TOEFL UFO UHD UI UK UN UPS URL US USA USB UTC UV UVA UVB UWB VIP VOIP
"""
)
#: Acronyms that people also write in lower case; words without any vowel are spelled in any case.
_SPELLED_IN_LOWER_CASE: Final = _listed("ac ai api cpu gpu diy hvac iot ip uhd url usb uv")
#: What sounds without a vowel letter.
_VOWELLESS: Final = _listed("ctrl hmm hm mm mmm shh sh brr grr pfft psst pst tsk nth zzz mr mrs ms dr vs")
_MIXED: Final = {
    "WiFi": "wifi",
    "Wi-Fi": "wifi",
    "wi-fi": "wifi",
    "Wifi": "wifi",
    "iPhone": "iphone",
    "iPad": "ipad",
    "iPhones": "iphones",
    "iPads": "ipads",
    "iOS": "I O S",
    "iPadOS": "ipad O S",
    "macOS": "mac O S",
    "YouTube": "youtube",
    "eBay": "ebay",
    "PhD": "P H D",
    "pH": "P H",
    "ZigBee": "zigbee",
    "IKEA": "ikea",
    "MHz": "megahertz",
    "IEEE": "I triple E",
    "JPEG": "jpeg",
    "LaTeX": "latex",
    "aka": "A K A",
}
#: written → said; the keys are regular expressions, tried in this order. A stop that also ends the
#: sentence is kept where something in upper case or nothing follows.
_ABBREVIATIONS: Final = (
    (r"\b[Ee]\.\s?g\.", "for example"),
    (r"\b[Ii]\.\s?e\.", "that is"),
    (r"\b[Ee]tc\b(?:\.(?!\s*(?:[A-Z]|$)))?", "et cetera"),
    (r"\b[Aa]pprox\.", "approximately"),
    (r"\b[Vv]s\b\.?", "versus"),
    (r"\b[Ww]i-[Ff]i\b", "wifi"),
    (r"\bMr\b\.?(?=\s)", "mister"),
    (r"\bMrs\b\.?(?=\s)", "missus"),
    (r"\bMs\b\.?(?=\s?[A-Z])", "miz"),
    (r"\bDr\b\.?(?=\s?[A-Z])", "doctor"),
    (r"\bProf\b\.?(?=\s?[A-Z])", "professor"),
    (r"\b(?:Gen|General)\.(?=\s?[A-Z])", "general"),
    (r"\bCapt\.(?=\s?[A-Z])", "captain"),
    (r"\bLt\.(?=\s?[A-Z])", "lieutenant"),
    (r"\bSgt\.(?=\s?[A-Z])", "sergeant"),
    (r"\b(?:Sen)\.(?=\s?[A-Z])", "senator"),
    (r"\b(?:Gov)\.(?=\s?[A-Z])", "governor"),
    (r"\b(?:Rev)\.(?=\s?[A-Z])", "reverend"),
    (r"\bMt\b\.?(?=\s?[A-Z])", "mount"),
    (r"\bFt\.(?=\s?[A-Z])", "fort"),
    (r"(?<=[a-z0-9] )St\b(?:\.(?!\s*[A-Z]|$))?(?!\s?[A-Z])", "street"),
    (r"\bSt\b\.?(?=\s?[A-Z])", "saint"),
    (r"(?<=[a-z0-9] )Ave\b(?:\.(?!\s*[A-Z]|$))?", "avenue"),
    (r"(?<=[a-z0-9] )Blvd\b(?:\.(?!\s*[A-Z]|$))?", "boulevard"),
    (r"(?<=[a-z0-9] )Rd\b(?:\.(?!\s*[A-Z]|$))?", "road"),
    (r"(?<=[a-z0-9] )Dr\b(?:\.(?!\s*[A-Z]|$))?", "drive"),
    (r"(?<=[a-z0-9] )Ln\b(?:\.(?!\s*[A-Z]|$))?", "lane"),
    (r"(?<=[a-z0-9] )Hwy\b(?:\.(?!\s*[A-Z]|$))?", "highway"),
    (r"\bJr\b(?:\.(?!\s*[A-Z]|$))?", "junior"),
    (r"\bSr\b(?:\.(?!\s*[A-Z]|$))?", "senior"),
    (r"\bInc\b\.(?!\s*(?:[A-Z]|$))", "incorporated"),
    (r"\bLtd\b(?:\.(?!\s*[A-Z]|$))?", "limited"),
    (r"\bCorp\b(?:\.(?!\s*[A-Z]|$))?", "corporation"),
    (r"\b[Dd]ept\b\.?", "department"),
    (r"\b[Aa]pt\b\.(?=\s?[0-9A-Z#])", "apartment"),
    (r"\b[Tt]emp\.(?=\s[a-z0-9])", "temperature"),
    (r"\b[Mm]ax\.(?=\s[a-z0-9])", "maximum"),
    (r"(?<![0-9])(?<![0-9] )\b[Mm]in\.(?=\s[a-z0-9])", "minimum"),
    (r"\b[Aa]vg\b\.?", "average"),
    (r"\b[Tt]el\.(?=\s?[0-9+(])|\bTel:(?=\s?[0-9+(])", "telephone"),
    (r"\b[Ee]xt\.(?=\s?[0-9])", "extension"),
    (r"\b[Ee]st\.(?=\s?[0-9])", "established"),
    (r"\b[Ii]ncl\.", "including"),
    (r"\bFig\.(?=\s?[0-9])", "figure"),
    (r"\bNo\.(?=\s?[0-9])|#(?=[0-9])", "number "),
    (r"\bNos\.(?=\s?[0-9])", "numbers "),
    (r"\b[Pp]p\.(?=\s?[0-9])", "pages"),
    (r"\b[Pp]\.(?=\s?[0-9])", "page"),
    (r"\b[Vv]ol\.(?=\s?[0-9IVX])", "volume"),
    (r"\b[Cc]h\.(?=\s?[0-9])", "chapter"),
    (r"\bw/o\b", "without"),
    (r"\bw/(?=\s)", "with"),
    (r"(?<=\w)\s?&\s?(?=\w)", " and "),
)
ABBREVIATIONS: Final = tuple((re.compile(written), said) for written, said in _ABBREVIATIONS)

_ROMAN: Final = r"(?P<roman>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3}))"
_ROMAN_END: Final = r"\b(?!(?!['’]s\b)[.'’-]?\w)"
ROMAN_AFTER: Final = re.compile(
    r"\b(?P<before>Chapter|Part|Section|Volume|Act|Scene|Book|Phase|Type|Class|Level|Appendix|War|Stage|Mark|Mk"
    r"|Round|Super Bowl|Episode|Article|Generation|Season)\s" + _ROMAN + _ROMAN_END
)
ROMAN_KING: Final = re.compile(
    r"\b(?P<before>Henry|Louis|George|Elizabeth|Charles|Edward|James|William|Richard|Philip|Francis|Frederick"
    r"|Catherine|Pius|Benedict|Gregory|Leo|Nicholas|Alexander|Ferdinand|Napoleon|Ramses|John Paul)\s"
    + _ROMAN
    + _ROMAN_END
)
_ROMAN_VALUES: Final = {"I": 1, "V": 5, "X": 10}

DOTTED_LETTERS: Final = re.compile(
    # But for the half of the day behind an hour.
    r"(?<![A-Za-z.])(?!(?<=[0-9])[AaPp]\.[Mm]\.|(?<=[0-9]\s)[AaPp]\.[Mm]\.)(?:[A-Za-z]\.)+[A-Za-z]\.(?![A-Za-z])"
    r"|(?<![A-Za-z.])Ph\.D\b\.?"
)
INITIAL: Final = re.compile(r"\b(?P<letter>[A-Z])\.(?=\s?(?:[A-Z]\.\s?)*[A-Z][a-z])")
#: Letters and digits in one: MP3, P2P, 5G, B12, ESP32. The digits are read apart from the letters.
ALPHANUMERIC: Final = re.compile(r"\b(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]+(?:\.[0-9]+)?\b")
#: Those that begin with a letter, and are no unit behind a figure (5 m3).
LETTERS_AND_DIGITS: Final = re.compile(r"(?<![0-9] )\b[A-Za-z]+[0-9][A-Za-z0-9]*(?:\.[0-9]+)?\b")
_NOTHING_MORE: Final = re.compile(r"\s*\Z")
_NEAR: Final = 16
WORD: Final = re.compile(r"[A-Za-z]+(?:[’'][A-Za-z]+)*[’']?")
#: A run that a camel's humps part: camelCase, HTTPServer.
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def roman(numeral: str) -> int:
    total = 0
    for letter, after in zip(numeral, [*numeral[1:], ""], strict=True):
        value = _ROMAN_VALUES[letter]
        total += -value if after and _ROMAN_VALUES[after] > value else value
    return total


def read_roman_after(match: re.Match[str]) -> str:
    return f"{match['before']} {cardinal(roman(match['roman']))}"


def read_roman_king(match: re.Match[str]) -> str:
    return f"{match['before']} the {ordinal(roman(match['roman']))}"


def read_dotted_letters(match: re.Match[str]) -> str:
    """``U.S.`` → U S. The last stop stays where a sentence may end."""
    stop = "." if _NOTHING_MORE.match(match.string, match.end()) else ""
    return " ".join(c.upper() for c in match.group() if c.isalpha()) + stop


def read_alphanumeric(match: re.Match[str]) -> str:
    parts = re.findall(r"[A-Za-z]+|[0-9]+(?:\.[0-9]+)?", match.group())
    read: list[str] = []
    for part in parts:
        if part[0].isdigit():
            whole, point, fraction = part.partition(".")
            said = model_number(whole) + (
                f" point {' '.join(cardinal(int(c)) for c in fraction)}" if point else ""
            )
            # A hyphen keeps a letter A or I from being taken for the word.
            read.append(("-" if read and read[-1][-1].isupper() else " ") + said)
        elif part == "x" and read and len(parts) > 2:
            read.append(" by")
        elif part in ("x", "X") and len(parts) == 2 and read:
            read.append(" times")
        else:
            letters = part.isupper() or len(part) < 3
            read.append(" " + (spelled(part.upper()) if letters and part not in _SHORT_LOWER else part))
    return "".join(read).strip()


#: Words that are said otherwise with a capital, which they keep: a Polish car, to polish a car.
CAPITAL_CHANGES: Final = frozenset(("Polish",))
#: Behind these words the capital is that of a sentence: Polish the car.
_WHAT_IS_POLISHED: Final = re.compile(
    r"\s+(?:the|a|an|your|my|his|her|its|our|their|this|that|these|those|all|it)\b"
)
_SHORT_LOWER: Final = frozenset(
    ("am", "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is", "it", "me")
)


def spelled(word: str) -> str:
    return " ".join(word)


def read_word(match: re.Match[str]) -> str:
    """One word, in whatever case it is written."""
    word = match.group()
    text, start, end = match.string, match.start(), match.end()
    core, apostrophe, suffix = word.partition("'")
    if word in CAPITAL_CHANGES and not _WHAT_IS_POLISHED.match(text, end):
        return word
    if word in _MIXED:
        return _MIXED[word]
    if core in _MIXED:
        return _MIXED[core] + apostrophe + suffix
    if len(core) == 1 and core.isupper():
        return (
            (core if _is_letter(core, text, start, start + 1) else core.lower()) + apostrophe + suffix.lower()
        )
    if word.islower():
        # "o'clock" is no letter o, "x's" is the letter's.
        return word if suffix not in ("", "s") else _lower_case(core) + apostrophe + suffix
    if core.isupper():
        tail = apostrophe + suffix.lower()
        return (core.lower() if said_as_word(core) else spelled(core)) + tail
    if len(core) > 2 and core[:-1].isupper() and core[-1] == "s" and not said_as_word(core[:-1]):
        return f"{spelled(core[:-1])}'s"
    humps = _HUMP.findall(core)
    if len(humps) > 1 and not core.startswith(("Mc", "Mac", "O'")) and end - start > 2:
        return " ".join(spelled(h) if _spells(h) else h.lower() for h in humps) + apostrophe + suffix.lower()
    return word.lower()


def _lower_case(word: str) -> str:
    if len(word) == 1:
        return word if word in "ai" else word.upper()
    vowelless = len(word) < 6 and not re.search(r"[aeiouy]", word) and word not in _VOWELLESS
    return spelled(word.upper()) if vowelless or word in _SPELLED_IN_LOWER_CASE else word


def _spells(hump: str) -> bool:
    return len(hump) > 1 and hump.isupper() and not said_as_word(hump)


def said_as_word(capitals: str) -> bool:
    """Whether a run of capitals is a word: long ones with a vowel are, short ones if people shout them."""
    if capitals in _SAID_AS_WORDS or capitals in _SHORT_WORDS:
        return True
    return len(capitals) > 4 and _pronounceable(capitals)


def _pronounceable(capitals: str) -> bool:
    return capitals not in _SPELLED and re.search(r"[AEIOUY]", capitals) is not None


_CAPITALS: Final = re.compile(r"[A-Z]+(?:'[A-Z]+)?")


def unshout(text: str) -> str:
    """A text all in capitals in lower case, but for the acronyms that can be told."""
    if any(c.islower() for c in text):
        return text
    runs = _CAPITALS.findall(text)
    if sum(len(run) > 3 or run in _SHORT_WORDS for run in runs) < 2 or not any(len(run) > 3 for run in runs):
        return text
    return re.sub(r"(?<![A-Z0-9])[A-Z]+(?:'[A-Z]+)?(?![A-Z0-9])", _unshout_word, text)


def _unshout_word(match: re.Match[str]) -> str:
    word = match.group()
    if word == "A" or (len(word) > 1 and (said_as_word(word) or _pronounceable(word))):
        return word.lower()
    return word


def _is_letter(letter: str, text: str, start: int, end: int) -> bool:
    """Whether a lone capital is the letter's name: I and A are words unless something says otherwise."""
    if letter not in "AI":
        return True
    # So many characters tell; the x stands for those that are further away.
    before = ("x" if start > _NEAR else "") + text[max(0, start - _NEAR) : start]
    after = text[end : end + _NEAR]
    if re.search(r"(?:^|[^A-Za-z'’])[A-Z][ \u00a0]$", before) or re.match(
        r"[ \u00a0][A-Z](?![A-Za-z'’])", after
    ):
        return True
    if re.search(r"[A-Za-z0-9]-$", before) or re.match(r"-[A-Za-z0-9]", after):
        return True
    if letter == "I":
        return False
    opens = re.search(r"(?:^|[.!?:;…—\"(])\s*$", before)
    return not (opens and re.match(r"\s+(?!(?:and|or|is|was|to|versus|plus|minus)\b)[A-Za-z0-9]", after))
