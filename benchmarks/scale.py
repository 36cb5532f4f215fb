"""Measure the cost of a corpus: every stage at several sizes, each run in a process of its own.

    python benchmarks/scale.py                     # measure, print, and keep it in benchmarks/scale.json
    python benchmarks/scale.py --source enwiki-2018,enwiki-2021 --sizes 32000,1000000 --skip encode,search
    python benchmarks/scale.py show --write docs/scale.md     # its tables, from benchmarks/scale.json

A size is a number of sentences of real text (``long_text.py``), cut at a document's end. A stage runs with
one worker and one thread, so its CPU seconds are core-seconds whatever else the machine does. Of each run
are kept: CPU and wall seconds and peak memory (the kernel's figures for the process and its children), the
peak of private memory (without pages of mapped files, which the kernel may drop at any time; read twenty
times a second), the bytes left on disk, and the most on disk meanwhile. A measurement in ``--folder`` is
not repeated.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from growth import Run, tables
from long_text import cut, source_documents
from marks import write_between

ROOT = Path(__file__).parent.parent
RESULT = Path(__file__).with_suffix(".json")
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS")
# Runs a command from a small process: a child's peak of memory begins at its parent's.
LAUNCH = """
import json, resource, subprocess, sys, threading
from pathlib import Path

def private(process):
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has ended, or this is not Linux
        return 0
    own = [int(line.split()[1]) for line in lines if line.startswith("RssAnon:")]
    return max(own + [private(child) for child in children], default=0)

def watch(process):
    global most
    while not done.wait(0.05):
        most = max(most, private(process))

most, done = 0, threading.Event()
with open(sys.argv[1], "wb") as log:
    running = subprocess.Popen(sys.argv[2:], stdout=log, stderr=log)
    watcher = threading.Thread(target=watch, args=(running.pid,))
    watcher.start()
    code = running.wait()
    done.set()
    watcher.join()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss, most]))
"""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    sizes: Annotated[str, typer.Option(help="Sentences, smallest first.")] = "2000,8000,32000",
    source: Annotated[
        str, typer.Option(help="The text: names of pipeline/corpora/sources.yaml or paths, with commas.")
    ] = ("wikipedia-introductions-en"),
    mirror: Annotated[str | None, typer.Option(help="Instead of download.mirror.")] = None,
    folder: Annotated[Path, typer.Option(help="Holds the data; 100 MB for the sizes as they are.")] = Path(
        ".scratch/scale"
    ),
    steps: Annotated[int, typer.Option(help="Training steps.")] = 10,
    skip: Annotated[str, typer.Option(help="What is not measured: the first words of its names.")] = "",
    out: Annotated[
        Path, typer.Option(help="The measurements; those of other texts and sizes stay.")
    ] = RESULT,
) -> None:
    """Measure every stage at every size, print the tables, write the measurements."""
    if context.invoked_subcommand:
        return
    sources = source.split(",")
    folder = folder.resolve() / "+".join(Path(name).stem for name in sources)
    folder.mkdir(parents=True, exist_ok=True)
    documents = source_documents(sources, mirror, folder)
    for size in map(int, sizes.split(",")):
        home = folder / str(size)
        sentences = cut(documents, size, home)
        _params(home, steps)
        for stage, command, wrote in _commands(home, steps):
            kept = home / f"{stage}.json"
            if any(stage.startswith(name) for name in skip.split(",") if name):
                continue
            if not kept.exists():
                print(f"{size:,} sentences: {stage}", file=sys.stderr, flush=True)
                facts = {"text": folder.name, "stage": stage, "sentences": sentences}
                facts |= _measured(command, home, wrote) | _work(stage, home)
                kept.write_text(json.dumps(facts))
            _keep(Run(**json.loads(kept.read_text())), out)
    typer.echo(tables(_runs(out)))


@app.command()
def show(
    measured: Annotated[Path, typer.Option(help="What was measured.")] = RESULT,
    write: Annotated[Path | None, typer.Option(help="A page: what is between its marks is replaced.")] = None,
) -> None:
    """Print the tables of an earlier measurement, or write them into a page."""
    text = tables(_runs(measured))
    if write is None:
        typer.echo(text)
        return
    write_between(write, text)


def _runs(path: Path) -> list[Run]:
    return [Run(**run) for run in json.loads(path.read_text())] if path.exists() else []


def _keep(run: Run, path: Path) -> None:
    """Write a measurement; it replaces an earlier one of the same stage, text and size."""
    others = [
        each
        for each in _runs(path)
        if (each.text, each.stage, each.sentences) != (run.text, run.stage, run.sentences)
    ]
    path.write_text(json.dumps([asdict(each) for each in [*others, run]], indent=1) + "\n")


def _commands(home: Path, steps: int) -> Iterator[tuple[str, list[str], Path]]:
    """Name, arguments of Python and output of each run, in order."""
    params = ["--params", str(home / "params.yaml")]
    corpus, benchmarks, parsed, augmented = (
        home / name for name in ("corpus", "benchmarks", "parsed", "augmented")
    )
    folders = ["--benchmarks", str(benchmarks), "--parsed", str(parsed), "--augmented", str(augmented)]
    model, triplets, vectors = home / "model", home / "triplets", home / "vectors.npy"

    def stage(name: str, *arguments: object, params: list[str] = params) -> list[str]:
        return ["-m", f"stages.{name}", *map(str, arguments), *params]

    def mine(system: str, out: Path, params: Path) -> list[str]:
        options = [*folders, "--corpus", corpus, "--out", out, "--treebank", home / "none"]
        return stage("mine", system, *options, params=["--params", str(params)])

    yield "download", stage("download", "--corpus", corpus, "--benchmarks", benchmarks), corpus
    one = ["--workers", 1]
    yield (
        "parse",
        stage("parse", "--corpus", corpus, "--benchmarks", benchmarks, "--out", parsed, *one),
        parsed,
    )
    yield "augment", stage("augment", "--parsed", parsed / "corpus", "--out", augmented, *one), augmented
    yield "mine simcse", mine("simcse", home / "simcse", home / "params.yaml"), home / "simcse"
    for way in ("exact", "hashed"):
        out = triplets if way == "hashed" else home / "exact"
        yield f"mine sscp {way}", mine("sscp", out, home / f"{way}.yaml"), out
    yield "mine synsem", mine("synsem", home / "synsem", home / "params.yaml"), home / "synsem"
    yield (
        f"pretrain sscp, {steps} steps",
        stage("pretrain", "sscp", 1, "--triplets", triplets, "--out", model, "--curves", home / "curves"),
        model,
    )
    encode = [model, home / "sentences.txt", "--view", "semantic", "--out", vectors]
    yield "encode", stage("encode", *encode, params=[]), vectors
    tasks = ["--tasks", "alignment,retrieval", "--out", home / "reports"]
    yield "evaluate", stage("evaluate", "backbone", *folders, *tasks), home / "reports"


def _measured(arguments: list[str], home: Path, wrote: Path) -> dict[str, Any]:
    """Run Python with the arguments; returns its time, memory and disk."""
    environment = os.environ | dict.fromkeys(THREADS, "1") | {"OMP_WAIT_POLICY": "PASSIVE"}
    environment |= {"SYNSEM_SCRATCH": str(home / "scratch"), "PYTHONPATH": str(ROOT)}
    log = home / "log.txt"
    shutil.rmtree(wrote, ignore_errors=True)  # of an earlier call: an existing file would not be counted
    with tempfile.TemporaryDirectory(dir=home) as temporary, _largest(lambda: _size(home)) as most:
        before, began = _size(home), time.perf_counter()
        launched = subprocess.run(
            [sys.executable, "-c", LAUNCH, str(log), sys.executable, *arguments],
            cwd=ROOT,
            env=environment | {"TMPDIR": temporary},
            capture_output=True,
            check=True,
        )
        seconds = time.perf_counter() - began
    code, cpu_seconds, peak, private = json.loads(launched.stdout)
    if code:
        raise SystemExit(log.read_text())
    return {
        "cpu_seconds": cpu_seconds,
        "wall_seconds": seconds,
        "peak_mb": peak * 1024 / 1e6,  # kilobytes on Linux
        "private_mb": private * 1024 / 1e6,
        "left_mb": _size(wrote) / 1e6,
        "files": len(list(wrote.rglob("part-*.arrow"))),
        "most_mb": max(most[0] - before, 0) / 1e6,
    }


@contextmanager
def _largest(value: Callable[[], int]) -> Iterator[list[int]]:
    """The largest value seen, read ten times a second and at the end."""
    most, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            most[0] = max(most[0], value())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()
        most[0] = max(most[0], value())


def _size(path: Path) -> int:
    """Bytes of the files in a folder, or of a file; a file removed meanwhile counts 0."""
    total = 0
    for each in [path, *path.rglob("*")] if path.is_dir() else [path]:
        try:
            total += each.stat().st_size if each.is_file() else 0
        except FileNotFoundError:
            continue
    return total


def _params(home: Path, steps: int) -> None:
    """Write params.yaml for this text, and two variants: overlap found exactly and by hashing."""
    import yaml

    from pipeline.core.params import read

    params = read(ROOT / "params.yaml")
    params["download"] |= {"sources": [str(home / "text.jsonl")], "documents": "all", "benchmarks": []}
    params["train"] |= {"evaluate_every": steps, "dev_examples": 64}
    params["sscp"] |= {"steps": steps}
    (home / "params.yaml").write_text(yaml.safe_dump(params))
    for way, exact_up_to in (("exact", 10**12), ("hashed", 1)):
        params["mine"]["overlap"]["exact_up_to"] = exact_up_to
        (home / f"{way}.yaml").write_text(yaml.safe_dump(params))


def _work(stage: str, home: Path) -> dict[str, float]:
    """Examples and tokens of the training run, which a projection needs too."""
    if not stage.startswith("pretrain"):
        return {}
    cost = json.loads((home / "curves-cost" / "cost.json").read_text())
    examples = json.loads((home / "triplets" / "report.json").read_text())["kept"]["train"]
    return {
        "examples": examples,
        "tokens_per_example": cost["tokens"] / cost["examples"],
        "tokens_per_second": cost["tokens_per_second"],
    }


if __name__ == "__main__":
    app()
