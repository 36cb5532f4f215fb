"""What is chosen on development pairs, and what is reported of test pairs; here their labels are opposite."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from pipeline.core.store import write_json
from pipeline.systems.ebsim.cosine import Vectors
from pipeline.systems.ebsim.few_shot import Start, train_matcher
from pipeline.systems.ebsim.finetune import Recipe, matching_metrics
from pipeline.systems.ebsim.frozen import LOGISTIC, add_frozen
from pipeline.systems.ebsim.labelled_pairs import Pairs, Task


def drawn(count: int, seed: int) -> Pairs:
    rng = np.random.default_rng(seed)
    texts = [f"the cat {seed} {number}" for number in range(count)]
    return Pairs(texts, [f"{text} sat" for text in texts], rng.integers(0, 2, count).astype(np.float32))


DEV = drawn(40, 2)
TASK = Task("t", False, drawn(60, 1), DEV, Pairs(DEV.a, DEV.b, 1 - DEV.target))


def test_the_record_of_a_run_is_of_the_test_pairs(tiny_backbone: Path) -> None:
    start = Start("backbone", str(tiny_backbone))
    matcher, record = train_matcher(start, TASK, 100, 1, Recipe(1, 8, 1e-3, 32, "fp32"))
    assert record["pairs"] == len(TASK.train)
    assert record["test"] == matching_metrics(matcher, TASK.test, False)
    assert record["dev"] == matching_metrics(matcher, TASK.dev, False)["accuracy"]
    assert record["test"]["accuracy"] != record["dev"]


class Random:
    """In the place of a bi-encoder: vectors of which half of the numbers tell nothing."""

    def pairs(self, a: Sequence[str], b: Sequence[str]) -> Vectors:
        rng = np.random.default_rng(len(a))
        first, second = rng.normal(size=(2, len(a), 16)).astype(np.float32)
        known = TASK.train if len(a) == len(TASK.train) else TASK.dev
        second[:, 0] += 0.5 * known.target * np.sign(first[:, 0])
        first, second = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (first, second))
        return first, second


def test_the_penalty_of_the_frozen_classifier_is_chosen_on_development_pairs(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    write_json(results, {"runs": {}})
    add_frozen(Random(), TASK, [100], results, lambda share: "")  # type: ignore[arg-type]
    own, other = (
        np.concatenate([np.abs(u - v), u * v], axis=1)
        for u, v in (Random().pairs(each.a, each.b) for each in (TASK.train, TASK.dev))
    )
    right = [
        (
            LogisticRegression(C=c, max_iter=1000).fit(own, TASK.train.target).predict(other) == DEV.target
        ).mean()
        for c in (1.0, 10.0, 100.0, 1000.0)
    ]
    assert min(right) < max(right)
    found = json.loads(results.read_text())["runs"][f"{LOGISTIC} 100 0"]
    assert found["dev"] == round(100 * max(right), 2)
    assert found["test"]["accuracy"] == round(100 - 100 * max(right), 2)
