"""The distributions for the report: counted by hand, and independent of the order."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from small_corpus import Doc, bag_of_words, no_vectors, params, write

from pipeline.core import store
from pipeline.core.seeding import stable_hash
from pipeline.mining import variants
from pipeline.mining.similarity_report import BINS, NAME, Distribution
from pipeline.syntax.sentence import Side

DOCUMENTS = [
    Doc(
        [f"a{n} b{n} c{n} d{n}"],
        variants=[("same", "swap", f"b{n} a{n} c{n} d{n}"), ("different", "other", f"a{n} b{n} x{n} y{n}")],
    )
    for n in range(12)
] + [Doc(["lone words stand here"])]


def written(folder: Path, sample: int, documents: list[Doc] = DOCUMENTS) -> dict:
    for number, document in enumerate(documents):
        document.name = document.name or f"n{number}"
    embed = bag_of_words if sample else no_vectors
    changed = params(identity="all", similarity_sample=sample)
    variants.mine(write(folder, documents), folder / "out", changed, embed)
    return store.read_json(folder / "out" / NAME)


def test_every_example_is_counted_and_identity_left_out(tmp_path: Path) -> None:
    found = written(tmp_path, 0)
    np.testing.assert_allclose(found["edges"], np.linspace(0, 1, BINS + 1))
    overlap = found["overlap"]
    assert overlap["positive"] == {"count": 12, "mean": 1.0, "bins": [0] * (BINS - 1) + [12]}
    third = [12 if place == int(BINS / 3) else 0 for place in range(BINS)]  # two of six words shared
    assert overlap["negative"] == {"count": 12, "mean": pytest.approx(0.3333), "bins": third}
    assert overlap["negative_kinds"] == {"other": overlap["negative"]}
    assert set(overlap["positive_kinds"]) == {"swap"}
    assert found["cosine"]["positive"] == {"count": 0, "mean": None, "bins": [0] * BINS}


def test_the_cosines_are_those_of_a_sample_drawn_by_content(tmp_path: Path) -> None:
    found = written(tmp_path / "one", 5)["cosine"]
    assert found["positive"]["count"] == found["negative"]["count"] == 5
    assert found["positive"]["mean"] == pytest.approx(1.0)
    assert found["negative"]["mean"] == pytest.approx(0.5)
    assert written(tmp_path / "two", 5, DOCUMENTS[::-1])["cosine"] == found
    assert written(tmp_path / "all", 100)["cosine"]["negative"]["count"] == 12


def test_bins_hold_their_lower_edge_and_clip() -> None:
    distribution = Distribution()
    for value in (-0.3, 0.0, 0.05, 0.3, 0.99999999, 1.0, 1.0000001):
        distribution.add("positive", "kind", value)
    bins = distribution.row()["positive"]["bins"]
    assert {place: count for place, count in enumerate(bins) if count} == {0: 2, 1: 1, 6: 1, BINS - 1: 3}


def test_the_floating_point_of_a_machine_moves_no_value_to_another_bin() -> None:
    """A cosine of 0.3 comes as 0.29999998 from one machine and as 0.3 from another."""
    distribution = Distribution()
    for value in (0.29999998, 0.3, 0.30000002):
        distribution.add("positive", "kind", value)
    found = distribution.row()["positive"]
    assert found["bins"][6] == found["count"] == 3
    assert found["mean"] == 0.3


def test_bins_and_means_are_those_counted_one_by_one() -> None:
    rng = np.random.default_rng(3)
    values = rng.uniform(-0.2, 1.0, size=400).round(2).astype(np.float32)
    kinds = rng.choice(["swap", "cut", "pair"], size=400)
    distribution = Distribution()
    distribution.add_all("negative", pa.array(kinds), values)
    found = distribution.row()
    assert found["positive"] == {"count": 0, "mean": None, "bins": [0] * BINS}
    assert found["positive_kinds"] == {}
    assert set(found["negative_kinds"]) == {"swap", "cut", "pair"}
    for kind, one in [("", found["negative"]), *found["negative_kinds"].items()]:
        hundredths = [round(100 * float(v)) for v, k in zip(values, kinds, strict=True) if kind in ("", k)]
        bins = [0] * BINS
        for hundredth in hundredths:
            bins[min(BINS - 1, max(0, hundredth // 5))] += 1
        assert one["bins"] == bins
        assert one["count"] == len(hundredths)
        assert one["mean"] == pytest.approx(sum(hundredths) / 100 / len(hundredths), abs=0.00005001)


def test_a_sample_is_of_the_lowest_hashes_of_all_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(tmp_path / "whole", 5)["cosine"]
    monkeypatch.setattr("pipeline.core.store._BATCH", 2)
    embedded: list[str] = []

    def embed(sides: Sequence[Side]) -> np.ndarray:
        embedded.extend(side.text for side in sides)
        return bag_of_words(sides)

    changed = params(identity="all", similarity_sample=5)
    variants.mine(write(tmp_path / "cut", DOCUMENTS), tmp_path / "out", changed, embed)
    assert store.read_json(tmp_path / "out" / NAME)["cosine"] == whole
    keys = {
        f"a{n} b{n} c{n} d{n}": stable_hash(changed.seed, "similarity", f"n{n}-0", f"b{n} a{n} c{n} d{n}")
        for n in range(12)
    }
    assert {text for text in embedded if text in keys} == set(sorted(keys, key=keys.__getitem__)[:5])


def test_the_negatives_of_a_sentence_that_is_its_own_positive_are_in_the_sample_of_cosines(
    tmp_path: Path,
) -> None:
    documents = [
        Doc(["one two three"], variants=[("different", "swap", "three two four")]),
        Doc(["five six"]),
    ]
    settings = params(identity="all", similarity_sample=10)
    variants.mine(write(tmp_path, documents), tmp_path / "out", settings, bag_of_words)
    found = store.read_json(tmp_path / "out" / "similarity.json")
    assert found["overlap"]["negative"]["count"] == found["cosine"]["negative"]["count"] == 1
    assert found["cosine"]["negative"]["mean"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["overlap"]["positive"]["count"] == found["cosine"]["positive"]["count"] == 0


def test_examples_beyond_the_cap_are_in_no_distribution(tmp_path: Path) -> None:
    embedded: list[str] = []

    def embed(sides: Sequence[Side]) -> np.ndarray:
        embedded.extend(side.text for side in sides)
        return bag_of_words(sides)

    settings = params(similarity_sample=100, examples=5)
    variants.mine(write(tmp_path, DOCUMENTS[:12]), tmp_path / "out", settings, embed)
    found = store.read_json(tmp_path / "out" / NAME)
    kept = {row["anchor"]["text"] for row in store.rows(tmp_path / "out")}
    assert len(kept) == 5
    for part in ("overlap", "cosine"):
        assert found[part]["positive"]["count"] == found[part]["negative"]["count"] == 5
    assert len(embedded) == 15
    assert kept <= set(embedded)
