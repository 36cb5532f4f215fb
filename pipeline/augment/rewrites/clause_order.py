"""Adverbial clause first or last: ``When it rained, we left.`` <-> ``We left when it rained.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative
from pipeline.augment.draft import Draft, comma
from pipeline.augment.morphology import words
from pipeline.augment.source_tree import Decline, SourceTree

_MARKERS = words("clause_markers")
_CONTRAST = frozenset({"although", "though", "whereas", "while"})
_SCOPAL = frozenset({"because", "until", "unless", "since", "before", "if"})
_POINTING = frozenset(
    {"one", "this", "that", "these", "those", "both", "all", "some", "many", "former", "latter"}
)
_THIRD = frozenset({"he", "she", "it", "they", "him", "her", "them", "his", "its", "their"})


def sites(tree: SourceTree) -> Iterator[int]:
    """Adverbial clauses of the main clause."""
    return (kid for kid in tree.children[tree.root] if tree.deprels[kid] == "advcl")


def rewrite(tree: SourceTree, clause: int) -> Draft:
    """Move the adverbial clause to the other side."""
    root = tree.root
    subject = declarative(tree)
    phrase = tree.phrase(clause)
    marker = tree.lower[phrase.start]
    if marker not in _MARKERS or tree.lower[phrase.start + 1] in ("that", "if", "as", "not"):
        raise Decline("no plain subordinator")
    if not any(tree.universal[kid] in ("nsubj", "expl") for kid in tree.children[clause]):
        raise Decline("adverbial clause has no subject")
    if (
        tree.child(root, "conj", "ccomp", "parataxis") is not None
        or len(tree.children_with(root, "advcl")) > 1
    ):
        raise Decline("more than two clauses")
    if any(tree.lower[kid] in ("not", "n't", "never") for kid in tree.children[root]) and marker in _SCOPAL:
        raise Decline("scope of negation")
    if any(tree.lower[i] in ("then", "so", "else", "instead", "only", "even") for i in range(len(tree))):
        raise Decline("word that needs the order")
    if tree.upos[clause] == "AUX" or tree.upos[phrase.stop - 1] in ("AUX", "PART"):
        raise Decline("clause is elliptical")
    if marker in _CONTRAST and (
        any(tree.words[i] == "," for i in phrase.positions) or tree.upos[phrase.start + 1] == "ADP"
    ):
        raise Decline("clause too heavy")
    inside = set(phrase.positions)
    _require_clear_pronouns(tree, inside)
    draft = Draft(tree)
    last = draft[len(tree) - 1]
    if phrase.start == 0:
        if phrase.stop >= len(tree) or tree.words[phrase.stop] != ",":
            raise Decline("comma in doubt")
        draft.take([phrase.stop])
        moved = draft.take_phrase(phrase)
        draft.put([comma(draft[clause]), *moved] if marker in _CONTRAST else moved, before=last)
        moved[-1].closing = False
        return draft
    if phrase.stop != len(tree) - 1 or tree.span(subject).start != 0:
        raise Decline("clause stands in the middle")
    if tree.words[phrase.start - 1] == ",":
        draft.take([phrase.start - 1])
    moved = draft.take_phrase(phrase)
    moved[-1].closing = False
    draft.put([*moved, comma(draft[clause])], before=draft[0])
    return draft


def _require_clear_pronouns(tree: SourceTree, inside: set[int]) -> None:
    """Raise Decline where a pronoun of the main clause may get another antecedent, or lose its own."""
    pronouns = {i for i in range(len(tree)) if tree.xpos[i] in ("PRP", "PRP$") and tree.lower[i] in _THIRD}
    nouns = {i for i in range(len(tree)) if tree.upos[i] in ("NOUN", "PROPN")}
    if (pronouns - inside) and (nouns & inside):
        raise Decline("pronoun would come before its noun")
    if any(
        tree.lower[i] in _POINTING and tree.universal[i] in ("nsubj", "obj", "obl", "nmod")
        for i in range(len(tree))
    ):
        raise Decline("pronoun would come before its noun")


TRANSFORMATION = Transformation(
    "clause_order", "same", "no adverbial clause", sites, rewrite, needs=frozenset({"advcl"})
)
