"""The tables on ``upos`` show what reports/controls/upos-tatoeba holds."""

from collections.abc import Iterator

import pytest
from measured import CONTROLS, Row, Table, Values, at, complaints, measured, over
from shell_lines import ROOT

FOLDER = f"{CONTROLS}/upos-tatoeba"
LANGUAGES = ("en", "de", "fr", "es", "nl")
SEEDS = (13, 14, 15)
# The beginning of a row's first cell, and the run.
RUNS = {
    "backbone (MiniLM), mean": "backbone",
    "as published, 1,200 steps": "published",
    "as published, 12,000 steps": "long",
    "BiLSTM, translation": "objectives",
    "backbone, translation": "backbone-objectives",
}
NEAREST = ("accuracy_1nn", "accuracy_5nn")
DISTANCES = ("functional_dissimilarity", "distance_correlation", "likeness_1nn")


def of_run(run: str, *keys: str) -> Values:
    """Mean and deviation of a metric over the seeds whose files are there."""
    untrained = run.endswith("backbone")
    view = "semantic" if untrained else "syntactic"
    names = [run] if untrained else [f"{run}-{seed}" for seed in SEEDS]
    paths = [f"{FOLDER}/{name}.json" for name in names]
    return over(at(measured(path), view, "upos", *keys) for path in paths if (ROOT / path).exists())


def neighbours(part: str) -> Iterator[Row]:
    def row(label: str, run: str, *metrics: str) -> Row:
        found = [[of_run(run, lang, part, metric) for metric in metrics] for lang in LANGUAGES]
        return label, [[each for values in cell for each in values or []] for cell in found]

    yield row("sentences / groups", "backbone", "sentences", "groups")
    yield row("chance", "backbone", "chance")
    for label, run in RUNS.items():
        yield row(label, run, *NEAREST)


def unseen() -> Iterator[Row]:
    yield from neighbours("unseen")


def held_out() -> Iterator[Row]:
    yield from neighbours("test")


def distances() -> Iterator[Row]:
    best = [of_run(f"{folder}backbone", "en", "test", "likeness_best") for folder in ("", "ewt-")]
    yield "best possible", [[0], [100], best[0], [0], [100], best[1]]
    for label, run in RUNS.items():
        yield (
            label,
            [
                of_run(f"{folder}{run}", "en", "test", metric)
                for folder in ("", "ewt-")
                for metric in DISTANCES
            ],
        )


def left_out() -> Iterator[Row]:
    """Spanish."""
    for label, run in (
        ("backbone (MiniLM), mean", "backbone"),
        ("zero-shot", "zero-shot"),
        ("few-shot", "few-shot"),
        ("Spanish in training, 1,200 steps", "published"),
        ("Spanish in training, 12,000 steps", "long"),
    ):
        found = [[of_run(run, "es", part, metric) for metric in NEAREST] for part in ("unseen", "test")]
        yield label, [[each for values in cell for each in values or []] for cell in found]


PAGE = "docs/upos.md"
TABLES: list[Table] = [
    (PAGE, ("1-NN / 5-NN, %, unseen (seeds)",), unseen, FOLDER),
    (PAGE, ("1-NN / 5-NN, %, test (seeds)",), held_out, FOLDER),
    (PAGE, ("Spanish, 1-NN / 5-NN, % (seeds)",), left_out, FOLDER),
    (PAGE, ("(seeds)", "Tatoeba: dissimilarity (0 is best)"), distances, FOLDER),
]


@pytest.mark.parametrize("table", TABLES, ids=[each[2].__name__ for each in TABLES])
def test_a_table_shows_what_was_measured(table: Table) -> None:
    assert complaints(*table) == []
