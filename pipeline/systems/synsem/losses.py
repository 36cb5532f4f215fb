"""The losses of SynSem: links, and structural vectors contrasted."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch.nn import functional as F

from pipeline.nn.compute import on_device
from pipeline.nn.losses import info_nce
from pipeline.systems.synsem.data import NONE, ReadText
from pipeline.systems.synsem.heads import Links

UNKNOWN = -100  # a target that is not learnt
LINK_SUMS = ("links", "linked", "right", "content", "words")  # see ``link_losses``
SIDES = ("anchor", "positive", "swap", "negative")


def link_targets(
    texts: Sequence[ReadText], width: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ``content`` and ``successors`` of ``link_losses``, int64 [B, W]; ``width`` is W."""
    content, successors = np.full((2, len(texts), width), UNKNOWN, dtype=np.int64)
    linked = [each.links for each in texts if each.links is not None]
    if linked:  # all at once: a GPU waits for a loop over sentences
        sizes = np.array([each.size if each.links is not None else 0 for each in texts])
        known = np.arange(width) < sizes[:, None]
        inside, after = (np.concatenate(each) for each in zip(*linked, strict=True))
        content[known] = inside
        successors[known] = np.where(inside, np.where(after == NONE, width, after), UNKNOWN)
    return on_device(torch.from_numpy(content), device), on_device(torch.from_numpy(successors), device)


def link_losses(links: Links, content: torch.Tensor, successors: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return sums for each of B sentences, float32 [B], of cross-entropies and of what they count.

    ``content`` int64 [B, W] is 1 for a content word, 0 for another and UNKNOWN without a tree;
    ``successors`` int64 [B, W] is the next content word, W for none, UNKNOWN if nothing is learnt.
    """
    width = links.successors.shape[2]
    flat = F.cross_entropy(
        links.successors.flatten(0, 1), successors.flatten(), ignore_index=UNKNOWN, reduction="none"
    )
    learnt, known = successors != UNKNOWN, content != UNKNOWN
    inside = F.binary_cross_entropy_with_logits(
        links.content.masked_fill(~known, 0.0), content.clamp(min=0).float(), reduction="none"
    )
    right = (links.successors.argmax(dim=2) == successors.clamp(max=width - 1)) & learnt
    return {
        "links": flat.view(successors.shape).sum(dim=1),
        "linked": learnt.sum(dim=1).float(),
        "right": right.sum(dim=1).float(),
        "content": (inside * known).sum(dim=1),
        "words": known.sum(dim=1).float(),
    }


def synsem_losses(
    embeddings: Mapping[str, torch.Tensor], tau: float, contrasted: bool
) -> dict[str, torch.Tensor]:
    """Return losses by name from the embeddings of a batch; ``loss`` is their sum.

    - ``links``: mean cross-entropy of a content word's successor in role order;
    - ``content``: mean binary cross-entropy of being a content word;
    - ``contrast``: InfoNCE of the structural vectors of anchors against those of rewordings (rows with
      ``reworded``), exchanges of words and rule-made variants of another meaning.

    The last only if ``contrasted``; it is 0 if no positive is a rewording.
    """
    found = embeddings
    losses = {
        "links": found["links"].sum() / found["linked"].sum().clamp(min=1),
        "content": found["content"].sum() / found["words"].sum().clamp(min=1),
    }
    if contrasted:
        a, b, swap, negative = (found[f"structural.{side}"] for side in SIDES)
        negatives, pairs = torch.cat([swap, negative]), found["reworded"].bool()
        losses["contrast"] = info_nce(a, b, tau, negatives, symmetric=False, pairs=pairs)
    accuracy = found["right"].sum() / found["linked"].sum().clamp(min=1)
    return {"loss": torch.stack(list(losses.values())).sum()} | losses | {"link_accuracy": accuracy}
