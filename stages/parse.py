"""Stage ``parse``: every sentence of the corpus and the benchmarks gets a dependency tree."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, Workers, run
from stages.summary import of_parse


class Format(StrEnum):
    """What ``synsem parse`` writes."""

    arrow = "arrow"
    conllu = "conllu"


def main(
    corpus: Path = Path("data/corpus"),
    benchmarks: Path = Path("data/benchmarks"),
    out: Path = Path("data/parsed"),
    params: Params = Path("params.yaml"),
    workers: Workers = None,
    to: Annotated[
        Format, typer.Option(help="conllu: write the trees parsed before as CoNLL-U.")
    ] = Format.arrow,
    conllu: Annotated[Path, typer.Option(help="Where --to conllu writes.")] = Path("data/conllu"),
) -> None:
    """Parse text to Universal Dependencies v2, in Arrow."""
    from pipeline.params import load
    from pipeline.parsing.run import export_conllu, parse_folders
    from pipeline.systems.cssl.backend import register

    register()
    if to is Format.conllu:
        for part in ("corpus", "benchmarks"):
            count = export_conllu(out / part, conllu / part)
            print(f"{conllu / part}: {count:,} sentences")
    else:
        parse_folders(corpus, benchmarks, out, load(params, "parse").parse, workers)
        typer.echo(of_parse(out))


if __name__ == "__main__":
    run(main)
