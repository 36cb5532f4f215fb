"""How a cell is held against what was measured."""

import pytest
from page_tables import disagreement, rows_below


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("**76.6** ± 0.5", [76.64, 0.459]),
        ("67.8", [67.85]),
        ("67.9", [67.85]),
        ("−5.2", [-5.223]),
        ("+13.04 (p 0.017)", [13.04]),
        ("1,022", [1022]),
        ("71.84 ± 1.45 (26.9)", [71.84, 1.45, 26.87]),
        ("", None),
        ("–", None),
    ],
)
def test_a_cell_agrees_at_the_decimals_that_it_shows(cell: str, values: list[float] | None) -> None:
    assert disagreement(cell, values) is None


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("76.6 ± 0.5", [76.66, 0.5]),
        ("76.6 ± 0.5", [76.6, 0.56]),
        ("76.6", [76.6, 0.5]),
        ("5.2", [-5.2]),
        ("", [1.0]),
        ("76.6", None),
    ],
)
def test_a_cell_that_differs_is_told(cell: str, values: list[float] | None) -> None:
    assert (disagreement(cell, values) or "").startswith(f"{cell!r}, measured")


def test_the_rows_are_those_below_the_one_head_that_begins_so() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n\nand\n\n| a | c |\n|---|---:|\n| 3 | 4 |\n| 5 |  |\n"
    assert rows_below(text, "a", "c") == [["3", "4"], ["5", ""]]
    with pytest.raises(ValueError, match="unpack"):
        rows_below(text, "a")
