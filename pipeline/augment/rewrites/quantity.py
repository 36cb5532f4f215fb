"""Another number or quantifier.

``Three men left.`` -> ``Five men left.``; ``All men left.`` -> ``Some men left.``
"""

import re
from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Draft
from pipeline.augment.phrases import is_time
from pipeline.augment.source_tree import Decline, SourceTree
from pipeline.core.seeding import seeded_random

_CARDINALS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_OTHER = {
    "all": "some",
    "most": "few",
    "many": "few",
    "few": "many",
    "every": "no",
    "each": "no",
    "several": "two",
    "always": "never",
    "never": "always",
    "often": "rarely",
    "rarely": "often",
    "usually": "rarely",
    "sometimes": "always",
    "first": "last",
    "last": "first",
    "second": "third",
    "third": "fourth",
}
_FREQUENCY = ("always", "never", "often", "rarely", "usually", "sometimes")
_PLAIN_NUMBER = re.compile(r"[1-9]\d{0,2}(,\d{3})*")


def sites(tree: SourceTree) -> Iterator[int]:
    """Numerals before nouns, years, and quantifiers."""
    for word, (rel, lower) in enumerate(zip(tree.deprels, tree.lower, strict=True)):
        if rel == "nummod" or lower in _OTHER or (rel == "obl" and tree.upos[word] == "NUM"):
            yield word


def rewrite(tree: SourceTree, word: int) -> Draft:
    """Replace one number or quantifier by another."""
    lower, head = tree.lower[word], tree.parents[word]
    if tree.children[word] or any(
        0 <= i < len(tree) and tree.words[i] in ("-", "/", "$", "#") for i in (word - 1, word + 1)
    ):
        raise Decline("number is part of a larger one")
    if lower in _OTHER:
        new = _quantifier(tree, word)
    elif lower in _CARDINALS:
        others = [each for each in _CARDINALS if each != lower]
        new = others[seeded_random(0, "quantity", tree.sentence.text, word).randrange(len(others))]
    elif is_time(tree, word) and tree.deprels[word] == "obl":
        shift = seeded_random(0, "quantity", tree.sentence.text, word).randrange(3, 30)
        if not tree.words[word].isdigit():
            raise Decline("number of another kind")
        new = str(int(tree.words[word]) - shift)
    elif (
        _PLAIN_NUMBER.fullmatch(tree.words[word])
        and tree.words[word] != "1"
        and head >= 0
        and tree.upos[head] == "NOUN"
    ):
        if word > head:
            raise Decline("number of another kind")
        first = int(tree.words[word][0])
        digits = [digit for digit in range(2, 10) if digit != first]
        chosen = digits[seeded_random(0, "quantity", tree.sentence.text, word).randrange(len(digits))]
        new = f"{chosen}{tree.words[word][1:]}"
    else:
        raise Decline("number of another kind")
    draft = Draft(tree)
    target = draft[word]
    target.form, target.lemma = (new.capitalize() if word == 0 else new), new
    return draft


def _quantifier(tree: SourceTree, word: int) -> str:
    lower, head = tree.lower[word], tree.parents[word]
    if lower in _FREQUENCY:
        if tree.deprels[word] != "advmod" or tree.upos[head] not in ("VERB", "ADJ", "NOUN") or word > head:
            raise Decline("quantifier in doubt")
        if lower != "never" and any(tree.lower[kid] in ("not", "n't") for kid in tree.children[head]):
            raise Decline("scope of negation or focus particle")
        if lower == "never" and any(
            tree.lower[i] in ("any", "ever", "anyone", "anything", "again", "before", "yet")
            for i in range(len(tree))
        ):
            raise Decline("word that needs a negation")
        if any(kid != word and tree.lower[kid] in _FREQUENCY for kid in tree.children[head]):
            raise Decline("two words of frequency")
        return _OTHER[lower]
    if tree.universal[word] not in ("det", "amod") or tree.upos[head] != "NOUN" or head < word:
        raise Decline("quantifier in doubt")
    plural = tree.xpos[head] == "NNS"
    if lower in ("all", "most", "many", "few", "several") and (not plural or head - word > 3):
        raise Decline("quantifier in doubt")
    if lower in ("every", "each") and (is_time(tree, head) or tree.xpos[head] != "NN"):
        raise Decline("quantifier in doubt")
    if lower in ("first", "last", "second", "third") and (
        is_time(tree, head) or tree.words[word][0].isupper()
    ):
        raise Decline("quantifier in doubt")
    if (
        word
        and tree.lower[word - 1] in ("not", "a", "the", "so", "too", "how", "as", "very")
        and lower not in ("first", "last", "second", "third")
    ):
        raise Decline("quantifier in doubt")
    return _OTHER[lower]


TRANSFORMATION = Transformation("quantity", "different", "no number or quantifier", sites, rewrite)
