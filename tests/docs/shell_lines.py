"""The commands that the documentation shows, and how each program would read its own."""

import argparse
import importlib
import importlib.util
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import typer
import yaml

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
MARK = "# not run by a test"
# Commands that a test runs as they stand here (or, where they are whole graphs, on a sliver of the corpus).
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
    "dvc exp run -S train.tau=0.1": "tests/test_end_to_end.py",
    "dvc metrics diff": "tests/test_end_to_end.py",
    "dvc plots diff": "tests/test_end_to_end.py",
    "torchrun --nproc_per_node=2 -m stages.pretrain sscp 13": "tests/training/test_ranks.py",
    "synsem encode models/sscp/13 < sentences.txt > embeddings.parquet": "tests/export/test_documentation.py",
    "synsem export models/sscp/13 --onnx semantic.onnx": "tests/export/test_documentation.py",
}
# Pages whose commands a test runs all, but for those that say that they need something.
PAGES_RUN_BY = {
    "evaluation.md": "tests/evaluation/test_evaluation_docs.py",
    "report.md": "tests/report/test_report_docs.py",
    "using-models.md": "tests/export/test_documentation.py",
}
# What is in a block and begins with none of these is no command.
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
    named: bool = False  # in prose: perhaps named without what it needs

    def variables(self) -> list[str]:
        """What is set before the command, each ``NAME=VALUE``."""
        words = shlex.split(self.text, comments=True)
        return list(takewhile(lambda word: re.match(r"[A-Z_]+=", word), words))

    def words(self) -> list[str]:
        """The command as a shell reads it, without the variables before it."""
        return shlex.split(self.text, comments=True)[len(self.variables()) :]

    def is_tool(self) -> bool:
        """Whether it is a command of ours."""
        return self.words()[0] == "synsem"

    def is_setting(self) -> bool:
        """Whether it is one experiment with other parameters."""
        return self.words()[:4] == ["dvc", "exp", "run", "-S"]


def lines(page: Path) -> list[Line]:
    """Every command in the page's fenced and indented blocks, and in code within its prose."""
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
    """The commands that a page says to run, but for those marked and those that a test of their own runs."""
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


def check(line: Line) -> str | None:
    """Why a command would be refused by the program that it calls, or None."""
    try:
        words = line.words()
    except ValueError as error:
        return str(error)
    for variable in line.variables():
        if complaint := _variable(variable.partition("=")[0]):
            return complaint
    for sign in ("<", ">"):
        if sign in words:
            at = words.index(sign)
            del words[at : at + 2]
    program, *arguments = words
    checks: dict[str, Callable[[list[str]], str | None]] = {
        "synsem": _synsem,
        "python": _python,
        "torchrun": _torchrun,
        "make": _make,
        "pip": _pip,
        "dvc": _dvc,
        "export": lambda arguments: _variable(arguments[0].partition("=")[0]),
        "source": lambda arguments: None if arguments == [".venv/bin/activate"] else "sources another file",
    }
    if program not in checks:
        return None if line.marked else f"nothing checks {program}; say '{MARK}'"
    complaint = checks[program](arguments)
    named = line.named and complaint and re.match("Missing argument|Option .* requires", complaint)
    return None if named else complaint


def _variable(name: str) -> str | None:
    sources = "".join(
        path.read_text() for folder in ("pipeline", "stages") for path in (ROOT / folder).rglob("*.py")
    )
    known = name in sources or name.startswith(("OMP_", "CUDA_", "HF_", "PIP_", "NCCL_", "RAY_", "HTTP"))
    return None if known else f"no file reads the variable {name}"


def _parsed(command: Any, arguments: list[str]) -> str | None:
    """Read the arguments as the command would, without running it."""
    try:
        context = command.make_context("command", list(arguments))
        if hasattr(command, "resolve_command"):  # a group, such as ``synsem triplets``
            words = [*context._protected_args, *context.args]
            if words:
                _, inner, rest = command.resolve_command(context, words)
                return _parsed(inner, rest)
    except Exception as error:
        if not hasattr(error, "format_message"):  # of click, or of the copy of it inside typer
            raise
        return str(error.format_message())
    return None


def _command(main: Any) -> Any:
    if isinstance(main, typer.Typer):
        return typer.main.get_command(main)
    app = typer.Typer()
    app.command()(main)
    return typer.main.get_command(app)


def _stage(name: str, arguments: list[str]) -> str | None:
    from stages.cli import COMMANDS

    if name not in COMMANDS:
        return f"there is no command {name}"
    return _parsed(_command(importlib.import_module(f"stages.{name}").main), arguments)


def _synsem(arguments: list[str]) -> str | None:
    return _stage(arguments[0], arguments[1:])


def _python(arguments: list[str]) -> str | None:
    if arguments[0] == "-m" and arguments[1].startswith("stages."):
        return _stage(arguments[1].removeprefix("stages."), arguments[2:])
    if arguments[:2] == ["-m", "pytest"]:
        return None if all((ROOT / each).exists() for each in arguments[2:]) else "there is no such test"
    path = ROOT / arguments[0]
    if path.suffix != ".py" or not path.exists():
        return f"there is no script {arguments[0]}"
    module = _script(path)
    if hasattr(module, "argparse"):
        return _argparsed(module, arguments[1:])
    return _parsed(_command(getattr(module, "app", None) or module.main), arguments[1:])


def _argparsed(module: ModuleType, arguments: list[str]) -> str | None:
    """The same for a script that has its options from argparse: its ``main`` is left once these are read."""

    class Read(Exception):  # noqa: N818
        pass

    def parse_args(parser: argparse.ArgumentParser) -> None:
        parser.exit_on_error = False
        _, rest = parser.parse_known_args(arguments)
        raise argparse.ArgumentError(None, f"No such option: {rest[0]}") if rest else Read

    original = argparse.ArgumentParser.parse_args
    argparse.ArgumentParser.parse_args = parse_args  # type: ignore[assignment, method-assign]
    try:
        module.main()
    except Read:
        return None
    except (argparse.ArgumentError, SystemExit) as error:
        return str(error)
    finally:
        argparse.ArgumentParser.parse_args = original  # type: ignore[method-assign]
    return "reads no arguments"


@cache
def _script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"documented_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.parent))  # as where a script is run
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def _torchrun(arguments: list[str]) -> str | None:
    from torch.distributed.run import get_args_parser

    try:
        read = get_args_parser().parse_args(arguments)
    except SystemExit:
        return "torchrun does not take these options"
    if not read.module:
        return "is not run as a module"
    return _python(["-m", read.training_script, *read.training_script_args])


def _make(arguments: list[str]) -> str | None:
    text = (ROOT / "Makefile").read_text()
    for word in arguments:
        name, assigned, _ = word.partition("=")
        if not re.search(rf"^{name} \?=" if assigned else rf"^{name}:", text, flags=re.MULTILINE):
            return f"the Makefile has no {name}"
    return None


def _pip(arguments: list[str]) -> str | None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for word in arguments:
        for extra in re.findall(r"^(?:synsem|\.)\[(.+)\]$", word):
            if unknown := set(extra.split(",")) - set(extras):
                return f"pyproject.toml has no extra {', '.join(sorted(unknown))}"
    return None


def _dvc(arguments: list[str]) -> str | None:
    from dvc.cli import DvcParserError
    from dvc.cli.parser import get_main_parser
    from dvc.commands.experiments.run import CmdExperimentsRun

    try:
        read = get_main_parser().parse_args(arguments)
    except (DvcParserError, SystemExit):
        return "dvc does not take these options"
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    for target in getattr(read, "targets", None) or []:
        if arguments[0] in ("repro", "commit", "exp") and target.split("@")[0] not in stages:
            return f"dvc.yaml has no stage {target}"
    if read.func is CmdExperimentsRun:
        return _settings(read.set_param, read.queue)
    return None


def _settings(overrides: list[str], queued: bool) -> str | None:
    """Set the parameters by the grammar that DVC reads them by, and check them as the stages do."""
    from dvc.utils.serialize import dumps_yaml
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    from pipeline.errors import SynsemError
    from pipeline.params import parse, read_yaml

    try:
        read = OverridesParser.create().parse_overrides(overrides)
        if any(each.is_sweep_override() for each in read) and not queued:
            return "several values are for --queue alone"
        experiments = max((len(_choices(each)) for each in read), default=0)
        for number in range(experiments):
            values = yaml.safe_load((ROOT / "params.yaml").read_text())
            for each in read:
                *path, last = each.key_or_group.split(".")
                section = values
                for name in path:
                    section = section[name]
                if last not in section and not each.is_add():
                    return f"params.yaml has no {each.key_or_group}"
                section[last] = _choices(each)[number % len(_choices(each))]
            parse(read_yaml(dumps_yaml(values)))  # as DVC writes it and the stages read it
        if overrides and values == yaml.safe_load((ROOT / "params.yaml").read_text()):
            return "changes nothing"
    except (HydraException, SynsemError, KeyError, TypeError) as error:
        return f"{error} {error.__cause__ or ''}"
    return None


def _choices(override: Any) -> list[Any]:
    """The values that an override asks for, one for each experiment."""
    if override.is_sweep_override():
        return [yaml.safe_load(each) for each in override.sweep_string_iterator()]
    return [override.value()]
