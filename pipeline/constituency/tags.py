"""The Penn tag of every word: the treebank's own where there is one, else from UPOS, form and features."""

from collections.abc import Sequence

from pipeline.constituency.labels import TAGS, known
from pipeline.sentences import HasTree

_BY_UPOS = {
    "ADJ": "JJ", "ADP": "IN", "ADV": "RB", "CCONJ": "CC", "DET": "DT", "INTJ": "UH", "NOUN": "NN",
    "NUM": "CD", "PRON": "PRP", "PROPN": "NNP", "SCONJ": "IN", "SYM": "SYM", "X": "FW",
}  # fmt: skip
_BY_FORM = {
    "to": "TO", "'s": "POS", "’s": "POS", "'": "POS", "not": "RB", "n't": "RB", "there": "EX", "which": "WDT",
    "who": "WP", "whom": "WP", "what": "WP", "whose": "WP$",
    "when": "WRB", "where": "WRB", "why": "WRB", "how": "WRB",
    "$": "$", "#": "#", "(": "-LRB-", ")": "-RRB-", "[": "-LRB-", "]": "-RRB-", "{": "-LRB-", "}": "-RRB-",
    ",": ",", ":": ":", ";": ":", "-": ":", "--": ":", "–": ":", "—": ":", "...": ":", "…": ":",
    ".": ".", "?": ".", "!": ".", "``": "``", "“": "``", "‘": "``", "''": "''", "”": "''", "’": "''",
    '"': "''",
}  # fmt: skip
_FORMS_OF = {  # forms whose tag hangs on their universal tag
    "to": ("PART", "ADP"), "'s": ("PART",), "’s": ("PART",), "'": ("PART",), "there": ("PRON",),
    "which": ("PRON", "DET"), "who": ("PRON",), "whom": ("PRON",), "what": ("PRON", "DET"),
    "whose": ("PRON", "DET"), "when": ("ADV", "SCONJ"), "where": ("ADV", "SCONJ"), "why": ("ADV", "SCONJ"),
    "how": ("ADV", "SCONJ"),
}  # fmt: skip
_MODALS = frozenset({
    "can", "could", "may", "might", "must", "shall", "should", "will", "would", "'ll", "'d", "ca", "wo"
})  # fmt: skip
_POSSESSIVE = frozenset({"my", "your", "his", "its", "our", "their"})  # her is as often an object


def penn_tags(sentence: HasTree) -> list[str]:
    """One tag of ``labels.TAGS`` a word; ``XX`` where neither tags nor features tell."""
    count = len(sentence.words)
    xpos = sentence.xpos if len(sentence.xpos) else [""] * count
    upos = sentence.upos if len(sentence.upos) else [""] * count
    feats: Sequence[str] = getattr(sentence, "feats", None) or [""] * count
    return [
        known(tag, phrase=False) if known(tag, phrase=False) in _PENN else guess(word, universal, features)
        for tag, word, universal, features in zip(xpos, sentence.words, upos, feats, strict=True)
    ]


_PENN = frozenset(TAGS) - {"XX"}


def guess(word: str, upos: str, feats: str) -> str:
    """The Penn tag of a word by its universal tag and features (``Number=Plur|...``), as well as can be."""
    lower = word.lower()
    if lower in _BY_FORM and (lower not in _FORMS_OF or upos in _FORMS_OF[lower]):
        return _BY_FORM[lower]
    has = set(feats.split("|"))
    if upos in ("NOUN", "PROPN"):
        return _BY_UPOS[upos] + ("S" if "Number=Plur" in has else "")
    if upos in ("VERB", "AUX"):
        return "MD" if lower in _MODALS else _verb(lower, has)
    if upos in ("ADJ", "ADV"):
        degree = "R" if "Degree=Cmp" in has else "S" if "Degree=Sup" in has else ""
        return _BY_UPOS[upos] + degree
    if upos in ("PRON", "DET") and ("Poss=Yes" in has or lower in _POSSESSIVE):
        return "PRP$" if "PronType=Rel" not in has else "WP$"
    if upos == "PUNCT":
        return ":"
    if upos == "PART":
        return "RP"
    return _BY_UPOS.get(upos, "XX")


def _verb(lower: str, has: set[str]) -> str:
    if "VerbForm=Ger" in has:
        return "VBG"
    if "VerbForm=Part" in has:
        return "VBG" if "Tense=Pres" in has else "VBN"
    if "VerbForm=Inf" in has or "Mood=Imp" in has:
        return "VB"
    if "Tense=Past" in has:
        return "VBD"
    if "Tense=Pres" in has or "VerbForm=Fin" in has:
        return "VBZ" if "Person=3" in has and "Number=Sing" in has else "VBP"
    if lower.endswith("ing"):
        return "VBG"
    return "VBD" if lower.endswith("ed") else "VBZ" if lower.endswith("s") else "VBP"
