"""Trees as tokens, with the leaf of each word, and as bags of tags."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.syntax.constituency import TOKENS, Tree, read, tokens
from pipeline.syntax.constituency.tree import PHRASES, TAGS, leaves
from pipeline.systems.parabart.adversary import LABELS, Discriminator, bags, discriminator_loss
from pipeline.systems.parabart.trees import (
    PADDING,
    VOCABULARY,
    leaf_positions,
    tree_tokens,
)

TREE = "(S (NP (DT the) (NN boy)) (VP (VBD ate) (NP (DT an) (NN apple))) (. .))"
WHOLE = st.recursive(
    st.sampled_from(TAGS).map(Tree),
    lambda inner: st.builds(
        Tree,
        st.sampled_from(PHRASES),
        st.lists(inner, min_size=1, max_size=4).map(lambda inner: tuple(inner)),
    ),
    max_leaves=15,
).filter(lambda tree: bool(tree.children))


def linear(text: str) -> tuple[str, ...]:
    return tokens(read(text))


def test_every_token_has_a_number_of_its_own_and_padding_has_none() -> None:
    found = tree_tokens([TOKENS, linear("(S (NP) (VP))")], 1000)
    assert sorted(found.ids[0].tolist()) == list(range(1, VOCABULARY))
    assert found.ids[1, 6:].eq(PADDING).all()
    assert found.mask.sum(dim=1).tolist() == [len(TOKENS), 6]
    assert tree_tokens([linear(TREE)] * 2, 5).ids.shape == (2, 5)


@given(WHOLE)
@settings(max_examples=80, deadline=None)
def test_in_a_whole_tree_every_word_has_its_part_of_speech(tree: Tree) -> None:
    linear = tokens(tree)
    *places, end = leaf_positions(linear)
    assert places == sorted(set(places))
    assert [linear[place] for place in places] == [f"({leaf.label}" for leaf in leaves(tree)]
    assert end == len(linear) - 1


def test_of_a_cut_tree_the_words_that_are_left_have_their_leaves() -> None:
    assert leaf_positions(linear(TREE)[:6]) == [2, 4, 5]  # (S (NP (DT ) (NN )
    cut, whole = tree_tokens([linear(TREE)], 6), tree_tokens([linear(TREE)], 100)
    assert torch.equal(cut.ids, whole.ids[:, :6])
    assert cut.leaves.tolist() == [[2, 4, 5]]


def test_bags_and_the_loss_against_the_formula() -> None:
    trees = [read(TREE), read("(S (NP (NN rain)) (VP (VBD fell)))")]
    found = bags(trees)
    expected = {"S": 1, "NP": 2, "DT": 2, "NN": 2, "VP": 1, "VBD": 1, ".": 1}
    for label, share in zip(LABELS, found[0].tolist(), strict=True):
        assert share == pytest.approx(expected.get(label, 0) / 10)
    torch.testing.assert_close(found.sum(dim=1), torch.ones(2))
    discriminator, vectors = Discriminator(4), torch.randn(2, 4)
    y = torch.softmax(vectors @ discriminator.linear.weight.T + discriminator.linear.bias, dim=1)
    torch.testing.assert_close(
        discriminator_loss(found, discriminator(vectors)), -(found * y.log()).sum(dim=1)
    )
