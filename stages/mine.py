"""Stage ``mine``: the training examples of one system."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stages.cli import Params, SystemName, run
from stages.summary import of_mine

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.syntax.sentence import Side
    from pipeline.systems.base import Embedder


def main(
    system: SystemName,
    corpus: Path = Path("data/corpus"),
    benchmarks: Path = Path("data/benchmarks"),
    parsed: Path = Path("data/parsed"),
    augmented: Path = Path("data/augmented"),
    treebank: Path = Path("data/treebank"),
    out: Annotated[Path | None, typer.Option(help="Default: data/triplets/SYSTEM.")] = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Mine a system's training examples from documents, sentences and variants."""
    from pipeline.mining.inputs import Inputs
    from pipeline.params import load
    from pipeline.systems.builders import builder

    sections = load(params, "encoder", "mine")

    @functools.cache
    def encoder() -> "Embedder":  # loaded only if a builder needs vectors
        from pipeline.systems.registry import backbone

        # Builders read the semantic view alone; the joint view with its sketch would be thrown away.
        return backbone(sections.encoder.model_copy(update={"sketch": None}))

    def embed(sides: "Sequence[Side]") -> "NDArray[np.float32]":
        return encoder().embed(sides)["semantic"]

    folder = out or Path("data/triplets") / system
    inputs = Inputs(corpus, benchmarks, parsed, augmented, treebank)
    kept = builder(system)(inputs, folder, sections.mine, embed)
    typer.echo(of_mine(system, folder, kept))


if __name__ == "__main__":
    run(main)
