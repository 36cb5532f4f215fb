"""What `make` installs is pinned with its sha256, what builds it too, and pip is told to check."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCKS = ("build", "pipeline", "dev")
# What make installs for each of its targets, in this order.
INSTALLED = {".ready": LOCKS[:2], ".ready-to-test": LOCKS}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# Its builds for a CPU and for each CUDA are different files of one version: requirements/without-torch.txt.
NOT_LOCKED = {"torch"}


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Each package of a lock -> its version, and how many files of it are accepted."""
    entries = re.split(r"\n(?=[a-z])", (ROOT / f"requirements/{name}.txt").read_text())
    found = {}
    for entry in entries[1:]:
        head, *hashes = (line.strip(" \\") for line in entry.splitlines())
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", line) for line in hashes), head
        [pin] = Requirement(head).specifier
        assert pin.operator == "=="
        found[Requirement(head).name] = (pin.version, len(hashes))
    return found


def constraints() -> dict[str, str]:
    lines = (ROOT / "requirements/constraints.txt").read_text().splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def named(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in requirements}


def test_every_pinned_version_has_hashes_in_one_lock() -> None:
    locks = [locked(name) for name in LOCKS]
    together = {package: entry for lock in locks for package, entry in lock.items()}
    assert len(together) == sum(map(len, locks))
    assert all(count > 0 for _, count in together.values())
    pinned = constraints()
    versions = {package: version for package, (version, _) in together.items()}
    assert {each: versions.get(each) for each in pinned.keys() - NOT_LOCKED} == {
        each: pinned[each] for each in pinned.keys() - NOT_LOCKED
    }


def test_each_extra_is_in_the_lock_that_make_installs_for_it() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    groups = {
        "pipeline": [*PROJECT["project"]["dependencies"], *extras["pipeline"]],
        "dev": [line for lines in extras.values() for line in lines],
    }
    installed: set[str] = set()
    for name in LOCKS:
        installed |= set(locked(name))
        assert named(groups.get(name, [])) - NOT_LOCKED - {"synsem"} <= installed


def test_what_builds_is_pinned() -> None:
    pinned = constraints()
    build = [Requirement(line) for line in PROJECT["build-system"]["requires"]]
    assert [str(each.specifier) for each in build] == [f"=={pinned[each.name]}" for each in build]
    assert {each.name for each in build} <= set(locked("build"))


@pytest.mark.parametrize("target", INSTALLED)
def test_make_installs_nothing_whose_hash_is_not_checked_but_torch_and_the_project(
    target: str, tmp_path: Path
) -> None:
    if shutil.which("make") is None:
        pytest.skip("needs make")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    planned = subprocess.run(
        ["make", "-n", f".venv/{target}"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    installs = [line for line in planned.stdout.splitlines() if "pip install" in line]
    files = [line.rsplit(" ", 1)[1] for line in installs if "--requirement" in line]
    assert files == [f"requirements/{name}.txt" for name in INSTALLED[target]]
    for line in installs:
        assert "--no-build-isolation" in line
        if "--requirement" in line:
            assert "--require-hashes --no-deps" in line
        else:
            assert (
                "--constraint requirements/constraints.txt torch" in line or "--no-deps --editable ." in line
            )
