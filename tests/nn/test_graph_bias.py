from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.func import functional_call
from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel

from pipeline.nn import backbone
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokenizer import SentenceTokenizer, Tokens
from pipeline.nn.tree_attention import (
    NEAREST,
    OTHER_TREE,
    SAME_WORD,
    SPECIAL,
    GraphBias,
    tree_distance,
)
from pipeline.syntax.sentence import Sentence

LONG = Sentence(
    "Unbelievably, the old cat sat. It slept.",
    ["Unbelievably", ",", "the", "old", "cat", "sat", ".", "It", "slept", "."],
    [6, 6, 5, 5, 6, 0, 6, 9, 0, 9],
)
SHORT = Sentence("Cats sleep.", ["Cats", "sleep", "."], [2, 0, 2])
BATCH = [LONG, SHORT]


def test_buckets_of_a_hand_made_batch(tiny_backbone: Path) -> None:
    tokens = SentenceTokenizer(backbone.load(str(tiny_backbone)).tokenizer, 64)(BATCH)
    assert tokens.words is not None
    assert tokens.heads is not None
    bucket = GraphBias(4, max_distance=2).buckets(tokens, tree_distance(tokens.heads))
    place = {word: tokens.words[0].tolist().index(word) for word in range(10)}
    assert tokens.words[0].tolist().count(0) > 1  # "Unbelievably" is several subwords
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


def test_special_tokens_and_words_of_other_trees_have_no_edge_between_them(tiny_backbone: Path) -> None:
    tokenizer = SentenceTokenizer(backbone.load(str(tiny_backbone)).tokenizer, 64)
    tokens = tokenizer([LONG])
    tokens = replace(tokens, relations=torch.tensor([[1, 2, 3, 4, 1, 2, 3, 4, 1, 2]]))
    assert tokens.words is not None
    assert tokens.heads is not None
    bias = GraphBias(1, max_distance=2, relations=5)
    assert bias.edges is not None
    torch.nn.init.normal_(bias.edges, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found = bias(tokens, tree_distance(tokens.heads))[0, 0]
    none, word = bias.edges[0].item(), tokens.words[0].tolist()
    first, other = [word.index(each) for each in range(7)], [word.index(each) for each in range(7, 10)]
    assert found[first][:, other].eq(none).all()
    assert found[other][:, first].eq(none).all()
    assert found[0].eq(none).all()
    assert found[:, -1].eq(none).all()
    assert found[first[4], first[5]] != none  # cat - sat


def test_gradients_of_both_tables_are_those_of_the_function() -> None:
    """Finite differences in float64 through two layers of attention."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=50, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8,
        max_position_embeddings=16,
    )  # fmt: skip
    encoder = Encoder(BertModel(config), max_distance=2).eval()
    encoder.bias = GraphBias(2, 2, relations=38)
    encoder.double()
    tokens = Tokens(
        ids=torch.tensor([[3, 10, 11, 12, 13, 4], [3, 20, 21, 4, 0, 0]]),
        mask=torch.tensor([[True] * 6, [True] * 4 + [False] * 2]),
        words=torch.tensor([[-1, 0, 1, 1, 2, -1], [-1, 0, 1, -1, -1, -1]]),
        heads=torch.tensor([[2, 0, 2], [0, 1, -1]]),
        relations=torch.tensor([[27, 35, 29], [35, 29, 0]]),
    )
    assert encoder.bias is not None
    tables = dict(encoder.bias.named_parameters())
    values = tuple(torch.randn_like(table).requires_grad_() for table in tables.values())

    class States(torch.nn.Module):
        """Token states, without the pooling, which is in float32."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self) -> torch.Tensor:
            found: torch.Tensor = self.encoder.states(tokens)
            return found[tokens.mask][:, :3]

    def states(*changed: torch.Tensor) -> torch.Tensor:
        named = {f"encoder.bias.{name}": value for name, value in zip(tables, changed, strict=True)}
        found: torch.Tensor = functional_call(States(), named, ())
        return found

    assert states(*values).dtype == torch.float64
    assert all(gradient.abs().sum() > 0 for gradient in torch.autograd.grad(states(*values).sum(), values))
    assert torch.autograd.gradcheck(states, values, fast_mode=True)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_without_positions_all_tokens_have_that_of_the_first_word(family: str, tiny_backbone: Path) -> None:
    sizes = {"vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1, "intermediate_size": 8}
    roberta = RobertaModel(RobertaConfig(**sizes, num_attention_heads=2, pad_token_id=1))
    model, first = (backbone.load(str(tiny_backbone)).model, 1) if family == "bert" else (roberta, 3)
    tokens = Tokens(torch.full((2, 6), 5), torch.ones(2, 6, dtype=torch.bool), None, None)
    found = Encoder(model, position="none").inputs(tokens)
    assert torch.equal(found["input_ids"], tokens.ids)
    assert set(found["position_ids"].flatten().tolist()) == {first}


def test_attention_is_the_softmax_of_the_papers_equation(tiny_backbone: Path) -> None:
    """SSCP eq. 2, softmax(QKᵀ / √d + B), by hand in the first layer; B is one number a head and distance."""
    plain = backbone.load(str(tiny_backbone))
    plain.model.set_attn_implementation("eager")
    tokens = SentenceTokenizer(plain.tokenizer, 64)(BATCH)
    encoder = Encoder(plain.model, max_distance=4).eval()
    assert encoder.bias is not None
    assert tokens.heads is not None
    torch.nn.init.normal_(encoder.bias.table, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        layer = plain.model.encoder.layer[0].attention.self
        states = plain.model.embeddings(input_ids=tokens.ids)
        query, key = (
            of(states).unflatten(2, (layer.num_attention_heads, -1)).transpose(1, 2)
            for of in (layer.query, layer.key)
        )
        found = encoder._run(tokens, output_attentions=True).attentions[0]
    trees = tree_distance(tokens.heads)
    bucket = encoder.bias.buckets(tokens, trees)
    for row, length in enumerate(tokens.mask.sum(dim=1).tolist()):
        for head in range(layer.num_attention_heads):
            logits = query[row, head] @ key[row, head].T / key.shape[-1] ** 0.5
            logits = logits + encoder.bias.table[bucket[row], head]
            expected = logits[:length, :length].softmax(dim=1)
            torch.testing.assert_close(found[row, head, :length, :length], expected, rtol=1e-4, atol=1e-6)
            assert (found[row, head, :, length:] == 0).all()  # padding is no key
