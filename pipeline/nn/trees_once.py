"""The constituency tree of a sentence, made once for as long as a batch is at work."""

from pipeline.constituency import Tree, constituents, derive
from pipeline.sentences import HasTree


class TreesOnce:
    """Gives ``derive``'s tree of a sentence, or the given one where there is one; remembers until ``forget``.

    Sentences are told apart as objects, which are kept, so that no other takes their place.
    """

    def __init__(self, derived: bool) -> None:
        self._make, self._known = derive if derived else constituents, dict[int, tuple[HasTree, Tree]]()

    def __call__(self, sentence: HasTree) -> Tree:
        """The tree of a sentence."""
        known = self._known.get(id(sentence))
        return self._make(sentence) if known is None else known[1]

    def keep(self, sentence: HasTree) -> Tree:
        """The same, and remembered."""
        tree = self(sentence)
        self._known[id(sentence)] = sentence, tree
        return tree

    def forget(self) -> None:
        """Begin anew."""
        self._known.clear()
