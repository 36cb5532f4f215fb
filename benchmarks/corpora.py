"""Stage ``download`` on a synthetic text of any size: speed and peak memory, which should stay flat.

    python benchmarks/corpora.py --megabytes 50 --megabytes 200

Each size is read in a process of its own, cleaned, deduplicated (exactly and nearly) and written as Arrow;
the peak is the resident set of that process as the kernel counted it.
"""

import multiprocessing
import resource
import tempfile
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from pipeline.core.store import read_json
from pipeline.corpora.download import download
from pipeline.params import load


def main(
    megabytes: Annotated[list[int], typer.Option(help="Size of the text; may be given several times.")],
    folder: Annotated[Path | None, typer.Option(help="Where to write; about four times the size.")] = None,
    params: Path = Path("params.yaml"),
) -> None:
    """Print a line a size."""
    print(f"{'MB':>6} {'documents':>10} {'kept':>10} {'seconds':>8} {'MB/s':>6} {'peak RSS MB':>12}")
    for size in megabytes:
        with tempfile.TemporaryDirectory(dir=folder) as home:
            text = Path(home) / "synthetic.txt"
            write_text(text, size)
            context = multiprocessing.get_context("spawn")
            answer: multiprocessing.Queue = context.Queue()
            process = context.Process(target=run, args=(text, Path(home), params, answer))
            process.start()
            read, kept, seconds, peak = answer.get()
            process.join()
            print(
                f"{size:6} {read:10,} {kept:10,} {seconds:8.1f} {size / seconds:6.2f} {peak:12.0f}",
                flush=True,
            )


def write_text(path: Path, megabytes: int) -> None:
    """Documents of about a kilobyte of made-up words, one in ten a copy of another with a word changed."""
    rng = np.random.default_rng(0)
    syllables = np.array([a + b for a in "bdfgklmnprst" for b in "aeiou"])
    vocabulary = ["".join(rng.choice(syllables, size=rng.integers(1, 5))) for _ in range(50_000)]
    frequency = 1 / np.arange(1, 50_001)
    cumulated = np.cumsum(frequency / frequency.sum())
    written, last = 0, ""
    with path.open("w", encoding="utf-8") as sink:
        while written < megabytes * 10**6:
            if last and rng.random() < 0.1:
                document = last.replace(" ", " again ", 1)
            else:
                words = [vocabulary[n] for n in np.searchsorted(cumulated, rng.random(150))]
                document = " ".join(
                    " ".join(words[start : start + 15]).capitalize() + "." for start in range(0, 150, 15)
                )
            last = document
            written += sink.write(document + "\n\n")


def run(text: Path, home: Path, params: Path, answer: "multiprocessing.Queue") -> None:
    changes = {"sources": [str(text)], "documents": "all", "benchmarks": [], "language_confidence": None}
    section = load(params, "download").download.model_copy(update=changes)
    began = time.perf_counter()
    download(section, home / "corpus", home / "benchmarks")
    seconds = time.perf_counter() - began
    report = read_json(home / "corpus/report.json")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.put((report["read"]["synthetic"], report["kept"]["synthetic"], seconds, peak))


if __name__ == "__main__":
    typer.run(main)
