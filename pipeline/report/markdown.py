"""The results as Markdown: the headline tables for the README, and every number folded below them."""

from collections.abc import Iterator, Sequence

from pipeline.evaluation.significance import FEWEST
from pipeline.report.inputs import title
from pipeline.report.intervals import SIGNS
from pipeline.report.sections.headline import Headline, Result
from pipeline.report.tables import Cell, ResultTable

_SIGNS = f"{SIGNS['better']} significantly better, {SIGNS['worse']} significantly worse"


def cell_text(cell: Cell | None) -> str:
    """``82.03 ± 0.31``, bold where best, a dash where not measured."""
    if cell is None:
        return "–"
    text = f"{cell.mean:.{cell.digits}f}" + (f" ± {cell.sd:.{cell.digits}f}" if cell.sd is not None else "")
    return (f"**{text}**" if cell.best else text) + _fewer(cell)


def _fewer(one: Cell | Result) -> str:
    """Over how many seeds a mean is, where that is fewer than its system has."""
    return f" ({one.fewer} seed{'s' if one.fewer > 1 else ''})" if one.fewer else ""


def results_page(headlines: Sequence[Headline], tables: Sequence[ResultTable], seeds: int) -> str:
    """The headline tables, then all result tables in a fold; ends with a newline."""
    if seeds > 1:
        spread = (
            f"mean ± sample sd over {seeds} seeds, or in brackets, of what has one run, 95 % over examples; "
            f"{_SIGNS} than the strongest baseline, t-test over seeds, p < 0.05, Holm-corrected"
        )
    elif all(result.interval is None for table in headlines for result in _results(table)):
        spread = "one seed; without scores of examples no interval is known and no difference tested"
    else:
        spread = (
            "one seed, in brackets 95 % over examples; "
            f"{_SIGNS} than the strongest baseline, paired bootstrap, p < 0.05, Holm-corrected"
        )
    parts = [f"Test split; {spread}. Best of each column in bold."] if headlines else []
    sizes = [one.size for table in headlines for one in table.comparisons]
    if any(size and size.few for size in [*sizes, *(size for table in tables for size in table.sizes)]):
        parts.append(f"Of fewer than {FEWEST} examples (few) nothing is tested and nothing stands in bold.")
    parts += [_headline(table) for table in headlines]
    parts.append("<details><summary>Every metric</summary>")
    note = "Mean ± sample sd" if seeds > 1 else "One seed, so no spread is known"
    parts.append(f"{note}; best of each row in bold; ↓ marks rows where lower is better.")
    for table in tables:
        head = ["examples"] * any(table.sizes) + [title(row.system, row.view) for row in table.rows]
        lines = [
            _line(["metric", *map(_escape, head)]),
            _line(["---", *["---:"] * len(head)]),
            *(_line(_row(table, number)) for number in range(len(table.metrics))),
        ]
        parts.append(f"**{table.title}**\n\n" + "\n".join(lines))
    parts.append("</details>")
    return "\n\n".join(parts) + "\n"


def cost_page(headings: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """What the training of each run, by name, took on its machine; ends with a newline."""
    lines = [_line(["run", *headings]), _line(["---", *["---:"] * len(headings)])]
    lines += [_line(list(map(_escape, [name, *cells]))) for name, cells in rows]
    note = (
        "What training took; time is that of the steps and the validation passes, without loading. No two "
        "runs agree, so this file is in no lock. Compare only runs on one machine."
    )
    return note + "\n\n" + "\n".join(lines) + "\n"


def _row(table: ResultTable, number: int) -> list[str]:
    """A metric, its examples where any of the table are known, and its cells."""
    size = [str(table.sizes[number] or "–")] * any(table.sizes)
    cells = [cell_text(row.cells[number]) for row in table.rows]
    return [_metric_name(table, table.metrics[number]), *size, *cells]


def _metric_name(table: ResultTable, metric: str) -> str:
    return f"`{_escape(metric)}`" + ("" if table.higher_is_better(metric) else " ↓")


def _results(table: Headline) -> Iterator[Result]:
    for comparison in table.comparisons:
        yield from comparison.results.values()


def _headline(table: Headline) -> str:
    head = [
        f"{comparison.column.label}, {comparison.column.kind}"
        + (f", {comparison.size} examples" if comparison.size else "")
        for comparison in table.comparisons
    ]
    lines = [_line(["embedding", *head]), _line(["---", *["---:"] * len(head)])]
    for group in table.groups:
        results = [comparison.results.get(group) for comparison in table.comparisons]
        lines.append(_line([_escape(title(*group)), *map(result_text, results)]))
    return f"**{table.title}**\n\n" + "\n".join(lines)


def result_text(result: Result | None) -> str:
    """``58.81 [57.2, 60.3] ✓``, bold where best, a dash where not measured."""
    if result is None:
        return "–"
    text = f"{result.mean:.2f}"
    text = f"**{text}**" if result.best else text
    if result.sd is not None:
        text += f" ± {result.sd:.2f}"
    elif result.interval is not None:
        text += " [{:.1f}, {:.1f}]".format(*result.interval)
    text += _fewer(result)
    sign = SIGNS.get(result.gain.verdict) if result.gain else None
    return f"{text} {sign}" if sign else text


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
