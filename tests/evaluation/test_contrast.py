"""The contrast set is balanced, and its scores are those of its protocol."""

from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

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
