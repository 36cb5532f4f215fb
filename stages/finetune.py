"""``python -m stages.finetune``: fine-tune a matcher on labelled pairs, as in EBSIM; not in dvc.yaml."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.command import Params, run


def main(
    task: Annotated[str, typer.Argument(help="A benchmark of pairs: qqp, paws-wiki, stsb ...")],
    out: Annotated[Path, typer.Argument(help="A new folder for the matcher.")],
    start: Annotated[
        Path | None, typer.Option(help="A trained model's folder; default: the backbone.")
    ] = None,
    share: Annotated[int, typer.Option(help="Percent of the training pairs.", min=1, max=100)] = 100,
    seed: Annotated[int, typer.Option(help="Of head, order and dropout.", min=0)] = 13,
    benchmarks: Path = Path("data/benchmarks"),
    params: Params = Path("params.yaml"),
) -> None:
    """Train a classifier of pairs and print what it scores on the test pairs."""
    from pipeline.core.params import load
    from pipeline.nn import backbone as backbones
    from pipeline.nn.backbone import Backbone
    from pipeline.systems.base import registry
    from pipeline.systems.ebsim.finetune import Recipe, fine_tune, read_task

    pairs = read_task(benchmarks, task)
    if start is None:
        encoder = backbones.load(load(params, "encoder").encoder.model)
    else:
        system = registry.load(start)
        encoder = Backbone(system.semantic.model, system.tokenizer.hf_tokenizer)
    matcher, result = fine_tune(encoder, pairs, share, seed, Recipe())
    matcher.save(out)
    typer.echo(f"finetune {task}: {result}; {out}")


if __name__ == "__main__":
    run(main)
