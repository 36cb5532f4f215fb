"""Tool ``compare``: two evaluated runs, or two systems over their seeds."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import run, table_console


def main(
    run_a: Annotated[str, typer.Argument(help="A run such as 'backbone' or 'sscp-13'; or a system.")],
    run_b: Annotated[str, typer.Argument(help="What is compared with it; systems need two seeds in common.")],
    reports: Annotated[Path, typer.Option(help="Holds metrics/ and evaluation/.")] = Path("reports"),
    draws: Annotated[int, typer.Option(help="Draws of the bootstrap, for two runs.", min=100)] = 1000,
) -> None:
    """Compare two runs by paired bootstrap, or two systems by a t-test over seeds."""
    from pipeline.evaluation.compare import compare, comparison_table

    lines = compare(reports, run_a, run_b, draws)
    table_console(140).print(comparison_table(lines, run_a, run_b))


if __name__ == "__main__":
    run(main)
