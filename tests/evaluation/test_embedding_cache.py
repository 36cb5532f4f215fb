"""Every text is embedded once and every pair scored once, within a run and between runs."""

import os
import shutil
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import BagOfHashes, Broken, Late, sides

from pipeline.core.disk_cache import DiskCache, open_cache
from pipeline.core.errors import SynsemError
from pipeline.evaluation.embedding_cache import EmbeddingCache, content_key
from pipeline.nn.precision import Inference
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems.base import Views


def test_every_text_goes_through_the_model_once_and_order_is_kept() -> None:
    model = BagOfHashes()
    embeddings = EmbeddingCache(model)
    first = embeddings(sides("a b", "c", "a b"))["semantic"]
    again = embeddings(sides("c", "d", "a b"))["semantic"]
    assert model.seen == ["a b", "c", "d"]
    assert embeddings.embedded == 3
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(again[[0, 2]], first[[1, 0]])


@settings(max_examples=30)
@given(st.lists(st.integers(0, 9), max_size=12))
def test_many_small_additions_are_as_one_large(sizes: list[int]) -> None:
    texts = [f"w{number} x{number % 7}" for number in range(sum(sizes))]
    expected = BagOfHashes().embed(sides("first", *texts))["semantic"]
    embeddings = EmbeddingCache(BagOfHashes())
    embeddings(sides("first"))
    for end, size in zip(accumulate(sizes), sizes, strict=True):
        embeddings(sides(*texts[end - size : end]))
    np.testing.assert_array_equal(embeddings(sides("first", *texts))["semantic"], expected)
    assert embeddings.embedded == 1 + len(texts)


def test_nan_is_one_clear_line_that_names_the_text() -> None:
    with pytest.raises(
        SynsemError, match=r"1 of 2 embeddings hold NaN or infinity, first for 'she sings well'"
    ):
        EmbeddingCache(Broken())(sides("he reads", "she sings well"))


class Growing:
    width = 3

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        self.width += 1
        return {"semantic": np.ones((len(sentences), self.width), dtype=np.float32)}


def test_a_model_of_changing_width_is_refused() -> None:
    embeddings = EmbeddingCache(Growing())
    embeddings(sides("a"))
    with pytest.raises(SynsemError, match="widths changed between two calls"):
        embeddings(sides("b"))


class Short:
    def embed(self, sentences: Sequence[HasTree]) -> Views:
        return {"semantic": np.ones((len(sentences) - 1, 4), dtype=np.float32)}


def test_a_model_that_loses_sentences_is_refused() -> None:
    with pytest.raises(SynsemError, match=r"returned shape \[1, 4\] for 2 sentences"):
        EmbeddingCache(Short())(sides("a", "b"))


def test_a_second_run_embeds_only_what_is_new(tmp_path: Path) -> None:
    first = EmbeddingCache(BagOfHashes(), DiskCache(tmp_path))
    before = first(sides("a b", "c d", "e"))["semantic"]
    first(sides("f"))
    model = BagOfHashes()
    second = EmbeddingCache(model, DiskCache(tmp_path))
    after = second(sides("e", "g h", "a b", "f", "c d"))["semantic"]
    assert model.seen == ["g h"]
    np.testing.assert_array_equal(after[[2, 4, 0]], before)
    np.testing.assert_array_equal(after[3:4], first(sides("f"))["semantic"])


def test_two_processes_that_write_at_once_keep_the_rows_of_both(tmp_path: Path) -> None:
    one, other = DiskCache(tmp_path), DiskCache(tmp_path)
    vectors = {"semantic": np.ones((1, 2), dtype=np.float32)}
    one.add([b"a" * 16], vectors)
    other.add([b"b" * 16], vectors)
    other.add([b"c" * 16], vectors)
    assert len(DiskCache(tmp_path)) == 3


def test_another_tree_is_another_sentence(tmp_path: Path) -> None:
    EmbeddingCache(BagOfHashes(), DiskCache(tmp_path))([Side("a b", ("a", "b"), (0, 1))])
    model = BagOfHashes()
    EmbeddingCache(model, DiskCache(tmp_path))([Side("a b", ("a", "b"), (2, 0))])
    assert model.seen == ["a b"]


@pytest.mark.parametrize("changed", [0, 1])
def test_a_pair_with_another_tree_is_another_pair(changed: int, tmp_path: Path) -> None:
    pair = [[Side("a b", ("a", "b"), (0, 1))], [Side("c d", ("c", "d"), (0, 1))]]
    EmbeddingCache(Late(), DiskCache(tmp_path)).late(*pair)
    model = Late()
    EmbeddingCache(model, DiskCache(tmp_path)).late(*pair)
    assert model.pairs == []
    pair[changed] = [pair[changed][0]._replace(heads=(2, 0))]
    EmbeddingCache(model, DiskCache(tmp_path)).late(*pair)
    assert model.pairs == [("a b", "c d")]


def test_a_model_that_reads_no_trees_is_not_asked_again_for_another_tree(tmp_path: Path) -> None:
    EmbeddingCache(BagOfHashes(), DiskCache(tmp_path), reads_trees=False)([Side("a b", ("a", "b"), (0, 1))])
    model = BagOfHashes()
    EmbeddingCache(model, DiskCache(tmp_path), reads_trees=False)([Side("a b", ("a", "b"), (2, 0))])
    assert model.seen == []


def test_a_cache_that_another_process_removes_meanwhile_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, home = tmp_path / "gone", tmp_path / "cache"
    there = [open_cache(f"name-{number}", root=home).folder for number in range(8)]
    monkeypatch.setattr(Path, "iterdir", lambda _: iter([gone, *there]))
    assert open_cache("name-0", root=home).folder == there[0]


def test_a_model_is_known_by_its_bytes_and_old_ones_are_forgotten(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "weights").write_bytes(b"one")
    one = open_cache(model, root=tmp_path / "cache").folder
    assert open_cache(model, root=tmp_path / "cache").folder == one
    elsewhere = shutil.copytree(model, tmp_path / "elsewhere")
    assert open_cache(elsewhere, root=tmp_path / "cache").folder == one
    (model / "weights").write_bytes(b"two")
    assert open_cache(model, root=tmp_path / "cache").folder != one
    for number in range(20):
        open_cache(f"name-{number}", root=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 8


def test_of_many_models_those_opened_last_are_kept(tmp_path: Path) -> None:
    """Opened, and not written: a model whose texts are all known is in use, too."""
    names = [f"name-{number}" for number in range(8)]
    folders = [open_cache(name, root=tmp_path).folder for name in names]
    for seconds, folder in enumerate(folders):  # the first one is the oldest
        os.utime(folder, (seconds, seconds))
    open_cache(names[0], root=tmp_path)
    new = open_cache("another", root=tmp_path).folder
    assert new.exists()
    assert [folder.exists() for folder in folders] == [True, False] + [True] * 6


def test_a_folder_of_ones_own_that_holds_the_caches_stays(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"folder{number}").mkdir()
        (tmp_path / f"folder{number}" / "thesis.txt").write_text("mine")
    for number in range(10):
        open_cache(f"name-{number}", root=tmp_path)
    assert len(list(tmp_path.glob("folder*/thesis.txt"))) == 12
    assert len(list(tmp_path.iterdir())) == 12 + 8


def test_a_cache_follows_the_code_and_the_lists_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A control's trees come from a list: with another one the same model gives other vectors."""
    listed = tmp_path / "trees.tsv"
    monkeypatch.setattr("pipeline.core.scratch.deciding", lambda folder: [listed])
    folders = set()
    for content in ("one", "two", "one"):
        listed.write_text(content)
        folders.add(open_cache("name", root=tmp_path / "cache").folder)
    assert len(folders) == 2


def test_every_pair_is_scored_once_and_a_second_run_scores_none(tmp_path: Path) -> None:
    model = Late()
    embeddings = EmbeddingCache(model, DiskCache(tmp_path))
    embeddings(sides("a b"))  # vectors and scores share the cache's folder
    first = embeddings.late(sides("a b", "c", "a b"), sides("a c", "c", "a c"))
    again = embeddings.late(sides("c", "a b"), sides("c", "c b"))
    assert model.pairs == [("a b", "a c"), ("c", "c"), ("a b", "c b")]
    assert embeddings.scored == 3
    assert first is not None
    assert again is not None
    np.testing.assert_array_equal(first, [0.5, 1, 0.5])
    np.testing.assert_array_equal(again, [1, 0.5])
    cold = Late()
    warm = EmbeddingCache(cold, DiskCache(tmp_path))
    np.testing.assert_array_equal(warm.late(sides("a b", "c"), sides("a c", "c")), [0.5, 1])
    assert warm(sides("a b"))["semantic"].shape == (1, 64)
    assert (warm.scored, warm.embedded, cold.pairs, cold.seen) == (0, 0, [], [])


class FirstIsLonger(Late):
    """Scores 1 where the first text is the longer one: a pair turned round is another pair."""

    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> np.ndarray:
        return np.array([len(x.text) > len(y.text) for x, y in zip(a, b, strict=True)], dtype=np.float32)


def test_a_pair_turned_round_is_another_pair(tmp_path: Path) -> None:
    first, second = sides("a b c", "a b")
    for pair, expected in (([first], [second]), 1), (([second], [first]), 0):
        for _ in range(2):  # the second time from disk
            assert EmbeddingCache(FirstIsLonger(), DiskCache(tmp_path)).late(*pair) == [expected]


class NanScores(Late):
    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> np.ndarray:
        return np.array([np.nan if "sings" in x.text else 0 for x in a], dtype=np.float32)


class FewScores(Late):
    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> np.ndarray:
        return np.zeros(len(a) - 1, dtype=np.float32)


def test_broken_scores_are_one_clear_line() -> None:
    with pytest.raises(SynsemError, match="1 of 2 scores are NaN or infinite, first for 'she sings'"):
        EmbeddingCache(NanScores()).late(sides("he", "she sings"), sides("x", "y"))
    with pytest.raises(SynsemError, match=r"returned shape \[1\] for 2 pairs"):
        EmbeddingCache(FewScores()).late(sides("a", "b"), sides("x", "y"))


def test_the_key_of_a_sentence_tells_apart_all_that_a_system_reads() -> None:
    plain = Side("a b", ["a", "b"], [0, 1], ["root", "obj"], ["X", "X"], ["", ""])
    others = [
        plain._replace(text="a  b"),
        plain._replace(words=["a b"]),
        plain._replace(heads=[2, 0]),
        plain._replace(deprels=["root", "obl"]),
        plain._replace(upos=["X", "Y"]),
        plain._replace(xpos=["", "N"]),
        plain._replace(lemmas=["a", "b"]),
        plain._replace(deprels=[], upos=["root", "obj"]),
    ]
    assert len({content_key(each) for each in (plain, *others)}) == len(others) + 1
    assert content_key(plain) == content_key(Side(*plain))


class OurOwn(BagOfHashes):
    device = torch.device("cpu")


def test_vectors_in_half_precision_are_kept_apart_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine with a GPU, which computes in float16, may share the folder with one without."""
    native: set[str] = set()
    monkeypatch.setattr("pipeline.nn.precision.has_native_fp16", lambda device: "fp16" in native)
    monkeypatch.setattr(
        "pipeline.nn.precision.effective_precision",
        lambda device, kind: kind if kind in native else "fp32",
    )
    known = set()
    for types, precision, computed_in in (
        ((), "fast", "float32"), (("fp16",), "fast", "float16"), (("bf16",), "bf16", "bfloat16"),
        ((), "bf16", "float32"), (("bf16",), "fast", "float32"), (("fp16", "bf16"), "exact", "float32"),
        (("fp16", "bf16"), "bf16", "float16"), (("fp16",), "fast", "float16"),
        (("bf16",), "bf16", "bfloat16"),
    ):  # fmt: skip
        native.clear()
        native.update(types)
        model = OurOwn()
        EmbeddingCache(model, DiskCache(tmp_path), precision=precision)(sides("a b"))
        assert model.seen == ([] if computed_in in known else ["a b"])
        known.add(computed_in)


class Autocast(Late):
    """Scores a pair by the type that it would be computed in."""

    device = torch.device("cpu")

    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> np.ndarray:
        kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
        return np.full(len(a), kind.itemsize, dtype=np.float32)


@pytest.mark.parametrize(
    ("native", "precision", "bytes_each"),
    [("bf16", "bf16", 2), ("bf16", "fast", 4), ("bf16", "exact", 4), ("", "bf16", 4), ("fp16", "fast", 4),
     ("fp16", "bf16", 4)],
)  # fmt: skip
def test_scores_of_pairs_are_computed_in_bfloat16_where_that_is_asked_for_and_never_in_float16(
    native: str, precision: Inference, bytes_each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.nn.precision.has_native_fp16", lambda device: native == "fp16")
    monkeypatch.setattr(
        "pipeline.nn.precision.effective_precision",
        lambda device, kind: kind if kind == native else "fp32",
    )
    cache = EmbeddingCache(Autocast(), precision=precision)
    assert cache.late(sides("a b"), sides("a c")) == [bytes_each]


def test_a_model_that_is_not_ours_is_not_asked_for_a_precision(tmp_path: Path) -> None:
    EmbeddingCache(BagOfHashes(), DiskCache(tmp_path), precision="bf16")(sides("a b"))
    model = BagOfHashes()
    EmbeddingCache(model, DiskCache(tmp_path), precision="fast")(sides("a b"))
    assert model.seen == []
