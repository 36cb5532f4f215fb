"""Trees as tokens, pruned, with the leaf of each word, completed, and as bags of tags."""

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
    PhraseTemplates,
    leaf_positions,
    mean_widths,
    prune,
    tree_tokens,
)

WIDTHS = dict.fromkeys(PHRASES, 2.0) | {"NP": 3.3, "PP": 4.0}
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


@given(WHOLE)
@settings(max_examples=80, deadline=None)
def test_in_a_whole_tree_every_word_has_its_part_of_speech(tree: Tree) -> None:
    linear = tokens(tree)
    *places, end = leaf_positions(linear, WIDTHS)
    assert places == sorted(set(places))
    assert [linear[place] for place in places] == [f"({leaf.label}" for leaf in leaves(tree)]
    assert end == len(linear) - 1


def test_an_emptied_phrase_stands_for_the_mean_number_of_words() -> None:
    linear = tokens(read("(S (NP) (VP (VBD) (VP (VBN) (PP (IN) (NP)))))"))
    found = [linear[place] for place in leaf_positions(linear, WIDTHS)]
    # 3.3 words of NP are three; of 3.3 + 3 + 3.3 = 9.6 words the last NP has the four from the seventh on
    assert found == ["(NP"] * 3 + ["(VBD", "(VBN", "(IN"] + ["(NP"] * 4 + [")"]
    assert leaf_positions(linear[:4], WIDTHS) == [1, 1, 1, 3]  # cut: (S (NP ) (VP


@given(st.lists(WHOLE, max_size=4))
@settings(max_examples=40, deadline=None)
def test_widths_are_means_over_all_phrases(trees: list[Tree]) -> None:
    def phrases(tree: Tree) -> list[Tree]:
        return [tree, *(each for child in tree.children for each in phrases(child))]

    found = mean_widths(trees)
    assert list(found) == list(PHRASES)
    for label, width in found.items():
        sizes = [len(leaves(each)) for tree in trees for each in phrases(tree) if each.label == label]
        assert width == pytest.approx(sum(sizes) / len(sizes) if sizes else 2.0)


def test_a_partial_tree_is_completed_with_the_commonest_phrases() -> None:
    trees = [
        "(S (NP (DT a) (NN b)) (VP (VBD c) (PP (IN d) (NP (DT e) (NN f)))))",
        "(S (NP (NNS a)) (VP (VBD c) (NP (DT e) (NN f))))",
        "(S (NP (NNS a)) (VP (VBD c)))",
    ]
    phrases = PhraseTemplates()
    asked = tokens(read("(S (NP) (VP (VBD) (ADVP) (PP)) (.))"))
    assert phrases.complete(asked) == asked
    phrases.learn(map(read, trees))
    expected = "(S (NP (DT x) (NN x)) (VP (VBD x) (ADVP) (PP (IN x) (NP (DT x) (NN x)))) (. x))"
    assert phrases.complete(asked) == tokens(read(expected))  # of ADVP none was seen
    phrases.learn(map(read, trees[1:]))  # forgets
    assert phrases.complete(tokens(read("(PP)"))) == ("(PP", ")")
    assert phrases.complete(tokens(read("(NP)"))) == tokens(read("(NP (NNS x))"))


@given(WHOLE, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_whole_tree_needs_no_completion_and_a_pruned_one_gets_one(tree: Tree, seed: int) -> None:
    linear, phrases = tokens(tree), PhraseTemplates()
    phrases.learn([tree])
    assert phrases.complete(linear) == linear
    chances = torch.rand(len(linear), generator=torch.Generator().manual_seed(seed)).tolist()
    completed = read(" ".join(phrases.complete(prune(linear, chances))))
    assert [child.label for child in completed.children] == [child.label for child in tree.children]
    if len(linear) <= 24:  # no phrase is too long to be kept
        assert all(leaf.label in TAGS for leaf in leaves(completed))


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
