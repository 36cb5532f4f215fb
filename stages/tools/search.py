"""``synsem search``: the lines of a text that are most like a query."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.errors import SynsemError
from stages.cli import run
from stages.tools.arguments import A_MODEL, FIRST_MODEL, Lang, chosen_system, piped, print_rows


def main(
    query: Annotated[str, typer.Argument(help='A sentence, e.g. "Who chased the boy?"')],
    source: Annotated[
        Path | None,
        typer.Argument(help="UTF-8 text, one sentence a line; default, or -: standard input."),
    ] = None,
    model: Annotated[Path | None, typer.Option(help=f"{A_MODEL}; default: {FIRST_MODEL}.")] = None,
    view: Annotated[str | None, typer.Option(help="Default: joint, or the one view there is.")] = None,
    top: Annotated[int, typer.Option(help="Lines to show.", min=1)] = 10,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    lang: Lang = None,
    params: Annotated[Path | None, typer.Option(help="Names the parser; default: the model's own.")] = None,
) -> None:
    """Find the lines most like a sentence: synsem search "Who chased the boy?" sentences.txt.

    A terminal shows a table; into a pipe or a file go tab-separated values.
    """
    from pipeline.export.encode import device_of
    from pipeline.export.line_search import search_lines
    from pipeline.export.sentence_transformers import views
    from pipeline.export.text_encoder import TextEncoder
    from pipeline.systems.base import usual_view

    if not query.strip():
        raise SynsemError("the query is empty; give a sentence, in quotes")
    place = device_of(device)
    system, parse = chosen_system(model, params, lang)
    encoder = TextEncoder(system.to(place), view or usual_view(views(system)), parse)
    found = search_lines(query, piped(source), encoder, top)
    rows = [[f"{each.score:.3f}", str(each.number), each.text] for each in found]
    print_rows(["cosine", "line", "sentence"], rows, query)


if __name__ == "__main__":
    run(main)
