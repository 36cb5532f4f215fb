"""Stage ``download``: text and benchmarks are fetched, verified, cleaned and counted."""

from pathlib import Path

import typer

from stages.cli import Params, run
from stages.summary import of_download


def main(
    corpus: Path = Path("data/corpus"),
    benchmarks: Path = Path("data/benchmarks"),
    params: Params = Path("params.yaml"),
) -> None:
    """Fetch, verify, clean and deduplicate the text and the benchmarks."""
    from pipeline.corpora.download import download
    from pipeline.params import load

    download(load(params, "download").download, corpus, benchmarks)
    typer.echo(of_download(corpus, benchmarks))


if __name__ == "__main__":
    run(main)
