"""A dependency tree that can be turned over: function words down, content words up."""

from collections.abc import Sequence


class Turning:
    """A tree on its way to UD: 0-based heads, -1 above the root, dependents in no fixed order."""

    def __init__(
        self,
        words: Sequence[str],
        tags: Sequence[str],
        upos: Sequence[str],
        lemmas: Sequence[str],
        heads: Sequence[int],
        relations: Sequence[str],
    ) -> None:
        self.words = [word.lower() for word in words]
        self.tags, self.lemmas = tags, lemmas
        self.upos, self.heads, self.relations = list(upos), list(heads), list(relations)
        self.children: list[list[int]] = [[] for _ in words]
        for word, head in enumerate(heads):
            if head >= 0:
                self.children[head].append(word)

    def move(self, word: int, head: int) -> None:
        """Hang ``word`` on ``head``."""
        self.children[self.heads[word]].remove(word)
        self.heads[word] = head
        self.children[head].append(word)

    def promote(self, content: int, function: str, keep: Sequence[int] = ()) -> None:
        """Let ``content`` take the place of its head, which then hangs on it as ``function``.

        The other dependents of the head follow, but for those to ``keep``.
        """
        below = self.heads[content]
        above = self.heads[below]
        self.relations[content] = self.relations[below]
        self.relations[below] = function
        self.heads[content] = above
        if above >= 0:
            siblings = self.children[above]
            siblings[siblings.index(below)] = content
        for child in self.children[below]:
            if child != content and child not in keep:
                self.heads[child] = content
                self.children[content].append(child)
        self.heads[below] = content
        self.children[content].append(below)
        self.children[below] = list(keep)

    def bottom_up(self) -> list[int]:
        """Words so that every word comes after its dependents."""
        order = [word for word, head in enumerate(self.heads) if head < 0]
        for word in order:
            order += self.children[word]
        return order[::-1]

    def has(self, word: int, *relations: str) -> bool:
        """Whether a dependent of ``word`` bears one of the relations."""
        return any(self.relations[child] in relations for child in self.children[word])
