"""The commands that README.md and docs/ show, and which test runs which."""

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
MARK = "# not run by a test"
# Commands that a test runs as written here; whole graphs run on a small part of the corpus.
RUN_BY = {
    "make repro": "tests/test_end_to_end.py",
    "make test": ".ci/run",
    "dvc repro": "tests/test_end_to_end.py",
    "dvc repro --downstream parse": "tests/test_end_to_end.py",
    "dvc repro --single-item mine@sscp": "tests/test_end_to_end.py",
    "dvc commit --force pretrain@sscp-13 evaluate@sscp-13": "tests/test_end_to_end.py",
    "dvc push": "tests/test_end_to_end.py",
    "dvc pull models/sscp/13": "tests/test_end_to_end.py",
    "python -m stages.parse": "tests/test_end_to_end.py",
    "python benchmarks/scale.py show --write docs/scale.md": "tests/docs/test_scale.py",
    "python benchmarks/ratios.py --write docs/performance.md --chart docs/performance.svg": (
        "tests/docs/test_ratios.py"
    ),
    "dvc exp run -S train.tau=0.1": "tests/test_end_to_end.py",
    "dvc metrics diff": "tests/test_end_to_end.py",
    "dvc plots diff": "tests/test_end_to_end.py",
    "torchrun --nproc_per_node=2 -m stages.pretrain sscp 13": "tests/training/test_distributed.py",
    "synsem encode models/sscp/13 < sentences.txt > embeddings.parquet": "tests/export/test_documentation.py",
    "synsem encode pretrained < sentences.txt > embeddings.parquet": "tests/export/test_documentation.py",
    "synsem export models/sscp/13 --onnx semantic.onnx": "tests/export/test_documentation.py",
}
# Pages all of whose commands a test runs, except those that say what they need.
PAGES_RUN_BY = {
    "evaluation.md": "tests/evaluation/test_evaluation_docs.py",
    "own-text.md": "tests/docs/test_own_text.py",
    "report.md": "tests/report/test_report_docs.py",
    "using-models.md": "tests/export/test_documentation.py",
}
# A line of a block that begins with none of these is no command.
_PROGRAMS = (
    "bash", "cat", "cp", "curl", "dvc", "export", "git", "kubectl", "make", "mkdir", "pip", "pip-audit",
    "python", "ray", "rsync", "sbatch", "scp", "sha256sum", "source", "srun", "ssh", "synsem", "tar",
    "torchrun", "unset",
)  # fmt: skip
_SHELL = ("", "console", "sh", "bash", "shell")


class Line(NamedTuple):
    """A command of a page, with continuation lines joined."""

    page: Path
    text: str
    marked: bool = False  # it says that no test runs it
    named: bool = False  # in prose: its arguments may be missing

    def variables(self) -> list[str]:
        """The assignments before the command, each ``NAME=VALUE``."""
        words = shlex.split(self.text, comments=True)
        return list(takewhile(lambda word: re.match(r"[A-Z_]+=", word), words))

    def words(self) -> list[str]:
        """The command as a shell reads it, without the variables before it."""
        return shlex.split(self.text, comments=True)[len(self.variables()) :]

    def is_tool(self) -> bool:
        """Whether it is a ``synsem`` command."""
        return self.words()[0] == "synsem"

    def is_setting(self) -> bool:
        """Whether it is an experiment with changed parameters."""
        return self.words()[:4] == ["dvc", "exp", "run", "-S"]


def lines(page: Path) -> list[Line]:
    """Every command in the page's fenced and indented blocks, and in code inside its prose."""
    text = page.read_text(encoding="utf-8")
    found: list[Line] = []
    for fence, block in re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        if fence in _SHELL:
            found += _commands(page, block)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    indented = "\n".join(line for line in prose.splitlines() if re.match(r" {4,}\S", line))
    found += _commands(page, indented)
    for span in re.findall(r"`([^`\n]+)`", re.sub(r"^ {4,}\S.*$", "", prose, flags=re.MULTILINE)):
        if re.match(r"(synsem|dvc) [a-z]|python (-m |benchmarks/)|torchrun ", span):
            found.append(Line(page, span, named=True))
    return found


def to_run(page: Path) -> list[Line]:
    """The commands that a page says to run, without those marked and those with a test of their own."""
    if page.name in PAGES_RUN_BY:
        return []
    found = [each for each in lines(page) if not (each.marked or each.named or each.text in RUN_BY)]
    return [each for each in found if each.words()[0] not in ("export", "source")]  # these run nothing


def _commands(page: Path, block: str) -> Iterator[Line]:
    for raw in re.sub(r"\\\n\s*", " ", block).splitlines():
        command = raw.strip().removeprefix("$ ")
        marked = MARK in command
        for part in re.split(r"\s(?:&&|;|\|)\s", command.partition(" # ")[0]):
            words = [word for word in part.split() if not re.match(r"[A-Z_]+=", word)]
            if words and words[0] in _PROGRAMS:
                yield Line(page, " ".join(part.split()), marked)
