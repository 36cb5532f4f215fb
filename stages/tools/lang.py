"""The option ``--lang``: the language of the texts that a command is given."""

from typing import Annotated

import typer

Lang = Annotated[
    str | None,
    typer.Option(
        help="Of the text, where it is parsed: a key of parse.models; default: parse.benchmark_language."
    ),
]
