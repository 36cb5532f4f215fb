"""The syntax discriminator of ParaBART (Huang et al. 2021, section 3): from a vector to a bag of tags."""

from collections.abc import Sequence

import torch
from torch import nn

from pipeline.constituency.labels import PHRASES, TAGS
from pipeline.constituency.tree import Tree, tag_counts

LABELS = (*PHRASES, *TAGS)


def bags(trees: Sequence[Tree], device: torch.device | str = "cpu") -> torch.Tensor:
    """h: the share of each label among a tree's constituents, float32 [B, labels], rows sum to 1."""
    counts = [tag_counts(tree) for tree in trees]
    table = torch.tensor([[float(count[label]) for label in LABELS] for count in counts], device=device)
    table = table.view(len(trees), len(LABELS))
    return table / table.sum(dim=1, keepdim=True)


def blind(bags: torch.Tensor) -> torch.Tensor:
    """L_adv of each sentence, float32 [B], of the best guess that looks at none: their mean bag."""
    mean = bags.mean(dim=0, keepdim=True)
    return -torch.xlogy(bags, mean).sum(dim=1)


class Discriminator(nn.Module):
    """y_h = softmax(W u + b), linear as published."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, len(LABELS))

    def forward(self, vectors: torch.Tensor, bags: torch.Tensor) -> torch.Tensor:
        """L_adv of each sentence, float32 [B]: cross-entropy between its bag and the one foretold."""
        foretold = self.linear(vectors).float().log_softmax(dim=1)
        return -(bags * foretold).sum(dim=1)
