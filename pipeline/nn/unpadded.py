"""Sentences of a batch one after another in one row, so that a transformer computes nothing for padding.

Linear layers, norms and activations read a row [1, T, D]; attention alone is given padded sentences. It pays
where sentences of a small batch differ much in length (benchmarks/step_forms.py).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional as F

from pipeline.nn.backbone import REFUSALS
from pipeline.nn.inference import evaluation_mode
from pipeline.nn.kernels import attention_by, plain_attention, rounded_up

# The length of a row is a multiple of this, so that products have few shapes (``kernels.shape_unit``).
_UNIT = 64


class Row:
    """Where each of the N places in use of B padded sentences, at most L long, stands in a row of T >= N."""

    def __init__(self, mask: torch.Tensor) -> None:
        """``mask`` bool [B, L], on a CPU, is true where a place is in use."""
        self._mask = mask
        used = mask.flatten().nonzero().flatten()
        length = rounded_up(max(1, len(used)), _UNIT)
        # Of each place of the row its padded place, and the other way round; what is spare is set to zero.
        self._places = F.pad(used, (0, length - len(used)))
        self._numbers = torch.zeros(mask.numel(), dtype=torch.int64).index_copy_(
            0, used, torch.arange(len(used))
        )
        self._spare = torch.arange(len(used), length)
        self._padding = (~mask).flatten().nonzero().flatten()

    @property
    def positions(self) -> torch.Tensor:
        """Of each place of the row, int64 [T], where it stands in its sentence; 0 for what is spare."""
        return self._places.remainder(self._mask.shape[1])

    def join(self, padded: torch.Tensor) -> torch.Tensor:
        """From [B, L, ...] to [T, ...], zero at spare places. The gradient goes through."""
        found: torch.Tensor = _Move.apply(
            padded.flatten(0, 1), self._places, self._spare, self._numbers, self._padding
        )
        return found

    def split(self, row: torch.Tensor) -> torch.Tensor:
        """From [T, ...] to [B, L, ...], zero at padding. The gradient goes through."""
        found: torch.Tensor = _Move.apply(row, self._numbers, self._padding, self._places, self._spare)
        return found.view(*self._mask.shape, *row.shape[1:])

    def read(self, network: Callable[[torch.Tensor], torch.Tensor], padded: torch.Tensor) -> torch.Tensor:
        """What a network makes of [1, T, ...], [1, T, D], from padded to padded: [B, L, ...] to [B, L, D]."""
        with attention_by(self._attend):
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
        read = plain_attention(query, key, value, self._mask[:, None, None], *others, **named)
        return self.join(read.transpose(1, 2)).transpose(0, 1)[None]


class _Move(torch.autograd.Function):
    """Rows by number, with zeros in some places; back goes the gradient by the opposite numbers.

    Torch's own would add gradients up, as if a row could be asked for twice.
    """

    @staticmethod
    def forward(ctx: Any, given: torch.Tensor, *where: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*where)
        numbers, empty = where[:2]
        return given.index_select(0, numbers).index_fill_(0, empty, 0)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        numbers, empty = ctx.saved_tensors[2:]
        back = gradients[0].contiguous().index_select(0, numbers).index_fill_(0, empty, 0)
        return back, None, None, None, None


@torch.no_grad()
def reads_rows(model: Any, first: int) -> bool:
    """Whether a backbone's states are the same in a row as padded; found by trying it.

    Not where its attention is not torch's, or has to know how far apart two tokens are. ``first`` is the
    number of a sentence's first position.
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
    """States [1, T, D] of the embeddings and of each layer, within ``Row.read`` of ``ids`` int64 [1, T]."""
    found = model(
        input_ids=ids,
        attention_mask=None,
        position_ids=row.positions[None] + first,
        output_hidden_states=True,
    )
    states: tuple[torch.Tensor, ...] = found.hidden_states
    return states
