"""The report's other files: ``results.md`` and the tables that ``dvc plots`` draws."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pipeline.core.significance import FEWEST
from pipeline.core.store import write_text
from pipeline.report.embeddings import similarities
from pipeline.report.metrics import result_names
from pipeline.report.results import SIGNS, Comparison, Result, Table
from pipeline.report.runs import MAJORITY, Run, by_seed, groups, is_probe, summary, title

_SIGNS = "{better} significantly better, {worse} significantly worse than the strongest baseline".format(
    **SIGNS
)


def results_page(headlines: Sequence[Table], tables: Sequence[Table], seeds: int) -> str:
    """Return the headline tables, and every result folded below them, as Markdown."""
    spread = (
        f"one seed, in brackets 95 % over examples; {_SIGNS} (paired bootstrap, p < 0.05, Holm-corrected)"
    )
    if seeds > 1:
        spread = (
            f"mean ± sample sd over {seeds} seeds, or in brackets, for what has one run, 95 % over examples; "
            f"{_SIGNS} (t-test over seeds, p < 0.05, Holm-corrected)"
        )
    few = f"Numbers of fewer than {FEWEST} examples are neither tested nor in bold."
    parts = [f"Test split; {spread}. Best of each column in bold. {few}"]
    for table in headlines:
        heads = [
            f"{one.column.label}, {one.column.unit}"
            + (f", {one.examples:,} examples" if one.examples else "")
            for one in table.comparisons
        ]
        rows = [
            [title(group), *(result_text(one.results.get(group), one) for one in table.comparisons)]
            for group in table.groups
        ]
        parts.append(f"**{table.title}**\n\n{_table(['embedding', *heads], rows)}")
    parts.append("<details><summary>Every result</summary>")
    parts.append("Best of each row in bold; ↓ marks rows where lower is better.")
    for table in tables:
        rows = [
            [
                f"`{one.metric}`" + " ↓" * one.meaning.lower,
                f"{one.examples:,}" if one.examples else "–",
                *(result_text(one.results.get(group), one) for group in table.groups),
            ]
            for one in table.comparisons
        ]
        heads = ["metric", "examples", *map(title, table.groups)]
        parts.append(f"**{table.title}**\n\n{_table(heads, rows)}")
    return "\n\n".join([*parts, "</details>"]) + "\n"


def result_text(result: Result | None, of: Comparison) -> str:
    """Return ``58.81 [57.2, 60.3] ✓``, bold if best; a dash if not measured."""
    if result is None:
        return "–"
    digits = of.meaning.digits
    text = f"{result.mean:.{digits}f}"
    text = f"**{text}**" if result.best else text
    if result.sd is not None:
        text += f" ± {result.sd:.{digits}f}"
    elif result.interval:
        text += " [{:.1f}, {:.1f}]".format(*result.interval)
    sign = SIGNS.get(result.gain.verdict) if result.gain else None
    return f"{text} {sign}" if sign else text


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_plots(folder: Path, runs: Sequence[Run]) -> None:
    """Write ``loss.csv``, ``probes.csv`` and ``similarity.csv``, each with its header even without a row."""
    _write(folder / "loss.csv", "system,seed,split,step,loss", _loss(runs))
    _write(folder / "probes.csv", "probe,embedding,accuracy,sd", _probes(runs))
    _write(folder / "similarity.csv", "embedding,pairs,distance,percent", _similarity(runs))


def _write(path: Path, header: str, rows: Iterable[Sequence[str]]) -> None:
    write_text(path, "".join(f"{line}\n" for line in (header, *map(",".join, rows))))


def _loss(runs: Sequence[Run]) -> Iterable[Sequence[str]]:
    for run in runs:
        for split, curve in sorted(run.curves.items()):
            for step, loss in curve:
                yield run.system, str(run.seed), split, f"{step:.15g}", f"{loss:.6g}"


def _probes(runs: Sequence[Run]) -> Iterable[Sequence[str]]:
    order = sorted(groups(runs), key=lambda group: group[1] != MAJORITY)
    for metric in filter(is_probe, result_names(runs)):
        for group in order:
            if numbers := by_seed(runs, group, metric):
                mean, sd = summary(list(numbers.values()))
                yield metric.split(".")[1], title(group), f"{mean:.2f}", "" if sd is None else f"{sd:.2f}"


def _similarity(runs: Sequence[Run]) -> Iterable[Sequence[str]]:
    for one in similarities(runs):
        centres = (one.edges[:-1] + one.edges[1:]) / 2
        for kind, shares in one.shares.items():
            for centre, share in zip(centres, shares, strict=True):
                yield title(one.group), kind, f"{centre:.3f}", f"{share:.3f}"
