"""Late interaction: a model that scores pairs, beside its vectors."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score
from small_world import PARAMS, BagOfHashes, example, folders

from pipeline.errors import SynsemError
from pipeline.evaluation.bank import LATE, Bank, content_key
from pipeline.evaluation.cache import DiskCache
from pipeline.evaluation.contrast import contrast_set
from pipeline.evaluation.run import Done, Subject, evaluate
from pipeline.sentences import HasTree, Side
from pipeline.store import EXAMPLE, shard_path, write_rows


class Late(BagOfHashes):
    """Scores a pair by the share of places at which the words are equal, which no bag of words can do."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []

    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> np.ndarray:
        self.pairs += [(x.text, y.text) for x, y in zip(a, b, strict=True)]
        return np.array(
            [
                np.mean([u == v for u, v in zip(x.text.split(), y.text.split(), strict=False)])
                for x, y in zip(a, b, strict=True)
            ],
            dtype=np.float32,
        )


def swapped(split: str, count: int = 40) -> list[dict]:
    """The words of ``a`` in its order, but for a new one (label 1), or with two in each other's place."""
    rows = []
    for number in range(count):
        a = [f"{split}{number}x{i}" for i in range(6)]
        b = [*a[:5], "new"] if number % 2 else [a[5], *a[1:5], a[0]]
        rows.append(example("paws-wiki", split, " ".join(a), " ".join(b), label=str(number % 2)))
    return rows


def graded() -> list[dict]:
    rows = []
    for number in range(30):
        a = [f"s{number}x{i}" for i in range(6)]
        moved = number % 5
        b = (
            [*a[moved:], *a[:moved]]
            if number % 2
            else [*a[:moved], *(f"v{number}x{i}" for i in range(6 - moved))]
        )
        rows.append(example("stsb", "test", " ".join(a), " ".join(b), score=float(number % 6)))
    return rows


def run(world: Path, out: Path, rows: list[dict], tasks: list[str], model: BagOfHashes) -> Done:
    write_rows(shard_path(out / "benchmarks", 0), rows, EXAMPLE)
    return evaluate(Subject("test", model), folders(world, out, out / "benchmarks"), PARAMS, tasks)


def test_pair_tasks_have_the_late_score_as_a_view_of_its_own(world: Path, tmp_path: Path) -> None:
    rows = swapped("dev") + swapped("test")
    done = run(world, tmp_path, rows, ["paws", "stress"], Late())
    assert done.failures == {}
    late, semantic = (done.outcome.metrics[view]["paws"]["test"] for view in (LATE, "semantic"))
    assert set(late) == {"ap_late", "accuracy_dev_threshold_late"}
    assert set(semantic) == {"ap", "accuracy_dev_threshold", "accuracy_logistic"}
    assert late["ap_late"] == 100
    assert late["accuracy_dev_threshold_late"] == 100
    assert semantic["ap"] < 50
    kept = [row for row in done.outcome.examples if row["metric"] == "ap_late"]
    assert [row["view"] for row in kept] == [LATE] * 40
    gold, score = ([row[name] for row in kept] for name in ("gold", "score"))
    assert 100 * average_precision_score(gold, score) == pytest.approx(late["ap_late"])


def test_sts_has_spearman_late(world: Path, tmp_path: Path) -> None:
    done = run(world, tmp_path, graded(), ["sts"], Late())
    found = done.outcome.metrics[LATE]["stsb"]["test"]
    kept = [row for row in done.outcome.examples if row["metric"] == "spearman_late"]
    reference = spearmanr([row["gold"] for row in kept], [row["score"] for row in kept]).statistic
    assert found["spearman_late"] == pytest.approx(100 * reference, abs=0.01)
    assert set(found) == {"spearman_late", "pearson_late"}


def test_the_contrast_set_has_it_by_phenomenon(world: Path, tmp_path: Path) -> None:
    rows = [example("contrast_set", "test", pair.a, pair.b) for pair in contrast_set()]
    done = run(world, tmp_path, rows, ["contrast"], Late())
    assert done.failures == {}
    late, cosine = (done.outcome.metrics[view]["contrast"] for view in (LATE, "semantic"))
    assert late.keys() == cosine.keys()
    assert set(late["all"]) == {"ap_late", "accuracy_crossfit_threshold_late"}


def test_a_model_of_vectors_alone_has_none(world: Path, tmp_path: Path) -> None:
    done = run(world, tmp_path, swapped("dev") + swapped("test"), ["paws"], BagOfHashes())
    assert set(done.outcome.metrics) == {"semantic"}
    model = BagOfHashes()
    model.late_scores = None  # type: ignore[attr-defined]  # a system whose settings rule it out
    assert Bank(model).late(sides("a"), sides("b")) is None


def sides(*texts: str) -> list[Side]:
    return [Side(text, text.split(), list(range(len(text.split())))) for text in texts]


def test_every_pair_is_scored_once_and_a_second_run_scores_none(tmp_path: Path) -> None:
    model = Late()
    bank = Bank(model, DiskCache(tmp_path))
    bank(sides("a b"))  # vectors and scores share the cache's folder
    first = bank.late(sides("a b", "c", "a b"), sides("a c", "c", "a c"))
    again = bank.late(sides("c", "a b"), sides("c", "c b"))
    assert model.pairs == [("a b", "a c"), ("c", "c"), ("a b", "c b")]
    assert bank.scored == 3
    assert first is not None
    assert again is not None
    np.testing.assert_array_equal(first, [0.5, 1, 0.5])
    np.testing.assert_array_equal(again, [1, 0.5])
    cold = Late()
    warm = Bank(cold, DiskCache(tmp_path))
    np.testing.assert_array_equal(warm.late(sides("a b", "c"), sides("a c", "c")), [0.5, 1])
    assert warm(sides("a b"))["semantic"].shape == (1, 64)
    assert (warm.scored, warm.embedded, cold.pairs, cold.seen) == (0, 0, [], [])


class Nan(Late):
    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> np.ndarray:
        return np.array([np.nan if "sings" in x.text else 0 for x in a], dtype=np.float32)


class Short(Late):
    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> np.ndarray:
        return np.zeros(len(a) - 1, dtype=np.float32)


def test_broken_scores_are_one_clear_line() -> None:
    with pytest.raises(SynsemError, match="1 of 2 scores are NaN or infinite, first for 'she sings'"):
        Bank(Nan()).late(sides("he", "she sings"), sides("x", "y"))
    with pytest.raises(SynsemError, match=r"returned shape \[1\] for 2 pairs"):
        Bank(Short()).late(sides("a", "b"), sides("x", "y"))


def test_the_key_of_a_sentence_tells_apart_all_that_a_system_reads() -> None:
    plain = Side("a b", ["a", "b"], [0, 1], ["root", "obj"], ["X", "X"], ["", ""])
    others = [
        plain._replace(text="a  b"),
        plain._replace(words=["a b"]),
        plain._replace(heads=[2, 0]),
        plain._replace(deprels=["root", "obl"]),
        plain._replace(upos=["X", "Y"]),
        plain._replace(xpos=["", "N"]),
        plain._replace(lemmas=["a", "b"]),
        plain._replace(deprels=[], upos=["root", "obj"]),
    ]
    assert len({content_key(each) for each in (plain, *others)}) == len(others) + 1
    assert content_key(plain) == content_key(Side(*plain))
