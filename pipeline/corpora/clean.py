"""Operations on one text: regular Unicode, templates, gaps, detokenising and language."""

import functools
import itertools
import re
import unicodedata
from typing import Any

# C0 and C1 controls but white space, the zero-width and bidirectional marks, the soft hyphen, the byte order
# mark, lone surrogates (JSON can hold them, UTF-8 cannot), and the noncharacters. Zero-width joiners stay:
# Indic and Persian spelling needs them.
_CONTROL = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def regular(text: str, one_line: bool = False) -> str:
    """Return the text in NFC, without control characters, single-spaced and stripped.

    One line end stands between paragraphs; with ``one_line`` a space.
    """
    if not text.isprintable():  # true of most lines, and quick to test
        text = _CONTROL.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if one_line:
        return " ".join(text.split())
    return "\n".join(line for part in text.splitlines() if (line := " ".join(part.split())))


_GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}|<math\b[^>]*(?:/>|>.*?</math>)", re.DOTALL)
# Wikipedia's templates that stand for marks, that show one of their arguments, and that show nothing here.
_MARKS = {"ndash": "–", "mdash": "—", "snd": " – ", "spaced ndash": " – ", "nbsp": " ", "'": "'", "!": "|"}
_SHOWN = {"formatnum": 0, "lang": 1, "nobold": 0, "nobr": 0, "nowrap": 0, "transl": -1, "val": 0}
_NOTES = ("citation needed", "cite", "cn", "efn", "refn", "sfn")
_NUMBER = re.compile(r"[\d.,+−–-]+|to|and|by|x|or")


def without_templates(text: str) -> str:
    """Return the text with what Wikipedia's templates show, and a replacement character for the unknown.

    ``{{convert|10|km|mi}} from Bern`` -> ``10 km from Bern``; ``1914{{ndash}}1918`` -> ``1914–1918``.
    """
    while "{{" in text or "<math" in text:
        text, found = _TEMPLATE.subn(_shown, text)
        if not found:
            break
    return text


def _shown(match: re.Match[str]) -> str:
    name, *given = re.split(r"[|:]", match[1] or "")
    name, given = name.strip().lower(), [value.strip() for value in given if "=" not in value]
    if name in _MARKS:
        return _MARKS[name]
    if name.startswith(_NOTES):
        return ""
    if name in ("convert", "cvt"):  # 10|to|20|km|mi
        unit = next((place for place, value in enumerate(given) if not _NUMBER.fullmatch(value)), len(given))
        return " ".join(given[: unit + 1]) or _GAP
    shown = given[_SHOWN[name] :][:1] if name in _SHOWN else []
    return shown[0] if shown else _GAP


def has_gap(sentence: str, text: str = "") -> bool:
    """Return whether a sentence lacks words: ``has a depth of . Its width, too, is``.

    A space before a comma or full stop marks a gap, except in tokenised text, where every comma has one.
    """
    spaced = re.search(r"\w [,.](?= (?!\.)|$)", sentence) is not None
    return _GAP in sentence or (spaced and re.search(r"\w, ", text or sentence) is not None)


@functools.cache
def _detokenizer() -> Any:
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    return TreebankWordDetokenizer()


def detokenise(text: str) -> str:
    """Undo the Penn Treebank's tokenisation, line by line; bracket codes (-LRB-) become brackets.

    ``do n't stop , '' he said`` -> ``don't stop," he said``. If a line has one mark for both quotes,
    every second one closes. The dot of an abbreviation also ends the sentence: ``Inc. .`` -> ``Inc.``
    """
    return "\n".join(
        _detokenizer().detokenize(_mended(line.split()), convert_parentheses=True)
        for line in text.split("\n")
    )


def _mended(words: list[str]) -> list[str]:
    """The words, with one dot at the end, and one mark for both quotes made an opening or closing one."""
    quotes = [place for place, word in enumerate(words) if word in {"``", "''", '"'}]
    if len(quotes) % 2 == 0 and len({words[place] for place in quotes}) == 1:
        for number, place in enumerate(quotes):
            words[place] = "''" if number % 2 else "``"
    pairs = itertools.pairwise(["", *words])
    return [word for last, word in pairs if word != "." or last == "." or not last.endswith(".")]


_ENOUGH = 40  # characters; no model is sure of shorter texts
_HEAD = 600  # characters that are classified
_SURE = 0.95  # probability


@functools.cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def is_foreign(text: str, language: str) -> bool:
    """Return whether a text is surely in another language than ``language``.

    The model is py3langid's, after langid.py (Lui & Baldwin 2012). Short texts, and languages that it does
    not know, are never foreign.
    """
    if len(text) < _ENOUGH or language not in _identifier().labels:
        return False
    found, probability = _identifier().classify(text[:_HEAD])
    return bool(found != language and probability >= _SURE)
