"""``synsem like``: sentences of a corpus whose structure is like that of a query."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.core.errors import SynsemError
from stages.cli import Params, run
from stages.tools.arguments import A_MODEL, chosen_model, print_rows

if TYPE_CHECKING:
    from pipeline.export.search import Searcher
    from pipeline.syntax.sentence import HasTree

_TOKENS = 256  # of a query that are read, at most


def main(
    text: Annotated[str, typer.Argument(help='A sentence, e.g. "What a beautiful day it is!"')],
    model: Annotated[
        Path | None,
        typer.Option(
            help=f"{A_MODEL}; default: that of upos, or of the first of `systems`, or pretrained where "
            "that is not there."
        ),
    ] = None,
    corpus: Annotated[Path, typer.Option(help="Parsed sentences to search.")] = Path("data/parsed/corpus"),
    view: Annotated[
        str | None,
        typer.Option(help="The view that says what is like; default: syntactic, or else joint (synsem)."),
    ] = None,
    top: Annotated[int, typer.Option(help="Sentences to show.", min=1)] = 10,
    lang: Annotated[str | None, typer.Option(help="Of your sentence; default: the corpus's.")] = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Find the sentences of a corpus whose structure is like that of yours.

    A terminal shows a table; into a pipe or a file go tab-separated values.
    """
    from pipeline.export.search import Searcher

    if not text.strip():
        raise SynsemError("the text is empty; give a sentence, in quotes")
    if corpus.is_file():
        raise SynsemError(
            f"--corpus: {corpus} is a file; name a folder of parsed sentences, such as data/parsed/corpus. "
            "The lines of a file are searched by `synsem search`"
        )
    searcher = Searcher(chosen_model(model, params, "upos"), corpus, view)
    query = _read(text, searcher, lang, params)
    columns = ["cosine", "tags alike", "sentence", "tags"] if query.upos else ["cosine", "sentence"]
    rows = []
    for found in searcher(query, top):
        row = [f"{found.score:.3f}", found.sentence.text]
        if found.tag_similarity is not None:
            alike = f"{100 * found.tag_similarity:.0f} %"
            row = [row[0], alike, row[1], " ".join(found.sentence.upos)]
        rows.append(row)
    print_rows(columns, rows, "\n".join([text, *[" ".join(query.upos)] * bool(query.upos)]))


def _read(text: str, searcher: "Searcher", lang: str | None, params: Path) -> "HasTree":
    """The query with its tree, in the language of the corpus.

    A model that reads text alone needs no tree. Then the tags are for show, and left out without a parser.
    """
    from pipeline.export.text_encoder import alone, in_language, parsed
    from pipeline.params import load, or_defaults

    languages = searcher.languages()
    if lang is None and len(languages) > 1:
        if not searcher.parses:
            return alone(text)
        raise SynsemError(
            f"--lang: the corpus is in {', '.join(languages)}; name the language of your sentence"
        )
    section = load(or_defaults(params), "parse").parse
    spoken = lang or (languages[0] if languages else section.benchmark_language)
    try:
        return parsed([text], in_language(section, spoken), _TOKENS)[0]
    except SynsemError:
        if searcher.parses or lang is not None:
            raise
        return alone(text)


if __name__ == "__main__":
    run(main)
