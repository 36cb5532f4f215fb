"""``synsem score``: how alike the two sentences of each line are."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from stages.cli import ends_with_its_reader, run
from stages.tools.arguments import Lang, Output, TrainedModel, piped


def main(
    model: TrainedModel,
    source: Annotated[
        Path | None,
        typer.Argument(
            help="UTF-8, two texts a line, separated by a tab, no header; default, or -: standard input."
        ),
    ] = None,
    out: Output = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    lang: Lang = None,
    params: Annotated[Path | None, typer.Option(help="Names the parser; default: the model's own.")] = None,
) -> None:
    """Score pairs by each view and late interaction: synsem score pretrained < pairs.tsv."""
    from pipeline.export.score import score_stream

    with ends_with_its_reader():
        result = score_stream(model, piped(source), piped(out), device, params, lang)
    print(f"score: {result}", file=sys.stderr)


if __name__ == "__main__":
    run(main)
