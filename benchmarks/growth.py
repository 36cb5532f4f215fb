"""Fit a law of growth to measurements at a few sizes, and project it to larger ones: arithmetic alone."""

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

GOALS = (10**6, 10**8, 10**9)  # sentences
PARALLEL = (
    "parse",
    "augment",
    "encode",
)  # shards or lines are independent; the rest is one process
SQUARE = ("search exact",)  # every vector against every other
CORES, HOURS, MEMORY_GB = 32, 24, 64  # of a node, and the time allowed


@dataclass(frozen=True)
class Run:
    """One stage at one size. Megabytes are 10**6 bytes; ``most_mb`` is the most disk used while it ran."""

    text: str  # the source
    stage: str
    sentences: int
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float
    left_mb: float
    most_mb: float
    files: int = 0  # of data that it wrote
    examples: int = 0  # these three of the training run alone
    tokens_per_example: float = 0.0
    tokens_per_second: float = 0.0
    private_mb: float = 0.0  # the most of peak_mb that is not of mapped files; 0 where it was not measured

    @property
    def memory_mb(self) -> float:
        """What must fit into memory: without pages of mapped files, where they were counted apart."""
        return self.private_mb or self.peak_mb


Series = dict[str, list[Run]]  # by stage, smallest size first, of one text each


@dataclass(frozen=True)
class Law:
    """``start + rate * n ** power``."""

    start: float
    rate: float
    power: float

    def __call__(self, n: float) -> float:
        """The value at ``n``."""
        return self.start + self.rate * n**self.power


def law(sizes: Sequence[float], values: Sequence[float], power: float) -> Law:
    """The law of this power through the last two points; a constant where the values fall."""
    (n, m), (x, y) = sizes[-2:], values[-2:]
    rate = max(0.0, (y - x) / (m**power - n**power))
    return Law(y - rate * m**power, rate, power)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """p of the ``start + rate * n ** p`` of least relative error; between 0.5 and 2.5.

    None where it is unknown: fewer than three sizes, or growth by less than half of the first value.
    """
    if len(sizes) < 3 or values[-1] < 1.5 * values[0]:
        return None
    n, value = np.asarray(sizes, dtype=float) / sizes[-1], np.asarray(values, dtype=float)

    def error(power: float) -> float:
        terms = np.stack([np.ones_like(n), n**power], axis=1) / value[:, None]
        fit = np.linalg.lstsq(terms, np.ones_like(n), rcond=None)[0]
        return float(np.square(terms @ fit - 1).sum())

    return float(min(np.arange(50, 251) / 100, key=error))


def tables(runs: Iterable[Run]) -> str:
    """All tables as Markdown, with the arithmetic of the projected ones.

    Where a stage was measured on several texts, the text with the largest size is projected.
    """
    texts: dict[str, Series] = {}
    for run in sorted(runs, key=lambda run: run.sentences):
        texts.setdefault(run.text, {}).setdefault(run.stage, []).append(run)
    largest: Series = {}
    for series in texts.values():
        for stage, own in series.items():
            if len(own) > 1 and (stage not in largest or own[-1].sentences > largest[stage][-1].sentences):
                largest[stage] = own
    parts = [_measured(text, series) for text, series in texts.items()]
    parts += [part(largest) for part in (_time, _nodes, _memory, _disk, _training)]
    return "\n\n".join(filter(None, parts))


def _measured(text: str, series: Series) -> str:
    rows = []
    for stage, runs in series.items():
        powers = [
            exponent(*_points(runs, value))
            for value in (lambda run: run.cpu_seconds, lambda run: run.memory_mb)
        ]
        for run in runs:
            cells = [
                f"{run.sentences:,}",
                f"{run.cpu_seconds:.1f}",
                f"{run.wall_seconds:.1f}",
                f"{run.peak_mb:,.0f}",
                f"{run.private_mb:,.0f}" if run.private_mb else "–",
            ]
            cells += [f"{run.left_mb:,.1f}", f"{run.most_mb:,.1f}"]
            rows.append([stage, *cells, *(map(_exponent, powers) if run is runs[-1] else ("", ""))])
    head = ["stage", "sentences", "core-seconds", "seconds", "peak MB", "private MB"]
    head += ["MB left", "MB on disk meanwhile"]
    return f"### Measured on `{text}`\n\n" + _table([*head, "exponent of time", "of memory"], rows)


def _time(series: Series) -> str:
    """Core-hours at each goal: by the law's own power, and by the fitted one where that is more."""
    rows, sums = [], ""
    for stage, runs in series.items():
        sizes, values = _points(runs, lambda run: run.cpu_seconds)
        expected = law(sizes, values, 2 if stage in SQUARE else 1)
        steeper = law(sizes, values, max(expected.power, exponent(sizes, values) or 0))
        cells = [_range(expected(n) / 3600, steeper(n) / 3600) for n in GOALS]
        speed = f"{1 / expected.rate:,.0f}" if expected.rate and expected.power == 1 else "–"
        rows.append([stage, f"{expected.start:.1f}", speed, *cells])
        if stage == "parse":
            seconds = expected(GOALS[1])
            sums = (
                f" So parsing {GOALS[1]:,}: {expected.start:.1f} + {expected.rate:.6f} * {GOALS[1]:,} ="
                f" {seconds:,.0f} core-seconds = {seconds / 3600:,.1f} core-hours."
            )
    words = (
        "`start + rate * n`, squared for the exact search, through the two largest"
        " sizes of a stage. Where the measured exponent is the higher, a second figure follows it."
    )
    head = ["stage", "start, core-seconds", "sentences a core-second", *_goals()]
    return f"### Core-hours\n\n{_filled(words + sums)}\n\n" + _table(head, rows)


def _nodes(series: Series) -> str:
    rows = []
    for stage, runs in series.items():
        if runs[-1].examples:  # a few steps: an epoch has a table of its own
            continue
        expected = law(*_points(runs, lambda run: run.cpu_seconds), 2 if stage in SQUARE else 1)
        hours = [expected(n) / 3600 for n in GOALS]
        if stage in PARALLEL:
            unit, cells = "nodes", [f"{math.ceil(each / CORES / HOURS):,}" for each in hours]
        else:
            unit, cells = "days of one core", [_short(each / 24) for each in hours]
        rows.append([stage, unit, *cells])
    title = f"### Nodes of {CORES} cores to be done in {HOURS} hours, and what one process must do alone"
    return f"{title}\n\n" + _table(["stage", "", *_goals()], rows)


def _memory(series: Series) -> str:
    rows = []
    for stage, runs in series.items():
        sizes, values = _points(runs, lambda run: run.memory_mb / 1000)
        grows = law(sizes, values, 1)
        full = (
            f"{(MEMORY_GB - grows.start) / grows.rate / 1e6:,.0f} million" if grows.rate else "no growth seen"
        )
        rate = f"{grows.rate * 1e9:,.0f}"
        rows.append([stage, f"{runs[-1].sentences:,}", rate, *(_short(grows(n)) for n in GOALS), full])
    head = ["stage", "measured to", "bytes a further sentence", *_goals(), f"{MEMORY_GB} GB are full at"]
    return "### Memory, GB in one process\n\n" + _table(head, rows)


def _disk(series: Series) -> str:
    rows = []
    for stage, runs in series.items():
        left, most, files = (
            law(*_points(runs, value), 1)
            for value in (lambda run: run.left_mb, lambda run: run.most_mb, lambda run: run.files)
        )
        if left.rate or most.rate:
            sizes = [_short(max(0.0, each(n)) / 1000) for each in (left, most) for n in GOALS]
            counts = [_short(files(n)) if files.rate else "–" for n in GOALS]
            rows.append([stage, f"{left.rate * 1e6:,.0f}", *sizes, *counts])
    head = ["stage", "bytes left a sentence", *(f"left, {goal}" for goal in _goals())]
    head += [f"meanwhile, {goal}" for goal in _goals()] + [f"files, {goal}" for goal in _goals()]
    return "### Disk, GB, and files of data\n\n" + _table(head, rows)


def _training(series: Series) -> str:
    """Core-hours of an epoch over all examples, from the tokens of the training run."""
    trained = [run for runs in series.values() for run in runs if run.examples]
    if not trained:
        return ""
    last = max(trained, key=lambda run: run.sentences)
    speed, per_sentence = last.tokens_per_second, last.examples / last.sentences
    examples = Law(0.0, per_sentence, 1)
    tokens = Law(0.0, per_sentence * last.tokens_per_example, 1)
    rows = [
        [f"{n:,}", *(f"{each(n):,.0f}" for each in (examples, tokens)), _short(tokens(n) / speed / 3600)]
        for n in GOALS
    ]
    words = (
        f"{last.examples:,} training examples of {last.sentences:,} sentences are {per_sentence:.3f} a"
        f" sentence; a step puts {last.tokens_per_example:.1f} tokens an example through an encoder, at"
        f" {speed:,.0f} tokens a second on one core."
    )
    head = ["sentences", "examples", "tokens", "core-hours"]
    return f"### An epoch of `sscp`\n\n{_filled(words)}\n\n" + _table(head, rows)


def _points(runs: Sequence[Run], value: Callable[[Run], float]) -> tuple[list[float], list[float]]:
    return [float(run.sentences) for run in runs], [value(run) for run in runs]


def _goals() -> list[str]:
    return [f"{goal // 10**6:,} M" for goal in GOALS]


def _exponent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _short(value: float) -> str:
    """The number with two significant digits."""
    if value == 0:
        return "0"
    digits = 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def _range(low: float, high: float) -> str:
    return _short(low) if _short(low) == _short(high) else f"{_short(low)} to {_short(high)}"


def _filled(text: str) -> str:
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def _table(head: list[str], rows: list[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))
