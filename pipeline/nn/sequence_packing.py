"""Sequence packing: the sentences of a batch one after another in one row, so that padding costs nothing.

Linear layers, norms and activations read a row [1, T, D]; only attention gets padded sentences. Training of
``synsem`` on a CPU, whose small batches hold sentences of all lengths, takes four fifths of the time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn import functional as F

from pipeline.nn.backbone import REFUSALS
from pipeline.nn.inference import evaluation_mode

_ATTENTION = F.scaled_dot_product_attention


class Row:
    """Where each of the T places in use of B padded sentences, at most L long, stands in a row."""

    def __init__(self, mask: torch.Tensor) -> None:
        """``mask`` bool [B, L], on a CPU, is true where a place is in use."""
        self._mask = mask
        self._places = mask.flatten().nonzero().flatten()  # the padded place of each place of the row

    @property
    def positions(self) -> torch.Tensor:
        """Of each place of the row, int64 [T], where it stands in its sentence."""
        return self._places.remainder(self._mask.shape[1])

    def join(self, padded: torch.Tensor) -> torch.Tensor:
        """From [B, L, ...] to [T, ...]. The gradient goes through."""
        return padded.flatten(0, 1).index_select(0, self._places)

    def split(self, row: torch.Tensor) -> torch.Tensor:
        """From [T, ...] to [B, L, ...], zero at padding. The gradient goes through."""
        padded = row.new_zeros(self._mask.numel(), *row.shape[1:]).index_copy(0, self._places, row)
        return padded.view(*self._mask.shape, *row.shape[1:])

    def read(self, network: Callable[[torch.Tensor], torch.Tensor], padded: torch.Tensor) -> torch.Tensor:
        """Return what a network makes of a row, [1, T, ...] to [1, T, D], from [B, L, ...] to [B, L, D]."""
        with _attention_by(self._attend):
            return self.split(network(self.join(padded)[None])[0])

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        *others: Any,
        **named: Any,
    ) -> torch.Tensor:
        """``F.scaled_dot_product_attention`` of a row [1, heads, T, D], within each of its sentences.

        A mask that it is given is of the whole row, and not read.
        """
        query, key, value = (
            self.split(each[0].transpose(0, 1)).transpose(1, 2) for each in (query, key, value)
        )
        read = _ATTENTION(query, key, value, self._mask[:, None, None], *others, **named)
        return self.join(read.transpose(1, 2)).transpose(0, 1)[None]


@contextmanager
def _attention_by(function: Callable[..., torch.Tensor]) -> Iterator[None]:
    """Replace ``F.scaled_dot_product_attention``, where transformers and torch look attention up."""
    functional: Any = F
    functional.scaled_dot_product_attention = function
    try:
        yield
    finally:
        functional.scaled_dot_product_attention = _ATTENTION


@torch.no_grad()
def reads_rows(model: Any, first: int) -> bool:
    """Whether a backbone's states are the same in a row as padded; found by trying it.

    They are not if its attention is not torch's, or has to know how far apart two tokens are. ``first`` is
    the number of a sentence's first position.
    """
    if getattr(model.config, "local_attention", None) is not None:
        return False
    mask = torch.tensor([[True] * 4, [True] * 2 + [False] * 2])
    # The first numbers of a vocabulary are often those of special tokens, such as padding.
    ids = torch.arange(20, 28).remainder(model.config.vocab_size).view(2, 4)
    row = Row(mask)
    try:
        with evaluation_mode(model):
            padded = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
            read = row.read(lambda joined: backbone_states(model, joined, row, first)[-1], ids)
    except REFUSALS:
        return False
    return torch.allclose(padded[mask], read[mask], atol=1e-5)


def backbone_states(model: Any, ids: torch.Tensor, row: Row, first: int) -> tuple[torch.Tensor, ...]:
    """Return states [1, T, D] of the embeddings and of each layer, within ``Row.read`` of ``ids`` [1, T]."""
    states: tuple[torch.Tensor, ...] = model(
        input_ids=ids,
        attention_mask=None,
        position_ids=row.positions[None] + first,
        output_hidden_states=True,
    ).hidden_states
    return states
