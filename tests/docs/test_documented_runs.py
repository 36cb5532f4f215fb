"""Every ``synsem`` command and every setting of the pages runs on a small project, unless marked."""

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from shell_lines import PAGES, to_run

from pipeline.params import read
from tests.forked import finish
from tests.small_project import ROOT, SYSTEMS, write_project

pytestmark = pytest.mark.slow
TOOLS = [line for page in PAGES for line in to_run(page) if line.is_tool()]
SETTINGS = [line for page in PAGES for line in to_run(page) if line.is_setting()]

# The first stages that read a section; later stages read what these wrote.
READ_BY = {
    "systems": ("mine", "pretrain"), "seeds": ("pretrain",),
    "download": ("download", "parse"), "parse": ("parse",), "augment": ("augment",),
    "mine": ("mine", "pretrain"), "encoder": ("mine", "pretrain", "evaluate"), "train": ("pretrain",),
    "cssl": ("treebank", "mine", "pretrain"), "evaluate": ("evaluate",), "report": ("report",),
} | dict.fromkeys(("synsem", "sscp", "parabart", "ebsim", "upos"), ("pretrain",))  # fmt: skip
ORDER = ("download", "parse", "augment", "treebank", "mine", "pretrain", "evaluate", "report")

CONTRAST = ["contrast", "contrast_dev"]
# What a run may cost here, whatever a page says.
_MOST = {"evaluate_every": 1, "chunk": 4, "dev_examples": 16}


def build(folder: Path, backbone: Path) -> Path:
    """Write the project and run its stages, once for each system."""
    write_project(folder, backbone, all_systems=True)
    with (folder / "qqp.jsonl").open("w") as stream:
        for number in range(30):
            row = {"question1": f"Why do {number} dogs run?", "question2": f"What makes {number} cats run?"}
            split = ("train", "dev", "test")[number % 3]
            stream.write(json.dumps(row | {"label": number // 3 % 2, "split": split}) + "\n")
    path = folder / "params.yaml"
    values = yaml.safe_load(path.read_text())
    values["download"]["benchmarks"] = ["stsb.jsonl", "qqp.jsonl", *CONTRAST]
    path.write_text(yaml.safe_dump(small(values), sort_keys=False))
    shutil.copy(ROOT / "ablations.yaml", folder / "ablations.yaml")
    for stage in ("download", "parse", "augment", "treebank"):
        call(folder, stage)
    for system in SYSTEMS:
        call(folder, "mine", system)
        call(folder, "pretrain", system, "13")
    return folder


def small(values: dict[str, Any]) -> dict[str, Any]:
    """The same parameters, but training takes seconds."""
    train = values["train"]
    train |= {name: min(train[name], most) for name, most in _MOST.items() if train[name] is not None}
    for system in SYSTEMS:
        values[system] |= {"steps": 2, "batch_size": 8}
    return values


def cheaper(words: list[str]) -> list[str]:
    """The same command, but of many seeds and shares two."""
    if words[0] == "ablate" and "--seeds" not in words:
        words = [*words, "--seeds", "13,14"]
    if words[0] == "finetune":
        words = [*words, "--max-tokens", "64"]  # the tiny encoder has no more
        for option in ("--seed", "--share"):
            between = [place for place, word in enumerate(words) if word == option][1:-1]
            left_out = {*between, *(place + 1 for place in between)}
            words = [word for place, word in enumerate(words) if place not in left_out]
    return words


def copied(project: Path, to: Path) -> Path:
    """A copy to write in; files are linked, since no stage writes into an existing file."""
    shutil.copytree(project, to, symlinks=True, copy_function=os.link)
    (to / "params.yaml").unlink()
    shutil.copy(project / "params.yaml", to / "params.yaml")
    return to


def call(project: Path, *command: str) -> str:
    """What ``synsem COMMAND`` prints; it must end well."""
    several = "--workers" in command or "readers: 2" in (project / "params.yaml").read_text()
    code, said = finish(project, *command, workers=2 if several else 1)
    assert code == 0, f"synsem {' '.join(command)}\n{said[-4000:]}"
    return said


@pytest.fixture(scope="session")
def whole(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("documented") / "whole", tiny_backbone)


@pytest.fixture
def project(whole: Path, tmp_path: Path) -> Path:
    return copied(whole, tmp_path / "project")


@pytest.mark.parametrize("page", sorted({line.page for line in TOOLS}), ids=lambda page: page.name)
def test_the_tools_of_a_page_run_in_its_order(page: Path, project: Path) -> None:
    shutil.copy(project / "params.yaml", project / "full.yaml")  # docs/parabart.md
    (project / "sentences.txt").write_text("The dog chased the boy.\nRain fell.\n")  # README.md
    (project / "part-1").mkdir()  # docs/scale.md
    shutil.copy(project / "params.yaml", project / "part-1" / "params.yaml")
    for line in TOOLS:
        if line.page == page:
            call(project, *cheaper(line.words()[1:]))


@pytest.mark.parametrize("text", sorted({line.text for line in SETTINGS}))
def test_a_setting_is_one_that_its_stages_run_with(text: str, project: Path, tiny_bart: Path) -> None:
    from dvc.utils.hydra import apply_overrides

    words = shlex.split(text)
    overrides = [words[place + 1] for place, word in enumerate(words) if word == "-S"]
    path = project / "params.yaml"
    apply_overrides(path, overrides)
    values = small(read(path))
    if values["encoder"]["model"].startswith("facebook/bart"):
        values["encoder"]["model"] = str(tiny_bart)
    path.write_text(yaml.safe_dump(values, sort_keys=False))
    changed = {override.lstrip("+").partition("=")[0].partition(".")[0] for override in overrides}
    wanted = {stage for section in changed for stage in READ_BY[section]}
    systems = values["systems"] if "systems" in changed else sorted(changed & set(SYSTEMS)) or ["sscp"]
    seed = str(values["seeds"][-1])
    for stage in ORDER:
        for arguments in _calls(stage, systems, seed) if stage in wanted else ():
            call(project, stage, *arguments)


def _calls(stage: str, systems: list[str], seed: str) -> Iterator[tuple[str, ...]]:
    """The arguments of a stage, once for each system where it has one."""
    if stage == "mine":
        yield from ((system,) for system in systems)
    elif stage in ("pretrain", "evaluate"):
        yield from ((system, seed) for system in systems)
    else:
        yield ()


def test_copies_share_no_file_that_a_stage_writes(whole: Path, project: Path) -> None:
    """Linked files would let one test spoil another's project."""
    before = (whole / "data" / "triplets" / "sscp" / "report.json").read_bytes()
    call(project, "mine", "sscp", "--out", str(project / "data" / "triplets" / "sscp"))
    assert (whole / "data" / "triplets" / "sscp" / "report.json").read_bytes() == before
    assert (whole / "intros.jsonl").samefile(project / "intros.jsonl")
    assert not (whole / "params.yaml").samefile(project / "params.yaml")
