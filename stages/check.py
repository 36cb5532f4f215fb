"""Stage ``check``: what a run needs is there, before the first stage that takes time."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pipeline.core.command import Params, run
from pipeline.core.errors import SynsemError

if TYPE_CHECKING:
    from pipeline.core.params import Params as Parameters


def main(params: Params = Path("params.yaml")) -> None:
    """Check all parameters, and that the sources, parsers and models they name are there."""
    from pipeline.core.params import load_all

    if wrong := list(_missing(load_all(params))):
        raise SynsemError("; ".join(wrong))
    typer.echo(f"check: {params}; all sources, tasks and models were found")


def _missing(params: "Parameters") -> Iterator[str]:
    """Yield a clause for each thing that is not there; nothing is loaded or fetched, and no hub is asked."""
    from pipeline.corpora.download import plan
    from pipeline.corpora.sources import find_treebank

    spoken = {params.parse.benchmark_language}
    try:
        spoken |= {source.lang for source in plan(params.download).corpus}
        if "cssl" in params.systems and params.cssl.treebank is not None:
            find_treebank(params.cssl.treebank)
    except SynsemError as error:
        yield str(error)
    # Text in a language without an entry may bring its own trees; the stage parse checks that.
    for lang in sorted(spoken & params.parse.models.keys()):
        name = params.parse.models[lang]
        if params.parse.backend == "spacy" and ":" not in name and not _is_there(name):
            yield f"parse.models.{lang}: {name} is neither a package nor a folder; install it"
    name = params.encoder.model
    package = name.removeprefix("package:")
    if name.startswith(("package:", ".", "/")) and not _is_there(package):
        yield f"encoder.model: {package} is neither a package nor a folder; install it"
    if params.train.select == "las" and set(params.systems) != {"cssl"}:
        yield "train.select: las is of trees, which only cssl predicts; choose another, or systems: [cssl]"
    if params.finetune.tasks and "ebsim" not in params.systems:
        yield "finetune.tasks: fine-tuning starts from ebsim; add it to systems"
    for name in ("synsem", "upos"):
        start = getattr(params, name).start
        if name in params.systems and start is not None and not Path(start).is_dir():
            yield f"{name}.start: {start} is not a folder; name the folder of a trained {name} model"


def _is_there(name: str) -> bool:
    try:
        return Path(name).is_dir() or ("/" not in name and importlib.util.find_spec(name) is not None)
    except ImportError:  # the package of a dotted name is missing, or the name begins with a dot
        return False


if __name__ == "__main__":
    run(main)
