"""Linearised constituency trees as numbers: what a syntactic encoder reads (ParaBART, Huang et al. 2021)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch

from pipeline.constituency import TOKENS
from pipeline.constituency.labels import CLOSE
from pipeline.nn.leaves import leaf_slots

PADDING = 0
_NUMBER = {token: number for number, token in enumerate(TOKENS, 1)}
VOCABULARY = 1 + len(TOKENS)

Template = Sequence[str]  # tokens of ``TOKENS``, as ``pipeline.constituency.tokens`` gives them


class TreeTokens(NamedTuple):
    """A padded batch of B linearised trees of at most N tokens, on one device."""

    ids: torch.Tensor  # int64 [B, N]
    mask: torch.Tensor  # bool [B, N], False at padding
    leaves: torch.Tensor  # int64 [B, W], which token is the leaf of each word; beyond the words the last


def tree_tokens(
    templates: Sequence[Template],
    max_tokens: int,
    widths: Mapping[str, float],
    device: torch.device | str = "cpu",
) -> TreeTokens:
    """The first ``max_tokens`` tokens of each tree, padded on the right; ``widths`` as in ``leaf_slots``."""
    cut = [template[:max_tokens] for template in templates]
    ids = _table([[_NUMBER[token] for token in template] for template in cut], [PADDING] * len(cut), device)
    slots = [leaf_slots(template, widths) for template in cut]
    return TreeTokens(ids, ids != PADDING, _table(slots, [each[-1] for each in slots], device))


def _table(rows: Sequence[list[int]], padding: Sequence[int], device: torch.device | str) -> torch.Tensor:
    width = max((len(row) for row in rows), default=0)
    padded = [row + [fill] * (width - len(row)) for row, fill in zip(rows, padding, strict=True)]
    return torch.tensor(padded, dtype=torch.int64).view(len(rows), width).to(device)


def prune(template: Template, chances: Sequence[float]) -> tuple[str, ...]:
    """The tree without what stands in some of its phrases, as in ``(S (NP) (VP (VBD) (NP)))``.

    Going down from below the root, the k-th phrase that has constituents is emptied where ``chances[k]`` is
    under one half; ``chances`` has an entry a token at least.
    """
    kept: list[str] = []
    depth, hidden, met = 0, None, 0  # hidden: the depth of the phrase that is being emptied
    for place, token in enumerate(template):
        if token == CLOSE:
            if hidden == depth:
                hidden = None
            depth -= 1
        else:
            depth += 1
        if hidden is None:
            kept.append(token)
        phrase = token != CLOSE and place + 1 < len(template) and template[place + 1] != CLOSE
        if phrase and hidden is None and depth > 1:
            hidden = depth if chances[met] < 0.5 else None
            met += 1
    return tuple(kept)
