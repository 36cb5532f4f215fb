"""Path lengths between all words of a batch of trees, on the device, with no loop over words.

The batched twin of ``pipeline.trees``: A is the ancestor-or-self matrix, C = A·Aᵀ counts shared ancestors,
depth = diag(C), and the path from i to j has depth(i) + depth(j) - 2·C(i, j) edges.
"""

from typing import NamedTuple

import torch


class TreeDistance(NamedTuple):
    """Structure of a batch of trees (or forests) over W words."""

    depth: torch.Tensor  # int64 [B, W], 0 at a root
    path: torch.Tensor  # int64 [B, W, W], edges between two words of one tree; meaningless across trees
    connected: torch.Tensor  # bool [B, W, W], whether two words are in one tree


def ancestors(heads: torch.Tensor) -> torch.Tensor:
    """Ancestor-or-self matrix A, float32 [B, W, W], from heads int64 [B, W] (1-based, 0 root, -1 padding).

    Closure by repeated squaring: after k rounds A covers paths of 2**k edges. Counts stay below W + 1 and are
    exact in float32.
    """
    width = heads.shape[1]
    step = torch.nn.functional.one_hot(heads.clamp(min=0), width + 1)[..., 1:].float()
    closure = step + torch.eye(width, device=heads.device)
    for _ in range(max(1, (width - 1).bit_length())):
        closure = (closure @ closure).clamp_(max=1)
    return closure


def tree_distance(heads: torch.Tensor) -> TreeDistance:
    """Depths, path lengths and connectedness; padding words are trees of their own."""
    with torch.autocast(heads.device.type, enabled=False), torch.no_grad():
        closure = ancestors(heads)
        shared = (closure @ closure.transpose(1, 2)).long()
        depth = shared.diagonal(dim1=1, dim2=2)
        path = depth[:, :, None] + depth[:, None, :] - 2 * shared
        return TreeDistance(depth - 1, path, shared > 0)
