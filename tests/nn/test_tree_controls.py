"""The controls that put another tree in a sentence's own one's place."""

import gzip
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.seeding import stable_hash
from pipeline.nn import backbone, tree_controls
from pipeline.nn.links import CONTENT, link_rows
from pipeline.nn.sketch import content_words
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.nn.tree_controls import (
    CONTROLS,
    OTHER_TREES,
    TreeControl,
    control_heads,
    control_labels,
    shuffle,
)
from pipeline.parsing import conllu
from pipeline.syntax.sentence import Side
from pipeline.syntax.tree import DependencyTree, is_tree

WORDS = ["In", "May", "the", "prize", "was", "won", "by", "a", "young", "poet"]
SENTENCE = Side(
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


@settings(max_examples=60, deadline=None)
@given(trees(), st.sampled_from(CONTROLS), st.text(max_size=4))
def test_a_control_is_a_tree_and_a_function_of_the_text(
    heads: list[int], control: TreeControl, text: str
) -> None:
    found = control_heads(heads, text, control)
    assert len(found) == len(heads)
    assert is_tree(found)
    assert found == control_heads(heads, text, control)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.randoms(use_true_random=False))
def test_a_shuffled_tree_keeps_its_shape(n: int, random: object) -> None:
    heads = [0] + [random.randint(1, word) for word in range(1, n)]  # type: ignore[attr-defined]
    shuffled = shuffle(heads, "some sentence")
    assert is_tree(shuffled)
    assert sorted(DependencyTree(shuffled).depths()) == sorted(DependencyTree(heads).depths())
    assert shuffled == shuffle(heads, "some sentence")


def test_another_text_is_shuffled_otherwise() -> None:
    chain = list(range(12))
    assert shuffle(chain, "a") != shuffle(chain, "b")


@pytest.mark.parametrize("words", [1, 2, 3, 4])
def test_random_trees_are_drawn_uniformly(words: int) -> None:
    all_trees = [heads for heads in product(range(words + 1), repeat=words) if is_tree(heads)]
    assert len(all_trees) == words ** (words - 1)
    draws = 400 * len(all_trees)
    counts = Counter(tuple(tree_controls.random_tree(words, f"sentence {n}")) for n in range(draws))
    assert set(counts) == set(all_trees)
    # The sum of squared deviations over the expected count is chi-squared; six standard deviations are far.
    excess = sum((count - 400) ** 2 / 400 for count in counts.values()) - (len(all_trees) - 1)
    assert excess <= 6 * (2 * (len(all_trees) - 1)) ** 0.5


@settings(max_examples=40, deadline=None)
@given(trees())
def test_the_prufer_sequence_of_a_tree_gives_that_tree(heads: list[int]) -> None:
    edges = {frozenset((word, head - 1)) for word, head in enumerate(heads) if head}
    left, sequence = set(edges), []
    while len(left) > 1:
        degree = Counter(node for edge in left for node in edge)
        leaf = min(node for node in degree if degree[node] == 1)
        edge = next(edge for edge in left if leaf in edge)
        left.remove(edge)
        sequence += edge - {leaf}
    if edges:
        assert {frozenset(edge) for edge in tree_controls._edges(sequence, len(heads))} == edges


@pytest.mark.parametrize("words", [2, 3, 11, 60, 61, 119, 120, 121, 200])
def test_the_tree_of_another_sentence_has_its_length_and_is_never_its_own(words: int) -> None:
    table = tree_controls._table()
    for number in range(20):
        found = control_heads(list(range(words)), f"text {number}", "other")
        assert len(found) == words
        assert is_tree(found)
        assert words > 60 or tuple(found) in table[words]
    for own in table.get(words, []):
        assert all(tuple(control_heads(own, f"text {n}", "other")) != own for n in range(20))


def test_edges_of_random_trees_are_long_and_those_of_sentences_short() -> None:
    def length_of_edges(control: TreeControl) -> float:
        found = [
            abs(head - word)
            for number in range(100)
            for word, head in enumerate(control_heads([0] * 20, f"text {number}", control), 1)
            if head
        ]
        return sum(found) / len(found)

    assert length_of_edges("other") < 4.5 < 6 < length_of_edges("random")


def test_the_table_is_what_the_treebank_gives(mirror: Path) -> None:
    file = next(mirror.rglob("en_ewt-ud-train.conllu.gz"))
    sentences = conllu.read(gzip.decompress(file.read_bytes()).decode(), file.name)
    wanted: dict[int, list[tuple[int, ...]]] = {}
    for each in sorted(sentences, key=lambda each: (stable_hash(0, each.text), each.text)):
        known = wanted.setdefault(len(each), [])
        if len(known) < 8 and each.heads not in known:
            known.append(each.heads)
    lines = [" ".join(map(str, tree)) for words in range(2, 61) for tree in wanted[words]]
    assert [line for line in OTHER_TREES.read_text().splitlines() if line[0] != "#"] == lines


@pytest.mark.parametrize("control", ["random", "other"])
def test_words_keep_their_relations_and_the_same_content_words_are_read(control: TreeControl) -> None:
    heads = control_heads(SENTENCE.heads, SENTENCE.text, control)
    assert heads != SENTENCE.heads
    assert control_labels(SENTENCE.deprels, SENTENCE.text, control) == SENTENCE.deprels
    own, other = (content_words(SENTENCE, order) for order in ("tree", control))
    assert sorted(own) == sorted(other)
    assert own != other
    assert other == content_words(SENTENCE._replace(heads=heads), "tree")
    assert content_words(SENTENCE, "surface") == sorted(own)
    plain, changed = link_rows([SENTENCE]), link_rows([SENTENCE], control)
    assert torch.equal(plain[:, CONTENT], changed[:, CONTENT])
    assert torch.equal(changed, link_rows([SENTENCE._replace(heads=heads)]))


def test_the_shuffled_tree_takes_its_relations_along() -> None:
    heads = control_heads(SENTENCE.heads, SENTENCE.text, "shuffled")
    labels = control_labels(SENTENCE.deprels, SENTENCE.text, "shuffled")
    edges = [
        sorted((label, own[head - 1] if head else "") for head, label in zip(tree, own, strict=True))
        for tree, own in ((SENTENCE.heads, SENTENCE.deprels), (heads, labels))
    ]
    assert edges[0] == edges[1]


@pytest.mark.parametrize("control", CONTROLS)
def test_the_encoder_is_given_the_tree_of_the_control(control: TreeControl, tiny_backbone: Path) -> None:
    tokenizer = backbone.load(str(tiny_backbone)).tokenizer
    tokens = SentenceTokenizer(tokenizer, 64, control, labels=True)([SENTENCE])
    assert tokens.heads is not None
    assert tokens.heads[0].tolist() == control_heads(SENTENCE.heads, SENTENCE.text, control)
    plain = SentenceTokenizer(tokenizer, 64, labels=True)([SENTENCE])
    assert torch.equal(tokens.ids, plain.ids)
    assert tokens.words is not None
    assert plain.words is not None
    assert torch.equal(tokens.words, plain.words)
