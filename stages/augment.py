"""Stage ``augment``: syntactic variants of parsed sentences."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, Workers, run


def main(
    text: Annotated[str | None, typer.Argument(help="Show the variants of this text instead.")] = None,
    parsed: Path = Path("data/parsed/corpus"),
    out: Path = Path("data/augmented"),
    params: Params = Path("params.yaml"),
    workers: Workers = None,
) -> None:
    """Rewrite sentences by their trees, keeping or changing the meaning."""
    from pipeline.params import load

    sections = load(params, "augment", "parse")
    if text is not None:
        from pipeline.augment.show import describe
        from pipeline.parsing.typed import parsed as parsed_text

        for sentence in parsed_text(text, "en", sections.parse):
            typer.echo(describe(sentence, sections.augment) + "\n")
    else:
        from pipeline.augment.run import augment_folder

        augment_folder(parsed, out, sections.augment, sections.parse, workers)


if __name__ == "__main__":
    run(main)
