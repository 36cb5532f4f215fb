"""The tables on ``upos`` show what reports/controls/upos-tatoeba holds."""

import statistics
from collections.abc import Iterator

import pytest
from measured import CONTROLS, Row, Table, Values, at, complaints, measured, over
from shell_lines import ROOT

FOLDER = f"{CONTROLS}/upos-tatoeba"
AGAIN = f"{CONTROLS}/upos-tatoeba-again"
LANGUAGES = ("en", "de", "fr", "es", "nl")
SEEDS = (13, 14, 15)
# The beginning of a row's first cell, and the run.
RUNS = {
    "backbone (MiniLM), mean": "backbone",
    "as published, 1,200 steps": "published",
    "as published, 12,000 steps": "long",
}
OBJECTIVES = {
    "backbone (MiniLM), mean": "backbone",
    "as published": "published",
    "BiLSTM, translation": "objectives",
    "backbone, translation": "backbone-objectives",
}
NEAREST = ("accuracy_1nn", "accuracy_5nn")
DISTANCES = ("functional_dissimilarity", "distance_correlation", "likeness_1nn")


def of_run(run: str, *keys: str, folder: str = FOLDER) -> Values:
    """Mean and deviation of a metric over the seeds whose files are there."""
    return over(of_seeds(run, *keys, folder=folder))


def of_seeds(run: str, *keys: str, folder: str) -> list[Values]:
    """A metric of each seed whose file is there."""
    untrained = run.endswith("backbone")
    view = "semantic" if untrained else "syntactic"
    names = [run] if untrained else [f"{run}-{seed}" for seed in SEEDS]
    paths = [f"{folder}/{name}.json" for name in names]
    return [at(measured(path), view, "upos", *keys) for path in paths if (ROOT / path).exists()]


def of_all_languages(run: str, part: str, metric: str) -> Values:
    """As ``of_run``, of the mean over languages."""
    by_language = [of_seeds(run, lang, part, metric, folder=AGAIN) for lang in LANGUAGES]
    return over(
        [statistics.mean(value for each in seed for value in each or [])]
        for seed in zip(*by_language, strict=True)
    )


def neighbours(part: str) -> Iterator[Row]:
    def row(label: str, run: str, *metrics: str) -> Row:
        found = [[of_run(run, lang, part, metric) for metric in metrics] for lang in LANGUAGES]
        return label, list(map(joined, found))

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


def objectives() -> Iterator[Row]:
    for label, run in OBJECTIVES.items():
        found = []
        for part in ("unseen", "test"):
            own = [of_run(run, "en", part, metric, folder=AGAIN) for metric in NEAREST]
            found += [own, [of_all_languages(run, part, metric) for metric in NEAREST]]
        far = [
            of_run(f"{corpus}{run}", "en", "test", metric, folder=AGAIN)
            for corpus in ("", "ewt-")
            for metric in DISTANCES[:2]
        ]
        yield label, [*map(joined, found), *far]


def left_out() -> Iterator[Row]:
    """Spanish, or Dutch."""
    for label, run in (
        ("backbone (MiniLM), mean", "backbone"),
        ("zero-shot", "zero-shot"),
        ("few-shot", "few-shot"),
        ("the language in training", "published"),
    ):
        cells = [
            [
                of_run(f"{run}-{lang}" if "shot" in run else run, lang, part, each, folder=AGAIN)
                for each in NEAREST
            ]
            for lang in ("es", "nl")
            for part in ("unseen", "test")
        ]
        yield label, list(map(joined, cells))


def joined(cell: list[Values]) -> list[float]:
    """The values of one cell."""
    return [each for values in cell for each in values or []]


PAGE = "docs/upos.md"
TABLES: list[Table] = [
    (PAGE, ("1-NN / 5-NN, %, unseen (seeds)",), unseen, FOLDER),
    (PAGE, ("1-NN / 5-NN, %, test (seeds)",), held_out, FOLDER),
    (PAGE, ("1,200 steps (seeds)",), objectives, AGAIN),
    (PAGE, ("left out, 1-NN / 5-NN, % (seeds)",), left_out, AGAIN),
    (PAGE, ("(seeds)", "Tatoeba: dissimilarity (0 is best)"), distances, FOLDER),
]


@pytest.mark.parametrize("table", TABLES, ids=[each[2].__name__ for each in TABLES])
def test_a_table_shows_what_was_measured(table: Table) -> None:
    assert complaints(*table) == []
