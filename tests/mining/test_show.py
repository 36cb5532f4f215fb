"""``synsem triplets head``: what it shows, and one clear line where there is nothing to show."""

import io
import re
import subprocess
from pathlib import Path

import pytest
from rich.console import Console
from small_corpus import Doc, no_vectors, params, parse, write

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import DOCUMENT
from pipeline.core.store import ShardWriter
from pipeline.mining import variants
from pipeline.mining.show import ADDED, GONE, MOVED, difference, panels
from tests.in_process import python_m


def spans(anchor: str, other: str) -> dict[str, str]:
    text = difference(anchor.split(), parse(other).row())
    return {text.plain[span.start : span.end]: str(span.style) for span in text.spans}


def test_added_moved_and_missing_words_are_marked() -> None:
    assert spans("the dog bites a man", "the dog does not bite a man") == {
        "bites": GONE,
        "does": ADDED,
        "not": ADDED,
        "bite": ADDED,
    }
    assert spans("dog bites man", "man bites dog") in (
        {"man": MOVED, "bites": MOVED},
        {"bites": MOVED, "dog": MOVED},
        {"man": MOVED, "dog": MOVED},
    )
    assert spans("The dog", "the Dog") == {}


def test_the_text_keeps_its_spacing() -> None:
    row = {"text": "He can't, no.", "words": ["He", "ca", "n't", ",", "no", "."]}
    assert difference(row["words"], row).plain == "He can't, no."


def test_what_is_gone_stands_apart_from_the_words_beside_it() -> None:
    for anchor, other, shown in (
        ("dogs chase cats now", "dogs chase cats", "dogs chase cats now"),
        ("now dogs chase cats", "dogs chase cats", "now dogs chase cats"),
        ("dogs often chase cats", "dogs chase cats", "dogs often chase cats"),
    ):
        assert difference(anchor.split(), parse(other).row()).plain == shown
    unspaced = {"text": "cats,", "words": ["cats", ","]}
    assert difference(["cats", "now", ","], unspaced).plain == "cats now ,"


def test_a_word_that_the_text_spells_otherwise_is_followed_by_a_space() -> None:
    row = {"text": "We can’t go.", "words": ["We", "ca", "n't", "go", "."]}
    assert difference(row["words"], row).plain == "We can't go."


@pytest.fixture
def triplets(tmp_path: Path) -> Path:
    documents = [
        Doc(["dogs chase cats"], variants=[("same", "passive", "cats are chased by dogs")]),
        Doc(["dogs see birds"], variants=[("different", "argument_swap", "birds see dogs")]),
    ]
    variants.mine(write(tmp_path, documents), tmp_path / "triplets", params(), no_vectors)
    return tmp_path / "triplets"


def test_a_folder_of_other_rows_is_named(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, DOCUMENT):
        pass
    with pytest.raises(SynsemError, match="holds no training examples"):
        list(panels(tmp_path, 5))


def test_panels_show_kinds_and_hardness(triplets: Path) -> None:
    console = Console(record=True, width=80, file=io.StringIO())
    for panel in panels(triplets, 5):
        console.print(panel)
    shown = console.export_text()
    assert "= passive" in shown
    assert "≠ argument_swap 1.00" in shown
    # Each with the line that explains it; the second example is the first one of its kind.
    assert len(list(panels(triplets, 5, "passive"))) == 2
    assert len(list(panels(triplets, 1, "argument_swap"))) == 2
    assert len(list(panels(triplets, 1))) == 2
    assert len(list(panels(triplets, 5))) == 3


def test_a_kind_that_is_not_there_is_named(triplets: Path) -> None:
    with pytest.raises(SynsemError, match="no example of the kind nonesuch"):
        list(panels(triplets, 5, "nonesuch"))
    with pytest.raises(SynsemError, match="no example of the kind ''"):
        list(panels(triplets, 5, ""))


def test_a_kind_that_looks_like_markup_is_shown_as_it_is(tmp_path: Path) -> None:
    """A kind holds the name of a source, which is that of the user's file: notes [old].txt."""
    kind = "pair-notes [old] :cat: [/]"
    document = Doc(["dogs chase cats"], variants=[("same", kind, "cats are chased by dogs")])
    negative = Doc(["dogs see birds"], variants=[("different", kind, "birds see dogs")])
    variants.mine(write(tmp_path, [document, negative]), tmp_path / "triplets", params(), no_vectors)
    console = Console(record=True, width=120, file=io.StringIO())
    for panel in panels(tmp_path / "triplets", 5):
        console.print(panel)
    shown = console.export_text()
    assert f"= {kind}  cats are chased by dogs" in shown
    assert f"≠ {kind} 1.00  birds see dogs" in shown


def test_the_command_prints_them_and_a_missing_folder_is_one_line(triplets: Path) -> None:
    def call(folder: Path) -> subprocess.CompletedProcess[str]:
        return python_m("stages.tools.triplets", "head", "sscp", "-n", "1", "--triplets", str(folder))

    done = call(triplets)
    assert done.returncode == 0
    assert "dogs chase cats" in done.stdout
    # Where no colour can mark a word as gone, it would read as a part of the example.
    assert re.search(r"= passive  cats are chased by dogs +│", done.stdout)
    assert "gone" not in done.stdout
    missing = call(triplets / "nowhere")
    assert missing.returncode == 1
    assert missing.stderr.count("\n") == 1
    assert "run the stage that writes it" in missing.stderr
