"""What training changes in a sentence, drawn anew each time: two words exchanged, the final mark left out.

An exchange gives the same words in another relation. The final mark says nothing of who did what; but corpora
and frames end in one, so a reader that met nothing else would fail on headlines and queries.
"""

from collections import defaultdict

from pipeline.core.seeding import seeded_random
from pipeline.syntax.roles import lifted
from pipeline.syntax.sentence import HasTree, Side, word_starts

CLASSES = ("NOUN", "PROPN", "VERB", "ADJ", "NUM")
FINAL_MARKS = frozenset(".!?…")
_NO_LABELS = ("text", "constituents")  # the other fields of a Side have one entry a word, or none


def swapped(sentence: HasTree, draw: int) -> Side | None:
    """The sentence with two words of one part of speech exchanged; None where there are no such two.

    The tree stays, because the two take each other's place in it. Conjuncts are not exchanged with each
    other, because that changes nothing. The two are a pure function of the text and the number ``draw``, so
    they are the same however a batch is cut.
    """
    pairs = _pairs(sentence)
    if not pairs:
        return None
    a, b = seeded_random(draw, "swap", sentence.text).choice(pairs)
    return _exchange(sentence, a, b)


def unmarked(sentence: HasTree, draw: int, share: float) -> HasTree:
    """The sentence, for that share of all texts without the mark that ends it.

    A mark that words hang from stays. Which texts are drawn is a pure function of the text and ``draw``.
    """
    size = len(sentence.words)
    if size < 2 or sentence.words[-1] not in FINAL_MARKS or size in sentence.heads:
        return sentence
    if seeded_random(draw, "mark", sentence.text).random() >= share:
        return sentence
    side = Side.of(sentence)
    # An example may lack labels, such as lemmas.
    labels = {
        name: (getattr(side, name) or ())[: size - 1] for name in Side._fields if name not in _NO_LABELS
    }
    return side._replace(text=sentence.text.rstrip()[:-1].rstrip(), constituents="", **labels)


def _pairs(sentence: HasTree) -> list[tuple[int, int]]:
    by_class: dict[str, list[int]] = defaultdict(list)
    for place, upos in enumerate(sentence.upos):
        if upos in CLASSES:
            by_class[upos].append(place)
    return [
        (a, b)
        for places in by_class.values()
        for number, a in enumerate(places)
        for b in places[number + 1 :]
        if sentence.words[a].lower() != sentence.words[b].lower()
        and lifted(sentence, a) != lifted(sentence, b)
    ]


def _exchange(sentence: HasTree, a: int, b: int) -> Side:
    """Words ``a`` < ``b`` in each other's place; the first word of the sentence begins with a capital."""
    words, text = list(sentence.words), sentence.text
    starts = word_starts(text, words)
    left, right = words[b], words[a]
    if a == 0 and sentence.upos[a] != "PROPN":
        left, right = left[:1].upper() + left[1:], _within(sentence)
    new = (
        text[: starts[a]] + left + text[starts[a] + len(words[a]) : starts[b]] + right
        + text[starts[b] + len(words[b]) :]
    )  # fmt: skip
    words[a], words[b] = left, right
    lemmas = list(sentence.lemmas or ())  # an example may lack them
    if lemmas:
        lemmas[a], lemmas[b] = lemmas[b], lemmas[a]
    return Side.of(sentence)._replace(text=new, words=words, lemmas=lemmas)


def _within(sentence: HasTree) -> str:
    """The first word of a sentence as it is written within one: *dogs*, but *DNA*, and in German *Hunde*."""
    word = sentence.words[0]
    lemma = sentence.lemmas[0] if sentence.lemmas else ""
    capital = lemma[:1].isupper() or not word[1:].islower()
    return word if capital else word[:1].lower() + word[1:]
