"""English inflection (LemmInflect) and agreement: verb forms, noun number, pronoun case."""

from functools import lru_cache

from pipeline.augment.draft import Word
from pipeline.augment.tree import Decline

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
# Where LemmInflect's first choice is not the common one, or is American slang.
_PREFERRED = {
    ("get", "VBN"): "got",
    ("prove", "VBN"): "proved",
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
    """All forms of a lemma for a Penn tag, the commonest first; empty where the lexicon has no such word."""
    from lemminflect import getInflection

    forms = getInflection(lemma, tag, inflect_oov=False)
    preferred = _PREFERRED.get((lemma, tag))
    return (preferred, *forms) if preferred else tuple(forms)


@lru_cache(maxsize=100_000)
def is_known(form: str, upos: str) -> bool:
    """Whether the lexicon has this lower-case form with this part of speech."""
    from lemminflect import getAllLemmas

    return upos in getAllLemmas(form)


def inflect(lemma: str, tag: str) -> str:
    """The form of a lemma for a Penn tag; Decline where the lexicon does not know it."""
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
    """The present tense of a verb that agrees, and its tag."""
    tag = "VBZ" if agreement == "singular" else "VBP"
    if lemma == "be":
        return be(tag, agreement), tag
    if tag == "VBP":
        return lemma, tag
    if lemma in ("have", "do"):
        return {"have": "has", "do": "does"}[lemma], tag
    return inflect(lemma, tag), tag


def set_tag(word: Word, tag: str, form: str) -> None:
    """Give a verb or noun a new form and tag; a changed word keeps its alignment."""
    word.form, word.xpos, word.feats = form, tag, _FEATS.get(tag, word.feats)


def conjugate(word: Word, tag: str, agreement: str = "singular") -> None:
    """Put a verb into another form: present agrees, a regular past keeps the author's spelling."""
    if word.xpos == tag and tag not in ("VBD", "VBP", "VBZ"):
        return
    if tag in ("VBP", "VBZ"):
        form, tag = present(word.lemma, agreement)
    elif word.lemma == "be":
        form = be(tag, agreement)
    elif {tag, word.xpos} <= {"VBD", "VBN"} and (word.xpos == tag or word.form.endswith("ed")):
        form = word.form
    else:
        form = inflect(word.lemma, tag)
    set_tag(word, tag, form)


def consistent(lemma: str, tag: str, form: str) -> bool:
    """Whether the tagged form is one that the lexicon gives: a guard against wrong tags and lemmas."""
    form = form.lower()
    if tag in ("VB", "VBP"):
        return form == lemma or lemma in ("be", "have", "do")
    return form in inflections(lemma, tag) or lemma in ("be", "have", "do")


def set_case(word: Word, case: str) -> None:
    """Put a personal pronoun into ``nominative`` or ``accusative``; other words stay."""
    if word.upos != "PRON" or word.xpos not in ("PRP", "WP"):
        return
    table = ACCUSATIVE if case == "accusative" else NOMINATIVE
    form = table.get(word.form.lower())
    if form:
        word.form = form
        word.feats = word.feats.replace(
            *(("Case=Nom", "Case=Acc") if case == "accusative" else ("Case=Acc", "Case=Nom"))
        )
