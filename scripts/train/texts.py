"""What the corpus says: help pages, announcements of a home, and lists that cover every syllable.

Help sentences (GNOME's manuals, CC-BY-SA) are read from Debian's ``gnome-user-docs`` and never enter
this repository. A text is held out for evaluation by its own hash, so that any machine holds out the
same ones, whatever the order in which they were found.
"""

from __future__ import annotations

import hashlib
import html
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

HELP = Path("/usr/share/help")
_HELP_FOLDER = {"zh": "zh_CN", "en": "C"}
_LENGTHS = {"zh": (6, 46), "en": (18, 150)}
_UNCLEAN = re.compile(r"[\[\]{}<>|=_\\/@#+*%&^~`$0-9]")


def is_held_out(text: str) -> bool:
    """One text in ten, by its hash: evaluated on, never trained on."""
    return hashlib.sha256(text.encode()).digest()[0] < 26


def help_sentences(lang: str) -> list[str]:
    """Clean sentences of the help pages, in an order that does not follow the pages."""
    found: set[str] = set()
    low, high = _LENGTHS[lang]
    end = r"(?<=[。！？])\s*" if lang == "zh" else r"(?<=[.!?])\s+"
    for page in sorted((HELP / _HELP_FOLDER[lang]).glob("*/*.page")):
        for paragraph in re.findall(r"<p[^>]*>(.*?)</p>", page.read_text("utf-8"), re.S):
            plain = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", paragraph))).strip()
            for sentence in re.split(end, plain):
                if not low <= len(sentence) <= high or _UNCLEAN.search(sentence):
                    continue
                if lang == "zh" and re.search(r"[A-Za-z]{12,}", sentence):
                    continue
                found.add(sentence.strip())
    return sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())


_ZH = {
    "room": "客厅 卧室 厨房 书房 阳台 车库 花园 浴室 走廊 儿童房 地下室 餐厅 门口 院子 楼上 楼下".split(),
    "device": "洗衣机 烘干机 空调 热水器 扫地机器人 洗碗机 电饭煲 加湿器 空气净化器 电视 冰箱 烤箱 路由器 门铃 摄像头 窗帘 吊灯 风扇 "
    "暖气 音箱 咖啡机 充电桩 水泵 烟雾报警器".split(),
    "done": "已经完成 已经停止 已经打开 已经关闭 正在运行 需要检查 电量不足 已经断开连接 恢复正常 等待确认 出现故障 准备就绪".split(),
    "person": "爸爸 妈妈 爷爷 奶奶 哥哥 姐姐 弟弟 妹妹 小明 李雷 王阿姨 张先生 陈医生 刘老师 各位".split(),
    "act": "该起床了 记得吃药 请带伞出门 请关好窗户 该去接孩子了 请把垃圾倒掉 早点休息吧 有人在门口等你 快来吃饭吧 请回电话 "
    "别忘了喝水 请检查一下 有新的快递 该浇花了 今天轮到你洗碗".split(),
    "weather": "晴天 多云 阴天 小雨 大雨 雷阵雨 大雪 雾霾 大风 雨夹雪 冰雹 沙尘".split(),
    "when": "今天上午 今天下午 明天早上 明天晚上 后天 这个周末 下星期一 半夜 傍晚 中午 一会儿 刚才 昨天夜里".split(),
    "number": "一 二 三 四 五 六 七 八 九 十 十二 十五 十八 二十 二十三 二十九 三十一 四十五 五十 六十七 七十八 八十六 九十九 一百 "
    "一百零五 三百二十 一千五百 两千零二十六 一万".split(),
    "unit": "度 分钟 个小时 公里 个人 块钱 次 米 升 瓦 天 步 页 封邮件 条消息".split(),
    "quality": "温度 湿度 亮度 音量 水位 电量 用电量 空气质量 二氧化碳浓度 风速".split(),
}
_ZH_PATTERNS = (
    "{room}的{device}{done}。",
    "{when}{room}的{device}{done}，请注意。",
    "{person}，{act}。",
    "{when}有{weather}，{act}。",
    "{room}的{quality}是{number}。",
    "{room}现在{number}{unit}，{quality}正常吗？",
    "请注意，{room}检测到异常，{device}{done}！",
    "还有{number}{unit}，{device}就{done}。",
    "{person}说，{when}要去{room}拿{number}个东西。",
    "{when}的{quality}比{when}高百分之{number}。",
    "{device}、{device}和{device}都{done}。",
    "{person}和{person}{when}回家。",
    "早上好，{person}！{when}{weather}，最高气温{number}度。",
    "{room}的门还开着，已经{number}分钟了。",
    "好的，{device}{done}。",
    "{number}点{number}分，{act}。",
)
_ZH_SHORT = (
    "好。 是的。 不。 可以。 知道了。 谢谢！ 你好！ 早上好。 晚安。 开灯。 关灯。 收到。 完成。 等一下。 真的吗？ 为什么？ 一。 二。 三。 十。 "
    "一百。 零下五度。 请稍候。 对不起。 没关系。 再见。 注意！ 小心！ 到家了。 门开了。 下雨了。 没有。 有人来了。 好的，马上。 什么？"
).split()

_EN = {
    "room": "living room,bedroom,kitchen,study,balcony,garage,garden,bathroom,hallway,nursery,basement,dining room,"
    "front yard,attic,office,porch".split(","),
    "device": "washing machine,dryer,air conditioner,water heater,vacuum cleaner,dishwasher,rice cooker,humidifier,air purifier,"
    "television,refrigerator,oven,router,doorbell,camera,curtain,ceiling light,fan,radiator,speaker,coffee maker,"
    "car charger,water pump,smoke alarm,thermostat,garage door".split(","),
    "done": "has finished,has stopped,is now open,is now closed,is still running,needs attention,is low on battery,"
    "went offline,is back to normal,is waiting for you,reported a fault,is ready".split(","),
    "person": "Dad,Mom,Grandpa,Grandma,Alice,George,Thomas,Julia,Peter,Sarah,Doctor Brown,Mister Green,everyone".split(","),
    "act": "time to get up,please take your medicine,take an umbrella with you,please close the windows,"
    "it is time to pick up the children,please take out the trash,go to bed early,somebody is at the door,"
    "dinner is ready,please call back,don't forget to drink some water,check it when you can,"
    "a package has arrived,water the plants,it's your turn to wash the dishes".split(","),
    "weather": "sunshine,clouds,light rain,heavy rain,thunderstorms,snow,fog,strong wind,hail,sleet".split(","),
    "when": "this morning,this afternoon,tomorrow,tomorrow evening,the day after tomorrow,this weekend,next Monday,"
    "on Tuesday,on Wednesday,on Thursday,on Friday,on Saturday,last night,at midnight,at noon,in a moment".split(","),
    "number": "one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fifteen,eighteen,twenty,"
    "twenty three,twenty nine,thirty one,forty five,fifty,sixty seven,seventy eight,eighty six,ninety nine,"
    "one hundred,three hundred and twenty,fifteen hundred,two thousand twenty six,one point five".split(","),
    "unit": "degrees,minutes,hours,kilometers,people,dollars,times,meters,liters,watts,days,steps,pages,emails,messages,percent".split(
        ","
    ),
    "quality": "temperature,humidity,brightness,volume,water level,battery level,power consumption,air quality,"
    "carbon dioxide level,wind speed,pressure".split(","),
}
_EN_PATTERNS = (
    "The {device} in the {room} {done}.",
    "{person}, {act}.",
    "Expect {weather} {when}, so {act}.",
    "The {quality} in the {room} is {number} {unit}.",
    "Is the {quality} in the {room} really {number} {unit}?",
    "Attention! Something unusual was detected in the {room}, and the {device} {done}.",
    "In {number} {unit}, the {device} will be ready.",
    "{person} and {person} will be home {when}.",
    "The {device}, the {device} and the {device} are all off.",
    "Good morning, {person}! There will be {weather} {when}, with a high of {number} degrees.",
    "The door of the {room} has been open for {number} minutes.",
    "Okay, the {device} {done}.",
    "It's {number} thirty, {act}.",
    "Why is the {device} in the {room} so loud {when}?",
    "{person} asked whether the {device} {done} {when}.",
    "We used {number} kilowatt hours {when}, which is {number} {unit} more than usual.",
)
_EN_SHORT = (
    "On.|Off.|Yes.|No.|Okay.|Done.|Thanks!|Hello!|Good morning.|Good night.|Lights on.|Welcome home.|Wait a moment.|"
    "Really?|Why?|One.|Two.|Three.|Ten.|One hundred.|Five below zero.|Sorry.|Goodbye.|Watch out!|Stop!|It's raining.|"
    "The door is open.|Somebody's here.|What?|Alarm off.|Volume up.|Please hold.|Got it.|Not now.|Twenty one degrees."
).split("|")


def announcements(lang: str, count: int) -> Iterator[str]:
    """``count`` different announcements from templates, always the same ones."""
    words, patterns, short = (_ZH, _ZH_PATTERNS, _ZH_SHORT) if lang == "zh" else (_EN, _EN_PATTERNS, _EN_SHORT)
    yield from short
    seen = set(short)
    draw = random.Random(f"announcements {lang}")
    while len(seen) < count:
        text = re.sub(r"\{(\w+)\}", lambda m: draw.choice(words[m[1]]), patterns[len(seen) % len(patterns)])
        text = text[0].upper() + text[1:]
        if text not in seen:
            seen.add(text)
            yield text


@cache
def _words_by_class() -> dict[str, list[str]]:
    """Frequent Mandarin words of jieba's dictionary (MIT), by part of speech."""
    import jieba

    found: dict[str, list[tuple[int, str]]] = {}
    with jieba.get_dict_file() as file:
        for line in file:
            word, frequency, part = line.decode().split()
            if 1 <= len(word) <= 4 and re.fullmatch(r"[一-鿿]+", word) and int(frequency) >= 5:
                found.setdefault(part, []).append((int(frequency), word))
    return {part: [word for _, word in sorted(words, reverse=True)] for part, words in found.items()}


def syllable_sentences(count: int) -> Iterator[str]:
    """Mandarin of the right shape and no sense: rare syllables and tone pairs that help pages lack."""
    words = _words_by_class()
    shapes = ("a的n在n里v。", "n和n都v，d要v吗？", "n、n、n，还有n。", "nr说：v了，n也v了。", "d v过n的nr，v着n！", "t，n v n，d a。")
    draw = random.Random("syllables")
    for i in range(count):
        shape = shapes[i % len(shapes)]
        yield re.sub(r"nr|[navdt]", lambda m: draw.choice(words[m[0]][: 200 if m[0] in "dt" else 9000]), shape).replace(
            " ", ""
        )


def english_word_lists(words: list[str], count: int) -> Iterator[str]:
    """Lists of English words from the lexicon: every phoneme in many neighbourhoods."""
    draw = random.Random("words")
    for _ in range(count):
        a, b, c, d, e = draw.sample(words, 5)
        yield draw.choice(
            (f"The {a} {b}, the {c}, and a {d} {e}.", f"{a}, {b}, {c}, {d}, {e}.".capitalize(), f"Did {a} {b} the {c} with {d}?")
        )
