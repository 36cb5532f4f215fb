from pathlib import Path

import numpy as np
from small_world import BagOfHashes

from pipeline.evaluation import cache
from pipeline.evaluation.bank import Bank
from pipeline.sentences import Side


def sides(*texts: str) -> list[Side]:
    return [Side(text, text.split(), list(range(len(text.split())))) for text in texts]


def test_a_second_run_embeds_only_what_is_new(tmp_path: Path) -> None:
    first = Bank(BagOfHashes(), cache.DiskCache(tmp_path))
    before = first(sides("a b", "c d", "e"))["semantic"]
    first(sides("f"))
    model = BagOfHashes()
    second = Bank(model, cache.DiskCache(tmp_path))
    after = second(sides("e", "g h", "a b", "f", "c d"))["semantic"]
    assert model.seen == ["g h"]
    np.testing.assert_array_equal(after[[2, 4, 0]], before)
    np.testing.assert_array_equal(after[3:4], first(sides("f"))["semantic"])


def test_another_tree_is_another_sentence(tmp_path: Path) -> None:
    Bank(BagOfHashes(), cache.DiskCache(tmp_path))([Side("a b", ("a", "b"), (0, 1))])
    model = BagOfHashes()
    Bank(model, cache.DiskCache(tmp_path))([Side("a b", ("a", "b"), (2, 0))])
    assert model.seen == ["a b"]


def test_a_model_that_reads_no_trees_is_not_asked_again_for_another_tree(tmp_path: Path) -> None:
    Bank(BagOfHashes(), cache.DiskCache(tmp_path), reads_trees=False)([Side("a b", ("a", "b"), (0, 1))])
    model = BagOfHashes()
    Bank(model, cache.DiskCache(tmp_path), reads_trees=False)([Side("a b", ("a", "b"), (2, 0))])
    assert model.seen == []


def test_a_model_is_known_by_its_bytes_and_old_ones_are_forgotten(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "weights").write_bytes(b"one")
    one = cache.open_cache(model, root=tmp_path / "cache").folder
    assert cache.open_cache(model, root=tmp_path / "cache").folder == one
    (model / "weights").write_bytes(b"two")
    assert cache.open_cache(model, root=tmp_path / "cache").folder != one
    for number in range(20):
        cache.open_cache(f"name-{number}", root=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 8
