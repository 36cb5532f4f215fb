"""The parser's variants by treebank: the grid of languages.yaml over seeds, beside the paper's table.

``reports/languages/TREEBANK.VARIANT-SEED.json`` is one run of `synsem ablate --ablations languages.yaml`, in
the format of ``reports/ablations``. Every variant is set against cross-entropy alone and with augmentation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from pipeline.evaluation.significance import paired_t
from pipeline.report.ablations import Ablation, read_ablations
from pipeline.report.intervals import corrected
from pipeline.report.tables import summary

FILE = Path(__file__).with_name("languages.yaml")
FOLDER = "languages"  # in the reports folder
VIEW, LAS = "semantic", "parsing.test.las"  # a parser has one tree, whatever its views
# Whom the paper tests against, by our names, and how the page calls each variant.
REFERENCES = ("ce", "ce-da")
VARIANTS = {
    "ce": "cross-entropy",
    "ce-da": "cross-entropy + DA",
    "cssl": "CSSL",
    "cssl-da": "CSSL + DA",
    "ce-nopos": "cross-entropy, no positions",
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
class Gain:
    """LAS less a reference's over common seeds; p of the paired t-test, Holm-corrected over all treebanks."""

    reference: str
    value: float
    p: float | None


@dataclass(frozen=True)
class Line:
    """A variant on one treebank: mean and sample sd of each metric over seeds, None where not measured."""

    variant: str
    seeds: int
    numbers: tuple[tuple[float, float | None] | None, ...]
    gains: tuple[Gain, ...]
    published: tuple[float, float] | None  # UAS and LAS


@dataclass(frozen=True)
class Treebank:
    """One language's table; ``metrics`` are those that any of its lines has."""

    name: str
    title: str
    metrics: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Languages:
    """The whole section."""

    paper: str
    differs: str
    treebanks: tuple[Treebank, ...]


def languages(reports: Path) -> Languages | None:
    """The grid's results so far; None where there are none. Raises SynsemError for a file that is no run."""
    entry = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    runs = _by_treebank(read_ablations(reports / FOLDER))
    known = [name for name in entry["treebanks"] if name in runs]
    names = [*known, *(name for name in runs if name not in known)]
    tables = [_treebank(name, runs[name], entry["treebanks"].get(name, {})) for name in names]
    return Languages(entry["paper"], entry["differs"], _holm(tables)) if tables else None


def _by_treebank(ablations: Sequence[Ablation]) -> dict[str, dict[str, Ablation]]:
    found: dict[str, dict[str, Ablation]] = {}
    for each in ablations:
        treebank, _, variant = each.name.partition(".")
        found.setdefault(treebank, {})[variant] = each
    return found


def _treebank(name: str, runs: Mapping[str, Ablation], entry: Mapping[str, Any]) -> Treebank:
    order = [variant for variant in VARIANTS if variant in runs]
    order += [variant for variant in runs if variant not in order]
    metrics = tuple(metric for metric in METRICS if any(_by_seed(run, metric) for run in runs.values()))
    lines = []
    for variant in order:
        numbers = [list(_by_seed(runs[variant], metric).values()) for metric in metrics]
        published = entry.get("published", {}).get(variant)
        lines.append(
            Line(
                variant,
                len(runs[variant].runs),
                tuple(summary(each) if each else None for each in numbers),
                tuple(_gains(variant, runs)),
                tuple(published) if published else None,
            )
        )
    return Treebank(name, entry.get("title", name), metrics, tuple(lines))


def _by_seed(ablation: Ablation, metric: str) -> dict[int, float]:
    found = {run.seed: run.views.get(VIEW, {}).get(metric) for run in ablation.runs}
    return {seed: value for seed, value in found.items() if seed is not None and value is not None}


def _gains(variant: str, runs: Mapping[str, Ablation]) -> list[Gain]:
    found = []
    own = _by_seed(runs[variant], LAS)
    for reference in REFERENCES:
        if reference == variant or reference not in runs:
            continue
        other = _by_seed(runs[reference], LAS)
        if common := sorted(own.keys() & other.keys()):
            p = paired_t([other[seed] for seed in common], [own[seed] for seed in common])
            mean, _ = summary([own[seed] - other[seed] for seed in common])
            found.append(Gain(reference, mean, None if math.isnan(p) else p))
    return found


def _holm(tables: Sequence[Treebank]) -> tuple[Treebank, ...]:
    p = [gain.p for table in tables for line in table.lines for gain in line.gains]
    adjusted = iter(corrected(p))
    return tuple(
        replace(
            table,
            lines=tuple(
                replace(line, gains=tuple(replace(gain, p=next(adjusted)) for gain in line.gains))
                for line in table.lines
            ),
        )
        for table in tables
    )
