"""Linearised constituency trees for ParaBART's syntactic encoder and decoder (Huang et al. 2021, section 3).

Trees become token ids (``tree_tokens``), with the token of each word's leaf, which the decoder is given word
by word (``leaf_positions``). In training some are pruned (``prune``); a user's partial tree is completed with
the commonest phrases (``PhraseTemplates``).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import nn

from pipeline.nn.inference import on_device
from pipeline.syntax.constituency import constituents, derive
from pipeline.syntax.constituency.tree import CLOSE, PHRASES, TOKENS, Tree, is_tag, tokens, walk
from pipeline.syntax.sentence import HasTree

PADDING = 0
VOCABULARY = 1 + len(TOKENS)
_ID = {token: number for number, token in enumerate(TOKENS, 1)}
_UNSEEN_WIDTH = 2.0  # words of a phrase whose label has not been seen
_LONGEST_TEMPLATE = 24  # tokens of a phrase that is kept
_NONE = -1

Template = Sequence[str]  # tokens of ``TOKENS``, as ``pipeline.syntax.constituency.tokens`` gives them


class TreeTokens(NamedTuple):
    """A padded batch of B linearised trees of at most N tokens, on one device."""

    ids: torch.Tensor  # int64 [B, N]
    mask: torch.Tensor  # bool [B, N], False at padding
    leaves: torch.Tensor  # int64 [B, W], the position of each word's leaf; after the last word the tree's end


def tree_tokens(
    templates: Sequence[Template],
    max_tokens: int,
    widths: Mapping[str, float],
    device: torch.device | str = "cpu",
) -> TreeTokens:
    """The first ``max_tokens`` tokens of each tree, padded; ``widths`` as in ``leaf_positions``."""
    cut = [template[:max_tokens] for template in templates]
    ids = _table([[_ID[token] for token in template] for template in cut], [PADDING] * len(cut), device)
    leaves = [leaf_positions(template, widths) for template in cut]
    return TreeTokens(ids, ids != PADDING, _table(leaves, [each[-1] for each in leaves], device))


def _table(rows: Sequence[list[int]], padding: Sequence[int], device: torch.device | str) -> torch.Tensor:
    width = max((len(row) for row in rows), default=0)
    padded = [row + [fill] * (width - len(row)) for row, fill in zip(rows, padding, strict=True)]
    return on_device(torch.tensor(padded, dtype=torch.int64).view(len(rows), width), device)


def leaf_positions(template: Template, widths: Mapping[str, float]) -> list[int]:
    """The position of each word's leaf among the tokens; the last entry is the end of the tree.

    A part of speech is one word. An empty phrase, as in ``(S (NP) (VP (VBD)))``, counts for as many words as
    its label has in ``widths``, rounded so that the sum is right.
    """
    positions: list[int] = []
    words = 0.0
    for place, (token, after) in enumerate(pairwise(template)):
        if token != CLOSE and after == CLOSE:
            label = token.removeprefix("(")
            words += 1.0 if is_tag(label) else widths[label]
            positions += [place] * (round(words) - len(positions))
    return [*positions, len(template) - 1]


def mean_widths(trees: Iterable[Tree]) -> dict[str, float]:
    """The mean number of words in a phrase of each label, over whole trees; 2 for a label without phrases."""
    words: defaultdict[str, int] = defaultdict(int)
    phrases: defaultdict[str, int] = defaultdict(int)
    for tree in trees:
        begun: list[int] = []
        seen = 0
        for node, opens in walk(tree):
            if opens:
                begun.append(seen)
                seen += not node.children
            else:
                words[node.label] += seen - begun.pop()
                phrases[node.label] += 1
    return {label: words[label] / phrases[label] if phrases[label] else _UNSEEN_WIDTH for label in PHRASES}


def prune(template: Template, draws: Sequence[float]) -> tuple[str, ...]:
    """The tree with some of its phrases emptied, as in ``(S (NP) (VP (VBD) (NP)))``.

    From below the root downwards, the k-th phrase with constituents is emptied where ``draws[k]`` is under
    one half. ``draws`` has at least one entry a token.
    """
    kept: list[str] = []
    depth, emptied, met = 0, None, 0  # emptied: the depth of the phrase that is being emptied
    for place, token in enumerate(template):
        if token == CLOSE:
            if emptied == depth:
                emptied = None
            depth -= 1
        else:
            depth += 1
        if emptied is None:
            kept.append(token)
        phrase = token != CLOSE and place + 1 < len(template) and template[place + 1] != CLOSE
        if phrase and emptied is None and depth > 1:
            emptied = depth if draws[met] < 0.5 else None
            met += 1
    return tuple(kept)


class PhraseTemplates(nn.Module):
    """The commonest phrase of each label, down to its parts of speech; saved with a system."""

    table: torch.Tensor  # int64 [phrases, tokens], indices into ``TOKENS``, or -1 after the end

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.full((len(PHRASES), _LONGEST_TEMPLATE), _NONE))

    def learn(self, trees: Iterable[Tree]) -> None:
        """Take the commonest phrases of whole trees; of equally common ones the last by its tokens."""
        counts = Counter(
            tokens(node) for tree in trees for node, opens in walk(tree) if opens and node.children
        )
        self.table.fill_(_NONE)
        for linear, _ in sorted(counts.items(), key=lambda each: (each[1], each[0])):  # the commonest last
            if len(linear) <= _LONGEST_TEMPLATE:
                row = self.table[PHRASES.index(linear[0].removeprefix("("))]
                row.fill_(_NONE)
                row[: len(linear)] = torch.tensor([TOKENS.index(token) for token in linear])

    def commonest(self, label: str) -> tuple[str, ...]:
        """The commonest phrase of a label as tokens; empty where none was seen."""
        return tuple(TOKENS[place] for place in self.table[PHRASES.index(label)].tolist() if place >= 0)

    def complete(self, template: Template) -> tuple[str, ...]:
        """The tree with its empty phrases filled; those of labels that were never seen stay empty."""
        found: list[str] = []
        for token in template:
            label = found[-1].removeprefix("(") if found else ""
            if token == CLOSE and label in PHRASES:
                found[-1:] = self.commonest(label)[:-1] or [f"({label}"]
            found.append(token)
        return tuple(found)


class TreeCache:
    """The constituency tree of a sentence: its own if it has one, unless ``derived``, else ``derive``'s.

    Trees given to ``remember`` are made once until ``forget``. Sentences are compared by identity, so the
    cache keeps them alive.
    """

    def __init__(self, derived: bool) -> None:
        self._make, self._known = derive if derived else constituents, dict[int, tuple[HasTree, Tree]]()

    def __call__(self, sentence: HasTree) -> Tree:
        """The tree of a sentence."""
        known = self._known.get(id(sentence))
        return self._make(sentence) if known is None else known[1]

    def remember(self, sentence: HasTree) -> Tree:
        """The same, and kept."""
        tree = self(sentence)
        self._known[id(sentence)] = sentence, tree
        return tree

    def forget(self) -> None:
        """Drop all kept trees."""
        self._known.clear()
