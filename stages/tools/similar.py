"""``synsem similar``: two sentences compared by every view, and how each is read."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run
from stages.tools.lang import Lang


def main(
    a: Annotated[str, typer.Argument(help='A sentence, e.g. "The dog chased the boy."')],
    b: Annotated[str, typer.Argument(help="Another.")],
    model: Annotated[
        Path | None,
        typer.Option(
            help="A trained model's folder; default: models/sscp, or the first of `systems` without it."
        ),
    ] = None,
    view: Annotated[str | None, typer.Option(help="One view alone; default: all views.")] = None,
    lang: Lang = None,
    params: Annotated[Path | None, typer.Option(help="Names the parser; default: the model's own.")] = None,
) -> None:
    """Show how alike two sentences are to each view, and the two trees or what the model reads itself."""
    from rich.console import Console

    from pipeline.export.sentence_transformers import parser_of
    from pipeline.export.similar import compare, show
    from pipeline.export.text_encoder import in_language
    from pipeline.params import load, or_defaults
    from pipeline.systems import registry

    if model is None:
        chosen = load(or_defaults(params or Path("params.yaml")), "systems", "seeds")
        name = "sscp" if "sscp" in chosen.systems else chosen.systems[0]
        model = Path("models") / name / str(chosen.seeds[0])
    system = registry.load(model)
    parse = None if system.reads_text_alone else in_language(parser_of(model, params), lang)
    show(compare(a, b, system, parse, view), Console())


if __name__ == "__main__":
    run(main)
