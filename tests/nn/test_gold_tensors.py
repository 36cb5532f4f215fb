"""Label inventories and gold trees as tensors."""

import torch

from pipeline.nn.tokens import NO_HEAD
from pipeline.nn.treebank import UNKNOWN, Inventory, gold
from pipeline.sentences import Side

TREES = [
    Side("a b", ["a", "b"], [2, 0], ["det", "root"], ["DET", "NOUN"]),
    Side("c", ["c"], [0], ["root"], ["X"], ["t"]),
]


def test_an_inventory_is_sorted_and_survives_as_bytes() -> None:
    inventory = Inventory.of(TREES)
    assert inventory == (("det", "root"), ("DET", "NOUN", "X"), ())  # one tag for all is no tagset
    assert Inventory.from_tensor(inventory.to_tensor()) == inventory
    assert Inventory.from_tensor(torch.zeros(0, dtype=torch.uint8)) == Inventory()
    telugu = Inventory(("కర్త",), (), ())
    assert Inventory.from_tensor(telugu.to_tensor()) == telugu


def test_gold_trees_are_padded_and_unknown_labels_are_passed_over() -> None:
    found = gold(TREES, Inventory(("det", "root"), ("DET", "NOUN"), ()), 3)
    assert found.heads.tolist() == [[2, 0, NO_HEAD], [0, NO_HEAD, NO_HEAD]]
    assert found.relations.tolist() == [[0, 1, UNKNOWN], [1, UNKNOWN, UNKNOWN]]
    assert found.upos.tolist() == [[0, 1, UNKNOWN], [UNKNOWN] * 3]
    assert found.xpos.tolist() == [[UNKNOWN] * 3] * 2
    assert found.real.tolist() == [[True, True, False], [True, False, False]]
