"""The result tables as Markdown, for the README."""

from collections.abc import Sequence

from pipeline.report.tables import Cell, ResultTable, Row


def cell_text(cell: Cell | None) -> str:
    """``82.03 ± 0.31``, bold where best, a dash where not measured."""
    if cell is None:
        return "–"
    text = f"{cell.mean:.{cell.digits}f}" + (f" ± {cell.sd:.{cell.digits}f}" if cell.sd is not None else "")
    return f"**{text}**" if cell.best else text


def results(tables: Sequence[ResultTable], seeds: int) -> str:
    """All result tables with their metrics explained; ends with a newline."""
    spread = f"mean ± sample sd over {seeds} seeds" if seeds > 1 else "one seed, so no spread is known"
    parts = [f"Test split; {spread}; best of each column in bold; ↓ marks columns where lower is better."]
    for table in tables:
        arrows = ["" if table.higher_is_better(metric) else " ↓" for metric in table.metrics]
        head = [f"`{metric}`{arrow}" for metric, arrow in zip(table.metrics, arrows, strict=True)]
        lines = [
            _line(["system", "view", *head]),
            _line(["---", "---", *["---:"] * len(head)]),
            *(_line(_cells(row)) for row in table.rows),
        ]
        parts.append(f"**{table.title}**\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cells(row: Row) -> list[str]:
    return [_escape(row.system), _escape(row.view), *(cell_text(cell) for cell in row.cells)]


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
