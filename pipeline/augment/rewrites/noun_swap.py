"""A noun and its modifier change places: ``the friend of the author`` -> ``the author of the friend``."""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, Word, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words

_KINDS = frozenset({"kind", "type", "sort", "form", "use"})


def sites(tree: SourceTree) -> Iterator[tuple[int, int]]:
    """Pairs of a noun and its prepositional or possessive modifier."""
    for word, rel in enumerate(tree.deprels):
        if rel in ("nmod", "nmod:poss") and tree.has(word, "case"):
            yield tree.parents[word], word


def rewrite(tree: SourceTree, site: tuple[int, int]) -> Draft:
    """Exchange the two nouns; articles, adjectives and the preposition stay."""
    for noun in site:
        if tree.upos[noun] != "NOUN" or tree.has(noun, "compound", "nummod", "conj", "flat", "amod"):
            raise Decline("not two plain nouns")
        if tree.deprels[noun] in ("compound", "conj", "fixed") or tree.is_measure(noun):
            raise Decline("not two plain nouns")
        decline_if(tree.lemma[noun] in words("collective_quantifiers") | _KINDS, "quantity or kind")
        decline_if(not tree.has(noun, "det", "nmod:poss"), "bare noun")
        decline_if(tree.any_of(tree.children[noun], "acl", "appos", "advcl", "ccomp"), "noun holds a clause")
    head, modifier = site
    decline_if(tree.xpos[head] != tree.xpos[modifier], "nouns differ in number")
    # ``separates the garden from the street``: parsers hang on the object what belongs to the verb.
    pair = f"{tree.lemma[tree.parents[head]]}_{tree.preposition(modifier)}"
    decline_if(tree.deprels[head] == "obj" and pair in words("symmetric_complements"), "verb is symmetrical")
    decline_if(tree.lemmas[head] == tree.lemmas[modifier], "nouns are the same word")
    draft = Draft(tree)
    first, second = draft[head], draft[modifier]
    for field in ("form", "lemma", "upos", "xpos", "feats", "source"):
        one, other = getattr(first, field), getattr(second, field)
        setattr(first, field, other)
        setattr(second, field, one)
    _spell_genitive(draft, draft[modifier])
    return draft


def _spell_genitive(draft: Draft, possessor: Word) -> None:
    """``the fetus' growth`` -> ``the growth's fetus``: the ending is that of the noun before it."""
    for word in draft.order:
        if word.head is possessor and word.xpos == "POS" and word.form[-2:].lower() in ("'", "’", "'s", "’s"):
            mark = word.form[0]
            plural = possessor.xpos == "NNS" and possessor.form.endswith("s")
            word.form = mark if plural else f"{mark}s"


TRANSFORMATION = Transformation(
    "noun_swap", "different", "no noun modified by a noun", sites, rewrite, needs="case"
)
