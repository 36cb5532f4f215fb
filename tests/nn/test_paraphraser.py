"""The parts of ParaBART by themselves: trees as tokens, pruning, bags of tags, word dropout."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.constituency import TOKENS, read, tokens
from pipeline.constituency.labels import PHRASES
from pipeline.nn.discriminator import LABELS, Discriminator, against, bags
from pipeline.nn.tokens import Encoded
from pipeline.nn.tree_tokens import PADDING, VOCABULARY, prune, tree_tokens
from pipeline.nn.word_dropout import mask_pieces

WIDTHS = dict.fromkeys(PHRASES, 2.0)
TREE = "(S (NP (DT the) (NN boy)) (VP (VBD ate) (NP (DT an) (NN apple))) (. .))"


def linear(text: str) -> tuple[str, ...]:
    return tokens(read(text))


def test_every_token_has_a_number_of_its_own_and_padding_has_none() -> None:
    found = tree_tokens([TOKENS, linear("(S (NP) (VP))")], 1000, WIDTHS)
    assert sorted(found.ids[0].tolist()) == list(range(1, VOCABULARY))
    assert found.ids[1, 6:].eq(PADDING).all()
    assert found.mask.sum(dim=1).tolist() == [len(TOKENS), 6]
    assert tree_tokens([linear(TREE)] * 2, 5, WIDTHS).ids.shape == (2, 5)


def test_pruning_by_hand() -> None:
    whole = linear(TREE)
    assert prune(whole, [0.9] * len(whole)) == whole
    assert prune(whole, [0.1] * len(whole)) == linear("(S (NP) (VP) (. .))")
    assert prune(whole, [0.1, 0.9, 0.9] + [0.9] * 30) == linear(
        "(S (NP) (VP (VBD x) (NP (DT x) (NN x))) (. .))"
    )
    assert prune(whole, [0.9, 0.9, 0.1] + [0.9] * 30) == linear(
        "(S (NP (DT x) (NN x)) (VP (VBD x) (NP)) (. .))"
    )


TREES = st.recursive(
    st.sampled_from(["(NN x)", "(DT x)", "(NP)"]),
    lambda inner: st.tuples(st.sampled_from(["NP", "VP", "S"]), st.lists(inner, min_size=1, max_size=3)).map(
        lambda pair: f"({pair[0]} {' '.join(pair[1])})"
    ),
    max_leaves=12,
)


@given(TREES, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_pruned_tree_is_a_tree_with_the_same_top(tree: str, seed: int) -> None:
    whole = linear(tree)
    chances = torch.rand(len(whole), generator=torch.Generator().manual_seed(seed)).tolist()
    pruned = prune(whole, chances)
    text = " ".join(pruned).replace(" )", ")")
    assert linear(text) == pruned
    assert [child.label for child in read(text).children] == [child.label for child in read(tree).children]


def test_bags_and_the_loss_against_the_formula() -> None:
    trees = [read(TREE), read("(S (NP (NN rain)) (VP (VBD fell)))")]
    found = bags(trees)
    expected = {"S": 1, "NP": 2, "DT": 2, "NN": 2, "VP": 1, "VBD": 1, ".": 1}
    for label, share in zip(LABELS, found[0].tolist(), strict=True):
        assert share == pytest.approx(expected.get(label, 0) / 10)
    torch.testing.assert_close(found.sum(dim=1), torch.ones(2))
    discriminator, vectors = Discriminator(4), torch.randn(2, 4)
    y = torch.softmax(vectors @ discriminator.linear.weight.T + discriminator.linear.bias, dim=1)
    torch.testing.assert_close(against(found, discriminator(vectors)), -(found * y.log()).sum(dim=1))


def test_word_dropout_masks_its_share_and_spares_special_pieces() -> None:
    torch.manual_seed(0)
    sentence = Encoded([1, *range(10, 2010), 2], None, None)
    (masked,) = mask_pieces([sentence], 0.2, 99, {1, 2})
    assert (masked.ids[0], masked.ids[-1]) == (1, 2)
    changed = [new for old, new in zip(sentence.ids, masked.ids, strict=True) if old != new]
    assert set(changed) == {99}
    assert 330 < len(changed) < 470
    assert mask_pieces([sentence], 0.0, 99, {1, 2})[0].ids == sentence.ids
