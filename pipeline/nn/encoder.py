"""A sentence encoder: a backbone that is told, or not, of its sentences' trees."""

from typing import Any, Literal

import torch
from torch import nn

from pipeline.errors import SynsemError
from pipeline.nn.attention import suit_attention
from pipeline.nn.clauses import pool_clauses
from pipeline.nn.graph_bias import GraphBias
from pipeline.nn.graph_position import GraphPosition, Position
from pipeline.nn.pooling import Pooling, pool
from pipeline.nn.tokens import Tokens
from pipeline.nn.tree_distance import tree_distance


class Encoder(nn.Module):
    """Backbone, graph attention bias, graph position, pooling. The backbone's own code is left as it is.

    ``max_distance`` switches the bias on; ``linear``, ``directed`` and ``edge_types`` are ``GraphBias``'s.
    The pooling ``hierarchical`` goes clause by clause.
    Raises SynsemError where the backbone cannot take a bias or the position.
    """

    def __init__(
        self,
        model: Any,
        pooling: Pooling | Literal["hierarchical"] = "mean",
        position: Position = "absolute",
        max_distance: int | None = None,
        linear: bool = False,
        directed: bool = False,
        edge_types: bool = False,
    ) -> None:
        super().__init__()
        self.model, self.pooling = model, pooling
        self.position = GraphPosition(model, position)
        self._attention: str = model.config._attn_implementation
        self.bias: GraphBias | None = None
        if max_distance is not None:
            _require_bias(model)
            heads = model.config.num_attention_heads
            self.bias = GraphBias(heads, max_distance, linear, directed, edge_types)

    def train(self, mode: bool = True) -> "Encoder":
        """As any module's; attention is computed as suits the mode and the device."""
        suit_attention(self.model, mode, self._attention)
        return super().train(mode)

    @property
    def width(self) -> int:
        """Dimensions of a sentence vector."""
        return int(self.model.config.hidden_size)

    @property
    def needs_trees(self) -> bool:
        """Whether ``Tokens`` must carry words and heads."""
        reads = self.bias is not None or self.position.position in ("graph", "both")
        return reads or self.pooling == "hierarchical"

    def states(self, tokens: Tokens) -> torch.Tensor:
        """Token states [B, L, D] of the last layer."""
        trees = None
        if self.needs_trees:
            assert tokens.heads is not None
            trees = tree_distance(tokens.heads)
        mask: torch.Tensor = tokens.mask.long()
        if self.bias is not None and trees is not None:
            _require_reach(self.model, tokens.ids.shape[1])
            mask = self.bias(tokens, trees)
            if torch.is_autocast_enabled(mask.device.type):  # SDPA wants the mask in the type of the queries
                mask = mask.to(torch.get_autocast_dtype(mask.device.type))
        return self.model(attention_mask=mask, **self.position(self.model, tokens, trees)).last_hidden_state

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, D], not normalised."""
        return self.pooled(self.states(tokens), tokens)

    def pooled(self, states: torch.Tensor, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors from the states that ``states`` gave."""
        if self.pooling == "hierarchical":
            return pool_clauses(states, tokens)
        return pool(states, tokens.mask, self.pooling)


@torch.no_grad()
def takes_bias(model: Any) -> bool:
    """Whether a float mask [B, heads, L, L] is added to the attention logits: tried, not looked up."""
    training = model.training
    model.eval()
    try:
        device = next(model.parameters()).device
        ids = torch.arange(4, device=device).remainder(model.config.vocab_size)[None]
        zeros = torch.zeros(1, model.config.num_attention_heads, 4, 4, device=device)
        slope = zeros - torch.arange(4.0, device=device)
        plain = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        unbiased = model(input_ids=ids, attention_mask=zeros).last_hidden_state
        biased = model(input_ids=ids, attention_mask=slope).last_hidden_state
    except (RuntimeError, ValueError, TypeError, AttributeError, IndexError):
        return False
    finally:
        model.train(training)
    return torch.allclose(plain, unbiased, atol=1e-5) and not torch.allclose(plain, biased, atol=1e-5)


def _require_reach(model: Any, length: int) -> None:
    # A mask of ours stands in for the family's own, which would have hidden tokens further away than this.
    window = getattr(model.config, "local_attention", None)
    if window is not None and length - 1 > window // 2:
        raise SynsemError(
            f"sscp.bias: the {model.config.model_type} encoder attends locally, to {window // 2} tokens; "
            f"set encoder.max_tokens to at most {window // 2 + 1}"
        )


def _require_bias(model: Any) -> None:
    if not takes_bias(model):
        raise SynsemError(
            f"sscp.bias: the {model.config.model_type} encoder does not take an attention bias; "
            "set it to none, or encoder.model to a BERT, RoBERTa, MPNet, DistilBERT or ModernBERT model"
        )
