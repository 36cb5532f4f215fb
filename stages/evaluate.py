"""Stage ``evaluate``: judge the backbone, a trained system or any other model by every view."""

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from stages.cli import Params, run, several

Pooling = Literal["mean", "cls", "max"]
_PARSED, _AUGMENTED, _BENCHMARKS = Path("data/parsed"), Path("data/augmented"), Path("data/benchmarks")
_TREEBANK = Path("data/treebank")


def main(
    system: Annotated[str, typer.Argument(help="'backbone', or a system of --models.")] = "",
    seed: Annotated[int | None, typer.Argument(help="The seed it was trained from.")] = None,
    model: Annotated[str | None, typer.Option(help="Instead: a folder, package:NAME or model id.")] = None,
    pooling: Annotated[Pooling | None, typer.Option(help="For a plain transformer.")] = None,
    run_code_of: Annotated[
        str | None, typer.Option(help="Repeats --model: run the Python code that it brings.")
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            help="Tasks and benchmarks of docs/evaluation.md; default: evaluate.tasks. "
            "Give it again, or separate by commas."
        ),
    ] = None,
    parsed: Path = _PARSED,
    augmented: Path = _AUGMENTED,
    benchmarks: Path = _BENCHMARKS,
    treebank: Path = _TREEBANK,
    models: Path = Path("models"),
    out: Annotated[Path, typer.Option(help="Holds metrics/ and evaluation/.")] = Path("reports"),
    cache: Annotated[Path | None, typer.Option(help="Keep embeddings here; a --model always does.")] = None,
    params: Params = Path("params.yaml"),
) -> None:
    """Evaluate embeddings; write metrics and per-example scores.

    With --tasks, results are added to those of the same model and data; where others are there, name --out.
    """
    from pipeline.core.errors import SynsemError
    from pipeline.core.schemas import EXAMPLE, SENTENCE, VARIANT
    from pipeline.core.store import require_rows
    from pipeline.evaluation.data import Benchmarks
    from pipeline.evaluation.plan import demand_known, unreadable, without_benchmark
    from pipeline.evaluation.results import Folders, of_another_model
    from pipeline.evaluation.run import evaluate, open_model_under_test, vectors_until_done
    from pipeline.params import load

    # As a stage, this one does not depend on that model: DVC would not see a change of it.
    if model == "pretrained" and not Path(model).exists():
        raise SynsemError(
            "--model: pretrained, the model that comes with SynSem, is judged as a folder; run `synsem "
            "pretrained models/pretrained` and name models/pretrained"
        )
    # Before any task: what a wrong folder leaves of the tasks would replace earlier results.
    for folder, schema, usual in (
        (parsed / "corpus", SENTENCE, _PARSED / "corpus"),
        (augmented, VARIANT, _AUGMENTED),
        (benchmarks, EXAMPLE, _BENCHMARKS),
        (treebank / "corpus", SENTENCE, _TREEBANK / "corpus"),
    ):
        if folder.exists() or folder != usual:
            require_rows(folder, schema)
    if {"/", "\\"} & set(system):
        raise SynsemError(f"{system!r}: is no system's name; name a folder by --model")
    section = load(params, "encoder", "evaluate")
    asked = several(tasks) if tasks else None
    key = "evaluate.tasks" if asked is None else "--tasks"
    there = Benchmarks(benchmarks, parsed)
    demand_known(section.evaluate.tasks if asked is None else asked, there, key)
    # A stage is to read nothing that DVC does not watch, so what is kept of it ends with it.
    facts = system, str(seed), str(out.resolve()), ",".join(asked or ())
    with vectors_until_done(*facts) if cache is None and model is None else nullcontext(cache) as kept:
        chosen = open_model_under_test(
            system, seed, model, pooling, models, section.encoder, kept, run_code_of
        )
        folders = Folders(parsed, augmented, benchmarks, out, treebank)
        # A system that was trained anew replaces its own; two folders may have one name by chance.
        if model is not None and asked is None and of_another_model(folders, chosen.run, chosen.digest):
            typer.echo(
                f"evaluate {chosen.run}: replaces {folders.metrics(chosen.run)}, which is of another model; "
                "--out keeps them apart",
                err=True,
            )
        result = evaluate(chosen, folders, section.evaluate, asked)
    if result.written:
        typer.echo(
            f"evaluate {chosen.run}: {result.embedded:,} texts embedded; {folders.metrics(chosen.run)}"
        )
    if asked is None:
        with suppress(SynsemError):  # the tasks that read the benchmarks have told it
            if left_out := without_benchmark(section.evaluate.tasks, there):
                typer.echo(f"  no benchmark for {', '.join(left_out)}: add one to download.benchmarks")
            for reason in unreadable(there):
                typer.echo(f"  not judged: {reason}")
    result.demand_success()


if __name__ == "__main__":
    run(main)
