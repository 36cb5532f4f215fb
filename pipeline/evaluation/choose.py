"""Which model is meant: the backbone, a trained system by name and seed, or any model by folder or id."""

from pathlib import Path
from typing import cast, get_args

from pipeline.errors import SynsemError
from pipeline.evaluation.cache import DiskCache, open_cache
from pipeline.evaluation.embedders import Pooling, is_system, open_model
from pipeline.evaluation.run import Subject
from pipeline.params import Encoder


def choose(
    system: str,
    seed: int | None,
    model: str | None,
    pooling: str | None,
    models: Path,
    encoder: Encoder,
    cache: Path | None,
) -> Subject:
    """Load the model that the arguments name; SynsemError where they contradict each other or it is missing.

    ``cache`` keeps embeddings between runs. A model by folder or id is always cached; the systems of the
    pipeline only where a folder is given, so that a stage reads nothing that DVC does not watch.
    """
    from pipeline.nn.backbone import locate

    if pooling is not None and pooling not in get_args(Pooling):
        raise SynsemError(f"--pooling: {pooling!r} is unknown; choose from {', '.join(get_args(Pooling))}")
    if bool(system) == (model is not None):
        raise SynsemError("name either a system, such as 'backbone' or 'sscp 13', or a --model, and not both")
    kept: DiskCache | None
    if model is not None:
        place = locate(model)
        folder = Path(place)
        name = system_run(folder) or Path(model).name.replace(":", "-")
        name = f"{name}-{pooling}" if pooling else name
        ours = is_system(folder) and pooling is None
        kept = open_cache(place, str(pooling), root=cache, ours=ours)
        return Subject(name, open_model(place, cast(Pooling | None, pooling)), is_system(folder), cache=kept)
    from pipeline.systems import registry

    if system == "backbone":
        place = locate(encoder.model)
        kept = open_cache(place, encoder.model_dump_json(), root=cache) if cache else None
        trees = encoder.sketch is not None
        return Subject("backbone", registry.backbone(encoder), trees, baselines=True, cache=kept)
    if seed is None:
        raise SynsemError(f"{system}: say which seed, as in 'synsem evaluate {system} 13'")
    folder = models / system / str(seed)
    if not folder.is_dir():
        raise SynsemError(f"{folder}: no such model; run `dvc repro` or the pretrain stage first")
    kept = open_cache(folder, root=cache) if cache else None
    return Subject(f"{system}-{seed}", registry.load(folder), needs_trees=True, cache=kept)


def system_run(folder: Path) -> str | None:
    """``sscp-13`` for ``models/sscp/13``; None for a folder that is no SynSem model."""
    folder = folder.resolve()
    return f"{folder.parent.name}-{folder.name}" if is_system(folder) else None
