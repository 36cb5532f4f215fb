"""Whether each program would accept a documented command: options, arguments, stages, parameters, extras."""

import argparse
import importlib
import importlib.util
import re
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
import yaml
from shell_lines import MARK, ROOT, Line


def check(line: Line) -> str | None:
    """Why the program would refuse the command, or None."""
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
    """Why a click command would refuse the arguments, or None; nothing runs."""
    try:
        context = command.make_context("command", list(arguments))
        if hasattr(command, "resolve_command"):  # a group
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
    return _parsed(_command(importlib.import_module(COMMANDS[name]).main), arguments)


def _synsem(arguments: list[str]) -> str | None:
    return _stage(arguments[0], arguments[1:])


def _python(arguments: list[str]) -> str | None:
    if arguments[0] == "-m" and arguments[1].startswith("stages."):
        return _stage(arguments[1].removeprefix("stages."), arguments[2:])
    if arguments[:2] == ["-m", "pip"]:
        return _pip(arguments[2:])
    if arguments[:2] == ["-m", "pytest"]:
        return None if all((ROOT / each).exists() for each in arguments[2:]) else "there is no such test"
    if arguments[0] == "-m":
        arguments = [f"{arguments[1].replace('.', '/')}/__main__.py", *arguments[2:]]
    path = ROOT / arguments[0]
    if path.suffix != ".py" or not path.exists():
        return f"there is no script {arguments[0]}"
    module = script(path)
    if hasattr(module, "argparse"):
        return _argparsed(module, arguments[1:])
    return _parsed(_command(getattr(module, "app", None) or module.main), arguments[1:])


def _argparsed(module: ModuleType, arguments: list[str]) -> str | None:
    """The same for a script with argparse: ``main`` is stopped once it has read its options."""

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
def script(path: Path) -> ModuleType:
    """A file of ``benchmarks/`` as a module."""
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
        if re.match(r"synsem\b", word):
            return "synsem is on no index; install the folder, '.[...]'"
        for extra in re.findall(r"^\.\[(.+)\]$", word):
            if unknown := set(extra.split(",")) - set(extras):
                return f"pyproject.toml has no extra {', '.join(sorted(unknown))}"
            # The first two install SynSem in another place.
            if not {"pipeline", "vectors"} & set(extra.split(",")) and "-e" not in arguments:
                return "it puts a copy of the code in the place of what make installed; write pip install -e"
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
    """Set the parameters with DVC's own grammar, and check them as the stages do."""
    from dvc.utils.serialize import dumps_yaml
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException
    from ruamel.yaml import YAML

    from pipeline.core.errors import SynsemError
    from pipeline.params import parse

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
            parse(YAML(typ="safe", pure=True).load(dumps_yaml(values)))  # as the stages read it
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
