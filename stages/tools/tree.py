"""``synsem tree``: the trees of a text, drawn in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, run


def main(
    text: Annotated[str, typer.Argument(help='What to parse, e.g. "The boy chased the dog."')],
    lang: Annotated[str, typer.Option(help="Its language, a key of parse.models.")] = "en",
    constituents: Annotated[
        bool, typer.Option("--constituents", help="Constituents in brackets instead of dependencies.")
    ] = False,
    params: Params = Path("params.yaml"),
) -> None:
    """Parse a text and draw the tree of each of its sentences."""
    from rich.console import Console

    from pipeline.params import load
    from pipeline.parsing.registry import register
    from pipeline.parsing.show import bracketed, trees
    from pipeline.systems.cssl.backend import BiaffineBackend

    register("biaffine", BiaffineBackend)
    parse = load(params, "parse").parse
    if constituents:
        for text_of_tree in bracketed(text, lang, parse):
            typer.echo(text_of_tree)
        return
    console = Console()
    for tree in trees(text, lang, parse):
        console.print(tree)


if __name__ == "__main__":
    run(main)
