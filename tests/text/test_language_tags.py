"""Tags as Home Assistant, locales and other speech services send them."""

from __future__ import annotations

import pytest

from cosyedge.text.language_tags import language_of


@pytest.mark.parametrize(
    ("tag", "lang"),
    [
        ("auto", "auto"),
        *[(lang, lang) for lang in ("zh", "yue", "en", "ja", "ko")],
        ("en-US", "en"),
        ("en_GB", "en"),
        ("en_GB.UTF-8", "en"),
        ("EN", "en"),
        ("ja-JP", "ja"),
        ("ja-Jpan-JP-u-ca-japanese", "ja"),
        ("ko-KR", "ko"),
        ("ko_KR@euro", "ko"),
        ("zh-CN", "zh"),
        ("zh_cn", "zh"),
        ("zh-TW", "zh"),
        ("zh-Hans", "zh"),
        ("zh-Hant", "zh"),
        ("zh-Hant-TW", "zh"),
        ("zh-cmn-Hans-CN", "zh"),
        ("cmn", "zh"),
        ("cmn-Hant-HK", "zh"),
        ("zh-Hans-HK", "zh"),
        ("zh-CN-x-hk", "zh"),
        ("zh-HK", "yue"),
        ("zh-Hant-HK", "yue"),
        ("zh-MO", "yue"),
        ("zh-yue", "yue"),
        ("zh-yue-Hans-CN", "yue"),
        ("yue-Hant-HK", "yue"),
    ],
)
def test_a_tag_is_a_language_of_ours(tag: str, lang: str) -> None:
    assert language_of(tag) == lang


@pytest.mark.parametrize(
    "tag",
    [
        *("", "-", "e", "de", "de-DE", "fr_FR", "English", "en-", "en--US", "en-US ", "-en", "en US"),
        *("zh-nan", "nan", "zh-wuu-CN", "Auto", "jp", "en-Ü", "ｅｎ", "en\n", "en-abcdefghi"),
    ],
)
def test_others_are_none(tag: str) -> None:
    assert language_of(tag) is None
