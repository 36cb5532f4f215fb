"""Surface forms: word lists (lexicon.tsv), English inflection by LemmInflect, and spelling a draft out."""

import re
import sys
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.abc import MetaPathFinder
from importlib.resources import files
from itertools import pairwise
from typing import Any

from pipeline.augment.draft import Decline, Draft, Word, comma, decline_if
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree

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
_BE = {"VB": "be", "VBG": "being", "VBN": "been"}
_ACCUSATIVE = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
_NOMINATIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they", "whom": "who"}


@cache
def _lists() -> dict[str, frozenset[str]]:
    lists: dict[str, frozenset[str]] = {}
    for line in (files("pipeline.augment") / "lexicon.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, _, members = line.partition("\t")
            lists[name] = lists.get(name, frozenset()) | frozenset(members.split())
    return lists


def words(name: str) -> frozenset[str]:
    """The list of lower-case words of this name in lexicon.tsv; raises KeyError if there is none."""
    return _lists()[name]


_PREFERRED = {(lemma, tag): form for lemma, tag, form in (row.split("_") for row in words("preferred_forms"))}


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
    decline_if(not forms, "word unknown to the lexicon")
    return forms[0]


def be(tag: str, agreement: str) -> str:
    """A form of *be*; ``agreement`` is ``first`` (I), ``singular`` or ``plural``."""
    if tag == "VBD":
        return "were" if agreement == "plural" else "was"
    if tag in ("VBP", "VBZ"):
        return {"first": "am", "singular": "is", "plural": "are"}[agreement]
    return _BE[tag]


def form_of_be(tag: str, agreement: str, deprel: str, head: Word) -> Word:
    """A new word, ``be`` in this form."""
    word = Word("", "be", "AUX", "", "", deprel, head)
    set_tag(word, tag, be(tag, agreement))
    return word


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
    """Whether a past form in -ed is also that of ``tag``; *showed* is not a participle."""
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
    table, old, new = _NOMINATIVE, "Case=Acc", "Case=Nom"
    if case == "accusative":
        table, old, new = _ACCUSATIVE, new, old
    for word in (head, *(word for word in words if word.head is head and word.deprel == "conj")):
        form = table.get(word.form.lower())
        if form and word.upos == "PRON" and word.xpos in ("PRP", "WP"):
            word.form, word.feats = form, word.feats.replace(old, new)


# Endings of adjectives from names: Nigerian, Turkish, Japanese, Arabic, Iraqi, French.
_OF_NAMES = ("an", "ish", "ese", "i", "ch")
_STOPS = frozenset(".!?,;:")
_NO_SPACE_BEFORE = frozenset({*".!?,;:)]}%", "...", "…", "n't", "'s", "'", "'m", "'re", "'ve", "'ll", "'d"})
_NO_SPACE_AFTER = frozenset({*"([{$£€#", "``", "“", "‘"})
_CLITICS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
# Languages whose nouns have capitals, and those whose i keeps its dot as a capital.
_CAPITAL_NOUNS = frozenset({"de", "gsw", "lb", "nds"})
_DOTTED = frozenset({"az", "crh", "tr", "tt"})


def realise(draft: Draft, every_word: bool = False) -> tuple[Sentence, tuple[int, ...]]:
    """The sentence of a draft and its alignment; raises Decline if the words form no tree.

    With ``every_word`` the full stop stays after an abbreviation, as a word that a permutation must not lose.
    Commas do not count: they go if they would begin the sentence or stand before another mark. In languages
    other than English words stay as they are, except for capitals, and no space comes between words if the
    source has none.
    """
    order = _punctuate(draft.order, every_word)
    _capitalise(order, draft)
    if draft.lang == "en":
        _articles(order, draft)
    position: dict[Word | None, int] = {word: number for number, word in enumerate(order, 1)}
    position[None] = 0
    try:
        heads = tuple([position[word.head] for word in order])
    except KeyError:
        raise Decline("a head was lost") from None
    decline_if(not is_tree(heads), "the words form no tree")
    sentence = Sentence(
        words=tuple([word.form for word in order]),
        space_after=_spaces(order, draft),
        lemmas=tuple([word.lemma for word in order]),
        upos=tuple([word.upos for word in order]),
        xpos=tuple([word.xpos for word in order]),
        feats=tuple([word.feats for word in order]),
        heads=heads,
        deprels=tuple([word.deprel for word in order]),
    )
    return sentence, tuple([word.source for word in order])


def _punctuate(order: list[Word], every_word: bool) -> list[Word]:
    """Add commas after ``closing`` words; drop commas at the start, doubled, or before other punctuation.

    The dot of an abbreviation also ends the sentence (``in the U.K.``), unless ``every_word`` is set.
    """
    result: list[Word] = []
    last: Word | None = None
    for word in order:
        if word.form in _STOPS:
            superfluous = word.form == "," and (last is None or last.form == ",")
            if superfluous or (last is not None and not every_word and _ends_with(last, word)):
                continue
            if last is not None and last.form == ",":
                result.pop()
        elif last is not None and last.closing:
            result.append(comma(last))
        result.append(word)
        last = word
    return result


def _ends_with(word: Word, stop: Word) -> bool:
    """Whether the dot of an abbreviation stands for the full stop, and the author has not written both."""
    return word.form.endswith(".") and stop.form == "." and stop.source != word.source + 1


def _capitalise(order: list[Word], draft: Draft) -> None:
    first = draft.words[0]
    if order[0] is not first and first.form == draft.source.words[0]:
        alone = draft.lang == "en" and not draft.source.words[1][0].isupper()
        if first.upos == "PROPN" and alone and is_known(first.form.lower(), "NOUN"):
            raise Decline("first word may be a name or not")
        first.form = inside(first, draft.source, draft.lang)
    head = order[0].form
    decline_if(len(head) == 1 and head.islower() and head not in ("a", "o"), "symbol would be a capital")
    if head[:1].islower():
        dotted = head[0] == "i" and draft.lang in _DOTTED
        # In title case, because Georgian has capitals that never begin a sentence.
        order[0].form = ("İ" if dotted else head[0].title()) + head[1:]


def inside(first: Word, source: Sentence, lang: str = "en") -> str:
    """The form that the first word of a sentence has inside one; it keeps its capital in a name."""
    return first.form if _in_name(source) else decapitalise(first.form, first.upos, first.xpos, lang)


def _in_name(source: Sentence) -> bool:
    """Whether the first word is part of a name, whatever its tag: ``Johannes``, ``Northern Ireland``."""
    relation, tag = source.deprels[0], source.upos[0]
    if relation not in ("compound", "flat", "amod") or source.upos[source.heads[0] - 1] != "PROPN":
        return False
    # ``Young Mozart`` and ``Novelist Jane Austen`` are not names.
    unknown = relation != "amod" and not is_known(source.words[0].lower(), tag)
    return unknown or source.xpos[0] in ("NNP", "NNPS")


@lru_cache(maxsize=100_000)
def decapitalise(form: str, upos: str, xpos: str = "", lang: str = "en") -> str:
    """The form of a sentence-initial word inside a sentence; names, *I* and *Polish* keep their capital.

    In languages other than English names keep it, and so do German nouns.
    """
    if not form[:1].isupper() or upos == "PROPN" or any(c.isupper() for c in form[1:]):
        return form
    if lang != "en":
        if upos == "NOUN" and lang in _CAPITAL_NOUNS:
            return form
        dotted = {"I": "ı", "İ": "i"} if lang in _DOTTED else {}
        return dotted.get(form[0], form[0].lower()) + form[1:]
    # ``S and P``
    if len(form) == 1 and form != "A":
        return form
    lower = form.lower()
    if upos in ("ADJ", "NOUN") and not words("capitalised").isdisjoint({lower, lower.removesuffix("s")}):
        return form
    if lower == "such" or is_known(lower, upos):
        return lower
    if upos == "ADJ":
        return form if lower.endswith(_OF_NAMES) else lower
    return form if upos == "NOUN" and xpos not in ("NN", "NNS") else lower


_VOWEL_SOUND = re.compile(
    r"(?i)(?:[aeiou]|hour|honest|honou?r|heir|8|11$|11th|11-|18$|18th|18-|1[18]\d\d$|1[18],)"
)
_CONSONANT_SOUND = re.compile(
    r"(?i)(?:eu|ewe|one$|one-|once|uni(?!n|m(?!od|ol)|de|ss|ro)|unanim|unesco|uefa|ubiq|ugand|us[aeiu]|ut[aeio]"
    r"|ur[aeiou]|ufo|uku|ukr|uk\b|u\.|ouija)"
)
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
# How acronyms of more than three letters begin that are not read as words (``NCAA``).
_NO_WORD = re.compile(r"[HLMNRX][^AEIOUY]|F[^AEIOULRY]|S[^AEIOUCHKLMNPQTWY]|NAACP")


@lru_cache(maxsize=50_000)
def article(following: str) -> str:
    """``a`` or ``an``, by the pronunciation of the next word."""
    short = len(following) <= 3 or not re.search(r"[AEIOU]", following[1:])  # FBI and NHL, but NASA
    spelt = (short and following.lower() not in words("word_acronyms")) or _NO_WORD.match(following)
    if (
        (following[1:2] == "-" and following[0].isupper())  # X-ray
        or (len(following) > 1 and following.isupper() and spelt)
        or (len(following) == 1 and following.isalpha())
    ):
        return "an" if following[0].upper() in _VOWEL_LETTERS else "a"
    return "an" if _VOWEL_SOUND.match(following) and not _CONSONANT_SOUND.match(following) else "a"


def _articles(order: list[Word], draft: Draft) -> None:
    for word, after in pairwise(order):
        if word.upos != "DET" or word.form.lower() not in ("a", "an"):
            continue
        if word.source and after.source == word.source + 1 and after.form == draft.source.words[word.source]:
            continue  # as the author wrote it
        right = article(after.form)
        if word.form.lower() != right:
            word.form = right if word.form[0].islower() else right.capitalize()


def _spaces(order: list[Word], draft: Draft) -> tuple[bool, ...]:
    words, space_after = draft.source.words, draft.source.space_after
    apart = draft.lang == "en" or any(space_after[:-1])
    spaces = []
    for word, after in pairwise(order):
        number, form = word.source, after.form
        neighbours = number and after.source == number + 1
        if neighbours and (form == words[number] or form.lower() == words[number].lower()):
            spaces.append(space_after[number - 1])
        else:
            lower = form.lower().replace("’", "'")
            spaces.append(
                apart
                and lower not in _NO_SPACE_BEFORE
                and word.form not in _NO_SPACE_AFTER
                and not (lower == "not" and word.form.lower() == "can")
            )
    return (*spaces, False)


def expand(word: Word) -> None:
    """Write a contracted auxiliary in full (``'s`` by its lemma), as the word before it may change."""
    lower = word.form.lower().replace("’", "'")
    if lower in _CLITICS:
        word.form = _CLITICS[lower]
    elif lower == "'s":
        word.form = {"be": "is", "have": "has"}.get(word.lemma, "is")
    elif lower == "'d":
        word.form = "had" if word.lemma == "have" else "would"
