"""Contrastive loss and distillation: symmetric InfoNCE with hard negatives, and similarity distillation."""

import torch
from torch.nn import functional as F


def info_nce(
    a: torch.Tensor,
    b: torch.Tensor,
    tau: float,
    negatives: torch.Tensor | None = None,
    symmetric: bool = True,
) -> torch.Tensor:
    """InfoNCE of N pairs, rows of ``a`` and ``b`` [N, D]; a scalar, in float32.

    With s(x, y) = cos(x, y) / tau and hard negatives n_k, rows of ``negatives`` [M, D], it is the mean over i
    of -log(exp s(a_i, b_i) / (sum_j exp s(a_i, b_j) + sum_k exp s(a_i, n_k))). If ``symmetric``, the same
    loss of b_i among all of ``a``, without hard negatives, is added (SSCP eq. 4, 5; Oord et al. 2018).
    """
    a, b = F.normalize(a.float(), dim=-1), F.normalize(b.float(), dim=-1)
    logits = a @ b.T / tau
    target = torch.arange(len(a), device=a.device)
    candidates = logits
    if negatives is not None and len(negatives):
        candidates = torch.cat([logits, a @ F.normalize(negatives.float(), dim=-1).T / tau], dim=1)
    loss = F.cross_entropy(candidates, target)
    return loss + F.cross_entropy(logits.T, target) if symmetric else loss


def similarity_distillation(student: torch.Tensor, teacher: torch.Tensor, tau: float) -> torch.Tensor:
    """Mean KL(teacher || student) of each row's similarities to the other rows; a scalar.

    ``student`` [N, D] and ``teacher`` [N, E] are vectors of the same N >= 2 texts. Row i's distribution is
    the softmax over j != i of cos(i, j) / ``tau``. Zero where both have the same similarities.
    """
    return F.kl_div(
        _log_softmax_of_others(student, tau),
        _log_softmax_of_others(teacher, tau),
        log_target=True,
        reduction="batchmean",
    )


def _log_softmax_of_others(vectors: torch.Tensor, tau: float) -> torch.Tensor:
    unit = F.normalize(vectors.float(), dim=-1)
    n = len(unit)
    # Drop the diagonal: in the flat matrix its elements are n + 1 apart, and the first one is element 0.
    others = (unit @ unit.T).flatten()[1:].view(n - 1, n + 1)[:, :-1].reshape(n, n - 1)
    return F.log_softmax(others / tau, dim=-1)
