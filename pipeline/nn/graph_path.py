"""Paths between words of a batch of trees, told apart by direction and by the relation they begin with."""

import torch

from pipeline.nn.tree_distance import TreeDistance, ancestors


def steps(trees: TreeDistance) -> tuple[torch.Tensor, torch.Tensor]:
    """Edges from word i up to the lowest common ancestor with j, and from there down to j, int64 [B, W, W].

    Meaningless across trees, as ``TreeDistance.path`` is.
    """
    up = (trees.path + trees.depth[:, :, None] - trees.depth[:, None, :]) // 2
    return up, trees.path - up


def first_edge(heads: torch.Tensor, relations: torch.Tensor, trees: TreeDistance, size: int) -> torch.Tensor:
    """The type of the first edge on the path from word i to word j, int64 [B, W, W], below 2 * ``size``.

    Going up it is the relation of i itself; going down, ``size`` plus the relation of the child of i that is
    j or above it; 0 from a word to itself. ``heads`` and ``relations`` are int64 [B, W], the relations below
    ``size``.
    """
    with torch.autocast(heads.device.type, enabled=False), torch.no_grad():
        width = heads.shape[1]
        # child[c, i] says that i is the head of c; above[j, c] that c is j or above it. Of the words above j
        # just one is a child of i, so the sum over c is that one's relation.
        child = torch.nn.functional.one_hot(heads.clamp(min=0), width + 1)[..., 1:].float()
        above = ancestors(heads)
        down = (above * relations[:, None, :].float()) @ child
        up, _ = steps(trees)
        types = torch.where(up > 0, relations[:, :, None].expand_as(up), down.transpose(1, 2).long() + size)
        return types.masked_fill(trees.path == 0, 0)
