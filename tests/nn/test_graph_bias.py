from pathlib import Path

import pytest
import torch

from pipeline.nn import backbone
from pipeline.nn.encoder import Encoder
from pipeline.nn.graph_bias import NEAREST, OTHER_TREE, SAME_WORD, SPECIAL, GraphBias
from pipeline.nn.tokens import Tokeniser
from pipeline.nn.tree_distance import tree_distance
from pipeline.sentences import Side

LONG = Side(
    "Unbelievably, the old cat sat. It slept.",
    ["Unbelievably", ",", "the", "old", "cat", "sat", ".", "It", "slept", "."],
    [6, 6, 5, 5, 6, 0, 6, 9, 0, 9],
)
SHORT = Side("Cats sleep.", ["Cats", "sleep", "."], [2, 0, 2])
BATCH = [LONG, SHORT]


def test_buckets_of_a_hand_made_batch(tiny_backbone: Path) -> None:
    tokens = Tokeniser(backbone.load(str(tiny_backbone)).tokenizer, 64)(BATCH)
    assert tokens.words is not None
    assert tokens.heads is not None
    bucket = GraphBias(4, max_distance=2).buckets(tokens, tree_distance(tokens.heads))
    place = {word: tokens.words[0].tolist().index(word) for word in range(10)}
    assert tokens.words[0].tolist().count(0) > 1  # "Unbelievably" is several pieces
    first = place[0]
    assert bucket[0, first, first + 1] == SAME_WORD
    assert bucket[0, first, 0] == bucket[0, 0, first] == bucket[0, 0, 0] == SPECIAL
    assert bucket[0, place[4], place[5]] == NEAREST  # cat - sat
    assert bucket[0, place[2], place[3]] == NEAREST + 1  # the - cat - old
    assert bucket[0, place[2], place[0]] == NEAREST + 1  # three edges, clipped to two
    assert bucket[0, place[5], place[8]] == OTHER_TREE
    assert torch.equal(bucket, bucket.transpose(1, 2))
    linear = GraphBias(4, max_distance=3, linear=True).buckets(tokens, tree_distance(tokens.heads))
    assert linear[0, place[4], place[5]] == NEAREST
    assert linear[0, place[5], place[8]] == NEAREST + 2
    assert bucket.max() < len(GraphBias(4, max_distance=2).table)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("position", ["absolute", "both"])
def test_at_step_0_the_encoder_is_the_backbone(tiny_backbone: Path, attention: str, position: str) -> None:
    plain = backbone.load(str(tiny_backbone))
    plain.model.set_attn_implementation(attention)
    tokens = Tokeniser(plain.tokenizer, 64)(BATCH)
    biased = Encoder(plain.model, position=position, max_distance=4)  # type: ignore[arg-type]
    with torch.no_grad():
        expected = plain.model(input_ids=tokens.ids, attention_mask=tokens.mask.long()).last_hidden_state
        found = biased.states(tokens)
    torch.testing.assert_close(found[tokens.mask], expected[tokens.mask], rtol=0, atol=1e-6)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_the_gradient_reaches_the_table_and_the_bias_the_output(tiny_backbone: Path, attention: str) -> None:
    plain = backbone.load(str(tiny_backbone))
    plain.model.set_attn_implementation(attention)
    tokens = Tokeniser(plain.tokenizer, 64)(BATCH)
    encoder = Encoder(plain.model, max_distance=4)
    assert encoder.bias is not None
    weights = torch.randn(len(BATCH), encoder.width, generator=torch.Generator().manual_seed(0))
    before = (encoder(tokens) * weights).sum()
    before.backward()
    gradient = encoder.bias.table.grad
    assert gradient is not None
    assert gradient.isfinite().all()
    used = [SPECIAL, SAME_WORD, OTHER_TREE, NEAREST, NEAREST + 1, NEAREST + 2]
    assert (gradient[used].abs().sum(dim=1) > 0).all()
    assert (gradient[NEAREST + 3 :] == 0).all()  # no pair lies that far apart
    # The gradient is that of the function: a central difference along it.
    step = 1e-2 * gradient / gradient.norm()
    with torch.no_grad():
        encoder.bias.table += step
        above = (encoder(tokens) * weights).sum()
        encoder.bias.table -= 2 * step
        below = (encoder(tokens) * weights).sum()
    assert (above - below) / 2e-2 == pytest.approx(gradient.norm().item(), rel=0.02)


def test_company_and_padding_change_nothing(tiny_backbone: Path) -> None:
    plain = backbone.load(str(tiny_backbone))
    tokeniser = Tokeniser(plain.tokenizer, 64)
    encoder = Encoder(plain.model, position="both", max_distance=4).eval()
    assert encoder.bias is not None
    torch.nn.init.normal_(encoder.bias.table, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        together, alone = encoder(tokeniser(BATCH)), encoder(tokeniser([SHORT]))
    torch.testing.assert_close(together[1:], alone, rtol=0, atol=1e-6)
