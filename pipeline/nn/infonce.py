"""Symmetric InfoNCE with hard negatives (SSCP eq. 4 and 5; van den Oord et al. 2018)."""

import torch
from torch.nn import functional as F


def info_nce(
    a: torch.Tensor,
    b: torch.Tensor,
    tau: float | torch.Tensor,
    negatives: torch.Tensor | None = None,
    symmetric: bool = True,
    ignore: torch.Tensor | None = None,
) -> torch.Tensor:
    """Contrast N pairs, rows of ``a`` and ``b`` [N, D], with each other; a scalar.

    Row i of ``a`` is to find row i of ``b`` among all of ``b`` and hard ``negatives`` [M, D], by cosine over
    ``tau``; if ``symmetric``, row i of ``b`` is to find row i of ``a`` among ``a`` too, and the two losses
    are summed (eq. 5). What bool ``ignore`` [N, N + M] marks is no alternative; it must not mark a positive.
    """
    a, b = F.normalize(a.float(), dim=-1), F.normalize(b.float(), dim=-1)
    logits = a @ b.T / tau
    target = torch.arange(len(a), device=a.device)
    forth, back = logits, logits.T
    if negatives is not None and len(negatives):
        forth = torch.cat([logits, a @ F.normalize(negatives.float(), dim=-1).T / tau], dim=1)
    if ignore is not None:
        forth = forth.masked_fill(ignore[:, : forth.shape[1]], float("-inf"))
        back = back.masked_fill(ignore[:, : len(a)].T, float("-inf"))
    loss = F.cross_entropy(forth, target)
    return loss + F.cross_entropy(back, target) if symmetric else loss
