"""Stage ``augment``: write syntactic variants of parsed sentences."""

from pathlib import Path

from stages.cli import Params, Workers, run


def main(
    parsed: Path = Path("data/parsed/corpus"),
    out: Path = Path("data/augmented"),
    params: Params = Path("params.yaml"),
    workers: Workers = None,
) -> None:
    """Rewrite sentences by their trees, keeping or changing the meaning."""
    from pipeline.augment.run import augment_folder
    from pipeline.params import load

    augment_folder(parsed, out, load(params, "augment").augment, workers)


if __name__ == "__main__":
    run(main)
