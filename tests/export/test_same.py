"""Comparing texts by vectors and words: ``similarity``, ``same`` and ``attach`` on hand-made cases."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.core.errors import SynsemError
from pipeline.export.same import FEATURES, SCORES, Scorer, attached, features, finite, load_scorer
from pipeline.pretrained import SCORER
from pipeline.systems.synsem.similarity import CEILING, STRUCTURE, similarity


def joint(semantic: list[float], structural: list[float], weight: float) -> np.ndarray:
    whole = np.array([*semantic, *(weight * each for each in structural)])
    return whole / np.linalg.norm(whole)


def test_similarity_saturates_and_then_structure_decides() -> None:
    a, same, reversal = (joint([1, 0], [s, 0], w) for s, w in ((1, 0.4), (1, 0.6), (-1, 0.4)))
    other = joint([0.8, 0.6], [0, 1], 0.4)
    whole = CEILING + STRUCTURE
    expected = [1, (CEILING - STRUCTURE) / whole, 0.8 / whole]
    assert similarity(a, np.stack([same, reversal, other]), 2) == pytest.approx(expected)
    assert similarity(a, joint([1, 0], [0, 0], 1), 2) == pytest.approx(CEILING / whole)
    assert similarity(a, a, None) == pytest.approx(1)


def test_attached_structure_has_its_weight_by_sentence() -> None:
    rows = np.stack([joint([1, 0], [0, 1], 0.4), joint([0, 1], [0, 0], 0.5)])
    found = attached(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 2.0]]), rows, 2, 0.5)
    assert found.dtype == np.float32
    expected = np.array([[0.6, 0.8, 0, 0, 0.2], [0, 0, 1, 0, 0]])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    "vectors",
    [None, "text", [[1, 2]], np.ones((2, 3)), np.ones((2, 1, 3)), np.ones(3), np.array([[0.0, np.nan, 0.0]])],
)
def test_what_is_not_a_vector_is_refused(vectors: object) -> None:
    with pytest.raises(SynsemError, match="vectors: "):
        finite(vectors, 1, None)


def test_features_of_words_are_the_same_in_either_order() -> None:
    pairs = [("Rain fell.", "rain  FELL"), ("A dog ran off.", "Rain"), ("", "Rain")]
    scores = {name: np.arange(3.0) for name in SCORES}
    found = features(pairs, scores)
    assert found[:, 0].tolist() == [0, 1, 2]
    assert found[:, 5:7] == pytest.approx(np.array([[1, np.log(3)], [0, np.log(2)], [0, 0]]))
    assert np.array_equal(found, features([(b, a) for a, b in pairs], scores))


@pytest.mark.parametrize(
    ("a", "b", "number", "negation"),
    [
        ("Send two files on Monday.", "On Monday send 2 files.", 0, 0),
        ("Flat for 1,500 a month", "flat for 1500 a month", 0, 0),
        ("It may march in first.", "First it marches in.", 0, 0),
        ("Due on 12 June", "Due on 12 July", 1, 0),
        ("Due in thirty days", "Due in 31 days", 1, 0),
        ("The half I own", "The whole I own", 1, 0),
        ("It is safe.", "It isn’t safe.", 0, 1),
        ("my card wont work", "my card will work", 0, 1),
        ("Neither of them paid.", "They did not pay.", 0, 0),
        ("He never said nothing.", "He said something in 3 talks.", 1, 0),
        ("A note on knots", "Notes on a knot", 0, 0),
    ],
)
def test_changed_numbers_and_negations_are_seen(a: str, b: str, number: int, negation: int) -> None:
    scores = {name: np.ones(1) for name in SCORES}
    for pair in ((a, b), (b, a)):
        [[*_, numbers, negations]] = features([pair], scores)
        assert (numbers, negations) == (number, negation)


def test_fit_finds_what_drew_the_labels_and_stays_with_few() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(4000, 2))
    start = Scorer(np.zeros(2), np.ones(2), np.array([0.5, 1, -1, 0, 2, 0]))  # 1, x, y, xx, xy, yy
    labels = rng.random(4000) < start(rows)
    zero = start._replace(weights=np.zeros(6))
    assert zero.fitted(rows, labels, 1e-3).weights == pytest.approx(start.weights, abs=0.25)
    few = start.fitted(rows[:5], 1 - labels[:5], 100.0)
    assert few.weights == pytest.approx(start.weights, abs=0.1)


def test_scorer_comes_back_from_its_file(tmp_path: Path) -> None:
    own = load_scorer(SCORER)
    assert len(own.mean) == len(FEATURES)
    own.save(tmp_path / "same.json")
    assert (tmp_path / "same.json").read_bytes() == SCORER.read_bytes()
    for text in ("{}", '{"mean": {}, "deviation": [], "weights": 1}'):
        (tmp_path / "same.json").write_text(text)
        with pytest.raises(SynsemError, match=r"same\.json"):
            load_scorer(tmp_path / "same.json")
