"""``synsem check``: everything that is wrong, in one sentence, before anything runs."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

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
    assert check(tmp_path, {}).stdout.startswith("check: params.yaml")
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
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    for part in ("data/own/my.txt", "en_core_web_xxl", "no_such_encoder"):
        assert part in done.stderr


@pytest.mark.parametrize(
    ("section", "key", "value", "complaint"),
    [
        ("evaluate", "tasks", ["contrsat"], "contrast"),
        ("train", "tau", "warm", "train.tau"),
        ("train", "select", "las", "train.select"),
        ("download", "profile", "startr", "starter"),
        ("download", "benchmarks", ["stbs"], "stbs"),
        ("encoder", "model", "./my-encoder", "./my-encoder"),
        ("encoder", "model", ".my-encoder", ".my-encoder"),
        ("cssl", "treebank", "xx_nothing", "cssl.treebank"),
        ("finetune", "tasks", ["paws-500"], "ebsim"),
        ("upos", "start", "data/own-models/tagger", "upos.start"),
    ],
)
def test_each_is_one_line(tmp_path: Path, section: str, key: str, value: object, complaint: str) -> None:
    systems = ["simcse", *([section] if section in ("cssl", "upos") else [])]
    done = check(tmp_path, {section: {key: value}}, systems=systems)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert complaint in done.stderr
