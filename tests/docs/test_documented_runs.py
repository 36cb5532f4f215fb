"""What the pages say to run is run, on a small project: every tool and every setting that is not marked."""

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import tour
import yaml
from shell_lines import PAGES, to_run

from pipeline.params import read_yaml
from tests.hardness.small_project import SYSTEMS

pytestmark = pytest.mark.slow
TOOLS = [line for page in PAGES for line in to_run(page) if line.is_tool()]
SETTINGS = [line for page in PAGES for line in to_run(page) if line.is_setting()]

# The stages that read a section first; what comes after them reads what they wrote, not the section.
READ_BY = {
    "systems": ("mine", "pretrain"), "seeds": ("pretrain",),
    "download": ("download", "parse"), "parse": ("parse",), "augment": ("augment",),
    "mine": ("mine", "pretrain"), "encoder": ("mine", "pretrain", "evaluate"), "train": ("pretrain",),
    "cssl": ("treebank", "mine", "pretrain"), "evaluate": ("evaluate",), "report": ("report",),
} | dict.fromkeys(("sscp", "parabart", "ebsim", "upos"), ("pretrain",))  # fmt: skip
ORDER = ("download", "parse", "augment", "treebank", "mine", "pretrain", "evaluate", "report")


@pytest.fixture(scope="session")
def whole(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tour.build(tmp_path_factory.mktemp("tour") / "whole", tiny_backbone)


@pytest.fixture
def project(whole: Path, tmp_path: Path) -> Path:
    return tour.copied(whole, tmp_path / "project")


@pytest.mark.parametrize("page", sorted({line.page for line in TOOLS}), ids=lambda page: page.name)
def test_the_tools_of_a_page_run_in_its_order(page: Path, project: Path) -> None:
    shutil.copy(project / "params.yaml", project / "full.yaml")  # docs/parabart.md
    (project / "part-1").mkdir()  # docs/scale.md
    shutil.copy(project / "params.yaml", project / "part-1" / "params.yaml")
    for line in TOOLS:
        if line.page == page:
            words = line.words()[1:]
            if words[0] == "finetune":
                words += ["--max-tokens", "64"]  # the tiny encoder has no more
            tour.call(project, *words)


@pytest.mark.parametrize("text", sorted({line.text for line in SETTINGS}))
def test_a_setting_is_one_that_its_stages_run_with(text: str, project: Path, tiny_bart: Path) -> None:
    from dvc.utils.hydra import apply_overrides

    words = shlex.split(text)
    overrides = [words[place + 1] for place, word in enumerate(words) if word == "-S"]
    path = project / "params.yaml"
    apply_overrides(path, overrides)
    values = tour.small(read_yaml(path.read_text()))
    if values["encoder"]["model"].startswith("facebook/bart"):
        values["encoder"]["model"] = str(tiny_bart)
    path.write_text(yaml.safe_dump(values, sort_keys=False))
    changed = {override.lstrip("+").partition("=")[0].partition(".")[0] for override in overrides}
    wanted = {stage for section in changed for stage in READ_BY[section]}
    systems = values["systems"] if "systems" in changed else sorted(changed & set(SYSTEMS)) or ["sscp"]
    seed = str(values["seeds"][-1])
    for stage in ORDER:
        for arguments in _calls(stage, systems, seed) if stage in wanted else ():
            tour.call(project, stage, *arguments)


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
    tour.call(project, "mine", "sscp", "--out", str(project / "data" / "triplets" / "sscp"))
    assert (whole / "data" / "triplets" / "sscp" / "report.json").read_bytes() == before
    assert (whole / "intros.jsonl").samefile(project / "intros.jsonl")
    assert not (whole / "params.yaml").samefile(project / "params.yaml")
