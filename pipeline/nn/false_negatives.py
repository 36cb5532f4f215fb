"""In-batch negatives that are none: texts that a frozen teacher finds as near as the positive."""

import torch
from torch.nn import functional as F


def false_negatives(
    anchors: torch.Tensor,
    positives: torch.Tensor,
    negatives: torch.Tensor,
    keys: torch.Tensor,
    owners: torch.Tensor,
    margin: float,
) -> torch.Tensor:
    """Which columns of ``info_nce``'s logits to leave out for each anchor, bool [N, N + M].

    The vectors [N, D], [N, D] and [M, D] are the teacher's. A candidate is left out if its cosine with the
    anchor is above the positive's less ``margin``, or if it comes of the same source: the keys, int64 [N] and
    [M], are equal. An anchor's own positive stays, and its own hard negatives do: they are hard on purpose.
    """
    unit = F.normalize(anchors.float(), dim=-1)
    near = unit @ F.normalize(torch.cat([positives, negatives]).float(), dim=-1).T
    n = len(anchors)
    too_near = near > near.diagonal()[:, None] - margin
    same = keys[:, None] == torch.cat([keys, owners])[None]
    own = torch.eye(n, dtype=torch.bool, device=keys.device)
    others = (too_near | same)[:, :n] & ~own
    return torch.cat([others, too_near[:, n:] & ~same[:, n:]], dim=1)
