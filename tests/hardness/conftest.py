"""A small project, run through all its stages once."""

import shutil
from pathlib import Path

import pytest

from tests.hardness.forked import finish
from tests.hardness.small_project import STAGES, write_project


@pytest.fixture(scope="session")
def whole(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as its stages leave it; read only."""
    folder = write_project(tmp_path_factory.mktemp("hardness") / "whole", tiny_backbone)
    for stage in STAGES:
        code, said = finish(folder, *stage.command)
        assert code == 0, f"{stage.name}: {said}"
    return folder


@pytest.fixture
def project(whole: Path, tmp_path: Path) -> Path:
    """A copy to do harm to."""
    return Path(shutil.copytree(whole, tmp_path / "project", symlinks=True))
