"""Arguments that several commands have, and the model that they stand for."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline import pretrained as bundled
from pipeline.core.errors import SynsemError
from stages.cli import ends_with_its_reader, first_model

if TYPE_CHECKING:
    from pipeline.params import Parse
    from pipeline.systems.base import System


def chosen_model(named: Path | None, params: Path, system: str = "") -> Path:
    """The folder of the named model, else that of ``first_model``, else of the one that comes with SynSem.

    Only a folder that is not there at all is replaced, and a line on standard error says so.
    """
    if named is not None:
        return bundled.named(named)
    trained = first_model(params, system)
    if trained.exists():
        return trained
    told = f"the one that comes with SynSem, as {trained} is not there; --model names another"
    print(f"model: {told}", file=sys.stderr)
    return bundled.HOME


def chosen_system(
    model: Path | None, params: Path | None, lang: str | None
) -> tuple["System", "Parse | None"]:
    """The system of ``chosen_model``, and the section that names its parser; None where it needs none.

    Raises SynsemError as ``registry.load`` and ``parse_for`` do.
    """
    from pipeline.export.text_encoder import parse_for
    from pipeline.systems import registry

    folder = chosen_model(model, params or Path("params.yaml"))
    system = registry.load(folder)
    # Without --model the parameters chose the model, if no parser.
    named = None if model is None and system.reads_text_alone else params
    return system, parse_for(system, folder, named, lang)


A_MODEL = "A trained model's folder, or `pretrained`: the one that comes with SynSem"
FIRST_MODEL = "that of params.yaml's first system and seed, or pretrained where that is not there"
TrainedModel = Annotated[Path, typer.Argument(help=f"{A_MODEL}.", callback=bundled.named)]
Output = Annotated[Path | None, typer.Option(help="Default, or -: standard output.")]
Lang = Annotated[
    str | None,
    typer.Option(
        help="Of the text, where it is parsed: a key of parse.models; default: parse.benchmark_language."
    ),
]


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
    """Rows of cells, as a table on a terminal, else as tab-separated values with a header.

    Columns of sentences and of tags are aligned left, others right. Raises SynsemError where standard output
    is closed.
    """
    from rich.console import Console
    from rich.table import Table

    if sys.stdout is None:
        raise SynsemError("standard output: is closed; send it to a file or a terminal")
    if not (console := Console(markup=False, emoji=False)).is_terminal:
        with ends_with_its_reader():
            for row in (columns, *rows):
                print("\t".join(" ".join(cell.split()) for cell in row))
        return
    table = Table(title=title, title_justify="left")
    for heading in columns:
        table.add_column(heading, justify="left" if heading in ("sentence", "tags") else "right")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def piped(path: Path | None) -> Path | None:
    """A path, or None for standard input or output, which ``-`` stands for, as in other programs."""
    return None if path == Path("-") else path
