"""``synsem augment``: the stage, or the variants of a typed text.

Apart from the stage because a typed text is parsed first: the stage itself depends on no parser.
"""

from pathlib import Path
from typing import Annotated

import typer

from stages import augment
from stages.cli import Params, Workers, run


def main(
    text: Annotated[str | None, typer.Argument(help="Show the variants of this text instead.")] = None,
    parsed: Path = Path("data/parsed/corpus"),
    out: Path = Path("data/augmented"),
    lang: Annotated[str, typer.Option(help="Of the text, a key of parse.models.")] = "en",
    params: Params = Path("params.yaml"),
    workers: Workers = None,
) -> None:
    """Rewrite sentences by their trees, keeping or changing the meaning."""
    if text is None:
        augment.main(parsed, out, params, workers)
        return
    from pipeline.augment.show import describe
    from pipeline.params import load, or_defaults
    from pipeline.parsing.show import parsed as parsed_text
    from pipeline.systems.cssl.backend import register

    register()
    sections = load(or_defaults(params), "augment", "parse")
    for sentence in parsed_text(text, lang, sections.parse):
        typer.echo(describe(sentence, sections.augment, lang) + "\n")


if __name__ == "__main__":
    run(main)
