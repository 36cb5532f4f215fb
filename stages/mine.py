"""Stage ``mine``: the training examples of one system."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stages.cli import Params, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.sentences import Side


def main(
    system: Annotated[str, typer.Argument(help="A system: a file in pipeline/mining/.")],
    parsed: Path = Path("data/parsed"),
    augmented: Path = Path("data/augmented"),
    out: Annotated[Path | None, typer.Option(help="Default: data/triplets/SYSTEM.")] = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Mine a system's training examples from sentences and variants."""
    from pipeline.mining.builders import builder
    from pipeline.params import load

    sections = load(params, "encoder", "mine")

    def embed(sides: "Sequence[Side]") -> "NDArray[np.float32]":
        from pipeline.systems.registry import backbone

        return backbone(sections.encoder).embed(sides)["semantic"]

    folder = out or Path("data/triplets") / system
    kept = builder(system)(parsed, augmented, folder, sections.mine, embed)
    typer.echo(f"mine {system}: {kept['train']:,} training and {kept['dev']:,} development examples")


if __name__ == "__main__":
    run(main)
