"""The labels of constituency trees: the Penn Treebank's, a fixed inventory.

Phrase labels after Bies et al. 1995, "Bracketing Guidelines for Treebank II Style", tags after Santorini 1990
with those that OntoNotes added (``ADD AFX GW HYPH NFP XX``), which spaCy's English models use.
"""

PHRASES = (
    "ADJP", "ADVP", "CONJP", "FRAG", "INTJ", "LST", "NAC", "NP", "NX", "PP", "PRN", "PRT", "QP", "RRC", "S",
    "SBAR", "SBARQ", "SINV", "SQ", "UCP", "VP", "WHADJP", "WHADVP", "WHNP", "WHPP", "X",
)  # fmt: skip
TAGS = (
    "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS", "PDT",
    "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP",
    "VBZ", "WDT", "WP", "WP$", "WRB", "#", "$", "''", ",", "-LRB-", "-RRB-", ".", ":", "``",
    "ADD", "AFX", "GW", "HYPH", "NFP", "XX",
)  # fmt: skip
PUNCTUATION = frozenset({"''", ",", "-LRB-", "-RRB-", ".", ":", "``", "HYPH", "NFP"})

CLOSE = ")"
# Every token of a linearised tree, in the order in which a vocabulary numbers them.
TOKENS = (CLOSE, *(f"({label}" for label in (*PHRASES, *TAGS)))

_KNOWN = frozenset((*PHRASES, *TAGS))
_TAGS = frozenset(TAGS)
_ALIASES = {"(": "-LRB-", ")": "-RRB-", "-LCB-": "-LRB-", "-RCB-": "-RRB-", "_SP": "XX"}
UNKNOWN_PHRASE, UNKNOWN_TAG = "X", "XX"


def plain(label: str) -> str:
    """A label without functions, indices, second choices: ``NP-SBJ=2`` is ``NP``, ``ADVP|PRT`` ``ADVP``."""
    if label.startswith("-"):  # -LRB-, -NONE-
        return label
    return label.partition("-")[0].partition("=")[0].partition("|")[0] or label


def known(label: str, phrase: bool) -> str:
    """The label of the inventory that stands for this one: ``X`` for an unknown phrase, ``XX`` for a tag."""
    bare = plain(label)
    bare = _ALIASES.get(bare, bare)
    return bare if bare in _KNOWN else (UNKNOWN_PHRASE if phrase else UNKNOWN_TAG)


def is_tag(label: str) -> bool:
    """Whether a label of the inventory is a part of speech and no phrase."""
    return label in _TAGS
