"""A user's own texts, through DVC: no change of them is missed, and no other file is read."""

from pathlib import Path

import pytest

from pipeline.core.store import read_json
from tests.fresh_repository import call, write_repository
from tests.in_process import python_m

pytestmark = pytest.mark.slow
OWN = "data/own/my.txt"
TEXT = {"documents": "all", "near_duplicate": None, "benchmarks": []}


def write(path: Path, documents: int) -> None:
    words = ("farmer", "queen", "doctor", "sailor", "teacher", "poet", "king", "nurse", "baker", "soldier")
    lines = (f"The {words[n % 10]} gave number {n} to the {words[n // 10]} of it." for n in range(documents))
    path.write_text("\n\n".join(lines) + "\n")


def documents(project: Path) -> int:
    return int(sum(read_json(project / "data/corpus/report.json")["kept"].values()))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own-files") / "synsem"
    write_repository(folder, {"download": TEXT | {"sources": [OWN]}})
    write(folder / OWN, 60)
    call("dvc", "repro", "download", cwd=folder)
    return folder


def test_a_text_cut_short_is_noticed(project: Path) -> None:
    assert documents(project) == 60
    write(project / OWN, 40)
    assert "data/own" in call("dvc", "status", "download", cwd=project)


def test_a_text_that_dvc_does_not_see_is_refused(project: Path) -> None:
    (project / "elsewhere").mkdir()
    write(project / "elsewhere/my.txt", 10)
    before = (project / "data/corpus/report.json").read_bytes()
    path = project / "params.yaml"
    params = path.read_text()
    for name in ("elsewhere/my.txt", "text:elsewhere/my.txt", "elsewhere"):
        path.write_text(params.replace(OWN, name))
        done = python_m("stages.download", cwd=project, DVC_STAGE="download")  # DVC sets it
        assert done.returncode == 1
        assert f"{name.removeprefix('text:')}: DVC would not see" in done.stderr
    assert (project / "data/corpus/report.json").read_bytes() == before
    # Without DVC there is nothing to be out of date.
    path.write_text(params.replace(OWN, "elsewhere/my.txt"))
    assert python_m("stages.download", cwd=project).returncode == 0
    assert documents(project) == 10
