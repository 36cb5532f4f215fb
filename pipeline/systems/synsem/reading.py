"""What one pass of ``synsem`` makes of a batch of sentences."""

from typing import NamedTuple

import torch
from torch.nn import functional as F

from pipeline.systems.synsem.heads import Pointed


class Structure(NamedTuple):
    """What the heads make of B sentences of W words."""

    vectors: torch.Tensor  # float32 [B, dimensions], of length 1 or 0
    pointed: Pointed
    features: torch.Tensor  # float32 [B, W, E], what each is, whatever its place: ``heads.WordFeatures``


class Reading(NamedTuple):
    """What one pass makes of B sentences of W words."""

    semantic: torch.Tensor  # float32 [B, D], of length 1
    structure: Structure
    weights: torch.Tensor  # float32 [B], of the structural vectors in the joint ones
    states: torch.Tensor  # float32 [B, W, D], of words, in the backbone's last layer

    def views(self) -> dict[str, torch.Tensor]:
        """``semantic``, ``structural`` and ``joint`` vectors, float32 [B, width], of length 1 (or 0)."""
        semantic, structural = self.semantic, self.structure.vectors
        joint = torch.cat([semantic, self.weights[:, None] * structural], dim=1)
        return {"semantic": semantic, "structural": structural, "joint": F.normalize(joint, dim=1)}
