"""The label vocabulary, and gold trees as tensors."""

import pytest
import torch
from torch.nn import functional as F

from pipeline.nn.tokenizer import NO_HEAD
from pipeline.syntax.sentence import Sentence
from pipeline.systems.cssl.parser import (
    UNKNOWN,
    LabelVocabulary,
    best_relations,
    entropy,
    gold_trees,
)

TREES = [
    Sentence("a b", ["a", "b"], [2, 0], ["det", "root"], ["DET", "NOUN"]),
    Sentence("c", ["c"], [0], ["root"], ["X"], ["t"]),
]


def test_a_label_vocabulary_is_sorted_and_survives_as_bytes() -> None:
    labels = LabelVocabulary.of(TREES)
    assert labels == (("det", "root"), ("DET", "NOUN", "X"), ())  # one tag for all is no tagset
    assert LabelVocabulary.from_tensor(labels.to_tensor()) == labels
    assert LabelVocabulary.from_tensor(torch.zeros(0, dtype=torch.uint8)) == LabelVocabulary()
    telugu = LabelVocabulary(("కర్త",), (), ())
    assert LabelVocabulary.from_tensor(telugu.to_tensor()) == telugu


def test_gold_trees_are_padded_and_unknown_labels_are_passed_over() -> None:
    found = gold_trees(TREES, LabelVocabulary(("det", "root"), ("DET", "NOUN"), ()), 3)
    assert found.heads.tolist() == [[2, 0, NO_HEAD], [0, NO_HEAD, NO_HEAD]]
    assert found.relations.tolist() == [[0, 1, UNKNOWN], [1, UNKNOWN, UNKNOWN]]
    assert found.upos.tolist() == [[0, 1, UNKNOWN], [UNKNOWN] * 3]
    assert found.xpos.tolist() == [[UNKNOWN] * 3] * 2
    assert found.real.tolist() == [[True, True, False], [True, False, False]]


@pytest.mark.parametrize("relations", [("det", "root", "zz"), ("root", "zz"), ("det", "zz"), ("root",)])
def test_the_relation_root_is_that_of_head_zero_and_of_no_other(relations: tuple[str, ...]) -> None:
    """Word by word: the best of all relations but root, and root where the head is 0."""
    torch.manual_seed(1)
    scores, heads = torch.randn(3, 4, len(relations)), torch.tensor([[0, 1, 2, 1]] * 3)
    scores[:, 1] = -1e30  # no score is so low that root takes its place
    expected = []
    for row in range(3):
        for word in range(4):
            ranked = sorted(range(len(relations)), key=lambda r, at=scores[row, word]: -float(at[r]))
            if "root" in relations and len(relations) > 1:
                root = relations.index("root")
                ranked = [root] if heads[row, word] == 0 else [r for r in ranked if r != root]
            expected.append(ranked[0])
    assert best_relations(scores.clone(), heads, relations).flatten().tolist() == expected


def test_the_loss_is_the_mean_over_the_words_with_a_target() -> None:
    torch.manual_seed(2)
    scores, target = torch.randn(2, 3, 4), torch.tensor([[1, UNKNOWN, 3], [0, UNKNOWN, UNKNOWN]])
    known = [(0, 0, 1), (0, 2, 3), (1, 0, 0)]
    expected = sum(-F.log_softmax(scores[b, w], dim=0)[label] for b, w, label in known) / 3
    assert float(entropy(scores, target)) == pytest.approx(float(expected))
    assert entropy(scores.bfloat16(), target).dtype == torch.float32
    assert float(entropy(scores, torch.full((2, 3), UNKNOWN))) == 0
