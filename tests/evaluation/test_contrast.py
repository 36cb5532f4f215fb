"""The contrast set is balanced, and its scores are those of its protocol."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from pipeline.core.seeding import stable_hash
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.tasks.contrast import contrast_set, put_scores

PAIRS = contrast_set()


def test_the_set_is_balanced_and_its_texts_are_used_once() -> None:
    assert len(PAIRS) >= 400
    sizes = Counter((pair.phenomenon, pair.meaning) for pair in PAIRS)
    assert len(set(sizes.values())) == 1
    assert len({phenomenon for phenomenon, _ in sizes}) == 12
    # Each first sentence has one partner of either meaning; no partner serves twice.
    assert set(Counter(pair.a for pair in PAIRS).values()) == {2}
    assert set(Counter(pair.b for pair in PAIRS).values()) == {1}
    assert all(text == text.strip() and text[-1] in ".?" for pair in PAIRS for text in (pair.a, pair.b))


def test_words_alone_do_not_solve_it() -> None:
    """Overlap of the word sets must not tell ``same`` from ``different``."""

    def overlap(a: str, b: str) -> float:
        x, y = (set(text.lower().strip(".?").split()) for text in (a, b))
        return len(x & y) / len(x | y)

    gold = [pair.meaning == "same" for pair in PAIRS]
    ap = average_precision_score(gold, [overlap(pair.a, pair.b) for pair in PAIRS])
    assert ap < 0.55


def test_scores_by_phenomenon_and_the_threshold_of_the_other_half() -> None:
    gold = np.array([float(pair.meaning == "same") for pair in PAIRS])
    outcome = Outcome()
    put_scores(outcome, "perfect", gold, seed=1)
    put_scores(outcome, "reversed", 1 - gold, seed=1)
    assert outcome.metrics["perfect"]["contrast"]["voice"] == {"ap": 100, "accuracy_crossfit_threshold": 100}
    assert outcome.metrics["perfect"]["contrast"]["all"]["ap"] == 100
    # Upside down, the best threshold of one half calls all alike: about half of the other half is right.
    upside_down = outcome.metrics["reversed"]["contrast"]["all"]
    assert upside_down["accuracy_crossfit_threshold"] == pytest.approx(50, abs=5)
    assert upside_down["ap"] <= 50


@pytest.mark.parametrize("seed", [1, 2])
def test_each_half_is_judged_by_the_threshold_of_the_other(seed: int) -> None:
    """Brute force on random scores: halves by the seeded hash of the first sentence, all thresholds tried."""
    score = np.round(np.random.default_rng(seed).random(len(PAIRS)), 2)
    gold = [pair.meaning == "same" for pair in PAIRS]
    half = [stable_hash(seed, "contrast half", pair.a) % 2 for pair in PAIRS]
    right = np.zeros(len(PAIRS), dtype=bool)
    for side in (0, 1):
        other = [row for row in range(len(PAIRS)) if half[row] != side]
        values = sorted({score[row] for row in other})
        places = [values[0] - 1, *((a + b) / 2 for a, b in pairwise(values)), values[-1] + 1]
        best = max(places, key=lambda t: sum((score[row] >= t) == gold[row] for row in other))
        for row in range(len(PAIRS)):
            if half[row] == side:
                right[row] = (score[row] >= best) == gold[row]
    outcome = Outcome()
    put_scores(outcome, "random", score, seed=seed, suffix="_late")
    found = outcome.metrics["random"]["contrast"]
    by = {"all": right, **{name: right[[p.phenomenon == name for p in PAIRS]] for name in ("voice", "cleft")}}
    for name, rows in by.items():
        assert found[name]["accuracy_crossfit_threshold_late"] == pytest.approx(100 * rows.mean(), abs=0.01)
    kept = [row for row in outcome.examples if row["metric"] == "accuracy_crossfit_threshold_late"]
    assert [(row["a"], row["b"], row["score"]) for row in kept] == [
        (pair.a, pair.b, float(own)) for pair, own in zip(PAIRS, right, strict=True)
    ]
