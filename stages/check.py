"""Stage ``check``: what a run needs is there, before the first stage that takes time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stages.cli import Params, run

if TYPE_CHECKING:
    from pipeline.params import Params as Parameters


def main(params: Params = Path("params.yaml")) -> None:
    """Check all parameters, and that sources, rewrites, tasks, parsers and models they name are there."""
    from pipeline.core.errors import SynsemError
    from pipeline.params import load_all

    checked = load_all(params)  # with the names of systems, rewrites and tasks
    wrong = list(_complaints(checked))
    if wrong:
        raise SynsemError("; ".join(wrong))
    typer.echo(f"check: {params}, its sources, tasks and models are all there")


def _complaints(params: "Parameters") -> Iterator[str]:
    """One clause for each thing that is missing; nothing is loaded or fetched, and no hub is asked."""
    from pipeline.augment.catalogue import transformations
    from pipeline.corpora.download import plan
    from pipeline.corpora.sources import find_treebank
    from pipeline.nn.backbone import demand_present
    from pipeline.parsing import registry
    from pipeline.systems.cssl.backend import register

    register()
    spoken = {params.parse.benchmark_language}

    def sources() -> None:
        planned = plan(params.download)
        spoken.update(source.lang for source in planned.corpus)

    yield from _complaint(sources)
    # Text in a language without an entry may bring its own trees; the stage parse knows.
    for lang in sorted(spoken & params.parse.models.keys()):
        yield from _complaint(lambda lang=lang: registry.version(params.parse, lang))  # type: ignore[misc]
    yield from _complaint(lambda: transformations(params.augment.transformations))
    yield from _complaint(lambda: demand_present(params.encoder.model))
    if params.train.select == "las" and set(params.systems) != {"cssl"}:
        yield (
            "train.select: las is of trees, which cssl alone predicts; set it to loss, triplet_accuracy or "
            "mrr, or systems to [cssl]"
        )
    if "cssl" in params.systems and params.cssl.treebank is not None:
        name = params.cssl.treebank
        yield from _complaint(lambda: find_treebank(name))
    start = params.upos.start
    if "upos" in params.systems and start is not None and not Path(start).is_dir():
        yield f"upos.start: {start} is no folder; name the folder of a trained upos model"


def _complaint(demand: Callable[[], object]) -> Iterator[str]:
    from pipeline.core.errors import SynsemError

    try:
        demand()
    except SynsemError as error:
        yield str(error)


if __name__ == "__main__":
    run(main)
