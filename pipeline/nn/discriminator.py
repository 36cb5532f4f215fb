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


class Discriminator(nn.Module):
    """y_h = softmax(W u + b), linear as published."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, len(LABELS))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """log y_h of each vector, float32 [B, labels]."""
        foretold: torch.Tensor = self.linear(vectors).float().log_softmax(dim=1)
        return foretold


def against(bags: torch.Tensor, foretold: torch.Tensor) -> torch.Tensor:
    """L_adv of each sentence, float32 [B]: cross-entropy between its bag and the logarithms foretold."""
    return -(bags * foretold).sum(dim=1)


def blindness(bags: torch.Tensor, foretold: torch.Tensor) -> torch.Tensor:
    """How little is told of each sentence, float32 [B], at most 0, where that is nothing at all.

    Minus the divergence of what is foretold from the mean bag of the batch, the best guess that looks at no
    sentence (domain confusion, Tzeng et al. 2015).
    """
    mean = bags.mean(dim=0, keepdim=True)
    return (mean * foretold).sum(dim=1) - torch.xlogy(mean, mean).sum()
