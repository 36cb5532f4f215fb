"""One text made regular: Unicode NFC, no control characters, one space between words."""

import re
import unicodedata

# C0 and C1 controls but white space, the zero-width and bidirectional marks, the soft hyphen, the byte order
# mark, lone surrogates (JSON can hold them, UTF-8 cannot), and the noncharacters. Zero-width joiners stay:
# Indic and Persian spelling needs them.
_CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def regular(text: str, one_line: bool = False) -> str:
    """The text in NFC, without control characters, single-spaced and stripped.

    Paragraphs are parted by one line end; with ``one_line`` by a space.
    """
    if not text.isprintable():  # true of most lines, and quick to tell
        text = _CONTROL.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if one_line:
        return " ".join(text.split())
    return "\n".join(line for part in text.splitlines() if (line := " ".join(part.split())))
