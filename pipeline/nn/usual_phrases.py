"""How phrases of each label usually look: what a partial tree is completed with."""

from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from torch import nn

from pipeline.constituency.labels import CLOSE, PHRASES, TOKENS
from pipeline.constituency.tree import Tree, tokens, walk

_LONGEST = 24  # tokens of a phrase that is kept
_NOTHING = -1


class UsualPhrases(nn.Module):
    """The commonest phrase of each label, down to its parts of speech; saved with a system."""

    table: torch.Tensor  # int64 [phrases, tokens], places in ``TOKENS``, or -1 after the end

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.full((len(PHRASES), _LONGEST), _NOTHING))

    def learn(self, trees: Iterable[Tree]) -> None:
        """Take the commonest phrases of whole trees; of equally common ones the last by its tokens."""
        counts = Counter(
            tokens(node) for tree in trees for node, opens in walk(tree) if opens and node.children
        )
        self.table.fill_(_NOTHING)
        for linear, _ in sorted(counts.items(), key=lambda each: (each[1], each[0])):  # the commonest last
            if len(linear) <= _LONGEST:
                row = self.table[PHRASES.index(linear[0].removeprefix("("))]
                row.fill_(_NOTHING)
                row[: len(linear)] = torch.tensor([TOKENS.index(token) for token in linear])

    def usual(self, label: str) -> tuple[str, ...]:
        """The commonest phrase of a label as tokens; none where none was seen."""
        return tuple(TOKENS[place] for place in self.table[PHRASES.index(label)].tolist() if place >= 0)

    def complete(self, template: Sequence[str]) -> tuple[str, ...]:
        """The tree with its empty phrases in full, so far as phrases of their labels have been seen."""
        found: list[str] = []
        for token in template:
            label = found[-1].removeprefix("(") if found else ""
            if token == CLOSE and label in PHRASES:
                found[-1:] = self.usual(label)[:-1] or [f"({label}"]
            found.append(token)
        return tuple(found)
