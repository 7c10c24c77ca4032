"""The few words that the test voice can read, in the format of the real lexicons."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.phonemes.letter_to_sound import MARK
from cosyedge.text.symbols import to_ids

#: Mandarin characters with their readings.
CHARACTERS: Final = """
一 yi1 二 er4 三 san1 四 si4 五 wu3 六 liu4 七 qi1 八 ba1 九 jiu3 十 shi2
百 bai3 千 qian1 万 wan4 零 ling2 两 liang3 点 dian3 半 ban4 分 fen1 秒 miao3 年 nian2
月 yue4 日 ri4 号 hao4 周 zhou1 星 xing1 期 qi1 今 jin1 明 ming2 天 tian1 你 ni3
我 wo3 他 ta1 好 hao3 呀 ya5 吗 ma5 嗎 ma5=吗 了 le5 的 de5 不 bu4 是 shi4
在 zai4 有 you3 没 mei2 和 he2 请 qing3 把 ba3 来 lai2 去 qu4 到 dao4 已 yi3
经 jing1 完 wan2 成 cheng2 开 kai1 关 guan1 上 shang4 下 xia4 人 ren2 门 men2 窗 chuang1
灯 deng1 水 shui3 电 dian4 气 qi4 温 wen1 度 du4 洗 xi3 衣 yi1 机 ji1 饭 fan4
晚 wan3 早 zao3 吃 chi1 家 jia1 客 ke4 厅 ting1 厨 chu2 房 fang2 卧 wo4 室 shi4
错 cuo4 热 re4 冷 leng3 雨 yu3 雪 xue3 风 feng1 测 ce4 试 shi4 这 zhe4 那 na4
个 ge4 句 ju4 话 hua4 说 shuo1 现 xian4 时 shi2 间 jian1 外 wai4 面 mian4 大 da4
小 xiao3
"""
WORDS: Final = "今天 天气 不错 你好 已经 完成 洗衣机 晚饭 好了 客厅 厨房 现在 时间 一个 测试"

#: English words, as the real lexicon would say them.
ENGLISH: Final = {
    "a": "ɐ",
    "and": "ænd",
    "closed": "klˈOzd",
    "degrees": "dəɡɹˈiz",
    "dinner": "dˈɪnəɹ",
    "door": "dˈɔɹ",
    "front": "fɹˈʌnt",
    "good": "ɡˈʊd",
    "has": "hæz",
    "hello": "həlˈO",
    "is": "ɪz",
    "it": "ɪt",
    "kitchen": "kˈɪʧən",
    "morning": "mˈɔɹnɪŋ",
    "on": "ˌɔn",
    "one": "wˈʌn",
    "open": "ˈOpən",
    "ready": "ɹˈɛdi",
    "test": "tˈɛst",
    "the": "ðə",
    "three": "θɹˈi",
    "twenty": "twˈɛnti",
    "two": "tˈu",
    "world": "wˈɜɹld",
}
#: What a letter says in a word that is not listed; its name follows where it stands alone as a capital.
LETTERS: Final = """
a æ ˈA   b b bˈi   c k sˈi   d d dˈi   e ɛ ˈi   f f ˈɛf   g ɡ ʤˈi   h h ˈAʧ   i ɪ ˈI
j ʤ ʤˈA   k k kˈA   l l ˈɛl   m m ˈɛm   n n ˈɛn   o ɑ ˈO   p p pˈi   q k kjˈu   r ɹ ˈɑɹ
s s ˈɛs   t t tˈi   u ʌ jˈu   v v vˈi   w w dˈʌbᵊlju   x k ˈɛks   y i wˈI   z z zˈi
"""
#: One byte of cost; a word of several characters is cheaper than its parts.
CHARACTER_COST, WORD_COST = 100, 110


def write_lexicons(folder: Path) -> list[Path]:
    """``zh.lexicon`` and ``en.lexicon`` in ``folder``."""
    title = "For tests. cosyedge (Apache-2.0)"
    listed = CHARACTERS.split()
    characters = dict(zip(listed[::2], listed[1::2], strict=True))
    zh = {character: bytes([CHARACTER_COST]) + reading.encode() for character, reading in characters.items()}
    zh |= {word: bytes([WORD_COST]) for word in WORDS.split()}
    en = {word: bytes(to_ids(said)) for word, said in ENGLISH.items()}
    letters = LETTERS.split()
    for letter, sound, name in zip(letters[::3], letters[1::3], letters[2::3], strict=True):
        # All that the letter can say: one chunk, a byte of length before its ids.
        en[MARK + letter] = bytes((len(sound), *to_ids(sound)))
        en[letter.upper()] = bytes(to_ids(name))
    paths = [folder / "zh.lexicon", folder / "en.lexicon"]
    for path, entries in zip(paths, (zh, en), strict=True):
        write_lexicon(path, title, entries)
    return paths
