"""A guard that keeps what the backbone knew: distillation of its similarities within a batch."""

import torch
from torch.nn import functional as F


def similarity_guard(student: torch.Tensor, teacher: torch.Tensor, tau: float) -> torch.Tensor:
    """KL(teacher || student) between the softmaxes of each row's similarities to the other rows; a scalar.

    ``student`` and ``teacher`` are vectors [N, D] and [N, E] of the same N >= 2 texts; cosines are divided by
    ``tau``. Zero where both order and space the texts alike; a text's similarity to itself is left out.
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
    # Without the diagonal: behind its first element, the flat matrix holds one of it every n + 1.
    others = (unit @ unit.T).flatten()[1:].view(n - 1, n + 1)[:, :-1].reshape(n, n - 1)
    return F.log_softmax(others / tau, dim=-1)
