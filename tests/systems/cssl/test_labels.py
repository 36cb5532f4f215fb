"""The label vocabulary, and gold trees as tensors."""

import torch

from pipeline.nn.tokenizer import NO_HEAD
from pipeline.syntax.sentence import Side
from pipeline.systems.cssl.labels import UNKNOWN, LabelVocabulary, gold_trees

TREES = [
    Side("a b", ["a", "b"], [2, 0], ["det", "root"], ["DET", "NOUN"]),
    Side("c", ["c"], [0], ["root"], ["X"], ["t"]),
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
