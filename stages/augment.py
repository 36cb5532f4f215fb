"""Stage ``augment``: write syntactic variants of parsed sentences."""

from pathlib import Path

import typer

from pipeline.core.command import Params, Workers, print_dropped, run


def main(
    parsed: Path = Path("data/parsed/corpus"),
    out: Path = Path("data/augmented"),
    params: Params = Path("params.yaml"),
    workers: Workers = None,
) -> None:
    """Rewrite sentences by their trees, keeping or changing the meaning."""
    from pipeline.augment.run import augment_folder
    from pipeline.core.params import load
    from pipeline.core.store import read_json

    augment_folder(parsed, out, load(params, "augment").augment, workers)
    report = read_json(out / "report.json")
    meanings = ", ".join(f"{name} {n:,}" for name, n in report["meaning"].items())
    typer.echo(
        f"augment: {sum(report['kept'].values()):,} variants of {report['sentences_with_variants']:,} of "
        f"{report['sentences']:,} sentences (meaning: {meanings})"
    )
    print_dropped(out, "augment")
    for lang, n in report.get("not_english", {}).items():
        typer.echo(f"  {lang}: {n:,} sentences, for which only rules of word order are tried")
    for lang, n in report.get("without_tags", {}).items():
        typer.echo(f"  {lang}: {n:,} sentences without Penn's tags (XPOS), which most rules read")


if __name__ == "__main__":
    run(main)
