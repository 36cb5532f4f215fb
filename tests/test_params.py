"""params.yaml is checked whole, and the wrong key is named."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pipeline.core.errors import SynsemError
from pipeline.core.params import DEFAULTS, changed, load, parse, read

ROOT = Path(__file__).parent.parent
RAW = read(ROOT / "params.yaml")


def complaint(changes: dict[str, Any]) -> str:
    with pytest.raises(SynsemError) as failure:
        parse(changed(RAW, changes))
    return str(failure.value)


def written(folder: Path, text: str) -> Path:
    path = folder / "params.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("train.tua", "train.tau"),
        ("trian", "train"),
        ("download.patience", "train.patience"),
        ("cssl.refinement", "cssl.refinements"),
    ],
)
def test_unknown_key_has_a_suggestion(key: str, nearest: str) -> None:
    assert complaint({key: 1}) == f"params.yaml: {key}: unknown; did you mean {nearest}?"


@pytest.mark.parametrize(
    ("key", "valid", "invalid"),
    [
        ("seeds", ([0, 2**32 - 1],), (13, [], [3, 3], [-1], [2**32], ["13"])),
        ("download.documents", (1, "all", None), (0, "most", True, 1.0)),
        ("download.test_fraction", (0.0, 0.9), (0.95, 2.0)),  # with dev_fraction some must be left
        ("download.language", ("en", "grc"), ("english", "EN", "")),
        ("parse.max_words", (3,), (2,)),  # min_words is 3
        ("train.tau", (1e-9, 9), (0.0, -1.0, "0.1", True, float("nan"), float("inf"))),
        ("train.evaluate_every", (1, 5, 0.999), (0, 1.0, True, None)),
        ("sscp.batch_size", (2,), (1, 2.0)),
        ("train.deterministic", (True,), (1, "yes")),
        ("encoder.model", ("bert-base-uncased",), (None,)),
        ("train", (), (None, [])),
    ],
)
def test_value_out_of_range_is_named(key: str, valid: tuple, invalid: tuple) -> None:
    for value in valid:
        parse(changed(RAW, {key: value}))
    for value in invalid:
        assert complaint({key: value}).startswith(f"params.yaml: {key}")


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("systems", "sccp"),
        ("augment.transformations", "pasive"),
        ("evaluate.tasks", "retreival"),
        ("evaluate.tasks", "stsb"),  # a benchmark that the profile does not have
        ("download.profile", "mirrror"),
    ],
)
def test_unknown_name_is_found_before_the_first_stage(key: str, name: str) -> None:
    assert f"{key}: '{name}' is unknown" in complaint({key: name if key == "download.profile" else [name]})


@pytest.mark.parametrize(
    ("profile", "benchmarks", "name"),
    [
        ("mirror", None, "stsb"),
        ("starter", ["stsb"], "stsb"),
        ("starter", ["paws-x"], "paws-x-fr"),
        ("starter", ["pairs:data/own/mine.dev.tsv"], "mine"),
        ("starter", ["conllu:data/own/mine"], "mine"),
    ],
)
def test_downloaded_benchmark_is_a_task(profile: str, benchmarks: list[str] | None, name: str) -> None:
    parse(
        changed(
            RAW,
            {"download.profile": profile, "download.benchmarks": benchmarks, "evaluate.tasks": [name]},
        )
    )


def test_yaml_is_read_as_dvc_writes_it(tmp_path: Path) -> None:
    from dvc.utils.hydra import apply_overrides

    path = written(tmp_path, DEFAULTS.read_text())
    apply_overrides(path, ["sscp.learning_rate=2e-5", "+parse.models.no=stanza:default"])
    assert "2e-05" in path.read_text()
    sections = load(path, "sscp", "parse")
    assert sections.sscp.learning_rate == 2e-5
    assert sections.parse.models["no"] == "stanza:default"  # Norwegian, not false


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "mapping of sections"),
        ("- train\n", "mapping of sections"),
        ("train: [\n", "line 2"),
        ("train: 2001-02-30\n", "not valid YAML"),
        ("train:\n  tau: 1\n  tau: 2\n", 'duplicate key "tau"'),
    ],
)
def test_unreadable_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SynsemError) as failure:
        load(path, "train")
    assert str(failure.value).startswith(f"{path}: ")
    assert said in str(failure.value)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").iterdir()), ids=lambda path: path.stem)
def test_a_recipe_is_valid_in_either_size(path: Path) -> None:
    paper = {key: value for key, value in read(path).items() if not key.startswith("small.")}
    small = {key.removeprefix("small."): value for key, value in read(path).items()}
    for changes in (paper, small):
        params = parse(changed(RAW, changes), str(path))
        assert path.stem in params.systems
    assert params.seeds == [13]


@pytest.mark.parametrize("exit_code", [0, 1])
def test_a_recipe_leaves_params_as_they_were(tmp_path: Path, exit_code: int) -> None:
    """`dvc exp run -S` changes params.yaml: a second recipe must not start from the numbers of the first."""
    for name in ("Makefile", "pyproject.toml", "params.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("recipes", "requirements"):
        shutil.copytree(ROOT / name, tmp_path / name)
    commit = "git init -q && git add . && git -c user.name=a -c user.email=a commit -qm first"
    subprocess.run(commit, shell=True, cwd=tmp_path, check=True)
    dvc = tmp_path / ".venv" / "bin" / "dvc"
    dvc.parent.mkdir(parents=True)
    dvc.write_text(
        f"#!/bin/sh\necho $@ > seen\necho '# changed' >> params.yaml\ngit add params.yaml\nexit {exit_code}\n"
    )
    dvc.chmod(0o755)
    for name in (".ready", ".ready-to-test"):
        (tmp_path / ".venv" / name).touch()
    made = subprocess.run(["make", "paper", "SYSTEM=cssl", "SIZE=small"], cwd=tmp_path, capture_output=True)
    assert (made.returncode == 0) == (exit_code == 0)
    status = ["git", "status", "--porcelain", "params.yaml"]
    assert not subprocess.run(status, cwd=tmp_path, capture_output=True, check=True).stdout
    assert "-S ++train.select=las" in (tmp_path / "seen").read_text()
