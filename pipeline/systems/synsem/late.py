"""What late interaction reads of ``synsem``'s network in place of trees."""

import torch

from pipeline.nn.late_interaction import DECAY
from pipeline.systems.synsem.heads import Pointed, evened, reached


def links(pointed: Pointed, reach: int) -> torch.Tensor:
    """``evened`` g_i A_ij g_j, A = sum over k of DECAY^(k - 1) a^k, k = 1 .. ``reach``; float32 [B, W, W]."""
    gates = pointed.gates.sigmoid()
    weights = torch.tensor([DECAY**k for k in range(reach)], device=gates.device)
    return evened(gates[:, :, None] * reached(pointed, weights) * gates[:, None])
