"""The wheel has one top-level name and works outside the repository."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.export.conftest import save
from tests.hardness.small_project import write_tiny_bert

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
LINES = """
import synsem
model = synsem.load("model")
texts = ["The dog chased the boy.", "The boy was chased by the dog.", "The boy chased the dog."]
dog, passive, swap = model.encode(texts)
print(dog @ passive, dog @ swap)
print([variant.sentence.text for variant in synsem.augment("The dog chased the boy.")])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as for an index: from the source distribution, which has to be complete."""
    work = tmp_path_factory.mktemp("build")
    source = work / "source"
    for name in ("pipeline", "stages", "synsem"):
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
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel and a small model, and nothing of the repository."""
    folder = tmp_path_factory.mktemp("elsewhere")
    _pip("install", "--target", str(folder / "installed"), str(wheel))
    save("sscp", write_tiny_bert(folder / "tiny"), folder / "model")
    return folder


def _pip(command: str, *arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    subprocess.run([sys.executable, "-m", "pip", command, *quiet, *arguments], check=True)


def python(folder: Path, *arguments: str) -> str:
    """What Python prints there: -S, since it reads no .pth file, sees no editable install."""
    path = os.pathsep.join([str(folder / "installed"), sysconfig.get_path("purelib")])
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, "-S", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


def test_every_module_of_the_wheel_is_imported_by_its_name_there(elsewhere: Path) -> None:
    script = """
import importlib, importlib.util, pkgutil, synsem, sys
assert not any(map(importlib.util.find_spec, ("pipeline", "stages")))
names = [module.name for module in pkgutil.walk_packages(synsem.__path__, "synsem.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names), sorted({"pipeline", "stages"} & sys.modules.keys()))
"""
    count, rest = python(elsewhere, "-c", script).split(maxsplit=1)
    assert int(count) > 200
    assert rest.strip() == "[]"


def test_the_five_lines_run_elsewhere(elsewhere: Path) -> None:
    vectors, texts = python(elsewhere, "-c", LINES).splitlines()
    assert len([float(number) for number in vectors.split()]) == 2
    assert "The boy was chased by the dog." in texts


def test_an_exported_folder_finds_its_module_elsewhere(elsewhere: Path) -> None:
    script = """
from sentence_transformers import SentenceTransformer
model = SentenceTransformer("model/sentence-transformer-joint", trust_remote_code=True, device="cpu")
print(model.encode(["Rain fell."]).shape)
"""
    assert python(elsewhere, "-c", script) == "(1, 576)\n"


def test_trees_and_variants_need_no_project(elsewhere: Path) -> None:
    sentence = "The boy chased the dog."
    assert "chased root VERB" in python(elsewhere, "-m", "synsem", "tree", sentence)
    assert "The dog was chased by the boy." in python(elsewhere, "-m", "synsem", "augment", sentence)
