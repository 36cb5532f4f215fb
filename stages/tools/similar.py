"""``synsem similar``: two sentences compared by every view, and how each is read."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run
from stages.tools.arguments import A_MODEL, FIRST_MODEL, Lang, chosen_system


def main(
    a: Annotated[str, typer.Argument(help='A sentence, e.g. "The dog chased the boy."')],
    b: Annotated[str, typer.Argument(help="Another.")],
    model: Annotated[Path | None, typer.Option(help=f"{A_MODEL}; default: {FIRST_MODEL}.")] = None,
    view: Annotated[str | None, typer.Option(help="One view alone; default: all views.")] = None,
    lang: Lang = None,
    params: Annotated[Path | None, typer.Option(help="Names the parser; default: the model's own.")] = None,
) -> None:
    """Show how alike two sentences are to each view, and the two trees or what the model reads itself."""
    from rich.console import Console

    from pipeline.export.similar import compare, show

    show(compare(a, b, *chosen_system(model, params, lang), view), Console())


if __name__ == "__main__":
    run(main)
