"""Another number or quantifier.

``Three men left.`` -> ``Five men left.``; ``All men left.`` -> ``Some men left.``
"""

import re
from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import is_under_negation, needs_negation
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words
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
_PLURAL = frozenset({"all", "most", "many", "few", "several"})
_ORDINALS = frozenset({"first", "last", "second", "third"})
# ``many more friends``, ``every single child``, ``the first few visitors``.
_BESIDE = frozenset({"few", "fewer", "last", "less", "many", "more", "second", "single", "third"})
# They stand in the scope of a word of frequency or a quantifier, and bear no negation.
_NOT_NEGATED = words("quantity_not_negated")
_NEGATIVE = frozenset({"few", "never", "no", "rarely"})
_PLAIN_NUMBER = re.compile(r"[1-9]\d{0,2}(,\d{3})*")


def sites(tree: SourceTree) -> Iterator[int]:
    """Numerals before nouns, years, and quantifiers."""
    for word, (rel, lower) in enumerate(zip(tree.deprels, tree.lower, strict=True)):
        if rel == "nummod" or lower in _OTHER or (rel == "obl" and tree.upos[word] == "NUM"):
            yield word


def rewrite(tree: SourceTree, word: int) -> Draft:
    """Replace one number or quantifier by another."""
    form, lower, head = tree.words[word], tree.lower[word], tree.parents[word]
    tied = {"-", "/", "$", "#"}.intersection(tree.words[max(word - 1, 0) : word + 2])
    fraction = head >= 0 and tree.lower[head] in words("fraction_nouns")
    decline_if(tree.children[word] or tied or fraction, "number is part of a larger one")
    decline_if("both" in tree.lower[max(word - 3, 0) : word], "two determiners")
    decline_if(word and form[0].isupper(), "number in a name")
    rng = seeded_random(0, "quantity", tree.sentence.text, word)
    if lower in _OTHER:
        new = _quantifier(tree, word)
    elif lower in _CARDINALS:
        new = rng.choice([each for each in _CARDINALS if each != lower])
    elif tree.is_time(word) and tree.deprels[word] == "obl":
        decline_if(not form.isdigit(), "number of another kind")
        new = str(int(form) - rng.randrange(3, 30))
    elif _PLAIN_NUMBER.fullmatch(form) and form != "1" and head >= 0 and tree.upos[head] == "NOUN":
        decline_if(word > head, "number of another kind")
        new = rng.choice([digit for digit in "23456789" if digit != form[0]]) + form[1:]
    else:
        raise Decline("number of another kind")
    draft = Draft(tree)
    target = draft[word]
    target.form, target.lemma = (new.capitalize() if word == 0 else new), new
    return draft


def _quantifier(tree: SourceTree, word: int) -> str:
    lower, head = tree.lower[word], tree.parents[word]
    new = _OTHER[lower]
    if lower not in _ORDINALS:
        decline_if(is_under_negation(tree, word), "scope of negation or focus particle")
        if (lower in _NEGATIVE or new == "some") and needs_negation(tree, besides=word):
            raise Decline("word that needs a negation")
        if new in _NEGATIVE and not _NOT_NEGATED.isdisjoint(tree.lower):
            raise Decline("word that bears no negation")
    if lower in _FREQUENCY:
        if tree.deprels[word] != "advmod" or tree.upos[head] not in ("VERB", "ADJ", "NOUN") or word > head:
            raise Decline("quantifier in doubt")
        if lower == "never" and not {"again", "before", "even", "quite"}.isdisjoint(tree.lower):
            raise Decline("word that needs a negation")
        subject = tree.child(head, "nsubj", "nsubj:pass", "expl")
        decline_if(subject is not None and word < subject, "word order in doubt")
        if any(kid != word and tree.lower[kid] in _FREQUENCY for kid in tree.children[head]):
            raise Decline("two words of frequency")
        return new
    if tree.deprels[word] not in ("det", "amod") or tree.upos[head] != "NOUN" or head < word:
        raise Decline("quantifier in doubt")
    decline_if(tree.lower[head] in words("fixed_quantity_nouns"), "quantifier in a fixed phrase")
    _require_alone(tree, word, head)
    plural = tree.xpos[head] == "NNS"
    decline_if(lower in _PLURAL and (not plural or head - word > 3), "quantifier in doubt")
    decline_if(new == "few" and tree.is_measure(head), "quantifier in doubt")
    if lower in ("every", "each") and (tree.is_time(head) or tree.xpos[head] != "NN"):
        raise Decline("quantifier in doubt")
    decline_if(lower in _ORDINALS and tree.is_time(head), "quantifier in doubt")
    marker = word and tree.universal[word - 1] == "mark"  # the conjunction ``that``
    if word and tree.lower[word - 1] in words("before_quantifiers") and not marker and lower not in _ORDINALS:
        raise Decline("quantifier in doubt")
    return new


def _require_alone(tree: SourceTree, word: int, head: int) -> None:
    """Raise Decline for another determiner: ``all the films``, ``all three men``, ``many more friends``."""
    lower = tree.lower[word]
    barred = {"few", "many", "several"} if lower in _ORDINALS else _BESIDE
    for kid in tree.children[head]:
        if word < kid < head and (
            tree.universal[kid] == "det"
            or tree.deprels[kid] == "nmod:poss"
            or (tree.universal[kid] == "nummod" and lower not in _ORDINALS)
            or (tree.lower[kid] == "other" and lower in ("each", "every"))
            or tree.lower[kid] in barred
        ):
            raise Decline("two determiners")
    pair = lower in ("every", "each") and sum(each in ("every", "each") for each in tree.lower) > 1
    decline_if(pair and (tree.deprels[head] == "conj" or tree.has(head, "conj")), "two determiners")


TRANSFORMATION = Transformation("quantity", "different", "no number or quantifier", sites, rewrite)
