"""Contrastive loss: InfoNCE with hard negatives."""

import torch
from torch.nn import functional as F

_HIDDEN = -100  # the target of a row that does not count


def info_nce(
    a: torch.Tensor,
    b: torch.Tensor,
    tau: float,
    negatives: torch.Tensor | None = None,
    symmetric: bool = True,
    pairs: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return InfoNCE of N pairs, rows of ``a`` and ``b`` [N, D]; a scalar, in float32.

    With s(x, y) = cos(x, y) / tau and hard negatives n_k, rows of ``negatives`` [M, D], it is the mean over i
    of -log(exp s(a_i, b_i) / (sum_j exp s(a_i, b_j) + sum_k exp s(a_i, n_k))). If ``symmetric``, the same
    loss of b_i among all of ``a``, without hard negatives, is added (SSCP eq. 4, 5; Oord et al. 2018).

    With ``pairs``, bool [N], the other rows of ``a`` and ``b`` count nowhere, as if they were not there. The
    loss is 0 if none is left.
    """
    a, b = F.normalize(a.float(), dim=-1), F.normalize(b.float(), dim=-1)
    logits = a @ b.T / tau
    back, target = logits.T, torch.arange(len(a), device=a.device)
    if pairs is not None:
        # Hidden, not left out: to count the rows left, the CPU would wait for the GPU. Not by -inf: a row of
        # nothing else gives NaN.
        least = torch.finfo(logits.dtype).min
        logits, back = logits.masked_fill(~pairs, least), back.masked_fill(~pairs, least)
        target = target.masked_fill(~pairs, _HIDDEN)
    candidates = logits
    if negatives is not None and len(negatives):
        candidates = torch.cat([logits, a @ F.normalize(negatives.float(), dim=-1).T / tau], dim=1)
    loss = _mean_cross_entropy(candidates, target)
    return loss + _mean_cross_entropy(back, target) if symmetric else loss


def _mean_cross_entropy(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The mean over the rows whose target is not hidden; 0 without one."""
    total = F.cross_entropy(logits, target, ignore_index=_HIDDEN, reduction="sum")
    return total / (target != _HIDDEN).sum().clamp(min=1)
