"""Numbers by hash: against a dictionary, and in how much memory."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.hash_numbers import HashNumbers
from pipeline.core.seeding import stable_hash

# 0 marks an empty slot, so it counts as 1; numbers of equal low bits fall into one slot.
HASHES = st.one_of(
    st.integers(2, 2**64 - 1),
    st.integers(2, 40),
    st.integers(1, 40).map(lambda high: high << 32),
    st.just(0),
    st.just(2**64 - 1),
)


@given(st.lists(HASHES))
def test_numbers_are_those_of_a_dictionary(values: list[int]) -> None:
    table, known = HashNumbers(), {}
    for value in values:
        new = value not in known
        expected = known.setdefault(value, len(known))
        assert table.number(value) == expected
        assert len(table) == len(known)
        assert not table.add(value), new
    assert all((value in table) == (value in known) for value in [*values, 7, 2**63])


def test_a_table_that_grew_still_knows_all() -> None:
    table = HashNumbers()
    values = [stable_hash(0, str(number)) for number in range(20_000)]
    assert all(table.add(value) for value in values)
    assert [table.number(value) for value in values] == list(range(20_000))


def test_a_text_takes_few_bytes() -> None:
    """A set of its numbers takes some 90 bytes a text, a dictionary of texts 200."""
    table = HashNumbers()
    tracemalloc.start()
    for number in range(60_000):
        table.add(stable_hash(0, str(number)))
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 40 * 60_000
    assert peak < 60 * 60_000
