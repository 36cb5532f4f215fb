"""Sentences in one row: what goes in comes out, and attention stays within a sentence."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from pipeline.nn.kernels import plain_attention
from pipeline.nn.tree_attention import first_position
from pipeline.nn.unpadded import Row, reads_rows
from tests.nn.test_families import FAMILIES, model

lengths = st.lists(st.integers(0, 9), min_size=1, max_size=20)


def mask_of(lengths: list[int]) -> torch.Tensor:
    width = max(1, *lengths) if len(lengths) > 1 else max(1, lengths[0])
    return torch.arange(width) < torch.tensor(lengths)[:, None]


@given(lengths)
def test_a_row_has_all_places_in_order_and_gives_them_back(lengths: list[int]) -> None:
    mask = mask_of(lengths)
    row, used = Row(mask), sum(lengths)
    padded = torch.arange(1.0, mask.numel() * 2 + 1).view(*mask.shape, 2)
    joined = row.join(padded)
    assert len(joined) % 64 == 0
    assert len(joined) >= max(1, used)
    torch.testing.assert_close(joined[:used], padded[mask])
    assert not joined[used:].any()
    torch.testing.assert_close(row.split(joined), padded * mask[..., None])
    assert row.positions[:used].tolist() == [place for size in lengths for place in range(size)]


@given(lengths)
def test_the_gradient_is_that_of_torchs_own_indexing(lengths: list[int]) -> None:
    mask = mask_of(lengths)
    row, used = Row(mask), sum(lengths)
    torch.manual_seed(0)
    padded = torch.randn(*mask.shape, 3, requires_grad=True)
    one, other = torch.randn(used, 3), torch.randn(*mask.shape, 3)
    joined = row.join(padded)
    (found,) = torch.autograd.grad((joined.sin()[:used] * one).sum() + joined[used:].cos().sum(), padded)
    (expected,) = torch.autograd.grad((padded[mask].sin() * one).sum(), padded)
    torch.testing.assert_close(found, expected)
    flat = torch.randn(len(joined), 3, requires_grad=True)
    (found,) = torch.autograd.grad((row.split(flat).sin() * other).sum(), flat)
    (expected,) = torch.autograd.grad((flat[:used].sin() * other[mask]).sum(), flat)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("lengths", [[4, 1, 6], [3, 3], [5], [0, 2]])
def test_attention_in_a_row_is_that_of_each_sentence_by_itself(lengths: list[int]) -> None:
    mask = mask_of(lengths)
    row = Row(mask)
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    padded = torch.randn(*mask.shape, 8)
    found = row.read(lambda joined: layer(joined, joined, joined, need_weights=False)[0], padded)
    for number, size in enumerate(lengths):
        if size:
            alone = padded[number : number + 1, :size]
            expected = layer(alone, alone, alone, need_weights=False)[0][0]
            torch.testing.assert_close(found[number, :size], expected)
    assert not found[~mask].any()


def test_attention_is_torchs_again_afterwards() -> None:
    before: Any = F.scaled_dot_product_attention
    row = Row(mask_of([2, 3]))
    with pytest.raises(ZeroDivisionError):
        row.read(lambda joined: joined / (1 // 0), torch.zeros(2, 3, 4))
    assert F.scaled_dot_product_attention is before is not plain_attention


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_reads_rows_where_that_gives_the_same_states(family: str, attention: str) -> None:
    """Not one with relative positions, with a window, or with attention that is not torch's."""
    if (family, attention) == ("mpnet", "sdpa"):
        pytest.skip("transformers has no SDPA for MPNet")
    built: Any = model(family, attention)
    assert reads_rows(built, first_position(built)) == (attention == "sdpa" and family != "modernbert")
