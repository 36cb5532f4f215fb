"""The results as Markdown: the headline tables for the README, and every number folded below them."""

from collections.abc import Sequence

from pipeline.report.headline import Figure, Headline
from pipeline.report.inputs import title
from pipeline.report.tables import Cell, ResultTable


def cell_text(cell: Cell | None) -> str:
    """``82.03 ± 0.31``, bold where best, a dash where not measured."""
    if cell is None:
        return "–"
    text = f"{cell.mean:.{cell.digits}f}" + (f" ± {cell.sd:.{cell.digits}f}" if cell.sd is not None else "")
    return f"**{text}**" if cell.best else text


def results(headlines: Sequence[Headline], tables: Sequence[ResultTable], seeds: int) -> str:
    """The headline tables, then all result tables in a fold; ends with a newline."""
    if seeds > 1:
        spread = (
            f"mean ± sample sd over {seeds} seeds, or in brackets, of what has one run, 95 % over examples; "
            "✱: p < 0.05 against the strongest baseline, t-test over seeds"
        )
    else:
        spread = (
            "one seed, in brackets 95 % over examples; "
            "✱: p < 0.05 against the strongest baseline, paired bootstrap"
        )
    parts = [f"Test split; {spread}, Holm-corrected. Best of each column in bold."] if headlines else []
    parts += [_headline(table) for table in headlines]
    parts.append("<details><summary>Every metric</summary>")
    note = "mean ± sample sd" if seeds > 1 else "one seed, so no spread is known"
    parts.append(
        f"{note[0].upper()}{note[1:]}; best of each row in bold; ↓ marks rows where lower is better."
    )
    for table in tables:
        head = [title(row.system, row.view) for row in table.rows]
        lines = [
            _line(["metric", *map(_escape, head)]),
            _line(["---", *["---:"] * len(head)]),
            *(
                _line([_named(table, metric), *(cell_text(row.cells[number]) for row in table.rows)])
                for number, metric in enumerate(table.metrics)
            ),
        ]
        parts.append(f"**{table.title}**\n\n" + "\n".join(lines))
    parts.append("</details>")
    return "\n\n".join(parts) + "\n"


def _named(table: ResultTable, metric: str) -> str:
    return f"`{_escape(metric)}`" + ("" if table.higher_is_better(metric) else " ↓")


def _headline(table: Headline) -> str:
    head = [f"{standing.column.label}, {standing.column.kind}" for standing in table.standings]
    lines = [_line(["embedding", *head]), _line(["---", *["---:"] * len(head)])]
    for group in table.groups:
        figures = [standing.figures.get(group) for standing in table.standings]
        lines.append(_line([_escape(title(*group)), *map(figure_text, figures)]))
    return f"**{table.title}**\n\n" + "\n".join(lines)


def figure_text(figure: Figure | None) -> str:
    """``58.81 [57.2, 60.3]✱``, bold where best, a dash where not measured."""
    if figure is None:
        return "–"
    text = f"{figure.mean:.2f}"
    text = f"**{text}**" if figure.best else text
    if figure.sd is not None:
        text += f" ± {figure.sd:.2f}"
    elif figure.interval is not None:
        text += " [{:.1f}, {:.1f}]".format(*figure.interval)
    return text + (" ✱" if figure.gap and figure.gap.verdict in ("better", "worse") else "")


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
