"""The programs of docs/integrations.md print what the page says, each with the real libraries."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tests.without_synsem import WithoutSynSem

NUMBER = r"-?\d+\.\d+"


def programs() -> list[tuple[str, str]]:
    """The programs, each with the output that its section shows."""
    page = (Path(__file__).parents[1] / "docs" / "integrations.md").read_text()
    found = []
    for section in page.split("\n## ")[1:]:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)
        [output] = [text for language, text in blocks if language == "text"]
        found += [(text, output) for language, text in blocks if language == "python"]
    return found


def installs(program: str) -> list[str]:
    """What the program's first line installs."""
    return program.splitlines()[0].removeprefix("# pip install ").split()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled model as the page exports it."""
    from stages.tools import export

    folder = tmp_path_factory.mktemp("exported") / "my-model"
    export(Path("pretrained"), folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("program", "output"), programs(), ids=[installs(each[0])[0] for each in programs()])
def test_it_prints_what_the_page_says(
    program: str, output: str, exported: Path, without_synsem: WithoutSynSem, tmp_path: Path
) -> None:
    packages = installs(program)
    for name in packages:
        try:
            distribution(name)
        except PackageNotFoundError:
            pytest.skip(f"{name} is not installed: pip install {' '.join(packages)}")
    (tmp_path / "my-model").symlink_to(exported)
    printed = without_synsem.run(program, folder=tmp_path)
    assert re.sub(NUMBER, "", printed) == re.sub(NUMBER, "", output)
    shown, expected = (list(map(float, re.findall(NUMBER, text))) for text in (printed, output))
    assert shown == pytest.approx(expected, abs=0.02)
