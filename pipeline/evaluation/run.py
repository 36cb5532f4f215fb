"""Evaluate a model: open it, run its tasks, and have the results written."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast, get_args

from pipeline.core import scratch
from pipeline.core.atomic import exclusive_lock
from pipeline.core.disk_cache import DiskCache, model_digest, open_cache
from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.evaluation.models import is_system, open_model, run_name
from pipeline.evaluation.plan import ALL_TASKS, PROJECTION, Step, steps, tasks_by_ability
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.results import (
    Folders,
    Made,
    demand_place,
    demand_same_data,
    demand_same_model,
    write,
)
from pipeline.evaluation.tasks.parsing import parses
from pipeline.nn.encoder import Pooling
from pipeline.nn.inference import best_device
from pipeline.nn.precision import Inference
from pipeline.params import Encoder, Evaluate
from pipeline.systems.base import Embedder


@dataclass(frozen=True)
class ModelUnderTest:
    """A model to be judged, the name of its results, and how it is to be treated."""

    run: str
    embedder: Embedder
    needs_trees: bool = False  # a benchmark text without a tree is an error
    baselines: bool = False  # score, as further views, a bag of words and the agreement of trees
    cache: DiskCache | None = None
    digest: str = ""  # of its weights and settings (``model_digest``); "" where they are not known


@dataclass(frozen=True)
class EvaluationResult:
    """The outcome of a run, how many texts went through the model, and why tasks failed, by name."""

    outcome: Outcome
    embedded: int
    failures: dict[str, str]
    written: bool

    def demand_success(self) -> None:
        """Raise SynsemError where a task failed, so that the command exits with 1."""
        if self.failures:
            rest = "the others are written" if self.written else "nothing was written"
            count = len(self.failures)
            raise SynsemError(f"{count} task{'s' * (count != 1)} failed: {', '.join(self.failures)}; {rest}")


def evaluate(
    model: ModelUnderTest, folders: Folders, params: Evaluate, tasks: Iterable[str] | None = None
) -> EvaluationResult:
    """Run the tasks and write the results of those that succeed.

    Without ``tasks``, these are ``params.tasks`` and the tasks for what else the model can do, and what they
    write replaces earlier results of the run. With ``tasks``, it is added to them: what other tasks gave
    stays. Raises SynsemError, before any task, where those results are not known to come from the same model
    and from the data of now, where nothing can be written, and where no task that is named can be run.

    A task that fails with a SynsemError is reported on stderr and leaves no number; the others are still run.
    Where every task fails nothing is written. The picture for the report is left out, and stderr says so,
    where no task reads the corpus and there is none.
    """
    demand_place(folders, model.run)
    if tasks is not None:
        demand_same_model(folders, model.run, model.digest)
    benchmarks = Benchmarks(folders.benchmarks, folders.parsed, model.needs_trees)
    precision: Inference = "bf16" if params.bf16 else "fast"
    embeddings = EmbeddingCache(model.embedder, model.cache, model.needs_trees, precision)
    context = Context(
        embeddings,
        HeldOut(folders.parsed, folders.augmented, params.seed),
        benchmarks,
        params,
        _gold_trees(folders.treebank, params.seed) if parses(model.embedder) else None,
        model.baselines,
    )
    names = tasks or [*params.tasks, *tasks_by_ability(model.embedder)]
    outcome, failures, made = Outcome(), dict[str, str](), dict[str, Made]()
    plan = steps(names, benchmarks, strict=tasks is not None)
    asked = {step.name for step in plan} - {PROJECTION}
    if names and not asked:
        raise SynsemError(
            f"evaluate.tasks: {folders.benchmarks} has no benchmark for {', '.join(names)}; add "
            "one to download.benchmarks and run download and parse, or name another task"
        )
    if tasks is not None:
        others = [step for step in steps(ALL_TASKS, benchmarks) if step.name not in asked]
        demand_same_data(folders, model.run, {step.name: partial(step.data, context) for step in others})
    if absent := _absent_corpus(plan, folders):
        plan = plan[:-1]
        print(f"evaluate {model.run}: {PROJECTION}: left out, as {absent} is not there", file=sys.stderr)
    for step in track(plan, f"evaluate {model.run}", unit="tasks"):
        try:
            found = step.run(context)
        except SynsemError as error:
            failures[step.name] = str(error).removeprefix(f"{step.name}: ")
            print(f"evaluate {model.run}: {step.name}: {failures[step.name]}", file=sys.stderr)
            continue
        outcome.merge(found)
        if step.name in asked:
            made[step.name] = Made(step.data(context), found.names)
    written = not failures or bool(made)
    if written:
        write(outcome, folders, model.run, model.digest, tasks is not None, made, failures)
    return EvaluationResult(outcome, embeddings.embedded, failures, written)


def _absent_corpus(plan: Sequence[Step], folders: Folders) -> Path | None:
    """The folder of the corpus that is missing, where the picture at the end is the one step to read it."""
    if any(step.benchmark is None for step in plan if step.name != PROJECTION):
        return None
    return next((each for each in (folders.parsed / "corpus", folders.augmented) if not each.exists()), None)


@contextmanager
def vectors_until_done(*facts: str) -> Iterator[Path]:
    """A folder for the vectors of a run, which one that is killed leaves to the next run of the same facts.

    Raises SynsemError where such a run is at work.
    """
    home = scratch.folder("evaluate", scratch.key((), *facts))
    with exclusive_lock(home):
        yield home
        scratch.discard(home)


def _gold_trees(folder: Path | None, seed: int) -> HeldOut | None:
    """The treebank's test split, if the folder is there and has one."""
    if folder is None or not folder.exists():
        return None
    treebank = HeldOut(folder, folder / "augmented", seed)
    return treebank if treebank.rows else None


def open_model_under_test(
    system: str,
    seed: int | None,
    model: str | None,
    pooling: str | None,
    models: Path,
    encoder: Encoder,
    cache: Path | None,
    run_code_of: str | None = None,
) -> ModelUnderTest:
    """Open the backbone, a trained system by name and seed, or any ``model`` by folder or id.

    ``cache`` keeps embeddings between runs. A model by folder or id is always cached; the pipeline's own
    systems are where a folder is given. ``run_code_of`` repeats the name of a ``model`` whose own Python code
    may run. Raises SynsemError where the arguments contradict each other or the model is missing.
    """
    if pooling is not None and pooling not in get_args(Pooling):
        raise SynsemError(f"--pooling: {pooling!r} is unknown; choose from {', '.join(get_args(Pooling))}")
    model = model or None  # such as of a shell's variable that is not set
    if bool(system) == (model is not None):
        raise SynsemError("name either a system, such as 'backbone' or 'sscp 13', or a --model, and not both")
    if model is None and not (pooling is None and run_code_of is None):
        raise SynsemError(
            "--pooling and --run-code-of say how to read a --model; name one, or leave them out"
        )
    if model is not None:
        return _open_by_name(model, cast(Pooling | None, pooling), cache, run_code_of)
    if system == "backbone" and seed is not None:
        raise SynsemError(f"backbone: it is not trained and has no seed; leave out {seed}")
    if system == "backbone":
        return _open_backbone(encoder, cache)
    if seed is None:
        raise SynsemError(f"{system}: say which seed, as in 'synsem evaluate {system} 13'")
    from pipeline.systems import registry

    folder = models / system / str(seed)
    if not folder.is_dir():
        registry.check_name(system)
        raise SynsemError(f"{folder}: no such model; run `dvc repro` or the pretrain stage first")
    kept = open_cache(folder, root=cache) if cache else None
    digest = model_digest(folder)
    trained = registry.load(folder).to(best_device())
    return ModelUnderTest(
        f"{system}-{seed}", trained, not trained.reads_text_alone, cache=kept, digest=digest
    )


def _open_by_name(
    model: str, pooling: Pooling | None, cache: Path | None, run_code_of: str | None
) -> ModelUnderTest:
    from pipeline.nn.backbone import locate, pinned

    place = locate(model)
    folder = Path(place)
    name = run_name(model, folder, pooling)
    embedder = open_model(place, pooling, None if run_code_of is None else locate(run_code_of))
    trees = is_system(folder) and not getattr(embedder, "reads_text_alone", False)
    kept, digest = None, ""
    if weights := pinned(place):
        uses_library = is_system(folder) or pooling is not None
        kept = open_cache(weights, str(pooling), root=cache, uses_library=uses_library)
        digest = model_digest(weights, *([pooling] if pooling else []))
    return ModelUnderTest(name, embedder, trees, cache=kept, digest=digest)


def _open_backbone(encoder: Encoder, cache: Path | None) -> ModelUnderTest:
    from pipeline.nn.backbone import locate, pinned
    from pipeline.systems import registry

    embedder, settings = registry.backbone(encoder), encoder.model_dump_json()
    kept, digest = None, ""
    if weights := pinned(locate(encoder.model)):
        kept = open_cache(weights, settings, root=cache) if cache else None
        digest = model_digest(weights, settings)
    return ModelUnderTest("backbone", embedder, encoder.sketch is not None, True, kept, digest)
