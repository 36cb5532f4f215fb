"""``synsem tree``: the trees of a text, drawn in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.core.errors import SynsemError
from pipeline.pretrained import named
from stages.cli import run
from stages.tools.arguments import A_MODEL

if TYPE_CHECKING:
    from rich.tree import Tree


def main(
    text: Annotated[str, typer.Argument(help='What to parse, e.g. "The boy chased the dog."')],
    lang: Annotated[
        str | None, typer.Option(help="Its language, a key of parse.models; default: en.")
    ] = None,
    constituents: Annotated[
        bool, typer.Option("--constituents", help="Constituents in brackets instead of dependencies.")
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(help=f"{A_MODEL}, of synsem: draw what it reads itself, with no parser."),
    ] = None,
    params: Annotated[Path | None, typer.Option(help="The parameter file; default: params.yaml.")] = None,
) -> None:
    """Parse a text and draw the tree of each of its sentences."""
    from rich.console import Console

    if model is not None:
        if constituents:
            raise SynsemError("--constituents: are of a parser's trees; leave it out, or --model")
        for option, given in (("--lang", lang), ("--params", params)):
            if given is not None:
                raise SynsemError(
                    f"{option}: chooses a parser, which --model needs not; leave it out, or --model"
                )
        Console().print(_own_reading(named(model), text))
        return

    from pipeline.params import load, or_defaults
    from pipeline.parsing.show import bracketed, trees
    from pipeline.systems.cssl.backend import register

    register()
    lang = lang or "en"
    parse = load(or_defaults(params or Path("params.yaml")), "parse").parse
    if constituents:
        for text_of_tree in bracketed(text, lang, parse):
            typer.echo(text_of_tree)
        return
    console = Console()
    for tree in trees(text, lang, parse):
        console.print(tree)


def _own_reading(model: Path, text: str) -> "Tree":
    from pipeline.systems import registry

    system = registry.load(model)
    drawn = system.draw(text)
    if drawn is None:
        raise SynsemError(
            f"--model: {system.name} finds no structure by itself; name a model of synsem, or no model"
        )
    return drawn


if __name__ == "__main__":
    run(main)
