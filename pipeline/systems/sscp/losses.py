"""The loss of SSCP: two views of a sentence aligned, and the backbone's similarities kept."""

from collections.abc import Mapping

import torch

from pipeline.nn.late_interaction import LateInteraction, late_contrast
from pipeline.nn.losses import info_nce, similarity_distillation
from pipeline.params import Sscp


def sscp_losses(
    embeddings: Mapping[str, torch.Tensor], params: Sscp, tau: float, late_interaction: LateInteraction
) -> dict[str, torch.Tensor]:
    """Losses by name from the embeddings of a batch; ``loss`` is their weighted sum.

    - ``contrast``: across the views, an anchor against positives and negatives (eq. 4 and 5);
    - ``distillation``: the teacher's similarities among the anchors and among the positives, where there is
      a teacher; 0 while both encoders are the teacher;
    - ``in_view``: an anchor against positives and negatives within each view;
    - ``late``: the same by late interaction.

    ``embeddings`` has vectors by ``VIEW.SIDE``, the teacher's by ``known.SIDE``, and what ``late_contrast``
    needs.
    """
    view = "syntactic" if params.views == "one" else "semantic"
    anchor, positive = embeddings[f"{view}.anchor"], embeddings["syntactic.positive"]
    negative = embeddings["syntactic.negative"]
    losses = {"contrast": info_nce(anchor, positive, tau, negative, params.symmetric)}
    loss = params.across * losses["contrast"]
    if params.distillation and "known.anchor" in embeddings:
        kept = [
            similarity_distillation(student, embeddings[f"known.{side}"], tau)
            for side, student in (("anchor", anchor), ("positive", positive))
        ]
        losses["distillation"] = (kept[0] + kept[1]) / 2
        loss = loss + params.distillation * losses["distillation"]
    if params.in_view:
        within = [
            info_nce(
                embeddings[f"{each}.anchor"],
                embeddings[f"{each}.positive"],
                tau,
                embeddings[f"{each}.negative"],
                params.symmetric,
            )
            for each in ("semantic", "syntactic")
        ]
        losses["in_view"] = (within[0] + within[1]) / 2
        loss = loss + params.in_view * losses["in_view"]
    if params.late:
        losses["late"] = late_contrast(late_interaction, embeddings, tau)
        loss = loss + params.late * losses["late"]
    return {"loss": loss} | losses
