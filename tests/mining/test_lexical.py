"""Corpus sentences of the same words in another structure as negatives; and how their pairs are found."""

from pathlib import Path

import numpy as np
import pytest
from small_corpus import Doc, dropped, no_vectors, params, triples, write

from pipeline.mining import hashing, sscp
from pipeline.mining.hashing import WordSets, hashed_pairs
from pipeline.mining.overlap import overlapping

PARAMS = params(identity="with_negatives")


def mined(folder: Path, documents: list[Doc], **overlap: object) -> dict[str, list[str]]:
    changed = params(identity="all", overlap=overlap)
    sscp.mine(write(folder, documents), folder / "out", changed, no_vectors)
    return {anchor: negatives for anchor, _, _, negatives in triples(folder / "out")}


@pytest.mark.parametrize("exact_up_to", [100, 1])
def test_the_same_words_in_another_structure_are_negatives_of_each_other(
    tmp_path: Path, exact_up_to: int
) -> None:
    documents = [Doc([text]) for text in ("dogs chase cats", "cats chase dogs", "birds sing", "fish swim")]
    found = mined(tmp_path, documents, exact_up_to=exact_up_to)
    assert found == {
        "dogs chase cats": ["cats chase dogs"],
        "cats chase dogs": ["dogs chase cats"],
        "birds sing": [],
        "fish swim": [],
    }


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Doc(["dogs often chase small cats"]), "one text contains the other"),
        (Doc(["dogs chase small birds"]), "the same structure"),
        (Doc(["cats chase small dogs"], "dev"), "another split"),
        (Doc(["cats chase small dogs"], pair_id="p"), "shared pair_id"),
    ],
)
def test_what_may_mean_the_same_is_refused_and_counted(tmp_path: Path, second: Doc, reason: str) -> None:
    first = Doc(["dogs chase small cats"], pair_id="p")
    found = mined(tmp_path, [first, second])
    assert found == {"dogs chase small cats": [], second.sentences[0]: []}
    assert dropped(tmp_path / "out")[f"overlap: {reason}"] == 1


def test_a_sentence_that_is_a_variant_already_comes_once(tmp_path: Path) -> None:
    swapped = [("different", "argument_swap", "cats chase dogs")]
    found = mined(tmp_path, [Doc(["dogs chase cats"], variants=swapped), Doc(["cats chase dogs"])])
    assert found["dogs chase cats"] == ["cats chase dogs"]
    assert dropped(tmp_path / "out")["overlap: a variant already"] == 1


def test_the_least_agreement_comes_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    documents = [Doc([text]) for text in ("a b c d", "b a c d", "c b a d", "d b c a")]
    found = mined(tmp_path, documents, max_agreement=1.0)
    assert all(len(negatives) == 1 for negatives in found.values())
    assert dropped(tmp_path / "out")["overlap: beyond mine.overlap.per_example"] == 8
    assert mined(tmp_path / "none", documents, per_example=0)["a b c d"] == []


def test_a_corpus_of_one_template_stays_bounded(tmp_path: Path) -> None:
    documents = [Doc([f"it is the capital of {n}"]) for n in range(60)]
    mined(tmp_path, documents)
    assert dropped(tmp_path / "out")["overlap: beyond 16 pairs of one sentence"] > 0


def word_sets(texts: list[frozenset[str]]) -> WordSets:
    numbers: dict[str, int] = {}
    rows = [sorted(numbers.setdefault(word, len(numbers)) for word in sorted(words)) for words in texts]
    flat = np.array([number for row in rows for number in row], dtype=np.int32)
    return WordSets(flat, np.cumsum([0, *map(len, rows)]))


def sentences(count: int, seed: int) -> list[frozenset[str]]:
    """Random sets, a third of them another with some words exchanged."""
    rng = np.random.default_rng(seed)
    made: list[frozenset[str]] = [frozenset()]
    for number in range(count):
        words = {f"w{word}" for word in rng.zipf(1.3, size=rng.integers(4, 25)) if word < 5000}
        if number % 3 == 2:
            kept = sorted(made[-1])[int(rng.integers(0, 4)) :]
            words = {*kept, *(f"n{word}" for word in rng.integers(0, 500, size=2))}
        made.append(frozenset(words))
    return made


def test_hashing_finds_nearly_all_pairs_and_no_false_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "_CHUNK", 300)  # several chunks
    monkeypatch.setattr(hashing, "COMPANY", 40)
    texts = sentences(600, 1)
    sets = word_sets(texts)
    expected = {(a, b): score for a, b, score in overlapping(texts, 0.6)}
    found = list(hashed_pairs(sets, 0.6, seed=5))
    assert len({(a, b) for a, b, _ in found}) == len(found)
    for a, b, score in found:
        assert score == pytest.approx(expected[a, b])
    assert len(found) > 0.97 * len(expected) > 50
    assert found == list(hashed_pairs(sets, 0.6, seed=5))


@pytest.mark.parametrize("texts", [[], [frozenset()], [frozenset("a")], [frozenset(), frozenset("a")]])
def test_hashing_nothing_finds_nothing(texts: list[frozenset[str]]) -> None:
    assert list(hashed_pairs(word_sets(texts), 0.6, seed=5)) == []


def test_hashing_a_crowd_of_equal_sets_is_linear() -> None:
    found = list(hashed_pairs(word_sets([frozenset("abc")] * 500), 0.6, seed=5))
    assert 499 <= len(found) <= hashing.COMPANY * 500
