"""What Mandarin and Cantonese call a code of letters and figures that is typed in."""

from __future__ import annotations

from typing import Final

#: A pattern; behind the name there may be what joins it with its code.
TYPED: Final = (
    "(?:密[码碼]|口令|[验驗][证證][码碼]|取件[码碼]|提[货貨][码碼]|邀[请請][码碼]|[兑兌][换換][码碼]|激活[码碼]|[识識][别別][码碼]|"
    "序列[号號]|[账帳賬户戶][号號口]|[订訂]?[单單][号號]|工[号號]|[学學][号號]|[车車]牌(?:[号號][码碼]?)?|[车車][号號])"
    "(?:[是为為係系号號：: ]|叫做?){0,3}"
)
