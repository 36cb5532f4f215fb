"""``synsem tree``: how a text is parsed, drawn in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, run


def main(
    text: Annotated[str, typer.Argument(help='What to parse, e.g. "The boy chased the dog."')],
    lang: Annotated[str, typer.Option(help="Its language, a key of parse.models.")] = "en",
    params: Params = Path("params.yaml"),
) -> None:
    """Parse a text and draw the tree of each of its sentences."""
    from rich.console import Console

    from pipeline.params import load
    from pipeline.parsing.draw import trees

    console = Console()
    for tree in trees(text, lang, load(params, "parse").parse):
        console.print(tree)


if __name__ == "__main__":
    run(main)
