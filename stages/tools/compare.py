"""Tool ``compare``: two evaluated runs, or two systems over their seeds."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run, table_console


def main(
    run_a: Annotated[str, typer.Argument(help="A run such as 'backbone' or 'sscp-13'; or a system.")],
    run_b: Annotated[str, typer.Argument(help="What is compared with it; systems need two seeds in common.")],
    reports: Annotated[Path, typer.Option(help="Holds metrics/ and evaluation/.")] = Path("reports"),
    changed: Annotated[
        int | None, typer.Option(help="Of two runs: examples to show that changed most; default: 10.", min=0)
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(
            help="Of two runs: draws of the bootstrap; at least 100 for each metric; default: 1000.", min=100
        ),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the table here too, as JSON.")] = None,
) -> None:
    """Compare two runs by paired bootstrap, or two systems by a t-test over seeds."""
    from pipeline.core.errors import SynsemError
    from pipeline.core.store import write_json
    from pipeline.evaluation import compare, tables

    a, b = (reports / "evaluation" / name for name in (run_a, run_b))
    console = table_console(tables.WIDE)
    several = compare.over_several_seeds(reports, run_a, run_b)
    for option, given in (("--changed", changed), ("--draws", draws)):
        if several and given is not None:
            raise SynsemError(
                f"{option}: is for two runs; of systems there is a t-test over seeds; leave it out"
            )
    changed, draws = 10 if changed is None else changed, draws or 1000
    if several:
        over = compare.over_seeds(reports / "metrics", run_a, run_b)
        table, found = tables.seeds_table(over, run_a, run_b), compare.as_json(over, run_a, run_b)
    else:
        lines = compare.compare(a, b, draws)
        table = tables.comparison_table(lines, run_a, run_b, console.width)
        found = compare.as_json(lines, run_a, run_b)
    if json is not None:  # first, so that nothing is printed where it cannot be written
        if json.is_dir():
            raise SynsemError(f"--json: {json} is a folder; name a file")
        write_json(json, found)
    console.print(table)
    if changed and not several:
        console.print(tables.changes_table(compare.changes(a, b, changed)))


if __name__ == "__main__":
    run(main)
