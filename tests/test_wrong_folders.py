"""A command that is given the folder of another stage, or one of somebody's own files, changes nothing."""

import shutil
from pathlib import Path

import pytest

from pipeline.core.schemas import DOCUMENT, EXAMPLE, SENTENCE, VARIANT
from pipeline.core.store import ShardWriter
from tests.in_process import ROOT, python_m

PARAMS = ("--params", str(ROOT / "params.yaml"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Empty folders of each kind, and one with a text of one's own."""
    for name, schema in (
        ("corpus", DOCUMENT),
        ("benchmarks", EXAMPLE),
        ("parsed/corpus", SENTENCE),
        ("parsed/benchmarks", SENTENCE),
        ("augmented", VARIANT),
    ):
        with ShardWriter(tmp_path / "data" / name, schema):
            pass
    (tmp_path / "data" / "own").mkdir()
    (tmp_path / "data" / "own" / "my.txt").write_text("A text of my own.")
    return tmp_path


def refused(folder: Path, *arguments: str) -> str:
    """What a command says; it must be one line with exit code 1 and leave all files as they were."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = python_m("synsem", *arguments, *PARAMS, cwd=folder)
    assert result.returncode == 1, result.stderr
    [line] = result.stderr.splitlines()
    assert line.startswith("synsem: ")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    return line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("parse --benchmarks data/corpus --workers 1", "data/corpus: holds no benchmarks"),
        ("mine sscp --corpus data/augmented", "data/augmented: holds no documents"),
        ("mine sscp --benchmarks data/corpus", "data/corpus: holds no benchmarks"),
        ("mine sscp --augmented data/corpus", "data/corpus: holds no variants"),
        ("pretrain sscp 13 --triplets data/corpus", "data/corpus: holds no training examples"),
        ("evaluate backbone --tasks stsb --benchmarks data/corpus", "data/corpus: holds no benchmarks"),
    ],
)
def test_a_folder_of_another_stage_is_one_line(data: Path, arguments: str, message: str) -> None:
    assert message in refused(data, *arguments.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("treebank --out data", "data: holds other files"),
        ("treebank --out data/parsed", "data/parsed: holds other files"),
        ("mine sscp --out data/corpus", "data/corpus: holds documents of the stage download"),
        ("mine sscp --out data/parsed", "data/parsed: holds other files"),
        ("mine sscp --out data/augmented", "data/augmented: holds variants"),
        ("parse --out data", "data: holds other files"),
        ("parse --out project", "project/corpus: holds documents"),
        ("augment --out data/corpus", "data/corpus: holds documents"),
        ("augment --out data/parsed/corpus", "data/parsed/corpus: holds parsed sentences"),
        ("download --corpus data/parsed/corpus", "data/parsed/corpus: holds parsed sentences"),
        ("download --benchmarks data/augmented", "data/augmented: holds variants"),
        ("download --corpus data/new --benchmarks data/new", "data/new: lies in data/new"),
        ("download --corpus data/new/a --benchmarks data/new", "data/new/a: lies in data/new"),
        ("pretrain sscp 13 --triplets data/triplets --curves reports", "reports: holds other files"),
        ("pretrain sscp 13 --triplets data/triplets --curves .", ".: holds other files"),
        ("evaluate backbone --augmented data/corpus", "data/corpus: holds no variants"),
        ("evaluate backbone --parsed data/augmented", "data/augmented/corpus: no part-"),
        ("evaluate backbone --benchmarks data/nowhere", "data/nowhere: no part-"),
        ("evaluate ../models/sscp 13", "is no system's name"),
        (r"evaluate ..\models\sscp 13", "is no system's name"),
    ],
)
def test_what_another_stage_wrote_is_never_replaced(data: Path, arguments: str, message: str) -> None:
    for name, schema in (("corpus", DOCUMENT), ("benchmarks", EXAMPLE)):
        with ShardWriter(data / "project" / name, schema):
            pass
    for name in ("plots", "metrics"):
        (data / "reports" / name).mkdir(parents=True)
        (data / "reports" / name / "sscp-13.json").write_text("{}")
    assert message in refused(data, *arguments.split())


@pytest.mark.parametrize(
    "arguments",
    [
        "treebank --out",
        "mine sscp --out",
        "pretrain sscp 13 --triplets data/triplets --out",
        "pretrain sscp 13 --triplets data/triplets --curves",
    ],
)
@pytest.mark.parametrize("place", ["data/own", "data/own/my.txt"])
def test_what_is_ones_own_is_never_replaced(data: Path, arguments: str, place: str) -> None:
    said = refused(data, *arguments.split(), place)
    assert f" {place}: " in said
    assert "would be deleted" in said


def test_the_usual_folder_with_rows_of_another_stage_is_told_too(data: Path) -> None:
    shutil.rmtree(data / "data" / "augmented")
    with ShardWriter(data / "data" / "augmented", DOCUMENT):
        pass
    assert "data/augmented: holds no variants" in refused(data, "evaluate", "backbone")


@pytest.mark.parametrize("seconds", ["-1", "nan"])
def test_no_time_between_two_checkpoints_is_refused(data: Path, seconds: str) -> None:
    """Below zero there would be one after every step, and with nan none at all."""
    result = python_m("synsem", "pretrain", "sscp", "13", "--checkpoint-seconds", seconds, *PARAMS, cwd=data)
    assert result.returncode == 2
    assert "--checkpoint-seconds" in result.stderr
    assert not (data / "reports").exists()


def test_a_seed_below_zero_is_refused_before_anything_is_written(data: Path) -> None:
    result = python_m("synsem", "pretrain", "sscp", *PARAMS, "--", "-5", cwd=data)
    assert result.returncode == 2
    assert "greater than or equal to 0" in result.stderr
    assert not (data / "reports").exists()
