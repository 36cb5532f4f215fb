"""Mining in parts: one process, several and a run after a crash write the same bytes."""

from functools import partial
from pathlib import Path

import pytest
from small_corpus import MINE, Doc, bag_of_words, contents, corpus, params, write

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.mining import parts
from pipeline.mining.inputs import Inputs
from pipeline.mining.parts import _key
from pipeline.systems.builders import builder

SYSTEMS = ("sscp", "simcse", "cssl", "parabart", "upos", "ebsim")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return corpus(tmp_path_factory.mktemp("inputs"))


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence or two a part, and a file for each part: wherever a cut can be, there is one."""
    monkeypatch.setattr(parts, "_ROWS", 1)
    monkeypatch.setattr(parts, "_IDS", 2)
    monkeypatch.setattr("pipeline.core.parallel.FILE_BYTES", 1)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_parts_decide_no_byte(
    system: str,
    inputs: Inputs,
    tmp_path: Path,
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    builder(system)(inputs, tmp_path / "whole", MINE, bag_of_words)
    monkeypatch.setattr(parts, "_ROWS", 1)
    monkeypatch.setattr(parts, "_IDS", 2)
    monkeypatch.setattr("pipeline.core.parallel.FILE_BYTES", 1)
    builder(system)(inputs, tmp_path / "parts", MINE, bag_of_words)
    assert contents(tmp_path / "whole") == contents(tmp_path / "parts")
    assert not list(scratch.rglob("*.arrow"))


def test_the_number_of_processes_decides_no_byte(inputs: Inputs, tmp_path: Path, scratch: Path) -> None:
    builder("sscp")(inputs, tmp_path / "one", MINE, bag_of_words)
    builder("sscp")(inputs, tmp_path / "two", MINE, bag_of_words, 2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.parametrize("folder", ["corpus", "benchmarks", "sentences", "augmented"])
def test_a_damaged_file_is_named_and_nothing_is_written(folder: str, tmp_path: Path, scratch: Path) -> None:
    some = corpus(tmp_path, 4)
    damaged = store.shards(getattr(some, folder))[-1]
    damaged.write_bytes(damaged.read_bytes()[:-100])
    with pytest.raises(SynsemError, match=rf"{damaged}: not a readable Arrow file .*; delete it and run"):
        builder("sscp")(some, tmp_path / "out", MINE, bag_of_words)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("folder", ["corpus", "benchmarks", "parsed/corpus", "augmented"])
def test_examples_of_a_killed_run_are_those_of_all_that_it_read(folder: str, tmp_path: Path) -> None:
    """Other benchmarks, too: their texts are kept out of the examples."""
    document = Doc(["one two"], variants=[("same", "passive", "two one")])
    inputs = write(tmp_path, [document], benchmark=["three"])
    before = _key(bag_of_words, inputs, tmp_path / "out", params())
    assert _key(bag_of_words, inputs, tmp_path / "out", params()) == before
    path = store.shards(tmp_path / folder)[0]
    store.write_table(path, store.read_file(path).slice(0, 0))
    assert _key(bag_of_words, inputs, tmp_path / "out", params()) != before


def test_examples_of_a_killed_run_are_not_those_of_another_system_setting_or_folder(tmp_path: Path) -> None:
    """Two systems may be mined at once, and a run after a kill may have other parameters."""
    inputs = write(tmp_path, [Doc(["one two"])])
    usual = _key(bag_of_words, inputs, tmp_path / "out", params())
    assert _key(partial(bag_of_words, 1), inputs, tmp_path / "out", params()) == usual
    others = [
        _key(corpus, inputs, tmp_path / "out", params()),
        _key(bag_of_words, inputs, tmp_path / "other", params()),
        _key(bag_of_words, inputs, tmp_path / "out", params(seed=14)),
    ]
    assert len({usual, *others}) == 4
