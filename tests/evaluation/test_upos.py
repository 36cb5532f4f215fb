from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import PARAMS, BagOfHashes, example, folders

from pipeline.evaluation.levenshtein import normalised_distances
from pipeline.evaluation.run import Subject, evaluate
from pipeline.evaluation.upos import dissimilarity, grouped, neighbours
from pipeline.sentences import Side
from pipeline.store import EXAMPLE, shard_path, write_rows

TAGS = st.lists(st.sampled_from(["NOUN", "VERB", "DET"]), max_size=7)


def edits(a: list[str], b: list[str]) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(edits(a[1:], b) + 1, edits(a, b[1:]) + 1, edits(a[1:], b[1:]) + (a[0] != b[0]))


@settings(max_examples=30, deadline=None)
@given(st.lists(TAGS, min_size=1, max_size=4))
def test_edit_distances_equal_the_recursive_definition(sequences: list[list[str]]) -> None:
    found = normalised_distances(sequences)
    expected = [[edits(a, b) / max(1, len(a), len(b)) for b in sequences] for a in sequences]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def tagged(*tags: str) -> list[Side]:
    return [Side(f"t{number}", (), (), (), each.split()) for number, each in enumerate(tags)]


def test_groups_have_six_members_and_are_at_least_two() -> None:
    sentences = tagged(*(["DET NOUN"] * 6), "VERB", *(["NOUN VERB"] * 7))
    members, groups = grouped(sentences, 100)
    assert members == [*range(6), *range(7, 14)]
    assert groups.tolist() == [0] * 6 + [1] * 7
    assert grouped(sentences[:7], 100)[0] == []


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
    one, five = neighbours(np.ones((12, 3), dtype=np.float32), groups)
    assert one.sum() == 0
    assert five.sum() == 0


def test_dissimilarity_where_the_answer_is_known() -> None:
    """On a half circle, cosine distance between 0, 60 and 180 degrees is 0.5, 1.5 and 2; D is that over 2."""
    angles = np.radians([0, 60, 180])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    exact = np.array([[0, 0.25, 1], [0.25, 0, 0.75], [1, 0.75, 0]])
    assert dissimilarity(exact, vectors) == pytest.approx(0, abs=1e-6)
    assert dissimilarity(1 - exact, vectors) > 0.5  # a similarity in place of a distance is no better for it
    off = exact + 0.1 * (1 - np.eye(3))
    assert dissimilarity(off, vectors) == pytest.approx(np.sqrt(6 * 0.01) / 3, abs=1e-6)


class ByTags:
    """Counts tags: sentences of one shape have one vector."""

    def embed(self, sentences):  # type: ignore[no-untyped-def]
        tags = ("DET", "NOUN", "VERB", "AUX", "ADP", "ADV")
        rows = [[1.0 + each.upos.count(tag) ** 2 for tag in tags] for each in sentences]
        return {"semantic": np.array(rows, dtype=np.float32)}


def test_the_task_on_held_out_text_and_on_a_benchmark(world: Path, tmp_path: Path) -> None:
    places = folders(world, tmp_path)
    done = evaluate(Subject("bag", BagOfHashes(), baselines=True), places, PARAMS, ["upos"])
    assert done.failures == {}  # the small world has one shape of sentence only, and so no two groups
    assert set(done.outcome.metrics["semantic"]["upos"]["test"]) == {"functional_dissimilarity"}
    assert set(done.outcome.metrics) == {"semantic", "bag_of_words"}


def test_a_model_that_knows_the_shape_finds_all_neighbours(tmp_path: Path, world: Path) -> None:
    from small_world import negated, passive, world_sentences

    from pipeline.store import SENTENCE

    sentences = [
        each for source in world_sentences()[:12] for each in (source, passive(source), negated(source))
    ]
    fixed = {"doc_id": "", "lang": "en", "split": "test"}
    write_rows(
        shard_path(tmp_path / "parsed" / "benchmarks", 0),
        [{"sent_id": each.text} | fixed | each.row() for each in sentences],
        SENTENCE,
    )
    (tmp_path / "parsed" / "corpus").symlink_to(world / "parsed" / "corpus")
    rows = [example("trec", "train", each.text, label="X") for each in sentences]
    write_rows(shard_path(tmp_path / "benchmarks", 0), rows, EXAMPLE)
    places = folders(world, tmp_path, tmp_path / "benchmarks")
    places = type(places)(tmp_path / "parsed", places.augmented, places.benchmarks, places.out)
    done = evaluate(Subject("tags", ByTags()), places, PARAMS, ["upos_benchmarks"])
    assert done.failures == {}
    found = done.outcome.metrics["semantic"]["upos"]["trec"]
    assert (found["accuracy_1nn"], found["accuracy_5nn"]) == (100, 100)
    assert (found["groups"], found["sentences"]) == (3, 36)
    assert found["chance"] == pytest.approx(100 * 11 / 35, abs=0.01)
