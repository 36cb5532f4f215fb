"""A database for joins: bounded memory, no files left, an order that does not depend on threads."""

import multiprocessing
import resource
import signal
from contextlib import nullcontext
from multiprocessing.queues import Queue
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core.database import database
from pipeline.core.errors import SynsemError


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


def _with_little_room(folder: Path, answer: "Queue[str]") -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
    try:
        with database(folder, memory="32MB") as connection:
            connection.execute("CREATE TABLE rows AS SELECT hash(range) AS key FROM range(1000000)")
        answer.put("written")
    except SynsemError as error:
        answer.put(str(error))


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    answer: Queue[str] = context.Queue()
    process = context.Process(target=_with_little_room, args=(tmp_path, answer))
    process.start()
    said = answer.get(timeout=60)
    process.join()
    assert str(tmp_path) in said
    assert "could not be written" in said
    assert said.endswith("; free space or choose another folder")
    assert "\n" not in said
    assert not list(tmp_path.iterdir())


def test_ctrl_c_during_a_query_is_ctrl_c(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), database(tmp_path):
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="another"), database(tmp_path):
        raise RuntimeError("another one")
