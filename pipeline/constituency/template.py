"""The single door to a sentence's constituents: those given with it, else those derived from its heads."""

from pipeline.constituency.derived import derive
from pipeline.constituency.given import DERIVED, given
from pipeline.constituency.tree import Tree, tokens
from pipeline.sentences import HasTree


def constituents(sentence: HasTree) -> Tree:
    """The constituency tree of a sentence, its words at the leaves."""
    return constituents_and_kind(sentence)[0]


def constituents_and_kind(sentence: HasTree) -> tuple[Tree, str]:
    """The tree and where it is from: ``gold``, ``stanza`` or ``derived``."""
    found = given(sentence)
    if found is not None:
        return found[1], found[0]
    return derive(sentence), DERIVED


def template(sentence: HasTree) -> tuple[str, ...]:
    """The linearised tree without words, tokens of ``labels.TOKENS``: what the syntactic encoder reads."""
    return tokens(constituents(sentence))
