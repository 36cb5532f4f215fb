"""Tool ``encode``: sentences, one a line, to a Parquet table of their vectors."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, run


def main(
    model: Annotated[Path, typer.Argument(help="A trained model's folder, such as models/sscp/13.")],
    source: Annotated[Path | None, typer.Option(help="Default: standard input.")] = None,
    out: Annotated[Path | None, typer.Option(help="Default: standard output.")] = None,
    view: Annotated[str | None, typer.Option(help="semantic needs no parser; default: all views.")] = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Embed sentences: synsem encode models/sscp/13 < sentences.txt > embeddings.parquet."""
    import pyarrow.parquet as pq

    from pipeline.params import load
    from pipeline.systems.encoding import encode

    if out is None and sys.stdout.isatty():
        raise typer.BadParameter("the table is binary: redirect it to a file, or give --out")
    text = source.read_text(encoding="utf-8") if source else sys.stdin.read()
    table = encode(model, text.splitlines(), view, load(params, "parse").parse)
    pq.write_table(table, str(out) if out else sys.stdout.buffer)


if __name__ == "__main__":
    run(main)
