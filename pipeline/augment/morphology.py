"""English inflection (verb forms by LemmInflect, case of pronouns) and the word lists of lexicon.tsv."""

import sys
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.abc import MetaPathFinder
from importlib.resources import files
from typing import Any

from pipeline.augment.draft import Word
from pipeline.augment.source_tree import Decline

_FEATS = {
    "VB": "VerbForm=Inf",
    "VBD": "Mood=Ind|Tense=Past|VerbForm=Fin",
    "VBG": "Tense=Pres|VerbForm=Part",
    "VBN": "Tense=Past|VerbForm=Part",
    "VBP": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "VBZ": "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "NN": "Number=Sing",
    "NNS": "Number=Plur",
}
# Where LemmInflect's first choice is rare or American slang.
_PREFERRED = {
    ("get", "VBN"): "got",
    ("prove", "VBN"): "proved",
    ("wake", "VBN"): "woken",
    ("light", "VBN"): "lit",
    ("hang", "VBD"): "hung",
    ("hang", "VBN"): "hung",
    ("focus", "VBD"): "focused",
    ("focus", "VBN"): "focused",
    ("cactus", "NNS"): "cacti",
}
_BE = {
    "VB": "be",
    "VBG": "being",
    "VBN": "been",
}
ACCUSATIVE = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
NOMINATIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they", "whom": "who"}


@lru_cache(maxsize=100_000)
def inflections(lemma: str, tag: str) -> tuple[str, ...]:
    """All forms of a lemma for a Penn tag, the most frequent first; empty for an unknown word."""
    forms = _lemminflect().getInflection(lemma, tag, inflect_oov=False)
    preferred = _PREFERRED.get((lemma, tag))
    return (preferred, *forms) if preferred else tuple(forms)


@lru_cache(maxsize=100_000)
def is_known(form: str, upos: str) -> bool:
    """Whether the lexicon has this lower-case form with this part of speech."""
    return upos in _lemminflect().getAllLemmas(form)


class _NoSpacy(MetaPathFinder):
    def find_spec(self, name: str, *_: Any) -> None:
        if name == "spacy":
            raise ModuleNotFoundError("not needed", name=name)


@cache
def _lemminflect() -> Any:
    """The library without spaCy and thus torch, which it would import for a hook that is not used here."""
    finder = _NoSpacy()
    sys.meta_path.insert(0, finder)
    try:
        import lemminflect
    finally:
        sys.meta_path.remove(finder)
    return lemminflect


def inflect(lemma: str, tag: str) -> str:
    """The form of a lemma for a Penn tag; raises Decline for an unknown word."""
    if tag == "VB" or tag == "NN":
        return lemma
    forms = inflections(lemma, tag)
    if not forms:
        raise Decline("word unknown to the lexicon")
    return forms[0]


def be(tag: str, agreement: str) -> str:
    """A form of *be*; ``agreement`` is ``first`` (I), ``singular`` or ``plural``."""
    if tag == "VBD":
        return "were" if agreement == "plural" else "was"
    if tag in ("VBP", "VBZ"):
        return {"first": "am", "singular": "is", "plural": "are"}[agreement]
    return _BE[tag]


def present(lemma: str, agreement: str) -> tuple[str, str]:
    """The present form of a verb for an agreement as in ``be``, and its tag."""
    tag = "VBZ" if agreement == "singular" else "VBP"
    if lemma == "be":
        return be(tag, agreement), tag
    if tag == "VBP":
        return lemma, tag
    if lemma in ("have", "do"):
        return {"have": "has", "do": "does"}[lemma], tag
    return inflect(lemma, tag), tag


def set_tag(word: Word, tag: str, form: str) -> None:
    """Give a verb or noun a new form and tag; it stays aligned with its source word."""
    word.form, word.xpos, word.feats = form, tag, _FEATS.get(tag, word.feats)


def conjugate(word: Word, tag: str, agreement: str = "singular") -> None:
    """Put a verb into the form of ``tag``; a regular past form keeps the author's spelling."""
    if word.xpos == tag and tag not in ("VBD", "VBP", "VBZ"):
        return
    if tag in ("VBP", "VBZ"):
        form, tag = present(word.lemma, agreement)
    elif word.lemma == "be":
        form = be(tag, agreement)
    elif {tag, word.xpos} <= {"VBD", "VBN"} and (word.xpos == tag or _is_regular(word, tag)):
        form = word.form
    else:
        form = inflect(word.lemma, tag)
    set_tag(word, tag, form)


def _is_regular(word: Word, tag: str) -> bool:
    """Whether a past form in -ed is also that of ``tag``; *showed* is no participle."""
    forms = inflections(word.lemma, tag)
    return word.form.endswith("ed") and (not forms or any(form.endswith("ed") for form in forms))


def consistent(lemma: str, tag: str, form: str) -> bool:
    """Whether the lexicon gives this form for lemma and tag; a wrong tag or lemma fails."""
    form = form.lower()
    if tag in ("VB", "VBP"):
        return form == lemma or lemma in ("be", "have", "do")
    return form in inflections(lemma, tag) or lemma in ("be", "have", "do")


def set_case(head: Word, case: str, words: Iterable[Word]) -> None:
    """Put a pronoun and its conjuncts among ``words`` into ``nominative`` or ``accusative``."""
    _set_case(head, case)
    for word in words:
        if word.head is head and word.deprel == "conj":
            _set_case(word, case)


def _set_case(word: Word, case: str) -> None:
    if word.upos != "PRON" or word.xpos not in ("PRP", "WP"):
        return
    table = ACCUSATIVE if case == "accusative" else NOMINATIVE
    form = table.get(word.form.lower())
    if form:
        word.form = form
        word.feats = word.feats.replace(
            *(("Case=Nom", "Case=Acc") if case == "accusative" else ("Case=Acc", "Case=Nom"))
        )


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = (files("pipeline.augment") / "lexicon.tsv").read_text(encoding="utf-8")
    lists: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, members = line.partition("\t")
            lists[name] = lists.get(name, frozenset()) | frozenset(members.split())
    return lists


def words(name: str) -> frozenset[str]:
    """The list of lower-case words of this name in lexicon.tsv; raises KeyError where there is none."""
    return _lists()[name]
