"""Stage ``finetune``: train a matcher of pairs from the backbone or a trained system, as EBSIM is judged."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.command import LARGEST_SEED, Params, run


def main(
    start: Annotated[str, typer.Argument(help="'backbone', or a system of --models such as ebsim.")],
    task: Annotated[str, typer.Argument(help="A benchmark of pairs: mrpc, qqp, paws-wiki, stsb ...")],
    share: Annotated[int, typer.Argument(help="Percent of the training pairs.", min=1, max=100)] = 100,
    seed: Annotated[
        int, typer.Argument(help="Of the system, the head, order and dropout.", min=0, max=LARGEST_SEED)
    ] = 13,
    benchmarks: Path = Path("data/benchmarks"),
    models: Annotated[Path, typer.Option(help="Has the system; finetuned/ gets the matcher.")] = Path(
        "models"
    ),
    out: Annotated[Path, typer.Option(help="Gets metrics/finetuned/.")] = Path("reports"),
    params: Params = Path("params.yaml"),
) -> None:
    """Train a classifier of pairs and score it on the test pairs."""
    from pipeline.core.params import load
    from pipeline.systems.ebsim.finetune import Recipe, fine_tune_to

    chosen = load(params, "encoder.model", "finetune.epochs", "finetune.learning_rate")
    recipe = Recipe(chosen.epochs, learning_rate=chosen.learning_rate)
    encoder = chosen.model if start == "backbone" else models / start / str(seed)
    name = f"{start}-{seed}-{task}-{share}"
    matcher, scores = models / "finetuned" / name, out / "metrics" / "finetuned" / f"{name}.json"
    result = fine_tune_to(matcher, scores, encoder, benchmarks, task, share, seed, recipe)
    typer.echo(f"finetune {name}: {result.pairs:,} pairs, {result.test}; {matcher}")


if __name__ == "__main__":
    run(main)
