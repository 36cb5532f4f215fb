"""Tool ``finetune``: train matchers on labelled pairs, and compare what they start from."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.core.errors import first_few
from stages.cli import Params, run, several, several_numbers, several_seeds, table_console

if TYPE_CHECKING:
    from rich.table import Table

    from pipeline.systems.ebsim.few_shot import Start


def main(
    task: Annotated[str, typer.Argument(help="A benchmark of pairs: qqp, paws-wiki, stsb, lcqmc, bq ...")],
    start: Annotated[
        list[str],
        typer.Option(
            help="'backbone' or a model's folder, whose encoder is taken (that of synsem is the backbone), "
            "after 'cosine+' to begin at the backbone's weighted cosine; 'cosine' for that alone; give it "
            "again to compare, or separate by commas."
        ),
    ] = ["backbone"],  # noqa: B006 - typer reads it, nothing writes it
    share: Annotated[list[str], typer.Option(help="Percent of the pairs; several as above.")] = ["100"],  # noqa: B006
    seed: Annotated[list[str], typer.Option(help="Of head, order and dropout; several as above.")] = ["13"],  # noqa: B006
    epochs: Annotated[int, typer.Option(min=1)] = 3,
    batch_size: Annotated[int, typer.Option(min=2)] = 32,
    learning_rate: Annotated[
        float, typer.Option(help="2e-5 to 5e-5 in the paper.", min=1e-12, max=1.0)
    ] = 5e-5,
    max_tokens: Annotated[int, typer.Option(help="Of a pair.", min=8)] = 128,
    test_pairs: Annotated[
        int | None, typer.Option(help="Judge on the first N test pairs alone.", min=1)
    ] = None,
    curve: Annotated[
        int, typer.Option(help="Judge the dev pairs at N steps, too, for a curve in the results.", min=0)
    ] = 0,
    benchmarks: Path = Path("data/benchmarks"),
    out: Annotated[Path | None, typer.Option(help="Save the matcher here (one start, share, seed).")] = None,
    results: Annotated[Path | None, typer.Option(help="Default: in reports, matching/TASK.json.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Repeat results, too, that do not say what they were made of.")
    ] = False,
    params: Params = Path("params.yaml"),
) -> None:
    """Fine-tune matchers on a share of a benchmark's pairs; save one, or compare several."""
    from pipeline.core.store import read_json, write_json
    from pipeline.evaluation.significance import few_shot_summary
    from pipeline.params import load
    from pipeline.systems.ebsim.cosine import untouched
    from pipeline.systems.ebsim.few_shot import (
        Start,
        compare_starts,
        content,
        marked,
        outdated,
        train_matcher,
    )
    from pipeline.systems.ebsim.finetune import Recipe
    from pipeline.systems.ebsim.frozen import add_frozen
    from pipeline.systems.ebsim.labelled_pairs import read_task
    from pipeline.systems.ebsim.matcher import demand_replaceable

    model = load(params, "encoder").encoder.model
    start, shares = several(start), several_numbers(share, "--share")
    seeds = several_seeds(seed, "--seed")
    if wrong := [each for each in shares if not 1 <= each <= 100]:
        raise typer.BadParameter(f"--share: {wrong[0]} is no percentage; give 1 to 100")
    recipe = Recipe(epochs, batch_size, learning_rate, max_tokens)
    pairs = read_task(benchmarks, task).tested_on(test_pairs)
    if pairs.unlabelled:
        left_out = f"{pairs.unlabelled:,} pairs left out, whose label is neither 0 nor 1"
        typer.echo(f"finetune {task}: {left_out}", err=True)
    pairs.demand_judgeable()  # now, and not after the training
    starts = {name: Start(name, model) for name in start}
    if out is not None:
        if len(start) * len(shares) * len(seeds) != 1:
            raise typer.BadParameter("--out saves one matcher: give one --start, --share and --seed")
        for option, given in (("--curve", curve), ("--results", results), ("--again", again)):
            if given:
                raise typer.BadParameter(f"{option} is of the results, which --out leaves alone; drop one")
        demand_replaceable(out)  # as above
        _tell_of_backbones(task, starts)
        matcher, record = train_matcher(starts[start[0]], pairs, shares[0], seeds[0], recipe)
        matcher.save(out)
        test = ", ".join(f"{metric} {value:.2f}" for metric, value in record["test"].items())
        typer.echo(f"finetune {task}: {record['pairs']:,} pairs, test {test}; {out}")
        return
    home = results or Path("reports/matching") / f"{task}.json"
    _tell_of_backbones(task, starts)
    compare_starts(starts, pairs, shares, seeds, recipe, home, again, curve)
    # What the backbone gives without fine-tuning stands in every table, whatever the starts.
    made_of = partial(content, Start("backbone", model), recipe, pairs)
    add_frozen(untouched(model, max_tokens), pairs, shares, home, made_of)
    found = read_json(home)
    old = outdated(found, pairs, recipe, model)
    if (told := marked(found, old)) != found:
        write_json(home, told)
    if old:
        typer.echo(
            f"finetune {task}: left out of the table: {first_few(old)} (start, share, seed) in {home}, "
            "of other files or pairs than there are now; name them again to repeat them",
            err=True,
        )
    table = _table(few_shot_summary(run for key, run in found["runs"].items() if key not in old))
    table_console(140).print(table)
    typer.echo(f"finetune {task}: {home}")


def _tell_of_backbones(task: str, starts: "dict[str, Start]") -> None:
    """Say of a start that it is no other one than the backbone: two rows of the same would puzzle."""
    for name, start in starts.items():
        if start.is_backbone:
            alike = name.replace(start.encoder, "backbone")
            told = f"its encoder is the untouched backbone, so it starts as {alike} does"
            typer.echo(f"finetune {task}: {name}: {told}", err=True)


def _table(rows: list[dict[str, Any]]) -> "Table":
    from rich.table import Table

    table = Table("start", "share", "seeds", *rows[0]["metrics"])
    for row in rows:
        cells = []
        for value in row["metrics"].values():
            cell = f"{value['mean']:.2f}"
            cell += "" if value["sd"] is None else f" ± {value['sd']:.2f}"
            cell += "" if value["gain"] is None else f" ({value['gain']:+.2f})"
            cells.append(cell if value["p"] is None else f"{cell} p={value['p']:.3f}")
        table.add_row(row["start"], f"{row['share']} %", str(row["seeds"]), *cells)
    return table


if __name__ == "__main__":
    run(main)
