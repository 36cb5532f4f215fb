"""docs/evaluation.md says what is true: its commands run, its example is a task, every task is in it."""

import importlib
import re
import shlex
from pathlib import Path

import pytest
import typer
from small_world import PARAMS, BagOfHashes, example, folders, sentence
from typer.testing import CliRunner

from pipeline.core.schemas import EXAMPLE, SENTENCE
from pipeline.core.store import shard_path, write_rows
from pipeline.evaluation import plan
from pipeline.evaluation.run import ModelUnderTest, evaluate
from pipeline.evaluation.tasks.pairs import FIRST_UNREAD
from stages.cli import COMMANDS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def rows() -> list[dict]:
    found = []
    for split in ("dev", "test"):
        for n in range(30):
            a = f"the {split} number {n} is here now"
            b = a if n % 2 else f"no {' '.join(a.split()[::2])}"
            found.append(example("paws-wiki", split, a, b, label=str(n % 2)))
            found.append(example("stsb", split, a, b, score=float(n % 2 * 4 + n % 3)))
            found.append(
                example("trec", split, f"{'who' if n % 2 else 'where'} is {split} {n}", label=str(n % 2))
            )
    return found


def trees(examples: list[dict]) -> list[dict]:
    """Every text of the benchmarks as a chain of nouns."""
    found = []
    for text in sorted({row[side] for row in examples for side in ("a", "b") if row[side]}):
        n = len(text.split())
        tree = sentence(text, "NOUN " * n, " ".join(map(str, range(n))), "root" + " dep" * (n - 1))
        found.append({"sent_id": text, "doc_id": "", "lang": "en", "split": "test"} | tree.row())
    return found


def test_the_commands_run(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    write_rows(shard_path(data / "benchmarks", 0), rows(), EXAMPLE)
    write_rows(shard_path(data / "parsed" / "benchmarks", 0), trees(rows()), SENTENCE)
    (data / "parsed" / "corpus").symlink_to(world / "parsed" / "corpus")
    (data / "augmented").symlink_to(world / "augmented")
    (tmp_path / "params.yaml").symlink_to(ROOT / "params.yaml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pipeline.core.scratch.ROOT", tmp_path / "cache")
    ran = 0
    for line in (line for block in blocks("console") for line in block.splitlines()):
        assert line.startswith("synsem ")
        if "# needs" in line:
            continue
        command, *words = shlex.split(line)[1:]
        app = typer.Typer()
        app.command()(importlib.import_module(COMMANDS[command]).main)
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, (line, result.output, result.exception)
        ran += 1
    assert ran == 4


def test_the_example_is_a_task(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = (block for block in blocks("python") if "def length" in block)
    names: dict = {}
    exec(compile(source, "docs/evaluation.md", "exec"), names)
    monkeypatch.setitem(plan.CORPUS_TASKS, "length", plan.CorpusTask(names["length"]))
    result = evaluate(ModelUnderTest("test", BagOfHashes()), folders(world, tmp_path), PARAMS, ["length"])
    assert set(result.failures) <= {"length"}  # all sentences of the small world are of one length
    assert "all gold scores or all similarities are equal" in result.failures["length"]


def test_every_task_and_group_is_described() -> None:
    for name in (*plan.CORPUS_TASKS, *plan.BENCHMARK_TASKS, *plan.ALIASES):
        assert f"`{name}`" in TEXT or f"`{name}-" in TEXT, name


def test_the_page_says_from_which_pair_on_no_choice_was_made() -> None:
    assert f"test pairs from the {FIRST_UNREAD['paws-wiki'] + 1:,}st on" in TEXT
