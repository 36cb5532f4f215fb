"""Stage ``parse``: every sentence of the corpus and the benchmarks gets a dependency tree."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline.core.command import Params, Workers, print_dropped, run


def main(
    corpus: Path = Path("data/corpus"),
    benchmarks: Path = Path("data/benchmarks"),
    out: Path = Path("data/parsed"),
    params: Params = Path("params.yaml"),
    workers: Workers = None,
    to: Annotated[
        Literal["arrow", "conllu"], typer.Option(help="conllu: write the trees parsed before as CoNLL-U.")
    ] = "arrow",
    conllu: Annotated[Path, typer.Option(help="Where --to conllu writes.")] = Path("data/conllu"),
) -> None:
    """Parse text to Universal Dependencies v2, in Arrow."""
    from pipeline.core.params import load
    from pipeline.core.store import read_json
    from pipeline.parsing.conllu import export_conllu
    from pipeline.parsing.run import parse_folders
    from pipeline.systems.cssl.backend import register

    if to == "conllu":
        for part in ("corpus", "benchmarks"):
            count = export_conllu(out / part, conllu / part)
            typer.echo(f"{conllu / part}: {count:,} sentences")
        return
    register()
    parse_folders(corpus, benchmarks, out, load(params, "parse").parse, workers)
    report = read_json(out / "report.json")
    typer.echo(f"parse: {', '.join(f'{n:,} {what}' for what, n in report['kept'].items())}")
    print_dropped(out, "parse")
    for version in report["parsers"]:
        typer.echo(f"  parser of {version}")


if __name__ == "__main__":
    run(main)
