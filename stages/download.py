"""Stage ``download``: text and benchmarks are fetched, verified, cleaned and counted."""

from pathlib import Path

import typer

from pipeline.core.command import Params, print_dropped, run


def main(
    corpus: Path = Path("data/corpus"),
    benchmarks: Path = Path("data/benchmarks"),
    params: Params = Path("params.yaml"),
) -> None:
    """Fetch, verify, clean and deduplicate the text and the benchmarks."""
    from pipeline.core.params import load
    from pipeline.core.store import read_json
    from pipeline.corpora.download import download

    download(load(params, "download").download, corpus, benchmarks)
    report, tests = (read_json(folder / "report.json") for folder in (corpus, benchmarks))
    kept, read = sum(report["kept"].values()), sum(report["read"].values())
    splits = ", ".join(f"{name} {n:,}" for name, n in report["splits"].items())
    examples = sum(n for counts in tests["kept"].values() for n in counts.values())
    typer.echo(f"download: {kept:,} of {read:,} texts kept as documents ({splits})")
    print_dropped(corpus, "download")
    typer.echo(f"  {examples:,} examples of {len(tests['kept'])} benchmarks")


if __name__ == "__main__":
    run(main)
