"""The objective of SSCP: two views of a sentence aligned, with what keeps them honest."""

from collections.abc import Mapping

import torch

from pipeline.nn.agreement import Agreement
from pipeline.nn.false_negatives import false_negatives
from pipeline.nn.guard import similarity_guard
from pipeline.nn.infonce import info_nce
from pipeline.nn.late import late_contrast
from pipeline.params import Sscp

Found = Mapping[str, torch.Tensor]


def alignment(
    found: Found, params: Sscp, tau: float | torch.Tensor, agreement: Agreement
) -> dict[str, torch.Tensor]:
    """Losses by name from what both encoders made of a batch; ``loss`` is their weighted sum.

    - ``contrast``: across the views, an anchor against positives and negatives (eq. 4 and 5);
    - ``guard``: the similarities of the teacher, kept by either view, where there is a teacher;
    - ``in_view``: an anchor against its positive within each view;
    - ``late``: the same by late interaction.

    ``found`` has vectors by ``VIEW.SIDE`` and the teacher's by ``known.SIDE``; see ``late_contrast``.
    """
    view = "syntactic" if params.views == "one" else "semantic"
    anchor, positive, negative = (
        found[f"{view}.anchor"],
        found["syntactic.positive"],
        found["syntactic.negative"],
    )
    ignore = None
    if params.false_negatives is not None and "known.positive" in found:
        first, second, third = (found[f"known.{side}"] for side in ("anchor", "positive", "negative"))
        margin = params.false_negatives
        ignore = false_negatives(first, second, third, found["key"], found["owner"], margin)
    losses = {"contrast": info_nce(anchor, positive, tau, negative, params.symmetric, ignore)}
    loss = params.across * losses["contrast"]
    if params.guard and "known.anchor" in found:
        sharp = tau.detach() if isinstance(tau, torch.Tensor) else tau  # the guard is no reason to blur
        guards = [similarity_guard(each, found["known.anchor"], sharp) for each in (anchor, positive)]
        losses["guard"] = (guards[0] + guards[1]) / 2
        loss = loss + params.guard * losses["guard"]
    if params.in_view:
        within = [
            info_nce(
                found[f"{each}.anchor"],
                found[f"{each}.positive"],
                tau,
                found[f"{each}.negative"],
                params.symmetric,
                ignore,
            )
            for each in ("semantic", "syntactic")
        ]
        losses["in_view"] = (within[0] + within[1]) / 2
        loss = loss + params.in_view * losses["in_view"]
    if params.late:
        losses["late"] = late_contrast(agreement, found, tau)
        loss = loss + params.late * losses["late"]
    return {"loss": loss} | losses
