"""Arrow columns become the same Python values as by ``to_pylist``, each label converted once."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core import columns, schemas

LABEL = st.sampled_from(["NOUN", "VERB", ""])
WORDS = st.lists(st.sampled_from(["a", "b", "ç"]), max_size=3)
SIDE = st.fixed_dictionaries(
    {"text": st.text(max_size=3)}
    | dict.fromkeys(("words", "deprels", "upos", "xpos", "lemmas"), WORDS)
    | {"heads": st.lists(st.integers(0, 9), max_size=3)}
)
SCHEMA = pa.schema(
    [
        ("label", schemas.LABEL),
        ("labels", schemas.LABELS),
        ("words", schemas.WORDS),
        ("heads", schemas.HEADS),
        ("flags", pa.list_(pa.bool_())),
        ("score", pa.float32()),
        ("side", schemas.SIDE),
        ("sides", pa.list_(schemas.SIDE)),
    ]
)
ROW = st.fixed_dictionaries(
    {
        "label": st.none() | LABEL,
        "labels": st.none() | st.lists(st.none() | LABEL, max_size=3),
        "words": st.none() | WORDS,
        "heads": st.lists(st.none() | st.integers(-1, 60), max_size=3),
        "flags": st.none() | st.lists(st.booleans(), max_size=3),
        "score": st.none() | st.floats(width=32, allow_nan=False),
        "side": st.none() | SIDE,
        "sides": st.none() | st.lists(st.none() | SIDE, max_size=2),
    }
)


@given(st.lists(ROW, max_size=6), st.integers(0, 4), st.integers(1, 4))
def test_rows_are_those_of_to_pylist(rows: list[dict], start: int, size: int) -> None:
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    chunked = pa.concat_tables([table, table.slice(start)]).unify_dictionaries()
    for each in (table, table.slice(start, size), chunked, chunked.slice(start, size)):
        assert columns.to_rows(each) == each.to_pylist()
        for batch in each.to_batches(max_chunksize=size):
            assert columns.to_rows(batch) == batch.to_pylist()


def test_a_table_without_rows_has_none() -> None:
    assert columns.to_rows(SCHEMA.empty_table()) == []


def test_a_label_is_converted_once_and_not_at_each_place() -> None:
    first, second = columns.to_values(pa.array([["NOUN", "VERB"], ["VERB"]], type=schemas.LABELS))
    assert second == ["VERB"]
    assert first[1] is second[0]


@pytest.mark.parametrize("rows", [[], [None], [["x"], None, []]])
def test_values_are_cut_as_the_lists_are(rows: list) -> None:
    lists = pa.array(rows, type=schemas.WORDS)
    assert columns.cut(lists.flatten().to_pylist(), lists) == rows


@pytest.mark.parametrize("size", [0, 1, 1024, 2100])
def test_some_rows_of_a_table_come_with_their_numbers(size: int) -> None:
    """In batches that end where a file ends, too."""
    keep = np.random.default_rng(size).random(size) < 0.3
    numbers = list(range(size))
    whole = pa.table({"n": numbers, "label": [f"x{n}" for n in numbers], "other": numbers})
    table = pa.concat_tables([whole.slice(0, size // 3), whole.slice(size // 3)])
    found = [(rows.tolist(), batch) for rows, batch in columns.kept_batches(table, keep, ("label", "n"))]
    assert [row for rows, _ in found for row in rows] == np.flatnonzero(keep).tolist()
    for rows, batch in found:
        assert batch.schema.names == ["label", "n"]
        assert batch.to_pylist() == [{"label": f"x{row}", "n": row} for row in rows]
        assert len(batch) <= 1024
