"""``synsem pretrained``: the trained model that comes with SynSem, as a folder."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run


def main(
    folder: Annotated[Path, typer.Argument(help="A new folder, such as models/pretrained.")],
) -> None:
    """Write the trained model that comes with SynSem: for vectors without any training."""
    from pipeline.pretrained.model import write

    write(folder)
    print(f"pretrained: {folder}; for sentence-transformers: {folder / 'sentence-transformer-joint'}")


if __name__ == "__main__":
    run(main)
