"""Penn Treebank tags of a sentence, and the dependency tree that the rules build constituents on."""

from collections.abc import Sequence

from pipeline.syntax.constituency.tree import PUNCTUATION, TAGS, Tree, known
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree

FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
VERBS = FINITE | {"VB", "VBG", "VBN"}
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
# Tags that head a noun phrase by themselves.
NOMINAL = NOUNS | {
    "PRP", "DT", "CD", "EX", "$", "#", "FW", "PRP$", "PDT", "SYM", "LS", "ADD", "WP", "WDT", "WP$",
    "JJS", "POS",
}  # fmt: skip
WH = frozenset({"WDT", "WP", "WP$", "WRB"})
NOT = frozenset({"not", "n't"})
BE_OR_HAVE = frozenset({
    "be", "is", "are", "was", "were", "been", "being", "am", "'s", "'re", "'m", "ai", "have", "has",
    "had", "having", "'ve", "'d", "get", "gets", "got", "gotten", "getting"
})  # fmt: skip


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
# Forms whose Penn tag depends on their universal tag.
_FORMS_OF = {
    "to": ("PART", "ADP"), "'s": ("PART",), "’s": ("PART",), "'": ("PART",), "there": ("PRON",),
    "which": ("PRON", "DET"), "who": ("PRON",), "whom": ("PRON",), "what": ("PRON", "DET"),
    "whose": ("PRON", "DET"), "when": ("ADV", "SCONJ"), "where": ("ADV", "SCONJ"), "why": ("ADV", "SCONJ"),
    "how": ("ADV", "SCONJ"),
}  # fmt: skip
_MODALS = frozenset({
    "can", "could", "may", "might", "must", "shall", "should", "will", "would", "'ll", "'d", "ca", "wo"
})  # fmt: skip
_POSSESSIVE = frozenset({"my", "your", "his", "its", "our", "their"})  # her is as often an object


_PENN = frozenset(TAGS) - {"XX"}


def penn_tags(sentence: Sentence) -> list[str]:
    """A Penn tag a word: the given one, else a guess from UPOS, form and features; ``XX`` for unknown."""
    count = len(sentence.words)
    xpos = sentence.xpos if len(sentence.xpos) else [""] * count
    upos = sentence.upos if len(sentence.upos) else [""] * count
    feats: Sequence[str] = getattr(sentence, "feats", None) or [""] * count
    return [
        known(tag, phrase=False) if known(tag, phrase=False) in _PENN else guess(word, universal, features)
        for tag, word, universal, features in zip(xpos, sentence.words, upos, feats, strict=True)
    ]


def guess(word: str, upos: str, feats: str) -> str:
    """The likely Penn tag of a word by its universal tag and features (``Number=Plur|...``)."""
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


class PennTree(DependencyTree):
    """A projective tree with Penn heads and Penn tags, and the constituents built on it so far.

    ``phrases[w]`` is the constituent of a word and all below it. ``subjects`` are the verbs that have one.
    """

    def __init__(self, words: Sequence[str], tags: Sequence[str], heads: Sequence[int]) -> None:
        super().__init__(heads, words)
        self.tags = tags
        self.phrases = [Tree(tag, (), word) for tag, word in zip(tags, words, strict=True)]
        self.subjects: set[int] = set()

    def own(self, word: int) -> Tree:
        """The word's part of speech alone."""
        return Tree(self.tags[word], (), self.words[word])

    def leaf(self, word: int) -> bool:
        """Whether a word has no children."""
        return not self.children[word]

    def sides(self, word: int) -> tuple[list[int], list[int]]:
        """The children before and after a word, in order."""
        below = self.children[word]
        return [kid for kid in below if kid < word], [kid for kid in below if kid > word]

    def punctuation(self, word: int) -> bool:
        """Whether a word is a punctuation mark without children."""
        return self.tags[word] in PUNCTUATION and self.leaf(word)

    def verbal(self, word: int) -> bool:
        """Whether a word heads a verb phrase: a verb, or *to* with its verb below it."""
        return self.tags[word] in VERBS or (
            self.tags[word] == "TO"
            and any(kid > word and self.tags[kid] in VERBS for kid in self.children[word])
        )

    def finite(self, word: int) -> bool:
        """Whether a word is a finite verb by its tag."""
        return self.tags[word] in FINITE

    def infinitive(self, word: int) -> bool:
        """Whether a verb is an infinitive with *to*, whichever of the two is the head."""
        return self.tags[word] == "TO" or any(
            kid < word and self.tags[kid] == "TO" and self.leaf(kid) for kid in self.children[word]
        )

    def nominal(self, word: int) -> bool:
        """Whether the phrase of a word is a noun phrase."""
        return self.phrases[word].label in ("NP", "WHNP", "QP") or (
            self.leaf(word) and self.tags[word] in NOMINAL
        )

    def questioning(self, word: int) -> bool:
        """Whether the phrase of a word begins with a wh-word."""
        return self.phrases[word].label.startswith("WH") or (self.leaf(word) and self.tags[word] in WH)
