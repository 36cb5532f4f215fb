"""What is to be tried and measured on a GPU, one command a chapter, each in less than nine minutes.

    python -m benchmarks.gpu prepare --triplets data/triplets/synsem   # here: a folder to carry
    python -m benchmarks.gpu smoke                                     # there: every CUDA code path
    python -m benchmarks.gpu speed                                     # steps, encoding and parsing
    python -m benchmarks.gpu train                                     # synsem at full length
    python -m benchmarks.gpu seeds                                     # five seeds and the controls

Each writes ``reports/gpu/NAME.json`` after every measurement and says what remains; called again it does the
rest. ``--rehearse`` does the same on a CPU with tiny sizes. docs/gpu.md tells the whole way.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

if __name__ == "__main__":
    # Before torch is loaded: read when cuBLAS is first used, and the deterministic checks are not the first.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    # Checkpoints of these runs alone; before pipeline.core.scratch is loaded.
    os.environ["SYNSEM_SCRATCH"] = tempfile.mkdtemp(prefix="synsem-gpu-")

import typer

from benchmarks.gpu.bundle import Bundle, pack, unpack
from benchmarks.gpu.chapter import Chapter, Measure
from pipeline.core.errors import SynsemError

app = typer.Typer(no_args_is_help=True, help="What is to be tried and measured on a GPU.")
LONG = "synsem long"
# How long a measurement takes, as a multiple of the longest one before it; the others take as long.
TIMES = {LONG: 1.5}

Reports = Annotated[Path | None, typer.Option(help="Where results go; default: reports/gpu.")]
Rehearse = Annotated[bool, typer.Option(help="Tiny sizes, for a CPU.")]
BUNDLE = Path("gpu-bundle")


@app.command()
def prepare(
    triplets: Path = Path("data/triplets/synsem"),
    data: Annotated[Path, typer.Option(help="Has parsed, augmented and benchmarks.")] = Path("data"),
    params: Path = Path("params.yaml"),
    out: Path = BUNDLE,
    mebibytes: Annotated[float, typer.Option(help="Size at most; the code needs room beside it.")] = 56.0,
    wheels: Annotated[
        str | None, typer.Option(help="Also fetch pydantic's wheels for this Python, e.g. 3.12.")
    ] = None,
    level: Annotated[int, typer.Option(help="Of Zstandard, 1 to 22.")] = 12,
    reports: Reports = None,
    rehearse: Rehearse = False,
) -> None:
    """Pack code's data and weights into one folder to carry to a GPU machine."""
    chapter = _chapter("prepare", reports, 9.0, rehearse)
    chapter.results.clear()
    chapter.run("bundle", lambda: pack(out, params, triplets, data, mebibytes, wheels, level))
    chapter.finish()


Measurements = dict[str, Measure]


def chapter(measurements: Callable[[Bundle, Path, bool], Measurements]) -> None:
    """Make a command of a function that gives the measurements of a bundle; all have the same options."""
    name = measurements.__name__

    def command(
        bundle: Annotated[Path, typer.Option(help="What `prepare` wrote.")] = BUNDLE,
        reports: Reports = None,
        minutes: Annotated[float, typer.Option(help="Nothing is begun that would end after them.")] = 8.0,
        only: Annotated[
            str | None, typer.Option(help="Comma-separated names of measurements; default: all.")
        ] = None,
        at_once: Annotated[int, typer.Option(min=1, help="Measurements at a time, each a process.")] = 1,
        rehearse: Rehearse = False,
    ) -> None:
        home = Path(os.environ["SYNSEM_SCRATCH"])  # deleted with the process's other temporary files
        unpacked = unpack(bundle, home / "bundle")
        found = measurements(unpacked, home / "runs", rehearse)
        if at_once > 1:
            options = [f"--bundle={unpacked.folder}", f"--minutes={minutes}", *["--rehearse"] * rehearse]
            threads = max(1, (os.cpu_count() or 1) // at_once)
            found = {each: partial(_alone, name, each, options, threads) for each in found}
        _measure(_chapter(name, reports, minutes, rehearse), found, only, at_once)

    app.command(name, help=measurements.__doc__)(command)


@chapter
def smoke(bundle: Bundle, runs: Path, rehearse: bool) -> Measurements:
    """Try every CUDA code path against the CPU, or against itself."""
    from benchmarks.gpu.smoke import Smoke

    return dict(Smoke(bundle, runs, rehearse).checks())


@chapter
def speed(bundle: Bundle, runs: Path, rehearse: bool) -> Measurements:
    """Time training steps and parsing over batch sizes, and encoding against sentence-transformers."""
    from benchmarks.gpu.speed import Speed

    return dict(Speed(bundle, rehearse).measurements())


@chapter
def train(bundle: Bundle, runs: Path, rehearse: bool) -> Measurements:
    """Train synsem at full length, on a GPU in the long form, too; judge it and the untouched backbone."""
    import torch

    from benchmarks.gpu.runs import SEEDS, SYSTEM, Runs

    found = Runs(bundle, runs, rehearse)
    measurements: Measurements = {"backbone": found.backbone, SYSTEM: lambda: found.train(SEEDS[0])}
    if rehearse or torch.cuda.is_available():
        measurements[LONG] = lambda: found.long(SEEDS[0])
    return measurements


@chapter
def seeds(bundle: Bundle, runs: Path, rehearse: bool) -> Measurements:
    """Train five seeds of the long form, then every control from one seed, then from the others."""
    from benchmarks.gpu.runs import SYSTEM, Runs, jobs

    found = Runs(bundle, runs, rehearse)
    controls = found.controls()
    return {
        f"{name} {seed}": lambda name=name, seed=seed: found.long(
            seed, controls.get(name), "simcse" if name == "simcse" else SYSTEM
        )
        for name, seed in jobs(found)
    }


def _alone(chapter: str, name: str, options: list[str], threads: int) -> Mapping[str, Any]:
    """What a process of its own measures under a name of a chapter."""
    from pipeline.core.store import read_json

    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "benchmarks.gpu", chapter, "--only", name, "--reports", folder, *options]
        own = os.environ | {"OMP_NUM_THREADS": str(threads)}
        subprocess.run([sys.executable, *command], env=own, check=False)  # an error is in the results, too
        found: Mapping[str, Any] = read_json(Path(folder) / f"{chapter}.json")["results"][name]
    return found


def _chapter(name: str, reports: Path | None, minutes: float, rehearse: bool) -> Chapter:
    return Chapter(name, reports or Path("reports/gpu") / ("rehearsal" if rehearse else ""), minutes)


def _measure(chapter: Chapter, measurements: Measurements, only: str | None, at_once: int = 1) -> None:
    wanted = [name.strip() for name in only.split(",")] if only else list(measurements)
    unknown = [name for name in wanted if name not in measurements]
    if unknown:
        raise SynsemError(f"--only: {unknown[0]!r} is unknown; choose from {', '.join(measurements)}")
    chapter.run_all({name: measurements[name] for name in wanted}, TIMES, at_once)
    chapter.finish()


if __name__ == "__main__":
    import shutil

    try:
        app()
    except SynsemError as error:
        sys.exit(f"error: {error}")
    finally:
        shutil.rmtree(os.environ["SYNSEM_SCRATCH"], ignore_errors=True)
