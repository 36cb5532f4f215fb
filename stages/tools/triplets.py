"""``synsem triplets``: show the training examples of a system in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run

main = typer.Typer(
    help="Look at training examples.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@main.callback()
def _group() -> None:
    """Look at training examples."""


@main.command()
def head(
    system: Annotated[str, typer.Argument(help="A system that was mined for.")] = "sscp",
    number: Annotated[int, typer.Option("-n", min=1, help="How many examples.")] = 5,
    kind: Annotated[str | None, typer.Option(help="Only positives or negatives of this kind.")] = None,
    triplets: Annotated[Path | None, typer.Option(help="Default: data/triplets/SYSTEM.")] = None,
) -> None:
    """Show the first examples: anchor, positive and negatives, the words that differ marked.

    The number of a negative is its hardness, from 0 to 1: the overlap of its words with the anchor's.
    """
    from rich.console import Console

    from pipeline.mining.show import panels

    console = Console(highlight=False)
    styled = console.color_system is not None  # not in a pipe or a file
    for panel in panels(triplets or Path("data/triplets") / system, number, kind, marked=styled):
        console.print(panel)


if __name__ == "__main__":
    run(main)
