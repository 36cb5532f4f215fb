"""Tool ``match``: how well two texts match, by a trained matcher."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run


def main(
    a: Annotated[str, typer.Argument(help='A text, e.g. "How do I quit smoking?"')],
    b: Annotated[str, typer.Argument(help="Another.")],
    model: Annotated[Path, typer.Option(help="A matcher (`synsem finetune`) or a trained ebsim system.")],
    align: Annotated[bool, typer.Option(help="Show which words ebsim matches with which.")] = False,
) -> None:
    """Score a pair: from 0 to 1 by a matcher, by its aspects' sum (-1 to 1) by ebsim as pretrained."""
    from rich.console import Console

    from pipeline.systems.ebsim import matcher

    system, console = matcher.pretrained(model), Console(markup=False, emoji=False)
    ascii_only = console.options.ascii_only
    score = matcher.score(a, b, system or model)
    picture = matcher.picture(a, b, system, model, ascii_only) if align else None
    print(f"{score:.3f}")
    if picture is not None:
        console.print(picture)


if __name__ == "__main__":
    run(main)
