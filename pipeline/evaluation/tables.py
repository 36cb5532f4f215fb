"""Print comparisons as tables in a terminal."""

from collections.abc import Sequence
from math import isnan

from rich.table import Table

from pipeline.evaluation.compare import Change, Comparison, OverSeeds


def comparison_table(lines: Sequence[Comparison], first: str, second: str) -> Table:
    """A row a metric: both values, the difference with its 95 % interval, p after Holm; a star below 0.05.

    A metric of too few examples has neither interval nor p, and its row says so.
    """
    table = Table(title=f"{second} against {first}, paired bootstrap", title_justify="left")
    for heading in ("view", "metric"):
        table.add_column(heading, overflow="fold")
    for heading in ("examples", first, second, "difference", "95 % interval", "p (Holm)"):
        table.add_column(heading, justify="right", overflow="fold")
    for line in lines:
        d = line.difference
        star = " *" if line.adjusted < 0.05 else ""
        table.add_row(
            line.view,
            f"{line.task}.{line.metric}",
            f"{line.examples:,}",
            f"{d.a:.2f}",
            f"{d.b:.2f}",
            f"{d.value:+.2f}",
            "–" if isnan(d.p) else f"{d.low:+.2f} to {d.high:+.2f}",
            "too few" if isnan(d.p) else f"{line.adjusted:.3f}{star}",
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
