"""Stage ``mine``: the training examples of one system."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, SystemName, Workers, run
from stages.summary import of_mine


def main(
    system: SystemName,
    corpus: Path = Path("data/corpus"),
    benchmarks: Path = Path("data/benchmarks"),
    parsed: Path = Path("data/parsed"),
    augmented: Path = Path("data/augmented"),
    treebank: Path = Path("data/treebank"),
    out: Annotated[Path | None, typer.Option(help="Default: data/triplets/SYSTEM.")] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Keeps vectors of texts; default: .scratch/embeddings.")
    ] = None,
    params: Params = Path("params.yaml"),
    workers: Workers = None,
) -> None:
    """Mine a system's training examples from documents, sentences and variants."""
    from pipeline.mining.inputs import Inputs
    from pipeline.params import load
    from pipeline.systems.builders import builder
    from pipeline.systems.corpus_vectors import CorpusVectors

    sections = load(params, "encoder", "mine")
    build = builder(system)
    folder = out or Path("data/triplets") / system
    inputs = Inputs(corpus, benchmarks, parsed, augmented, treebank)
    inputs.demand()
    kept = build(inputs, folder, sections.mine, CorpusVectors(sections.encoder, cache), workers)
    typer.echo(of_mine(system, folder, kept))


if __name__ == "__main__":
    run(main)
