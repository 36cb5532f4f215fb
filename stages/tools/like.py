"""``synsem like``: sentences of a corpus whose structure is like that of a query."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.errors import SynsemError
from stages.cli import Params, run

_TOKENS = 256  # of a query that are parsed, at most


def main(
    text: Annotated[str, typer.Argument(help='A sentence, e.g. "What a beautiful day it is!"')],
    model: Annotated[Path, typer.Option(help="A trained model's folder.")] = Path("models/upos/13"),
    corpus: Annotated[Path, typer.Option(help="Parsed sentences to search.")] = Path("data/parsed/corpus"),
    view: Annotated[str, typer.Option(help="The view that says what is like.")] = "syntactic",
    top: Annotated[int, typer.Option(help="Sentences to show.", min=1)] = 10,
    lang: Annotated[str | None, typer.Option(help="Of your sentence; default: the corpus's.")] = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Find the sentences of a corpus whose structure is like that of yours."""
    from rich.console import Console
    from rich.table import Table

    from pipeline.export.search import Searcher
    from pipeline.export.text_encoder import parsed
    from pipeline.params import load

    searcher = Searcher(model, corpus, view)
    languages = searcher.languages()
    if lang is None and len(languages) > 1:
        raise SynsemError(
            f"--lang: the corpus is in {', '.join(languages)}; name the language of your sentence"
        )
    section = load(params, "parse").parse
    spoken = lang or (languages[0] if languages else section.benchmark_language)
    query = parsed([text], section.model_copy(update={"benchmark_language": spoken}), _TOKENS)[0]
    table = Table(title=f"{text}\n{' '.join(query.upos)}", title_justify="left")
    for heading in ("cosine", "tags alike", "sentence", "tags"):
        table.add_column(heading, justify="left" if heading in ("sentence", "tags") else "right")
    for found in searcher(query, top):
        alike = f"{100 * found.tag_similarity:.0f} %"
        table.add_row(f"{found.score:.3f}", alike, found.sentence.text, " ".join(found.sentence.upos))
    console = Console()
    (console if console.is_terminal else Console(width=160)).print(table)


if __name__ == "__main__":
    run(main)
