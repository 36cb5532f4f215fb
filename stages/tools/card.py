"""``synsem card``: what a trained model is, was made of and scores."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run
from stages.tools.arguments import TrainedModel


def main(
    model: TrainedModel,
    data: Annotated[Path, typer.Option(help="Tells where the text is from.")] = Path("data"),
    reports: Annotated[Path, typer.Option(help="Tells the numbers.")] = Path("reports"),
) -> None:
    """Print a model's card with its sources and numbers, as Markdown."""
    from pipeline.export.card import full_card
    from pipeline.systems import registry

    print(full_card(model, registry.load(model), None, data, reports), end="")


if __name__ == "__main__":
    run(main)
