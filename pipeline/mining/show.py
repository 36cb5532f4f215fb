"""Show training examples in the terminal, with the words marked in which they differ from the anchor."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import TRIPLET
from pipeline.core.store import require_rows, rows

ADDED, MOVED, GONE = "bold green", "bold yellow", "red strike"


def panels(folder: Path, number: int, kind: str | None = None, marked: bool = True) -> Iterator[Panel | Text]:
    """The first examples of a folder of ``schemas.TRIPLET``, one panel each, then a legend.

    Without ``marked``, for a console that shows no styles, texts stand as they are and there is no legend.
    ``kind`` selects examples with a positive or negative of that kind. Raises SynsemError where there are
    none.
    """
    require_rows(folder, TRIPLET)
    chosen = list(islice((row for row in rows(folder) if kind in (None, *_kinds(row))), number))
    if not chosen:
        wanted = "" if kind is None else f" of the kind {kind or repr(kind)}"
        raise SynsemError(f"{folder}: holds no example{wanted}; its report.json counts the kinds there are")
    for row in chosen:
        title = Text(f"{row['source_id']} ({row['split']})")
        yield Panel(_example(row, marked), title=title, title_align="left")
    if marked:
        yield Text.assemble(
            "against the anchor: ", ("added", ADDED), ", ", ("moved", MOVED), ", ", ("gone", GONE)
        )


def _kinds(row: dict[str, Any]) -> list[str]:
    return [row["positive_kind"], *row["negative_kinds"]]


def _example(row: dict[str, Any], marked: bool) -> Group:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    anchor = row["anchor"]["words"]
    grid.add_row("anchor", Text(row["anchor"]["text"]))
    sides = [row["positive"], *row["negatives"]]
    positive, *negatives = [difference(anchor, side) if marked else Text(side["text"]) for side in sides]
    # As texts, because a kind holds the name of a source, which may look like markup: pair-notes [old].
    grid.add_row(Text(f"= {row['positive_kind']}"), positive)
    for negative, kind, hardness in zip(
        negatives, row["negative_kinds"], row["negative_hardness"], strict=True
    ):
        grid.add_row(Text(f"≠ {kind} {hardness:.2f}"), negative)
    return Group(grid)


def difference(anchor: Sequence[str], other: Mapping[str, Any]) -> Text:
    """The text of ``other`` (``schemas.SIDE``) with its differences from ``anchor`` marked, ignoring case.

    A word is *moved* if the anchor has it elsewhere, else *added*. Words of the anchor that ``other`` lacks
    are shown as *gone* where they stood.
    """
    words = other["words"]
    a, b = ([word.casefold() for word in side] for side in (anchor, words))
    gaps = _gaps(other["text"], words)
    text = Text()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for word, key in zip(anchor[i1:i2], a[i1:i2], strict=True):
            if tag != "equal" and key not in b:
                if text.plain and not text.plain[-1].isspace():
                    text.append(" ")
                text.append(word, GONE).append(" ")
        for word, key, gap in zip(words[j1:j2], b[j1:j2], gaps[j1:j2], strict=True):
            style = "" if tag == "equal" else MOVED if key in a else ADDED
            text.append(word, style or None).append(gap)
    text.rstrip()
    return text


def _gaps(text: str, words: Sequence[str]) -> list[str]:
    """What follows each word in the text: a space or nothing; a space if the text spells it differently."""
    gaps, end = [], 0
    for word in words:
        start = text.find(word, end)
        if start >= 0:
            end = start + len(word)
        gaps.append(" " if start < 0 or text[end : end + 1].isspace() else "")
    return gaps
