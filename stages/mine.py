"""Stage ``mine``: the training examples of one system."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, SystemName, run
from stages.summary import of_mine


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
    from pipeline.mining.build import examples_of, mine
    from pipeline.mining.inputs import Inputs
    from pipeline.params import load

    examples_of(system)
    sections = load(params, "encoder", "mine", system)
    folder = out or Path("data/triplets") / system
    inputs = Inputs(corpus, benchmarks, parsed, augmented, treebank)
    inputs.check()
    kept = mine(system, inputs, folder, sections)
    typer.echo(of_mine(system, folder, kept))


if __name__ == "__main__":
    run(main)
