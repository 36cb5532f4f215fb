"""docs/licences.md is what `make licences` writes, for what pyproject.toml names and for all weights."""

from importlib.metadata import PackageNotFoundError, distribution

import pytest

from pipeline.core.packaged import record
from requirements import licences

LINES = licences.PAGE.read_text(encoding="utf-8").splitlines()


def section(title: str) -> list[str]:
    """The rows of the table below a heading."""
    start = next(at for at, line in enumerate(LINES) if line.startswith(f"## {title}"))
    rows = []
    for line in LINES[start + 1 :]:
        if line.startswith("## "):
            break
        if line.startswith("| "):
            rows.append(line)
    return rows[1:]


def test_each_direct_dependency_has_one_row() -> None:
    assert [row.split(" | ")[0].removeprefix("| ") for row in section("Direct")] == list(licences.direct())


@pytest.mark.parametrize(("name", "extras"), licences.direct().items())
def test_a_row_says_what_the_installed_package_declares(name: str, extras: str) -> None:
    try:
        distribution(name)
    except PackageNotFoundError:
        pytest.skip(f"{name} is in the extra {extras}, which is not installed")
    assert licences.row(name, extras) in section("Direct"), "call `make licences`"


def test_every_recorded_package_has_a_row_with_the_licence_of_its_weights() -> None:
    assert set(record()) == set(licences.WEIGHTS)
    rows = section("Weights")
    assert len(rows) == len(licences.WEIGHTS)
    # The package calls itself MIT; the model that it carries is Apache-2.0.
    assert next(row for row in rows if "MiniLM" in row).endswith("| MIT | apache-2.0 |")
    for package in licences.WEIGHTS:
        try:
            assert licences.weights_row(package) in rows, "call `make licences`"
        except PackageNotFoundError:
            continue


def test_every_row_has_as_many_cells_as_its_heading() -> None:
    for title, cells in (("Weights", 5), ("Direct", 4), ("What these need", 3)):
        for row in section(title):
            assert row.replace("\\|", "").count("|") == cells + 1, row


def test_checksums_are_written_again_as_they_are() -> None:
    try:
        assert licences.checksums() == licences.RECORD.read_text(encoding="utf-8")
    except PackageNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
