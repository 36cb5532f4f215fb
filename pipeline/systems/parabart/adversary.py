"""The syntax discriminator of ParaBART (Huang et al. 2021, section 3): from a vector to a bag of tags."""

from collections.abc import Sequence

import torch
from torch import nn

from pipeline.syntax.constituency.tree import PHRASES, TAGS, Tree, tag_counts

LABELS = (*PHRASES, *TAGS)


def bags(trees: Sequence[Tree]) -> torch.Tensor:
    """Return h, the share of each label among a tree's constituents: float32 [B, labels], rows sum to 1."""
    counts = [tag_counts(tree) for tree in trees]
    table = torch.tensor([[float(count[label]) for label in LABELS] for count in counts])
    table = table.view(len(trees), len(LABELS))
    return table / table.sum(dim=1, keepdim=True)


class Discriminator(nn.Module):
    """y_h = softmax(W u + b), linear as published."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, len(LABELS))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """log y_h of each vector [B, width], float32 [B, labels]."""
        predicted: torch.Tensor = self.linear(vectors).float().log_softmax(dim=1)
        return predicted


def discriminator_loss(bags: torch.Tensor, predicted: torch.Tensor) -> torch.Tensor:
    """L_adv of each sentence, float32 [B]: ``-sum_t h(t) log y_h(t)``, of bags and ``predicted`` log y_h."""
    return -(bags * predicted).sum(dim=1)


def domain_confusion_loss(bags: torch.Tensor, predicted: torch.Tensor) -> torch.Tensor:
    """What the encoder maximises instead of L_adv (domain confusion, Tzeng et al. 2015), float32 [B].

    Minus the KL divergence of the prediction from the batch's mean bag. That is at most 0, reached where the
    discriminator predicts the mean bag of every sentence, which says nothing about any one of them.
    """
    mean = bags.mean(dim=0, keepdim=True)
    return (mean * predicted).sum(dim=1) - torch.xlogy(mean, mean).sum()
