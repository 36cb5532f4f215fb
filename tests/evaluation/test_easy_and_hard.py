"""ParaBART's QQP-Easy and -Hard: which pairs are in which half, and the grid of thresholds."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from small_world import PARAMS, example, sentence
from test_stress import written

from pipeline.evaluation.run import ModelUnderTest, evaluate
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Views

# Cosines of the pairs. Thresholds in steps of 0.01 part the hard positives from the negatives, at 0.56, and
# not the easy ones.
NEGATIVE, EASY, HARD = 0.554, 0.556, 0.565
COUNTS = {"easy": 25, "hard": 20, "negative": 30}


class ByVerb:
    """A vector of the plane for every sentence: first ones point one way, second ones away by their verb."""

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        angles = {"easy": EASY, "hard": HARD, "negative": NEGATIVE}
        verbs = [next((word for word in each.text.split() if word[-1].isdigit()), "") for each in sentences]
        cosines = [angles.get(verb.rstrip("0123456789"), 1.0) for verb in verbs]
        rows = [(cosine, math.sqrt(1 - cosine * cosine)) for cosine in cosines]
        return {"semantic": np.array(rows, dtype=np.float32)}


def test_equal_top_constituents_are_easy_and_thresholds_are_steps_of_a_hundredth(
    world: Path, tmp_path: Path
) -> None:
    rows, trees = [], []
    for kind, count in COUNTS.items():
        for number in range(count):
            a = sentence(f"dogs first{kind}{number} cats", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
            b = sentence(f"dogs {kind}{number} cats", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
            if kind == "hard":
                b = sentence(f"cats dogs {kind}{number}", "NOUN NOUN VERB", "3 3 0", "obj nsubj root")
            rows.append(example("qqp", "test", a.text, b.text, label=str(int(kind != "negative"))))
            trees += [a, b]
    places = written(world, tmp_path, rows, trees)
    result = evaluate(ModelUnderTest("test", ByVerb(), needs_trees=True), places, PARAMS, ["easy_and_hard"])
    assert result.failures == {}
    found = result.outcome.metrics["semantic"]["qqp"]
    assert found["easy"] == {"pairs": 40, "accuracy_oracle_threshold": 50, "derived_trees": 100}
    assert found["hard"] == {"pairs": 40, "accuracy_oracle_threshold": 100, "derived_trees": 100}
