"""Words as duplicates are told by: lower-cased, without punctuation, CJK characters one by one."""

import re

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def words(text: str) -> list[str]:
    """Every word of the text, in order."""
    return _WORD.findall(text.casefold())
