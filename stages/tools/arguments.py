"""Arguments that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

TrainedModel = Annotated[
    Path,
    typer.Argument(
        help="A trained model's folder, such as models/synsem/13; `synsem pretrained` writes one."
    ),
]
Output = Annotated[Path | None, typer.Option(help="Default, or -: standard output.")]
Lang = Annotated[
    str | None,
    typer.Option(
        help="Of the text, where it is parsed: a key of parse.models; default: parse.benchmark_language."
    ),
]


def piped(path: Path | None) -> Path | None:
    """A path, or None for standard input or output, which ``-`` stands for, as in other programs."""
    return None if path == Path("-") else path
