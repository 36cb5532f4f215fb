"""The wheel has one top-level name and works outside the repository."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.export.conftest import save

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
# One process for all, because to load torch and what else they need is most of what each would wait for.
PROGRAM = """
import importlib, importlib.util, json, pkgutil, runpy, sys
from contextlib import redirect_stdout
from io import StringIO

def program(*arguments):
    sys.argv, printed = ["synsem", *arguments], StringIO()
    try:
        with redirect_stdout(printed):
            runpy.run_module("synsem", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        assert not end.code, end.code
    return printed.getvalue()

assert not any(map(importlib.util.find_spec, ("pipeline", "stages")))
sentence = "The boy chased the dog."
said = {"tree": program("tree", sentence), "augment": program("tree", sentence, "--variants")}

import synsem
model = synsem.load("model")
texts = ["The dog chased the boy.", "The boy was chased by the dog.", "The boy chased the dog."]
said["vectors"] = model.encode(texts).shape
dog, passive, swap = synsem.load().encode(texts)
said["products"] = [float(dog @ passive), float(dog @ swap)]
said["variants"] = [variant.sentence.text for variant in synsem.augment("The dog chased the boy.")]

from sentence_transformers import SentenceTransformer
model = SentenceTransformer("model/sentence-transformer-joint", trust_remote_code=True, device="cpu")
said["shape"] = model.encode(["Rain fell."]).shape

said["modules"] = [module.name for module in pkgutil.walk_packages(synsem.__path__, "synsem.")]
for name in said["modules"]:
    if not name.endswith("__main__"):
        importlib.import_module(name)
said["top"] = sorted({"pipeline", "stages"} & sys.modules.keys())
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as for an index: from the source distribution, which has to be complete."""
    work = tmp_path_factory.mktemp("build")
    source = work / "source"
    for name in ("pipeline", "stages", "synsem", "data/contrast"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("LICENSE", "MANIFEST.in", "README.md", "params.yaml", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, source / name)
    script = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", script, str(work)], cwd=source, check=True, capture_output=True)
    with tarfile.open(next(work.glob("synsem-*.tar.gz"))) as archive:
        archive.extractall(work)  # our own; Python 3.11.2 has no filters
    [unpacked] = (path for path in work.glob("synsem-*") if path.is_dir())
    _pip("wheel", "--no-build-isolation", "--wheel-dir", str(work), str(unpacked))
    return next(work.glob("synsem-*.whl"))


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel and a small model, and nothing of the repository."""
    folder = tmp_path_factory.mktemp("elsewhere")
    _pip("install", "--target", str(folder / "installed"), str(wheel))
    save("sscp", tiny_backbone, folder / "model")
    return folder


def _pip(command: str, *arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    subprocess.run([sys.executable, "-m", "pip", command, *quiet, *arguments], check=True)


@pytest.fixture(scope="module")
def said(elsewhere: Path) -> dict[str, Any]:
    """What the program finds there: Python starts with -S, reads no .pth file, sees no editable install."""
    path = os.pathsep.join([str(elsewhere / "installed"), sysconfig.get_path("purelib")])
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, "-S", "-c", PROGRAM]
    done = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_wheel_has_one_top_level_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [information] = {name.split("/")[0] for name in names} - {"synsem"}
        assert information.endswith(".dist-info")
        assert archive.read(f"{information}/top_level.txt") == b"synsem\n"
    assert {"synsem/py.typed", "synsem/params.yaml", "synsem/_pipeline/corpora/sources.yaml"} <= set(names)
    built = {name.removeprefix("synsem/") for name in names if name.endswith(".py")}
    own = [
        path.relative_to(ROOT).as_posix()
        for name in ("pipeline", "stages")
        for path in ROOT.glob(f"{name}/**/*.py")
    ]
    assert {f"_{name}" for name in own} <= built


def test_every_module_of_the_wheel_is_imported_by_its_name_there(said: dict[str, Any]) -> None:
    assert len(said["modules"]) > 150
    assert said["top"] == []


def test_the_five_lines_run_elsewhere(said: dict[str, Any]) -> None:
    rewording, exchange = said["products"]
    assert rewording > 0.9 > exchange
    assert said["vectors"] == [3, 64]
    assert "The boy was chased by the dog." in said["variants"]


def test_an_exported_folder_finds_its_module_elsewhere(said: dict[str, Any]) -> None:
    assert said["shape"] == [1, 64]


def test_trees_and_variants_need_no_project(said: dict[str, Any]) -> None:
    assert "chased root VERB" in said["tree"]
    assert "The dog was chased by the boy." in said["augment"]
