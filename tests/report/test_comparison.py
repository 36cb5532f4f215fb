"""The picture of a sentence, a rewording and an exchange: what it says is what it was given."""

from xml.etree import ElementTree

import pytest

from pipeline.report.figures.comparison import Likeness, comparison_picture
from pipeline.syntax.sentence import Side

SVG = "{http://www.w3.org/2000/svg}"
DOG = Side("Dogs chased <boys>", ["Dogs", "chased", "<boys>"], [2, 0, 2], ["nsubj", "root", "obj"], ["X"] * 3)
BOY = Side("<boys> chased Dogs", ["<boys>", "chased", "Dogs"], [2, 0, 2], ["nsubj", "root", "obj"], ["X"] * 3)


def drawn(*likenesses: Likeness) -> ElementTree.Element:
    return ElementTree.fromstring(comparison_picture(DOG, "<boys> were chased", BOY, likenesses))


def texts(svg: ElementTree.Element, kind: str) -> list[str]:
    return [each.text or "" for each in svg.iter(f"{SVG}text") if each.get("class") == kind]


def bars(svg: ElementTree.Element) -> list[tuple[float, float]]:
    """Start and end of each bar, in pixels; the two squares of the legend come last."""
    found = [(float(each.get("x", 0)), float(each.get("width", 0))) for each in svg.iter(f"{SVG}rect")]
    return [(start, start + width) for start, width in found[:-2]]


def test_both_trees_are_drawn_and_every_value_is_named() -> None:
    svg = drawn(Likeness("plain", 0.96, 0.98), Likeness("bound", 0.97, 0.84))
    assert texts(svg, "word") == ["Dogs", "chased", "<boys>", "<boys>", "chased", "Dogs"]
    assert texts(svg, "name") == ["plain", "bound"]
    assert texts(svg, "value") == ["0.960", "0.980", "0.970", "0.840"]
    verdicts = [text for text in texts(svg, "note") if "nearer" in text]
    assert verdicts == ["✗ the exchange is nearer", "✓ the rewording is nearer"]


def test_bars_are_as_long_as_the_values_and_negative_ones_go_left() -> None:
    svg = drawn(Likeness("plain", 0.5, 1.0), Likeness("bound", 1.0, -0.5))
    (a, b, c, d) = bars(svg)
    zero = a[0]
    assert b[0] == c[0] == zero
    assert d[1] == pytest.approx(zero, abs=0.2)
    unit = b[1] - zero
    assert a[1] - zero == pytest.approx(unit / 2, abs=0.2)
    assert zero - d[0] == pytest.approx(unit / 2, abs=0.2)


def test_nothing_is_drawn_outside_and_colours_fit_both_pages() -> None:
    text = comparison_picture(DOG, "x", BOY, [Likeness("plain", 1.0, -1.0)])
    svg = ElementTree.fromstring(text)
    width = float(svg.get("viewBox", "").split()[2])
    assert all(0 <= start <= end <= width for start, end in bars(svg))
    assert "prefers-color-scheme: dark" in text
    assert svg.get("aria-label")
