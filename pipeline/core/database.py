"""Joins over more rows than memory holds: DuckDB over temporary files, for decisions across documents.

What is equal, near or overlapping is known only when all rows are seen. Python's sets and dictionaries take
a hundred bytes and more a row; DuckDB takes a bounded share of memory and puts the rest on disk. Results are
read with ORDER BY, so that they are the same at any number of threads.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import SynsemError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = "512MB"  # of one connection; beyond it DuckDB writes to disk


@contextmanager
def database(folder: Path | None = None, memory: str = MEMORY) -> Iterator["DuckDBPyConnection"]:
    """An empty database in a temporary folder under ``folder`` (the system's by default), gone at the end.

    It has one thread, like every process of a stage. A query that is to be read in an order says ORDER BY.
    Raises SynsemError where the disk is full, and KeyboardInterrupt where Ctrl-C ended a query.
    """
    import duckdb

    with tempfile.TemporaryDirectory(dir=folder, prefix=".database-") as home:
        spill = str(Path(home) / "spill")
        settings: dict[str, Any] = {"memory_limit": memory, "threads": 1, "temp_directory": spill}
        try:
            with duckdb.connect(str(Path(home) / "rows.duckdb"), config=settings) as connection:
                connection.execute("SET preserve_insertion_order = false")
                yield connection
        except RuntimeError as error:
            if "interrupted" not in str(error):
                raise
            raise KeyboardInterrupt from error
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            reason = " ".join(str(error).split())
            raise SynsemError(
                f"{home}: a temporary database could not be written ({reason}); free space or choose another"
                " folder"
            ) from error
