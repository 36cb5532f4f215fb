"""Projects for the report to be made from."""

from pathlib import Path

import pytest
from report_project import Project


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    """A sentence and no variant; no run at all."""
    return Project(tmp_path)


@pytest.fixture
def project(empty: Project) -> Project:
    """Everything there, from seed 1."""
    empty.fill([1])
    return empty
