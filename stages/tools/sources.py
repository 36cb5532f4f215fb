"""``synsem sources``: the corpora and benchmarks that params.yaml can name, and the readers of own files."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, run


def main(
    name: Annotated[str | None, typer.Argument(help="A source or group; all where left out.")] = None,
    check: Annotated[bool, typer.Option(help="Fetch, verify and read it, and count its records.")] = False,
    params: Params = Path("params.yaml"),
) -> None:
    """List every corpus, benchmark and reader, or show a source with its licence and citation."""
    from pipeline.corpora import listing
    from pipeline.corpora.download import access
    from pipeline.params import load, or_defaults

    if check:
        for line in listing.check(name, access(load(or_defaults(params), "download").download)):
            print(line, flush=True)
    else:
        print(listing.show(name) if name else listing.table())


if __name__ == "__main__":
    run(main)
