"""Stage ``mine``: the training examples of one system."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.command import Params, System, print_dropped, run

FEW = 1000  # training examples: a model of fewer should be compared with the bundled one


def main(
    system: System,
    corpus: Path = Path("data/corpus"),
    benchmarks: Path = Path("data/benchmarks"),
    parsed: Path = Path("data/parsed"),
    augmented: Path = Path("data/augmented"),
    treebank: Path = Path("data/treebank"),
    out: Annotated[Path | None, typer.Option(help="Default: data/triplets/SYSTEM.")] = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Mine a system's training examples from documents, sentences and variants."""
    from pipeline.core.params import load
    from pipeline.mining.build import examples_of, mine
    from pipeline.mining.inputs import Inputs

    examples_of(system)
    sections = load(params, "encoder", "mine", system)
    folder = out or Path("data/triplets") / system
    inputs = Inputs(corpus, benchmarks, parsed, augmented, treebank)
    inputs.check()
    kept = mine(system, inputs, folder, sections)
    typer.echo(f"mine {system}: {kept['train']:,} training and {kept['dev']:,} development examples")
    print_dropped(folder, "mine")
    if kept["train"] < FEW:
        typer.echo(
            "  few examples: add pretrained to evaluate.references to compare with the bundled model",
            err=True,
        )


if __name__ == "__main__":
    run(main)
