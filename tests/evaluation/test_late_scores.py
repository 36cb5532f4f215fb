"""Late interaction: a model that scores pairs, beside its vectors."""

from pathlib import Path

import pytest
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score
from small_world import PARAMS, BagOfHashes, Late, example, folders, sides

from pipeline.core.schemas import EXAMPLE
from pipeline.core.store import shard_path, write_rows
from pipeline.evaluation.embedding_cache import LATE, EmbeddingCache
from pipeline.evaluation.run import EvaluationResult, ModelUnderTest, evaluate
from pipeline.evaluation.tasks.contrast import contrast_set


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


def run(world: Path, out: Path, rows: list[dict], tasks: list[str], model: BagOfHashes) -> EvaluationResult:
    write_rows(shard_path(out / "benchmarks", 0), rows, EXAMPLE)
    return evaluate(ModelUnderTest("test", model), folders(world, out, out / "benchmarks"), PARAMS, tasks)


def test_pair_tasks_have_the_late_score_as_a_view_of_its_own(world: Path, tmp_path: Path) -> None:
    rows = swapped("dev") + swapped("test")
    result = run(world, tmp_path, rows, ["paws", "stress"], Late())
    assert result.failures == {}
    late, semantic = (result.outcome.metrics[view]["paws"]["test"] for view in (LATE, "semantic"))
    assert set(late) == {"ap_late", "accuracy_dev_threshold_late"}
    assert set(semantic) == {"ap", "accuracy_dev_threshold", "accuracy_logistic"}
    assert late["ap_late"] == 100
    assert late["accuracy_dev_threshold_late"] == 100
    assert semantic["ap"] < 50
    kept = [row for row in result.outcome.examples if row["metric"] == "ap_late"]
    assert [row["view"] for row in kept] == [LATE] * 40
    gold, score = ([row[name] for row in kept] for name in ("gold", "score"))
    assert 100 * average_precision_score(gold, score) == pytest.approx(late["ap_late"])


def test_sts_has_spearman_late(world: Path, tmp_path: Path) -> None:
    result = run(world, tmp_path, graded(), ["sts"], Late())
    found = result.outcome.metrics[LATE]["stsb"]["test"]
    kept = [row for row in result.outcome.examples if row["metric"] == "spearman_late"]
    reference = spearmanr([row["gold"] for row in kept], [row["score"] for row in kept]).statistic
    assert found["spearman_late"] == pytest.approx(100 * reference, abs=0.01)
    assert set(found) == {"spearman_late", "pearson_late"}


@pytest.mark.parametrize("task", ["contrast", "contrast_dev"])
def test_a_contrast_set_has_it_by_phenomenon(task: str, world: Path, tmp_path: Path) -> None:
    rows = [
        example(task, "test", pair.a, pair.b, subset=pair.phenomenon, label=str(int(pair.meaning == "same")))
        for pair in contrast_set(task)
    ]
    result = run(world, tmp_path, rows, [task], Late())
    assert result.failures == {}
    late, cosine = (result.outcome.metrics[view][task] for view in (LATE, "semantic"))
    assert late.keys() == cosine.keys()
    assert set(late["all"]) == {"ap_late", "accuracy_crossfit_threshold_late"}


def test_a_model_of_vectors_alone_has_none(world: Path, tmp_path: Path) -> None:
    result = run(world, tmp_path, swapped("dev") + swapped("test"), ["paws"], BagOfHashes())
    assert set(result.outcome.metrics) == {"semantic"}
    model = BagOfHashes()
    model.late_scores = None  # type: ignore[attr-defined]  # a system whose settings rule it out
    assert EmbeddingCache(model).late(sides("a"), sides("b")) is None
