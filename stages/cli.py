"""The ``synsem`` program: every stage and tool, under one name."""

import importlib
from collections.abc import Callable
from typing import Annotated

import typer

from pipeline.core.command import run
from stages import tools

STAGES = ("check", "download", "parse", "augment", "mine", "pretrain", "evaluate", "finetune", "report")
TOOLS = ("encode", "compare", "search", "tree", "export", "paraphrase")


def command(name: str) -> Callable[..., None]:
    """Return the function of a command."""
    return importlib.import_module(f"stages.{name}").main if name in STAGES else getattr(tools, name)


def main() -> None:
    """Run the console script ``synsem``."""
    app = typer.Typer(
        help="Syntax-aware sentence embeddings, one stage at a time.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for panel, names in (("Use a model", TOOLS), ("Stages of the pipeline", STAGES)):
        for name in names:
            app.command(name, rich_help_panel=panel)(command(name))
    run(app, "synsem")


def _version(asked: bool) -> None:
    if asked:
        from importlib import metadata

        typer.echo(f"synsem {metadata.version('synsem')}")
        raise typer.Exit


def _options(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if quiet:
        from pipeline.core import parallel

        parallel.shown_progress = False


if __name__ == "__main__":
    main()
