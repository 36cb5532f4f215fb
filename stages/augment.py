"""Stage ``augment``: write syntactic variants of parsed sentences."""

from pathlib import Path

import typer

from stages.cli import Params, Workers, run
from stages.summary import of_augment


def main(
    parsed: Path = Path("data/parsed/corpus"),
    out: Path = Path("data/augmented"),
    params: Params = Path("params.yaml"),
    workers: Workers = None,
) -> None:
    """Rewrite sentences by their trees, keeping or changing the meaning."""
    from pipeline.augment.catalogue import transformations, tried_elsewhere
    from pipeline.augment.run import augment_folder
    from pipeline.params import load

    section = load(params, "augment").augment
    augment_folder(parsed, out, section, workers)
    rules = transformations(section.transformations)
    order = [rule.name for rule in rules if rule.meaning == "order"]
    typer.echo(of_augment(out, order, tried_elsewhere(rules)))


if __name__ == "__main__":
    run(main)
