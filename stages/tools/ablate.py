"""Tool ``ablate``: train and evaluate the variants of ablations.yaml, each from several seeds."""

from pathlib import Path
from typing import Annotated

import typer

from stages.cli import Params, Several, call, run, several, several_seeds

TASKS = ("alignment", "contrast", "sts", "pairs")


def main(
    only: Annotated[
        list[str] | None, typer.Argument(help="Names or patterns (te_mtg.*); default: all.")
    ] = None,
    seeds: Annotated[list[str], Several] = ["13,14,15,16,17"],  # noqa: B006 - typer reads it, nothing writes it
    tasks: Annotated[
        list[str] | None, typer.Option(help=f"Default: {', '.join(TASKS)}, as far as data has them.")
    ] = None,
    ablations: Path = Path("ablations.yaml"),
    data: Annotated[Path, typer.Option(help="What download, parse and augment wrote.")] = Path("data"),
    out: Annotated[Path, typer.Option(help="Holds one metrics file a run.")] = Path("reports/ablations"),
    note: Annotated[str, typer.Option(help="What readers must know of the data; the report shows it.")] = "",
    origin: Annotated[
        str,
        typer.Option(
            help="Data and code of runs that others get; their report says so, and prefers own runs."
        ),
    ] = "",
    params: Params = Path("params.yaml"),
) -> None:
    """Run ablations, seed by seed. Results are kept, so a killed command can be called again."""
    from pipeline.evaluation.ablations import run_one, select
    from pipeline.evaluation.data import Benchmarks
    from pipeline.evaluation.plan import demand_there, without_benchmark

    numbers = several_seeds(seeds, "--seeds")
    wanted = select(ablations, only)
    there = Benchmarks(data / "benchmarks", data / "parsed")
    if tasks:
        demand_there(chosen := several(tasks), there, "--tasks")
    else:
        absent = without_benchmark(TASKS, there)
        chosen = [name for name in TASKS if name not in absent]
    for seed in numbers:
        for ablation in wanted:
            done = run_one(ablation, seed, params, data, out, chosen, call, note, origin)
            typer.echo(f"ablate: {done}")


if __name__ == "__main__":
    run(main)
