from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.nn import backbone
from pipeline.nn.embedding import by_length, embed, vectors
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokens import Tokeniser
from pipeline.sentences import Side


def sentences(count: int) -> list[Side]:
    sizes = np.random.default_rng(0).integers(1, 40, count)
    return [Side(" ".join(["rain"] * size), ["rain"] * size, [0, *range(1, size)]) for size in sizes.tolist()]


@pytest.fixture
def parts(tiny_backbone: Path) -> tuple[Encoder, Tokeniser]:
    plain = backbone.load(str(tiny_backbone))
    encoder = Encoder(plain.model, position="both", max_distance=3).eval()
    torch.nn.init.normal_(encoder.get_parameter("bias.table"))
    return encoder, Tokeniser(plain.tokenizer, 48)


def test_groups_change_neither_vectors_nor_gradients(parts: tuple[Encoder, Tokeniser]) -> None:
    encoder, tokeniser = parts
    sides = sentences(70)
    assert len(list(by_length([len(side.words) + 2 for side in sides], 768))) > 2
    whole = encoder(tokeniser(sides))
    found = vectors(encoder, tokeniser, tokeniser.encode(sides))
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
    bulk = embed({"it": encoder}, tokeniser, sides)["it"]
    np.testing.assert_allclose(bulk, torch.nn.functional.normalize(whole, dim=1).detach().numpy(), atol=1e-5)


def test_a_cpu_trains_with_plain_attention_and_infers_as_before(parts: tuple[Encoder, Tokeniser]) -> None:
    encoder, tokeniser = parts
    before, fused = encoder(tokeniser(sentences(5))), encoder.model.config._attn_implementation
    for module in encoder.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    encoder.train()
    assert encoder.model.config._attn_implementation == "eager"
    torch.testing.assert_close(encoder(tokeniser(sentences(5))), before, rtol=0, atol=1e-5)
    encoder.eval()
    assert encoder.model.config._attn_implementation == fused == "sdpa"


def test_no_sentences_give_no_vectors(parts: tuple[Encoder, Tokeniser]) -> None:
    encoder, tokeniser = parts
    assert embed({"it": encoder}, tokeniser, [])["it"].shape == (0, 32)
    assert vectors(encoder, tokeniser, []).shape == (0, 32)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 64), max_size=80), st.integers(1, 300))
def test_every_row_comes_once_within_the_budget(lengths: list[int], budget: int) -> None:
    groups = list(by_length(lengths, budget))
    assert sorted(row for group in groups for row in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or max(lengths[row] for row in group) * len(group) <= budget
