"""The controls that put another tree in place of a sentence's own."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.nn import backbone, structure
from pipeline.nn.structure import CONTROLS, TreeControl, content_words, control_heads
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree, is_tree

WORDS = ["In", "May", "the", "prize", "was", "won", "by", "a", "young", "poet"]
SENTENCE = Sentence(
    " ".join(WORDS),
    WORDS,
    [2, 6, 4, 6, 6, 0, 10, 10, 10, 6],
    ["case", "obl", "det", "nsubj:pass", "aux", "root", "case", "det", "amod", "obl:agent"],
    ["ADP", "PROPN", "DET", "NOUN", "AUX", "VERB", "ADP", "DET", "ADJ", "NOUN"],
)


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    n = draw(st.integers(1, 150))
    return [0] + [draw(st.integers(max(1, word - 5), word)) for word in range(1, n)]


@settings(max_examples=12, deadline=None)
@given(trees(), st.sampled_from(CONTROLS), st.text(max_size=4))
def test_a_control_is_a_tree_and_a_function_of_the_text(
    heads: list[int], control: TreeControl, text: str
) -> None:
    found = control_heads(heads, text, control)
    assert len(found) == len(heads)
    assert is_tree(found)
    assert found == control_heads(heads, text, control)
    if control == "shuffled":
        assert sorted(DependencyTree(found).depths()) == sorted(DependencyTree(heads).depths())


@pytest.mark.parametrize("words", [2, 3, 11, 60, 61, 119, 120, 121, 200])
def test_another_sentences_tree_is_never_its_own(words: int) -> None:
    table = structure._table()
    for number in range(20):
        found = control_heads(list(range(words)), f"text {number}", "mismatched")
        assert is_tree(found)
        assert words > 60 or tuple(found) in table[words]
    for own in table.get(words, []):
        assert all(tuple(control_heads(own, f"text {n}", "mismatched")) != own for n in range(20))


def test_words_keep_their_relations() -> None:
    heads = control_heads(SENTENCE.heads, SENTENCE.text, "mismatched")
    assert heads != SENTENCE.heads
    own, other = content_words(SENTENCE, "tree"), content_words(SENTENCE, "mismatched")
    assert own != other == content_words(replace(SENTENCE, heads=heads), "tree")
    assert sorted(own) == sorted(other) == content_words(SENTENCE, "surface")


@pytest.mark.parametrize("control", CONTROLS)
def test_the_encoder_gets_the_controls_tree(control: TreeControl, tiny_backbone: Path) -> None:
    tokenizer = backbone.load(str(tiny_backbone)).tokenizer
    tokens = SentenceTokenizer(tokenizer, 64, control)([SENTENCE])
    plain = SentenceTokenizer(tokenizer, 64)([SENTENCE])
    assert tokens.heads is not None
    assert tokens.heads[0].tolist() == control_heads(SENTENCE.heads, SENTENCE.text, control)
    assert torch.equal(tokens.ids, plain.ids)
