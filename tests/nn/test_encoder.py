"""Vectors and inference in batches of similar length."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.nn import backbone
from pipeline.nn.compute import in_given_order
from pipeline.nn.encoder import Encoder, embed, vectors
from pipeline.nn.length_batches import compute_by_length, equal_length_batches, length_batches
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence


def sentences(count: int) -> list[Sentence]:
    sizes = np.random.default_rng(0).integers(1, 40, count).tolist()
    return [Sentence(" ".join(["rain"] * size), ["rain"] * size, [0, *range(1, size)]) for size in sizes]


@pytest.fixture
def parts(tiny_backbone: Path) -> tuple[Encoder, SentenceTokenizer]:
    plain = backbone.load(str(tiny_backbone))
    encoder = Encoder(plain.model, max_distance=3).eval()
    torch.nn.init.normal_(encoder.get_parameter("bias.table"))
    return encoder, SentenceTokenizer(plain.tokenizer, 48)


def test_groups_change_neither_vectors_nor_gradients(parts: tuple[Encoder, SentenceTokenizer]) -> None:
    encoder, tokenizer = parts
    sides = sentences(70)
    assert len(list(length_batches([len(side.words) + 2 for side in sides], 768))) > 2
    whole = encoder(tokenizer(sides))
    found = vectors(encoder, tokenizer, tokenizer.encode(sides))
    torch.testing.assert_close(found, whole, rtol=0, atol=1e-5)
    gradients = []
    for output in (whole, found):
        encoder.zero_grad()
        output.square().mean().backward()
        gradients.append(
            {name: p.grad.clone() for name, p in encoder.named_parameters() if p.grad is not None}
        )
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient, rtol=1e-3, atol=1e-7)
    bulk = embed({"it": encoder}, tokenizer, sides)["it"]
    np.testing.assert_allclose(bulk, torch.nn.functional.normalize(whole, dim=1).detach().numpy(), atol=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 64), max_size=80), st.integers(1, 300))
def test_every_row_comes_once_within_the_budget(lengths: list[int], budget: int) -> None:
    groups = list(length_batches(lengths, budget))
    assert sorted(row for group in groups for row in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or max(lengths[row] for row in group) * len(group) <= budget


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 64), min_size=1, max_size=80), st.integers(1, 300))
def test_results_are_in_the_order_of_the_rows(lengths: list[int], budget: int) -> None:
    assert compute_by_length(lambda rows: rows.tolist(), lengths, budget) == list(range(len(lengths)))
    batches = list(length_batches(lengths, budget))
    parts = [torch.from_numpy(rows)[:, None] for rows in batches]
    assert in_given_order(parts, batches)[:, 0].tolist() == list(range(len(lengths)))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 9), max_size=80), st.integers(1, 300))
def test_batches_of_equal_length_have_no_padding_and_never_a_row_alone(
    lengths: list[int], budget: int
) -> None:
    groups = list(equal_length_batches(lengths, budget))
    assert {int(row) for group in groups for row in group} == set(range(len(lengths)))
    for group in groups:
        assert len({lengths[row] for row in group}) == 1
        assert len(group) == 2 or 2 < len(group) <= budget // lengths[group[0]]


def test_exact_vectors_do_not_depend_on_the_batch(parts: tuple[Encoder, SentenceTokenizer]) -> None:
    encoder, tokenizer = parts
    sides = sentences(12)
    together = embed({"it": encoder}, tokenizer, sides, exact=True)["it"]
    for number, each in enumerate(sides):
        alone = embed({"it": encoder}, tokenizer, [each], exact=True)["it"]
        np.testing.assert_array_equal(alone, together[number : number + 1])
