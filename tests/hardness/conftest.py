"""A small project, run through all its stages once."""

import shutil
from pathlib import Path

import pytest

from tests.built_once import built_once
from tests.hardness.forked import finish
from tests.hardness.small_project import STAGES, write_project


@pytest.fixture(scope="session")
def whole(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as its stages leave it; read only."""

    def build(folder: Path) -> None:
        write_project(folder, tiny_backbone)
        for stage in STAGES:
            code, said = finish(folder, *stage.command)
            assert code == 0, f"{stage.name}: {said}"

    return built_once(tmp_path_factory, "hardness", build)


@pytest.fixture
def project(whole: Path, tmp_path: Path) -> Path:
    """A copy to do harm to."""
    return Path(shutil.copytree(whole, tmp_path / "project", symlinks=True))
