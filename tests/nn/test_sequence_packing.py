"""Sentences in one row: what goes in comes out, and attention stays within a sentence."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from pipeline.nn.backbone import packs_sequences
from pipeline.nn.encoder import Encoder
from pipeline.nn.sequences import Row, packed_states
from tests.nn.test_families import FAMILIES, TOKENS, model

lengths = st.lists(st.integers(0, 9), min_size=1, max_size=20)


def mask_of(lengths: list[int]) -> torch.Tensor:
    return torch.arange(max([1, *lengths])) < torch.tensor(lengths)[:, None]


@given(lengths)
def test_row_gives_back_what_it_joined(lengths: list[int]) -> None:
    mask = mask_of(lengths)
    row = Row(mask)
    padded = torch.arange(1.0, mask.numel() * 2 + 1).view(*mask.shape, 2)
    joined = row.join(padded)
    torch.testing.assert_close(joined, padded[mask])
    torch.testing.assert_close(row.split(joined), padded * mask[..., None])
    assert row.positions.tolist() == [place for size in lengths for place in range(size)]


@pytest.mark.parametrize("lengths", [[4, 1, 6], [3, 3], [5], [0, 2]])
def test_attention_within_each_sentence(lengths: list[int]) -> None:
    mask = mask_of(lengths)
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    padded = torch.randn(*mask.shape, 8, requires_grad=True)
    found = Row(mask).read(lambda joined: layer(joined, joined, joined, need_weights=False)[0], padded)
    expected = torch.zeros_like(found)
    for number, size in enumerate(lengths):
        if size:
            alone = padded[number : number + 1, :size]
            expected[number, :size] = layer(alone, alone, alone, need_weights=False)[0][0]
    torch.testing.assert_close(found, expected)
    gradients = [torch.autograd.grad(each.sin().sum(), padded)[0] for each in (found, expected)]
    torch.testing.assert_close(*gradients)


def test_attention_is_torchs_afterwards() -> None:
    before: Any = F.scaled_dot_product_attention
    with pytest.raises(ZeroDivisionError):
        Row(mask_of([2, 3])).read(lambda joined: joined / (1 // 0), torch.zeros(2, 3, 4))
    assert F.scaled_dot_product_attention is before


@pytest.mark.parametrize("family", FAMILIES)
def test_packed_states_are_the_padded_ones(family: str) -> None:
    """But for relative positions, and attention that is not torch's."""
    built: Any = model(family, "eager" if family == "mpnet" else "sdpa")
    assert packs_sequences(built) == (family != "mpnet")
    assert not packs_sequences(model(family, "eager"))
    if packs_sequences(built):
        found = packed_states(built, TOKENS.ids, TOKENS.mask, 2)[TOKENS.mask]
        expected = Encoder(built).layers(TOKENS)[2][TOKENS.mask]
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
