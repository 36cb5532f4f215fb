"""Which leaf of a tree a word belongs to, and how many words a row of pieces has begun."""

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from pipeline.constituency import Tree, read, tokens
from pipeline.constituency.labels import PHRASES, TAGS
from pipeline.constituency.tree import leaves
from pipeline.nn.leaves import leaf_slots, mean_widths
from pipeline.nn.tree_tokens import prune
from pipeline.nn.usual_phrases import UsualPhrases
from pipeline.nn.word_count import WordCount

WIDTHS = dict.fromkeys(PHRASES, 2.0) | {"NP": 3.3, "PP": 4.0}

WHOLE = st.recursive(
    st.sampled_from(TAGS).map(Tree),
    lambda inner: st.builds(
        Tree,
        st.sampled_from(PHRASES),
        st.lists(inner, min_size=1, max_size=4).map(lambda inner: tuple(inner)),
    ),
    max_leaves=15,
).filter(lambda tree: bool(tree.children))


@given(WHOLE)
@settings(max_examples=80, deadline=None)
def test_in_a_whole_tree_every_word_has_its_part_of_speech(tree: Tree) -> None:
    linear = tokens(tree)
    *slots, end = leaf_slots(linear, WIDTHS)
    assert slots == sorted(set(slots))
    assert [linear[slot] for slot in slots] == [f"({leaf.label}" for leaf in leaves(tree)]
    assert end == len(linear) - 1


def test_an_emptied_phrase_stands_for_as_many_words_as_are_usual() -> None:
    linear = tokens(read("(S (NP) (VP (VBD) (VP (VBN) (PP (IN) (NP)))))"))
    found = [linear[slot] for slot in leaf_slots(linear, WIDTHS)]
    # 3.3 words of NP are three; of 3.3 + 3 + 3.3 = 9.6 words the last NP has the four from the seventh on
    assert found == ["(NP"] * 3 + ["(VBD", "(VBN", "(IN"] + ["(NP"] * 4 + [")"]
    assert leaf_slots(linear[:4], WIDTHS) == [1, 1, 1, 3]  # cut: (S (NP ) (VP


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


WORD_PIECE = ["[CLS]", "don", "'", "t", "the", "boy", "s", "walk", "##ing", "##s", ",", "m", "."]
BYTES = ["<s>", "The", "Ġboy", "'s", "Ġdog", "gy", "Ġdon", "'t", "Ġwalk", "."]
SPACES = ["<s>", "▁The", "▁boy", "'", "s", "▁dog", "gy", "▁don", "t", "▁walk", "."]


@pytest.mark.parametrize(
    ("vocabulary", "sentence", "expected"),
    [
        (WORD_PIECE, "[CLS] the boy ' s walk ##ing , don ' t walk .", [1, 2, 3, 3, 4, 4, 5, 6, 7, 7, 8, 9]),
        (WORD_PIECE, "[CLS] ' the boy ' s", [1, 2, 3, 4, 4]),  # a quotation mark is a word, too
        (BYTES, "<s> The Ġboy 's Ġdog gy Ġdon 't Ġwalk .", [1, 2, 3, 4, 4, 5, 6, 7, 8]),
        (SPACES, "<s> ▁The ▁boy ' s ▁dog gy ▁don ' t ▁walk .", [1, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8]),
    ],
)  # fmt: skip
def test_words_begun_by_hand(vocabulary: list[str], sentence: str, expected: list[int]) -> None:
    ids = [vocabulary.index(piece) for piece in sentence.split()]
    count = WordCount(vocabulary, len(vocabulary) + 3)
    found = count(torch.tensor([ids, ids]))
    assert found.tolist() == [[0, *expected]] * 2
    assert not count.state_dict()


def test_words_begun_are_those_of_a_tokenised_sentence(tiny_backbone: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(str(tiny_backbone))
    words = ["The", "boy", "'s", "dogs", "did", "n't", "chase", "the", "river", ",", "she", "said", "."]
    ids = tokenizer("The boy's dogs didn't chase the river, she said.")["input_ids"][:-1]
    count = WordCount(tokenizer.convert_ids_to_tokens(range(len(tokenizer))), len(tokenizer))
    assert count(torch.tensor([ids]))[0, -1] == len(words)


def test_a_partial_tree_is_completed_with_the_commonest_phrases() -> None:
    trees = [
        "(S (NP (DT a) (NN b)) (VP (VBD c) (PP (IN d) (NP (DT e) (NN f)))))",
        "(S (NP (NNS a)) (VP (VBD c) (NP (DT e) (NN f))))",
        "(S (NP (NNS a)) (VP (VBD c)))",
    ]
    phrases = UsualPhrases()
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
    linear, phrases = tokens(tree), UsualPhrases()
    phrases.learn([tree])
    assert phrases.complete(linear) == linear
    chances = torch.rand(len(linear), generator=torch.Generator().manual_seed(seed)).tolist()
    completed = read(" ".join(phrases.complete(prune(linear, chances))))
    assert [child.label for child in completed.children] == [child.label for child in tree.children]
    if len(linear) <= 24:  # no phrase is too long to be kept
        assert all(leaf.label in TAGS for leaf in leaves(completed))
