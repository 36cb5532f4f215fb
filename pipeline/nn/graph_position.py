"""Where a token stands: in the line of words, in the tree, in both, or nowhere (SSCP 3.3.2 and 4.2)."""

import inspect
from typing import Any, Literal

import torch
from torch import nn

from pipeline.errors import SynsemError
from pipeline.nn.tokens import Tokens
from pipeline.nn.tree_distance import TreeDistance

Position = Literal["absolute", "graph", "both", "none"]
DEEPEST = 30  # deeper words share a row


class GraphPosition(nn.Module):
    """What to tell a backbone of its tokens' positions, as keyword arguments of its forward pass.

    - ``absolute``: nothing, the backbone counts tokens.
    - ``graph``: the depth of a token's word takes the place of its number in the backbone's position table.
    - ``both``: token numbers, plus a zero-initialised embedding of the depth: at step 0 the backbone exactly.
    - ``none``: one position for all tokens; order is invisible.

    Raises SynsemError for a backbone whose positions cannot be replaced.
    """

    def __init__(self, model: Any, position: Position) -> None:
        super().__init__()
        self.position = position
        if position in ("graph", "none"):
            _require_replaceable(model, position)
        self.first = _first_position(model)
        self.depth = nn.Embedding(DEEPEST + 2, model.config.hidden_size) if position == "both" else None
        if self.depth is not None:
            nn.init.zeros_(self.depth.weight)

    def forward(self, model: Any, tokens: Tokens, trees: TreeDistance | None) -> dict[str, torch.Tensor]:
        """``input_ids`` [B, L] or ``inputs_embeds`` [B, L, D]; ``position_ids`` [B, L] unless the default."""
        given = {"input_ids": tokens.ids} if tokens.embedded is None else {"inputs_embeds": tokens.embedded}
        if self.position == "absolute":
            return given
        if self.position == "none":
            return given | {"position_ids": torch.full_like(tokens.ids, self.first)}
        assert trees is not None
        row = depth_rows(tokens, trees)
        if self.position == "graph":
            return given | {"position_ids": row + self.first}
        assert self.depth is not None
        words = model.get_input_embeddings()(tokens.ids) if tokens.embedded is None else tokens.embedded
        count = torch.arange(tokens.ids.shape[1], device=tokens.ids.device) + self.first
        return {
            "inputs_embeds": words + self.depth(row),
            "position_ids": count.expand_as(tokens.ids),
        }


def depth_rows(tokens: Tokens, trees: TreeDistance) -> torch.Tensor:
    """Depth of each token's word plus one, capped, int64 [B, L]; 0 for special tokens and padding."""
    assert tokens.words is not None
    depth = trees.depth.gather(1, tokens.words.clamp(min=0)).clamp(max=DEEPEST)
    return (depth + 1).masked_fill(tokens.words < 0, 0)


def _first_position(model: Any) -> int:
    # RoBERTa and its kin count from padding_idx + 1.
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return 0 if padding is None else padding + 1


def _require_replaceable(model: Any, position: Position) -> None:
    family = model.config.model_type
    if "position_ids" not in inspect.signature(model.forward).parameters:
        raise SynsemError(
            f"sscp.position: {position!r} needs an encoder that takes position ids, and {family} does not; "
            "set it to absolute, or name another encoder.model"
        )
    if hasattr(getattr(model, "encoder", None), "relative_attention_bias"):
        raise SynsemError(
            f"sscp.position: {position!r} cannot switch off the relative positions of {family}; "
            "set it to absolute or both, or name another encoder.model"
        )
