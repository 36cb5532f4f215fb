"""Parsing by language: the parser's variants on each treebank over seeds, and the paper's numbers.

``reports/languages/TREEBANK.VARIANT-SEED.json`` is one run of `synsem ablate --ablations languages.yaml`, in
the format of ``reports/ablations``. Every variant is compared with cross-entropy alone, with the control
(dropout in place of the permutation) and with augmentation. A gain is a difference in LAS over common seeds;
its p is of a paired t-test, Holm-corrected over all treebanks.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.core.store import read_yaml
from pipeline.report.intervals import Gain, corrected, paired_p
from pipeline.report.sections.ablations import Ablation, mixed, origins, read_ablations
from pipeline.report.tables import by_seed, summary

FILE = Path(__file__).with_name("languages.yaml")
FOLDER = "languages"  # in the reports folder
VIEW, LAS = "semantic", "parsing.test.las"  # a parser has one tree, whatever its views
SENTENCES = "parsing.test.sentences"
# What a variant is tested against, and a reference against those before it, so that no pair is tested twice.
REFERENCES = ("ce", "dropout", "ce-da")
VARIANTS = {  # how the page calls each
    "ce": "cross-entropy",
    "dropout": "dropout in place of the permutation",
    "ce-da": "cross-entropy + DA",
    "cssl": "CSSL",
    "cssl-da": "CSSL + DA",
    "ce-nopos": "cross-entropy, no positions",
    "ce-nopos-no-lstm": "cross-entropy, no positions, no BiLSTMs",
    "ce-refined": "cross-entropy, refined once",
    "cssl-refined": "CSSL, refined once",
}
METRICS = {
    "parsing.test.uas": "UAS",
    LAS: "LAS",
    "word_order.original.las": "LAS, sentences that can be permuted",
    "word_order.permuted.las": "LAS, the same permuted",
    "word_order.prose.las": "LAS, prose",
    "word_order.poetry.las": "LAS, poetry",
}


@dataclass(frozen=True)
class Row:
    """A variant on one treebank: mean and sample sd of each metric over seeds, None where not measured."""

    variant: str
    seeds: int
    numbers: tuple[tuple[float, float | None] | None, ...]
    gains: tuple[tuple[str, Gain], ...]  # reference and gain over it
    published: tuple[float, float] | None  # UAS and LAS


@dataclass(frozen=True)
class TreebankTable:
    """One language's table; ``metrics`` are those that any of its rows has."""

    name: str
    title: str
    metrics: tuple[str, ...]
    rows: tuple[Row, ...]
    sentences: int | None  # of the test split; None where the runs do not say, or not the same


@dataclass(frozen=True)
class Languages:
    """The whole section."""

    paper: str
    differs: str
    origins: tuple[str, ...]  # of the runs that were not made here
    mixed: tuple[str, ...]  # treebanks with a mean over runs of several versions of data, code or parameters
    treebanks: tuple[TreebankTable, ...]


def languages(reports: Path) -> Languages | None:
    """A table for each treebank with a run; None without any. SynsemError for a file that is no run."""
    entry = read_yaml(FILE)
    runs = _by_treebank(read_ablations(reports / FOLDER))
    known = [name for name in entry["treebanks"] if name in runs]
    names = [*known, *(name for name in runs if name not in known)]
    tables = [_treebank(name, runs[name], entry["treebanks"].get(name, {})) for name in names]
    elsewhere = tuple(origins(reports / FOLDER))
    several = tuple(table.name for table in tables if mixed(list(runs[table.name].values())))
    return Languages(entry["paper"], entry["differs"], elsewhere, several, _holm(tables)) if tables else None


def _by_treebank(ablations: Sequence[Ablation]) -> dict[str, dict[str, Ablation]]:
    found: dict[str, dict[str, Ablation]] = {}
    for each in ablations:
        treebank, _, variant = each.name.partition(".")
        found.setdefault(treebank, {})[variant] = each
    return found


def _treebank(name: str, runs: Mapping[str, Ablation], entry: Mapping[str, Any]) -> TreebankTable:
    order = [variant for variant in VARIANTS if variant in runs]
    order += [variant for variant in runs if variant not in order]
    metrics = tuple(metric for metric in METRICS if any(_scores(run, metric) for run in runs.values()))
    rows = []
    for variant in order:
        numbers = [list(_scores(runs[variant], metric).values()) for metric in metrics]
        published = entry.get("published", {}).get(variant)
        rows.append(
            Row(
                variant,
                len(runs[variant].runs),
                tuple(summary(each) if each else None for each in numbers),
                tuple(_gains(variant, runs)),
                tuple(published) if published else None,
            )
        )
    counts = {int(count) for run in runs.values() for count in _scores(run, SENTENCES).values()}
    sentences = counts.pop() if len(counts) == 1 else None
    return TreebankTable(name, entry.get("title", name), metrics, tuple(rows), sentences)


def _scores(ablation: Ablation, metric: str) -> dict[int | None, float]:
    return by_seed(ablation.runs, ablation.name, VIEW, metric)


def _gains(variant: str, runs: Mapping[str, Ablation]) -> list[tuple[str, Gain]]:
    found = []
    own = _scores(runs[variant], LAS)
    for reference in itertools.takewhile(lambda each: each != variant, REFERENCES):
        if reference not in runs:
            continue
        other = _scores(runs[reference], LAS)
        if common := runs[variant].comparable(runs[reference], own, other):
            mean, _ = summary([own[seed] - other[seed] for seed in common])
            found.append(
                (reference, Gain(mean, paired_p({seed: other[seed] for seed in common}, own), len(common)))
            )
    return found


def _holm(tables: Sequence[TreebankTable]) -> tuple[TreebankTable, ...]:
    p = [gain.p for table in tables for row in table.rows for _, gain in row.gains]
    adjusted = iter(corrected(p))

    def again(row: Row) -> Row:
        return replace(row, gains=tuple((name, replace(gain, p=next(adjusted))) for name, gain in row.gains))

    return tuple(replace(table, rows=tuple(map(again, table.rows))) for table in tables)
