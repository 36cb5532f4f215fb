"""What a corpus costs: seconds, core-seconds and peak memory of each stage, each in a process of its own.

    python benchmarks/scale.py --source enwiki-2021,enwiki-2018 --mirror FOLDER --out /tmp/scale

A stage that is there already is not run again, so a measurement can be broken off. With ``--copies 2`` the
sentences are read twice, the second time with a number before each name, so that no two are equal.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from pipeline.core import store
from pipeline.core.params import DEFAULTS, read

_NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
SYSTEMS = ("simcse", "sscp", "synsem")
STAGES: tuple[tuple[str, ...], ...] = (
    ("download",),
    ("parse",),
    ("augment",),
    *(("mine", system) for system in SYSTEMS),
)


def main(
    source: Annotated[str, typer.Option(help="Names of sources, with commas, or files.")],
    out: Annotated[Path, typer.Option(help="A folder for data and figures.")],
    mirror: Annotated[Path | None, typer.Option(help="Where the https sources are.")] = None,
    copies: Annotated[int, typer.Option(help="How often the text is read.", min=1)] = 1,
    workers: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Run the stages and print a table."""
    out.mkdir(parents=True, exist_ok=True)
    figures = out / "scale.json"
    found = json.loads(figures.read_text()) if figures.exists() else {}
    _write_params(out, source, mirror)
    for stage in STAGES:
        name = " ".join(stage)
        if name not in found:
            found[name] = _measure(stage, out, workers)
            if stage == ("download",) and copies > 1:
                _repeat(out / "data/corpus", copies)
            store.write_json(figures, found)
    sentences = sum(store.read_file(path).num_rows for path in store.shards(out / "data/parsed/corpus"))
    print(f"{sentences:,} sentences, {workers} workers; the last column is for a million sentences\n")
    print("| stage | seconds | core-seconds | peak memory, MB | core-seconds |\n|---|---:|---:|---:|---:|")
    for name in map(" ".join, STAGES):
        row = found[name]
        cells = row["seconds"], row["core_seconds"], row["peak_mb"], row["core_seconds"] / sentences * 1e6
        print(f"| {name} | " + " | ".join(f"{cell:,.0f}" for cell in cells) + " |")


def _write_params(out: Path, source: str, mirror: Path | None) -> None:
    values = read(DEFAULTS)
    values["download"] |= {"sources": source.split(","), "documents": "all", "benchmarks": []}
    values["download"]["mirror"] = str(mirror) if mirror else None
    (out / "params.yaml").write_text(json.dumps(values))  # JSON is YAML


def _measure(stage: tuple[str, ...], out: Path, workers: int) -> dict[str, float]:
    """Seconds, processor time and the largest process of a stage with its workers."""
    one_thread = {"OMP_NUM_THREADS": "1", "SYNSEM_WORKERS": str(workers)}
    code = f"import stages.{stage[0]} as s, typer, sys; typer.run(s.main)"
    root = str(Path(__file__).parents[1])
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *stage[1:]],
        cwd=out,
        env=os.environ | one_thread | {"PYTHONPATH": root},
    )
    _, status, used = os.wait4(process.pid, 0)  # of the stage and of the workers that it waited for
    if status:
        raise SystemExit(f"{' '.join(stage)} failed")
    return {
        "seconds": time.perf_counter() - begin,
        "core_seconds": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1024,
    }


def _repeat(corpus: Path, copies: int) -> None:
    """Append copies of a corpus in which a number stands before each capitalised word within a sentence."""
    number = len(store.shards(corpus))
    for path in store.shards(corpus):
        table = store.read_file(path)
        for copy in range(1, copies):
            rows = table.to_pylist()
            for row in rows:
                row["doc_id"] += f"-{copy}"
                row["text"] = _NAME.sub(rf"{copy}\g<0>", row["text"])
            store.write_rows(store.shard_path(corpus, number), rows, table.schema)
            number += 1


if __name__ == "__main__":
    typer.run(main)
