"""``python -m stages.pack``: keep a trained model as the one that comes with SynSem."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.command import run


def main(
    model: Annotated[Path, typer.Argument(help="A trained model of synsem, such as models/synsem/13.")],
    data: Annotated[Path, typer.Option(help="The text that it was trained on.")] = Path("data"),
    reports: Annotated[Path, typer.Option(help="Its results.")] = Path("reports"),
) -> None:
    """Write pipeline/pretrained: the model's heads in float16, its settings and its numbers."""
    from pipeline.pretrained.model import pack

    pack(model, data, reports)


if __name__ == "__main__":
    run(main)
