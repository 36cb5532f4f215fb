"""A database for joins: bounded memory, no files left, an order that does not depend on threads."""

from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core.database import database


def test_a_join_larger_than_its_memory_gives_all_rows_in_order(tmp_path: Path) -> None:
    keys = pa.table({"key": [number % 50_000 for number in range(400_000)], "row": range(400_000)})
    with database(tmp_path, memory="32MB") as connection:
        connection.execute("CREATE TABLE rows AS SELECT * FROM keys")
        # Text that need not be held whole: it does not fit into 32 MB.
        found = connection.execute(
            "SELECT key, count(*), min(row), max(length(text)) FROM"
            " (SELECT key, row, repeat(key::TEXT, 50) AS text FROM rows) GROUP BY key ORDER BY key"
        ).fetchall()
    assert len(keys) == 400_000
    assert found == [(key, 8, key, 50 * len(str(key))) for key in range(50_000)]


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_of_it_is_left(fails: bool, tmp_path: Path) -> None:
    stopped = pytest.raises(KeyError) if fails else nullcontext()
    with stopped, database(tmp_path) as connection:
        connection.execute("CREATE TABLE rows AS SELECT * FROM range(1000)")
        assert list(tmp_path.iterdir())
        if fails:
            raise KeyError
    assert not list(tmp_path.iterdir())
