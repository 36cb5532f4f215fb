from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from pipeline.systems.ebsim import MASK
from pipeline.systems.ebsim.model import AlignmentAspect, PairTokenizer, RelationAspect, align


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000))
def test_alignment_is_the_printed_equation(la: int, lb: int, seed: int) -> None:
    """Oracle: eq. 10 written out with loops; special tokens and padding around the sentences are ignored."""
    torch.manual_seed(seed)
    states = torch.randn(1, la + lb + 4, 3)
    first, second = (
        torch.zeros(1, la + lb + 4, dtype=torch.bool),
        torch.zeros(1, la + lb + 4, dtype=torch.bool),
    )
    first[0, 1 : 1 + la] = True
    second[0, 2 + la : 2 + la + lb] = True
    mixed, mix = align(states, first, second)
    a, b = states[0, 1 : 1 + la], states[0, 2 + la : 2 + la + lb]
    for i in range(la):
        weights = [torch.exp(a[i] @ b[j]) for j in range(lb)]
        expected = sum(weights[j] / sum(weights) * b[j] for j in range(lb))
        torch.testing.assert_close(mixed[0, 1 + i], expected)
        torch.testing.assert_close(mix[0, 1 + i, 2 + la : 2 + la + lb].sum(), torch.tensor(1.0))
    for j in range(lb):
        weights = [torch.exp(a[i] @ b[j]) for i in range(la)]
        expected = sum(weights[i] / sum(weights) * a[i] for i in range(la))
        torch.testing.assert_close(mixed[0, 2 + la + j], expected)


def test_the_alignment_aspect_is_fusion_pooling_and_comparison() -> None:
    """Oracle: eq. 11 and 12 for one pair without padding, by hand."""
    torch.manual_seed(1)
    aspect = AlignmentAspect(3)
    states = torch.randn(1, 5, 3)
    first = torch.tensor([[True, True, False, False, False]])
    second = torch.tensor([[False, False, True, True, True]])
    a, b = states[0, :2], states[0, 2:]
    a_other, b_other = (a @ b.T).softmax(1) @ b, (b @ a.T).softmax(1) @ a
    fused = [
        aspect.fusion(torch.cat([own, other, own * other, own - other], 1)).max(0).values
        for own, other in ((a, a_other), (b, b_other))
    ]
    logit = aspect.similarity(torch.cat([fused[0] * fused[1], fused[0] - fused[1]]))
    torch.testing.assert_close(aspect(states, first, second), torch.sigmoid(logit))


def test_what_is_padding_counts_for_nothing_and_an_empty_sentence_gives_no_nan() -> None:
    torch.manual_seed(2)
    aspect, relation = AlignmentAspect(4), RelationAspect(4)
    states = torch.randn(2, 6, 4)
    first = torch.tensor([[False, True, True, False, False, False]] * 2)
    second = torch.tensor([[False, False, False, True, False, False], [False] * 6])
    padded = torch.cat([states, 9 * torch.randn(2, 3, 4)], 1)
    more = torch.zeros(2, 3, dtype=torch.bool)
    found = aspect(states, first, second)
    torch.testing.assert_close(
        aspect(padded, torch.cat([first, more], 1), torch.cat([second, more], 1)), found
    )
    assert torch.isfinite(found).all()
    assert ((found > 0) & (found < 1)).all()
    assert ((relation(states, first, second) > -1) & (relation(states, first, second) < 0)).all()


def test_pairs_are_the_tokenizers_own_and_each_token_is_in_one_sentence(tiny_backbone: Path) -> None:
    whole = AutoTokenizer.from_pretrained(str(tiny_backbone))
    tokenizer = PairTokenizer(whole, 32, 16)
    a = ["The cat sat.", "A very long sentence about many old dogs that bark and bark all day."]
    b = ["Rain!", "Rain fell."]
    found = tokenizer.pairs(a, b)
    expected = whole(a, b, truncation="longest_first", max_length=16, padding=True, return_tensors="pt")
    assert {name: tensor.tolist() for name, tensor in found.inputs.items()} == {
        name: tensor.tolist() for name, tensor in expected.items()
    }
    ids, mask = found.inputs["input_ids"], found.inputs["attention_mask"]
    assert whole.decode(ids[0, found.first[0]]) == "the cat sat."
    assert whole.decode(ids[1, found.second[1]]) == "rain fell."
    assert not (found.first & found.second).any()
    assert ((found.first | found.second).sum(1) == mask.sum(1) - 3).all()
    assert tokenizer.lengths(a, b) == mask.sum(1).tolist()
    assert (tokenizer.tokens, tokenizer.padded_tokens) == (int(mask.sum()), mask.numel())


@pytest.mark.parametrize("own", ["<mask>", None])
def test_a_hidden_word_is_the_tokenizers_own_mask(own: str | None, tiny_backbone: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(str(tiny_backbone))
    found = PairTokenizer(tokenizer, 32, 32).pairs([MASK], ["x"]).inputs["input_ids"]
    assert found[0, 1] == tokenizer.mask_token_id
    if own is None:
        tokenizer.mask_token = None
    else:
        tokenizer.add_special_tokens({"mask_token": own})
    wanted = tokenizer.unk_token_id if own is None else tokenizer.convert_tokens_to_ids(own)
    found = PairTokenizer(tokenizer, 32, 32).pairs([f"{MASK} fell"], ["x"]).inputs["input_ids"]
    assert found[0, 1] == wanted
