"""Print comparisons as tables in a terminal."""

from collections.abc import Sequence
from math import isnan

from rich import box
from rich.console import Console
from rich.table import Table

from pipeline.evaluation.compare import Change, Comparison, OverSeeds

WIDE = 140  # columns in which every table has room


def comparison_table(lines: Sequence[Comparison], first: str, second: str, width: int = WIDE) -> Table:
    """A row a metric: both values, the difference with its 95 % interval, p after Holm; a star below 0.05.

    A metric of too few examples has neither interval nor p, and its row says so. Where the table is wider
    than ``width``, a metric stands below its view, and the interval below the difference.
    """
    table = _comparisons(lines, first, second, narrow=False)
    return table if _width(table) <= width else _comparisons(lines, first, second, narrow=True)


def _width(table: Table) -> int:
    """Columns that it would take where there is no end to them."""
    return Console(width=10_000).measure(table).maximum


def _comparisons(lines: Sequence[Comparison], first: str, second: str, narrow: bool) -> Table:
    table = Table(title=f"{second} against {first}, paired bootstrap", title_justify="left")
    if narrow:
        table.box, table.pad_edge, table.collapse_padding = box.SIMPLE_HEAD, False, True
        table.add_column("view and metric", no_wrap=True)
    else:
        for heading in ("view", "metric"):
            table.add_column(heading, overflow="fold")
    tested = ["difference\n95 %"] if narrow else ["difference", "95 % interval"]
    for heading in ("examples", first, second, *tested, "p (Holm)"):
        table.add_column(heading, justify="right", overflow="fold")
    for line in lines:
        d = line.difference
        star = " *" if line.adjusted < 0.05 else ""
        named = [line.view, f"{line.task}.{line.metric}"]
        value, low, high = (f"{number:+.2f}" for number in (d.value, d.low, d.high))
        few = isnan(d.p)
        if narrow:
            shown = [f"{value}\n–" if few else f"{value}\n{low} to\n{high}"]
        else:
            shown = [value, "–" if few else f"{low} to {high}"]
        table.add_row(
            *([f"{line.view}\n {line.task}.\n {line.metric}"] if narrow else named),
            f"{line.examples:,}",
            f"{d.a:.2f}",
            f"{d.b:.2f}",
            *shown,
            "too few" if few else f"{line.adjusted:.3f}{star}",
        )
    return table


def changes_table(changes: Sequence[Change]) -> Table:
    """The examples that changed most, gains first."""
    table = Table(title="What changed most (gain above zero: the second run is better)", title_justify="left")
    table.add_column("gain", justify="right")
    for heading in ("task", "view", "text"):
        table.add_column(heading)
    for change in changes:
        text = change.first if change.second is None else f"{change.first}\n{change.second}"
        table.add_row(f"{change.gain:+.2f}", change.task, change.view, text)
    return table


def _p(value: float) -> str:
    """Three digits; all seeds may differ by the same, and then there is no p."""
    return "no variance" if isnan(value) else f"{value:.3f}"


def seeds_table(lines: Sequence[OverSeeds], first: str, second: str) -> Table:
    """A row a metric: mean and standard deviation over seeds, p of the paired t-test after Holm."""
    table = Table(title=f"{second} against {first}, paired t-test over seeds", title_justify="left")
    table.add_column("metric", overflow="fold")
    for heading in (first, second, "difference", "p", "p (Holm)"):
        table.add_column(heading, justify="right")
    for line in lines:
        digits = 2 if max(abs(line.mean_a), abs(line.mean_b)) >= 1 else 4  # such as an alignment of 0.0148
        table.add_row(
            line.name,
            f"{line.mean_a:.{digits}f} ± {line.sd_a:.{digits}f}",
            f"{line.mean_b:.{digits}f} ± {line.sd_b:.{digits}f}",
            f"{line.mean_b - line.mean_a:+.{digits}f}",
            _p(line.p),
            _p(line.adjusted) + (" *" if line.adjusted < 0.05 else ""),
        )
    return table
