"""DuckDB against Polars' streaming engine, on the joins that look across all documents of a corpus.

    python benchmarks/joins.py                      # half a minute of CPU; writes reports/joins.json
    python benchmarks/joins.py --rows 4000000       # other numbers of rows in the file stay

Polars is no dependency of the pipeline: ``pip install polars`` (requirements/dev.txt has it, for mteb). The
joins, over keys drawn by a seed and read from Arrow files:

    copies    rows whose 64-bit hash an earlier row has (exact duplicates), one run of keys
    bands     the same over four runs: the bands of near duplicates
    prefix    pairs of rows that share a rare word, with the number they share (overlapping sentences)

Each runs in a process of its own, with one thread, and must find the same rows. Kept are seconds of CPU and
wall time of the join, and the peak of private memory of its process, imports included; ``none`` is the
imports alone. DuckDB is held to the memory that the pipeline gives it, 256 MB for copies and bands and 512 MB
for prefix, and writes to disk beyond; Polars has no such limit.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import typer
from scale import LAUNCH, ROOT, THREADS

from pipeline.core.database import database
from pipeline.core.seeding import generator
from pipeline.core.store import read_file, read_json, write_json, write_table
from pipeline.corpora.cleaning.duplicates import later_copies

JOINS = {"copies": 1, "bands": 4, "prefix": 1}  # and its runs of keys
COPIES = 0.05  # of the rows that have the key of an earlier row
WORDS = 3  # rare words a sentence, and
SENTENCES = 10  # sentences a rare word, on average
Answer = dict[str, int]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    rows: Annotated[int, typer.Option(help="Rows of copies and bands; prefix has a third of them.")] = 10**6,
    out: Annotated[Path, typer.Option(help="What was measured.")] = Path("reports/joins.json"),
) -> None:
    """Run every join on both engines, compare what they find, write times and memory."""
    if context.invoked_subcommand:
        return
    measured: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_keys(folder, rows)
        for join in ("none", *JOINS):
            measured[join] = {engine: _measured(engine, join, folder) for engine in ("duckdb", "polars")}
            answers = [each.pop("answer") for each in measured[join].values()]
            if answers[0] != answers[1]:
                raise SystemExit(f"{join}: the engines disagree: {answers}")
            measured[join] |= answers[0]
            typer.echo(f"{join}: {measured[join]}")
    found = read_json(out) if out.exists() else {}
    write_json(out, found | {f"{rows:,} rows": measured | {"versions": _versions()}})


@app.command()
def run(engine: str, join: str, folder: Path) -> None:
    """One join on one engine; prints its seconds and what it found."""
    import duckdb  # noqa: F401
    import polars  # noqa: F401

    wall, cpu = time.perf_counter(), time.process_time()
    answer = {} if join == "none" else ENGINES[engine](join, folder)
    seconds = {"cpu_seconds": time.process_time() - cpu, "wall_seconds": time.perf_counter() - wall}
    typer.echo(json.dumps({name: round(value, 2) for name, value in seconds.items()} | {"answer": answer}))


def write_keys(folder: Path, rows: int) -> None:
    """Write ``KEYS-RUN.arrow`` for each join: columns row int64 and key uint64."""
    for join, runs in JOINS.items():
        for number in range(runs):
            rng = generator(13, join, str(number))
            if join == "prefix":
                sentences = rows // 3
                row = np.repeat(np.arange(sentences), WORDS)
                key = rng.integers(len(row) // SENTENCES + 1, size=len(row), dtype=np.uint64)
            else:
                row = np.arange(rows)
                key = rng.integers(2**64 - 1, size=rows, dtype=np.uint64)
                later = np.flatnonzero(rng.random(rows) < COPIES)[1:]
                key[later] = key[(rng.random(len(later)) * later).astype(np.int64)]
            write_table(folder / f"{join}-{number}.arrow", pa.table({"row": row, "key": key}))


def with_duckdb(join: str, folder: Path) -> Answer:
    """The pipeline's own queries."""
    if join == "prefix":
        with database(folder) as connection:
            connection.register("words", read_file(folder / "prefix-0.arrow"))
            found = connection.sql(
                "SELECT count(*), sum(shared), sum(a * 31 + b) FROM (SELECT a.row AS a, b.row AS b,"
                " count(*) AS shared FROM words a JOIN words b ON a.key = b.key AND a.row < b.row"
                " GROUP BY a.row, b.row)"
            ).fetchall()
        return dict(zip(("pairs", "shared", "sum"), map(int, found[0]), strict=True))
    total: Answer = {"rows": 0, "sum": 0}
    for row, first, before in later_copies((_keys(join, n, folder) for n in range(JOINS[join])), folder):
        total["rows"] += len(row)
        total["sum"] += int((row + 31 * first + 97 * before).sum())
    return total


def with_polars(join: str, folder: Path) -> Answer:
    """The same queries, as Polars' streaming engine likes them."""
    import polars as pl

    keys = [pl.scan_ipc(folder / f"{join}-{number}.arrow") for number in range(JOINS[join])]
    if join == "prefix":
        pairs = keys[0].join(keys[0], on="key").filter(pl.col("row") < pl.col("row_right"))
        shared = pairs.group_by("row", "row_right").len()
        found = shared.select(
            pl.len().alias("pairs"),
            pl.col("len").sum().alias("shared"),
            (pl.col("row") * 31 + pl.col("row_right")).sum().alias("sum"),
        ).collect(engine="streaming")
        return {name: int(found[name][0]) for name in found.columns}
    total: Answer = {"rows": 0, "sum": 0}
    for each in keys:
        several = each.group_by("key").agg(pl.len(), pl.col("row").min().alias("first"))
        several = several.filter(pl.col("len") > 1)
        found = each.join(several, on="key").sort("key", "row").collect(engine="streaming")
        # Few rows are left: the one before of the same key is the one before in order.
        found = found.with_columns(before=pl.col("row").shift(1)).filter(pl.col("row") > pl.col("first"))
        total["rows"] += len(found)
        total["sum"] += int((found["row"] + 31 * found["first"] + 97 * found["before"]).sum())
    return total


ENGINES = {"duckdb": with_duckdb, "polars": with_polars}


def _keys(join: str, number: int, folder: Path) -> Iterator[tuple[Any, Any]]:
    for batch in read_file(folder / f"{join}-{number}.arrow").to_batches(max_chunksize=2**17):
        yield batch["row"].to_numpy(), batch["key"].to_numpy()


def _measured(engine: str, join: str, folder: Path) -> dict[str, Any]:
    """Run a join in a process of its own with one thread; returns its time, memory and answer."""
    log = folder / "log.txt"
    path = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    environment = os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": path, "POLARS_MAX_THREADS": "1"}
    command = [sys.executable, __file__, "run", engine, join, str(folder)]
    launched = subprocess.run(
        [sys.executable, "-c", LAUNCH, str(log), *command], env=environment, capture_output=True, check=True
    )
    code, _, _, private = json.loads(launched.stdout)
    if code:
        raise SystemExit(log.read_text())
    found: dict[str, Any] = json.loads(log.read_text().splitlines()[-1])
    return found | {"private_mb": round(private * 1024 / 1e6)}


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in ("duckdb", "polars", "pyarrow")}


if __name__ == "__main__":
    app()
