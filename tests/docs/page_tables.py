"""Read the tables of a page, and compare their cells with measured values at the decimals shown."""

import re
from collections.abc import Sequence

_FIGURE = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?")
_NOTHING = ("", "–")


def tables(text: str) -> list[list[list[str]]]:
    """Every table of a page: its rows, the head first, the rule below it left out."""
    found = re.findall(r"^\|.*(?:\n\|.*)*", text, flags=re.MULTILINE)
    return [
        [
            [cell.strip() for cell in line.strip().strip("|").split("|")]
            for place, line in enumerate(table.splitlines())
            if place != 1
        ]
        for table in found
    ]


def rows(text: str) -> list[list[str]]:
    """The cells of the first table in the text, its head left out."""
    return tables(text)[0][1:]


def rows_below(text: str, *head: str) -> list[list[str]]:
    """The cells of the one table whose head begins with these cells, the head left out."""
    (found,) = [table for table in tables(text) if tuple(table[0][: len(head)]) == head]
    return found[1:]


def disagreement(cell: str, values: Sequence[float] | None) -> str | None:
    """What a cell shows and what was measured, where they differ; None where they agree.

    A cell agrees if its first figures are the values, each rounded to the decimals shown. No values go with
    an empty cell alone.
    """
    if values is None or cell in _NOTHING:
        return None if values is None and cell in _NOTHING else f"{cell!r}, measured {values}"
    shown = [figure.replace("−", "-").replace(",", "") for figure in _FIGURE.findall(cell)]
    # Half of the last decimal, and a little: 67.85 may be shown as 67.8 and as 67.9.
    same = len(shown) >= len(values) and all(
        abs(float(figure) - value) <= 0.5 * 10 ** -len(figure.partition(".")[2]) + 1e-9
        for figure, value in zip(shown, values, strict=False)
    )
    return None if same else f"{cell!r}, measured {[round(value, 4) for value in values]}"
