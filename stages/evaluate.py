"""Stage ``evaluate``: judge the backbone, a trained system or any other model by every view."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline.core.command import Params, run

Pooling = Literal["mean", "cls", "max"]
_OUT = Path("reports")


def main(
    system: Annotated[str, typer.Argument(help="'backbone', 'pretrained', or a system of --models.")] = "",
    seed: Annotated[int | None, typer.Argument(help="The seed it was trained from.")] = None,
    model: Annotated[str | None, typer.Option(help="Instead: a folder, package:NAME or model id.")] = None,
    pooling: Annotated[Pooling | None, typer.Option(help="For a plain transformer.")] = None,
    run_code_of: Annotated[
        str | None, typer.Option(help="Repeats --model: run the Python code that it brings.")
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            help="Tasks and benchmarks in place of evaluate.tasks; needs --out. "
            "Give it again, or separate by commas."
        ),
    ] = None,
    parsed: Path = Path("data/parsed"),
    augmented: Path = Path("data/augmented"),
    benchmarks: Path = Path("data/benchmarks"),
    treebank: Path = Path("data/treebank"),
    models: Path = Path("models"),
    out: Annotated[Path, typer.Option(help="Holds metrics/ and evaluation/.")] = _OUT,
    params: Params = Path("params.yaml"),
) -> None:
    """Evaluate embeddings; write metrics and the score of every example."""
    from pipeline.core.errors import SynsemError
    from pipeline.core.params import load
    from pipeline.evaluation.models import open_model_under_test
    from pipeline.evaluation.tasks import evaluate

    section = load(params, "encoder", "evaluate")
    settings = section.evaluate
    if tasks:
        if out == _OUT:
            raise SynsemError(
                f"--tasks: {_OUT} has the results of evaluate.tasks; name another folder by --out"
            )
        named = [name.strip() for each in tasks for name in each.split(",")]
        settings = settings.model_copy(update={"tasks": named})
    chosen = open_model_under_test(system, seed, model, pooling, models, section.encoder, run_code_of)
    evaluate(chosen, settings, out, parsed, augmented, benchmarks, treebank)


if __name__ == "__main__":
    run(main)
