"""The contrast sets are balanced, and their scores are those of the protocol."""

import hashlib
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from small_world import BagOfHashes, context

from pipeline.core.seeding import SEED, stable_hash
from pipeline.evaluation.tasks import Outcome, task_class
from tests.contrast import FILE, SETS, contrast_set

PAIRS = [
    {"subset": pair.phenomenon, "a": pair.a, "b": pair.b, "label": str(int(pair.meaning == "same"))}
    for pair in contrast_set()
]
GOLD = np.array([pair["label"] == "1" for pair in PAIRS])


def test_the_sets_are_frozen() -> None:
    digest = hashlib.sha256(FILE.read_bytes()).hexdigest()
    assert digest == "1b03a8c23959fefd2f63c6621252de77536e4599f2c04f4334299c06b93b0d03"


@pytest.mark.parametrize("task", SETS)
def test_half_of_each_phenomenon_means_the_same(task: str) -> None:
    pairs = contrast_set(task)
    if task not in ("contrast_typed", "contrast_10"):  # half of these are exchanges
        assert len(set(Counter((pair.phenomenon, pair.meaning) for pair in pairs).values())) == 1
    balance = Counter[tuple[str, str]]()
    for pair in pairs:
        balance[pair.phenomenon, pair.a] += 1 if pair.meaning == "same" else -1
    assert set(balance.values()) == {0}


def scored(world: Path, suffix: str = "", **views: np.ndarray) -> Outcome:
    task = task_class("contrast")(context(world, BagOfHashes()), "contrast")
    for view, score in views.items():
        task.score(view, PAIRS, score, suffix)  # type: ignore[attr-defined]
    return task.outcome


def test_a_perfect_and_a_reversed_score(world: Path) -> None:
    outcome = scored(world, perfect=GOLD.astype(float), reversed=1.0 - GOLD)
    assert outcome.metrics["perfect"]["contrast"]["voice"] == {"ap": 100, "accuracy_crossfit_threshold": 100}
    assert outcome.metrics["perfect"]["contrast"]["all"]["ap"] == 100
    # Upside down, the best threshold of one half calls all alike: about half of the other half is right.
    upside_down = outcome.metrics["reversed"]["contrast"]["all"]
    assert upside_down["accuracy_crossfit_threshold"] == pytest.approx(50, abs=5)
    assert upside_down["ap"] <= 50


def test_a_phenomenon_of_one_meaning_has_no_average_precision(world: Path) -> None:
    pairs = [
        pair | {"subset": "odd"} if pair["label"] == "1" and row < 20 else pair
        for row, pair in enumerate(PAIRS)
    ]
    task = task_class("contrast")(context(world, BagOfHashes()), "contrast")
    task.score("view", pairs, GOLD.astype(float))  # type: ignore[attr-defined]
    found = task.outcome.metrics["view"]["contrast"]
    assert "odd" not in found
    assert found["all"]["ap"] == 100


def test_threshold_is_of_the_other_half(world: Path) -> None:
    """Brute force on random scores: halves by the seeded hash of the first sentence, all thresholds tried."""
    score = np.round(np.random.default_rng(1).random(len(PAIRS)), 2)
    half = [stable_hash(SEED, "contrast half", pair["a"]) % 2 for pair in PAIRS]
    right = np.zeros(len(PAIRS), dtype=bool)
    for side in (0, 1):
        other = [row for row in range(len(PAIRS)) if half[row] != side]
        values = sorted({score[row] for row in other})
        places = [values[0] - 1, *((a + b) / 2 for a, b in pairwise(values)), values[-1] + 1]
        best = max(places, key=lambda t: sum((score[row] >= t) == GOLD[row] for row in other))
        for row in range(len(PAIRS)):
            if half[row] == side:
                right[row] = (score[row] >= best) == GOLD[row]
    outcome = scored(world, "_late", random=score)
    found = outcome.metrics["random"]["contrast"]
    by = {"all": right, **{name: right[[p["subset"] == name for p in PAIRS]] for name in ("voice", "cleft")}}
    for name, rows in by.items():
        assert found[name]["accuracy_crossfit_threshold_late"] == pytest.approx(100 * rows.mean(), abs=0.01)
    kept = [row for row in outcome.examples if row["metric"] == "accuracy_crossfit_threshold_late"]
    assert [(row["a"], row["b"], row["score"]) for row in kept] == [
        (pair["a"], pair["b"], float(own)) for pair, own in zip(PAIRS, right, strict=True)
    ]
