"""The picture of a sentence, a rewording and an exchange: what it says is what it was given."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pipeline.report.figures.comparison import Likeness, comparison_picture
from pipeline.syntax.sentence import Side

ROOT = Path(__file__).parents[2]
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


def test_a_character_that_xml_lacks_is_replaced() -> None:
    odd = Side(
        "A\x01 dog\ufffe ran", ["A\x01", "dog\ufffe", "ran"], [2, 3, 0], ["det", "nsubj", "root"], ["X"] * 3
    )
    svg = ElementTree.fromstring(comparison_picture(odd, "A dog ran", BOY, [Likeness("plain", 0.9, 0.8)]))
    assert texts(svg, "word")[:3] == ["A\ufffd", "dog\ufffd", "ran"]


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


def test_a_page_of_the_other_scheme_is_behind_no_letter() -> None:
    """A browser that prefers dark gives it light letters, on a white page, too: it brings its own paper."""
    style = comparison_picture(DOG, "x", BOY, [Likeness("plain", 1.0, -1.0)]).split("</style>")[0]
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    assert re.search(r"svg \{ background: #ffffff; \}", light)
    assert re.search(r"svg \{ background: #0d1117; \}", dark)
    for page in ("picture", "performance"):
        text = (ROOT / "docs" / f"{page}.svg").read_text(encoding="utf-8")
        assert text.count("svg { background: #") == 2


def long(words: int) -> Side:
    """A sentence of ``words`` words, each the object of the one before."""
    names = [f"extraordinary{number}" for number in range(words)]
    return Side(
        " ".join(names), names, list(range(words)), ["root"] + ["obj"] * (words - 1), ["NOUN"] * words
    )


def test_long_sentences_and_names_stay_inside_and_apart() -> None:
    name = "synsem pretrained, joint vector"
    svg = ElementTree.fromstring(
        comparison_picture(long(18), long(17).text, long(16), [Likeness(name, 1.0, 0.5)])
    )
    _, _, width, height = map(float, svg.get("viewBox", "").split())
    moves = [group.get("transform", "") for group in svg if group.get("transform")]
    first, second = ([float(number) for number in re.findall(r"[\d.]+", move)] for move in moves)
    assert first[0] == second[0]  # one below the other, each as large as the width lets it be
    assert second[1] > first[1]
    written = [each for each in svg if each.tag == f"{SVG}text"]
    # 7.9 pixels are a letter of 14 pixels in a wide font, and nothing is on the line of another text.
    assert all(float(each.get("x", 0)) + 7.9 * len(each.text or "") <= width + 40 for each in written)
    assert all(0 < float(each.get("y", 0)) < height for each in written)
    places = [(each.get("x"), each.get("y")) for each in written]
    assert len(set(places)) == len(places)
    assert " ".join(each.text or "" for each in written).count("extraordinary") == 18 + 17 + 16
    assert bars(svg)[0][0] >= 16 + 8.7 * len(name)


def test_short_sentences_stand_side_by_side() -> None:
    svg = drawn(Likeness("plain", 0.96, 0.98))
    legend = list(svg.iter(f"{SVG}rect"))[-2:]
    assert legend[0].get("y") == legend[1].get("y")
    assert legend[0].get("x") != legend[1].get("x")
