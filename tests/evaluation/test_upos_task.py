"""Neighbours and distances by UPOS sequence, against brute force and known answers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import pdist, squareform
from sklearn.preprocessing import minmax_scale
from small_world import context, negated, outcome_of, passive, world_sentences

from pipeline.core.schemas import SENTENCE
from pipeline.core.store import shard_path, write_rows
from pipeline.evaluation.data import HeldOut
from pipeline.evaluation.tasks.upos import correlation, cosine_distances, dissimilarity, grouped, neighbours
from pipeline.syntax.sentence import Sentence

TAGS = st.lists(st.sampled_from(["NOUN", "VERB", "DET"]), max_size=7)


def tagged(*tags: str) -> list[Sentence]:
    return [Sentence(f"t{number}", (), (), (), each.split()) for number, each in enumerate(tags)]


def test_groups_have_six_members_and_are_at_least_two() -> None:
    sentences = tagged(*(["DET NOUN"] * 6), "VERB", *(["NOUN VERB"] * 7))
    members, groups = grouped(sentences)
    assert sorted(members) == [*range(6), *range(7, 14)]
    assert sorted(np.bincount(groups)) == [6, 7]
    assert {tuple(sentences[i].upos) for i in np.array(members)[groups == 0]} < {
        ("DET", "NOUN"),
        ("NOUN", "VERB"),
    }
    assert grouped(sentences[:7])[0] == []


def test_neighbours_equal_brute_force() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(4), 7)
    vectors = (rng.normal(size=(4, 5))[groups] + 0.8 * rng.normal(size=(28, 5))).astype(np.float32)
    for k, share in zip((1, 5), neighbours(vectors, groups), strict=True):
        for i in range(28):
            cosines = [
                vectors[i] @ v / np.linalg.norm(v) / np.linalg.norm(vectors[i]) if j != i else -2
                for j, v in enumerate(vectors)
            ]
            nearest = np.argsort(cosines)[::-1][:k]
            assert share[i] == pytest.approx(np.mean(groups[nearest] == groups[i]))


def test_ties_count_against_the_model() -> None:
    groups = np.repeat([0, 1], 6)
    rng = np.random.default_rng(0)
    equal = np.tile(rng.normal(size=384), (12, 1)).astype(np.float32)
    rounded_otherwise = equal * (1 + rng.uniform(-3e-7, 3e-7, equal.shape)).astype(np.float32)
    for vectors in (equal, rounded_otherwise):
        one, five = neighbours(vectors, groups)
        assert one.sum() == 0
        assert five.sum() == 0


def test_dissimilarity_where_the_answer_is_known() -> None:
    """On a half circle, cosine distance between 0, 60 and 180 degrees is 0.5, 1.5 and 2; D is that over 2."""
    angles = np.radians([0, 60, 180])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    exact = np.array([[0, 0.25, 1], [0.25, 0, 0.75], [1, 0.75, 0]])
    apart = cosine_distances(vectors)
    assert dissimilarity(exact, apart) == pytest.approx(0, abs=1e-6)
    assert dissimilarity(1 - exact, apart) > 0.5  # a similarity in place of a distance is no better for it
    off = exact + 0.1 * (1 - np.eye(3))
    assert dissimilarity(off, apart) == pytest.approx(np.sqrt(6 * 0.01) / 3, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 10), st.integers(0, 10**6))
def test_distances_are_those_of_scipy(n: int, seed: int) -> None:
    """With ties and equal vectors among them."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, size=(n, 4)).astype(np.float32) + 0.5
    apart = squareform(pdist(vectors.astype(np.float64), "cosine"))
    found = cosine_distances(vectors)
    np.testing.assert_allclose(found, apart, atol=1e-6)
    edited = squareform(rng.integers(0, 4, n * (n - 1) // 2) / 4)
    upper = np.triu_indices(n, 1)
    if np.ptp(edited[upper]) and np.ptp(found[upper]):
        expected = stats.spearmanr(edited[upper], found[upper]).statistic
        assert correlation(edited, found) == pytest.approx(100 * expected)
    if np.ptp(apart) > 1e-6:
        scaled = minmax_scale(apart.ravel()).reshape(n, n)
        expected = np.sqrt(((edited - scaled) ** 2).mean())
        assert dissimilarity(edited, found) == pytest.approx(expected, abs=1e-5)


class ByTags:
    """Counts tags: sentences of one shape have one vector."""

    def embed(self, sentences):  # type: ignore[no-untyped-def]
        tags = ("DET", "NOUN", "VERB", "AUX", "ADP", "ADV")
        rows = [[1.0 + each.upos.count(tag) ** 2 for tag in tags] for each in sentences]
        return {"semantic": np.array(rows, dtype=np.float32)}


def test_unseen_shapes_by_language(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = {len(passive(world_sentences()[0]).words), len(negated(world_sentences()[0]).words)}
    monkeypatch.setattr("pipeline.evaluation.tasks.upos.held_out", lambda tags: len(tags) in short)
    rows = [
        {"sent_id": f"{lang}{each.text}", "doc_id": "", "lang": lang, "split": split} | each.row()
        for lang, split in (("en", "train"), ("fr", "test"))
        for source in world_sentences()[:12]
        for each in (source, passive(source), negated(source))
    ]
    write_rows(shard_path(tmp_path / "corpus", 0), rows, SENTENCE)
    here = replace(context(world, ByTags()), corpus=HeldOut(tmp_path, tmp_path))
    found = outcome_of("upos", here).metrics["semantic"]["upos"]
    assert set(found["en"]) == {"unseen"}  # no document of that language is held out
    assert set(found["fr"]) == {"test", "unseen"}
    assert found["en"]["unseen"] == found["fr"]["unseen"]
    assert (found["en"]["unseen"]["groups"], found["en"]["unseen"]["sentences"]) == (2, 24)
    test = found["fr"]["test"]
    assert (test["groups"], test["sentences"]) == (3, 36)
    assert test["accuracy_1nn"] == test["accuracy_5nn"] == found["en"]["unseen"]["accuracy_1nn"] == 100
    assert test["chance"] == pytest.approx(100 * 11 / 35, abs=0.01)


@pytest.mark.parametrize(("count", "width"), [(101, 384), (333, 512)])
def test_equal_vectors_tie(count: int, width: int) -> None:
    rng = np.random.default_rng(0)
    apart = cosine_distances(np.tile(rng.normal(size=width).astype(np.float32), (count, 1)))
    assert correlation(rng.random((count, count)), apart) == 0
