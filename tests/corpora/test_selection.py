"""Which documents stay, against the same decisions made in memory, all at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from duckdb import DuckDBPyConnection

from pipeline.core.store import database
from pipeline.corpora.cleaning.duplicates import (
    PERMUTATIONS,
    Signer,
    agreement,
    band_keys,
    bands,
    later_copies,
)
from pipeline.corpora.documents import Document
from pipeline.corpora.selection import (
    DUPLICATE,
    FACTS,
    KEPT,
    NEAR,
    NOT_DRAWN,
    count,
    decide,
    packed,
    read_facts,
)

COUNT = 3_000


def near_in_memory(
    signatures: np.ndarray, alive: np.ndarray, unit: np.ndarray, threshold: float
) -> np.ndarray:
    """Each later text of a band against the first and the one before it, in plain Python."""
    near = np.zeros(len(alive), dtype=bool)
    number, rows = bands(threshold)
    keys = band_keys(signatures, range(number), rows)
    for band in range(number):
        buckets: dict[int, list[int]] = {}
        for row in np.flatnonzero(alive):
            buckets.setdefault(int(keys[row, band]), []).append(int(row))
        for bucket in buckets.values():
            for place, later in enumerate(bucket[1:], 1):
                for earlier in (bucket[0], bucket[place - 1]):
                    alike = agreement(signatures[[earlier]], signatures[[later]])[0] >= threshold
                    near[later] |= unit[earlier] != unit[later] and alike
    return near


@pytest.fixture
def texts(tmp_path: Path) -> tuple[Path, Path]:
    """Facts and signatures of documents, a third of them an earlier one with a few numbers changed."""
    rng = np.random.default_rng(5)
    signatures = rng.integers(2**32, size=(COUNT, PERMUTATIONS), dtype=np.uint32)
    facts = np.zeros(COUNT, dtype=FACTS)
    facts["text"] = rng.permutation(COUNT)
    facts["unit"] = rng.integers(COUNT, size=COUNT, dtype=np.uint64)
    facts["rank"] = rng.integers(2**64 - 1, size=COUNT, dtype=np.uint64)
    facts["source"] = np.sort(rng.integers(3, size=COUNT))
    for row in range(1, COUNT):
        earlier = int(rng.integers(row))
        if row % 3 == 0:
            signatures[row] = signatures[earlier]
            changed = rng.integers(PERMUTATIONS, size=rng.integers(40))
            signatures[row, changed] = rng.integers(2**32, size=len(changed))
        if row % 10 == 0:
            facts["text"][row] = facts["text"][earlier]
        if row % 7 == 0:
            facts["unit"][row], facts["rank"][row] = facts["unit"][earlier], facts["rank"][earlier]
    signatures.tofile(tmp_path / "signatures")
    facts.tofile(tmp_path / "facts")
    return tmp_path / "facts", tmp_path / "signatures"


@pytest.mark.parametrize("threshold", [None, 0.8])
@pytest.mark.parametrize("documents", [None, 400])
def test_decisions_are_those_made_in_memory(
    threshold: float | None,
    documents: int | None,
    texts: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.corpora.selection._BLOCK", 1_000)
    monkeypatch.setattr("pipeline.corpora.cleaning.duplicates._ROWS", 700)
    monkeypatch.setattr("pipeline.corpora.cleaning.duplicates._PAIRS", 64)
    facts, signatures = read_facts(texts[0]), np.fromfile(texts[1], np.uint32).reshape(-1, PERMUTATIONS)
    expected = np.full(COUNT, KEPT, dtype=np.uint8)
    seen = set[int]()
    for row, text in enumerate(facts["text"].tolist()):
        if text in seen:
            expected[row] = DUPLICATE
        seen.add(text)
    if threshold is not None:
        expected[near_in_memory(signatures, expected == KEPT, facts["unit"], threshold)] = NEAR
    for source in range(3) if documents is not None else ():
        own = np.flatnonzero((facts["source"] == source) & (expected == KEPT))
        highest = np.sort(facts["rank"][own])[documents - 1]
        expected[own[facts["rank"][own] > highest]] = NOT_DRAWN
    found = decide(facts, texts[1], documents, threshold)
    np.testing.assert_array_equal(found, expected)
    totals = [[((facts["source"] == s) & (expected == code)).sum() for code in range(4)] for s in range(3)]
    np.testing.assert_array_equal(count(found, facts, 3), totals)
    assert (found == NEAR).sum() > 100 or threshold is None


def test_threads_of_the_database_change_no_decision(
    texts: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = read_facts(texts[0])
    one = decide(facts, texts[1], 400, 0.8)

    @contextmanager
    def of_four_threads(folder: Path, memory: str) -> Iterator[DuckDBPyConnection]:
        with database(folder, memory) as connection:
            connection.execute("SET threads = 4")
            yield connection

    monkeypatch.setattr("pipeline.corpora.cleaning.duplicates.database", of_four_threads)
    np.testing.assert_array_equal(decide(facts, texts[1], 400, 0.8), one)


def test_many_copies_of_one_text_take_linear_time(tmp_path: Path) -> None:
    rows = np.arange(200_000)
    keys = np.where(rows % 2, 7, rows).astype(np.uint64)  # every other row is a copy
    found = list(
        later_copies([iter([(rows[:150_000], keys[:150_000]), (rows[150_000:], keys[150_000:])])], tmp_path)
    )
    later, first, before = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(later)
    np.testing.assert_array_equal(later[order], np.arange(3, 200_000, 2))
    np.testing.assert_array_equal(before[order], later[order] - 2)
    assert set(first.tolist()) == {1}
    assert not list(tmp_path.iterdir())


def test_no_document_is_no_decision(tmp_path: Path) -> None:
    for name in ("facts", "signatures"):
        (tmp_path / name).touch()
    facts = read_facts(tmp_path / "facts")
    assert not len(decide(facts, tmp_path / "signatures", 5, 0.8))
    assert count(np.empty(0, np.uint8), facts, 2).tolist() == [[0] * 4] * 2


def test_texts_of_a_pair_are_one_unit_and_drawn_as_one_and_sections_of_an_article_are_not() -> None:
    def facts(number: int, text: str, source: int = 0, seed: int = 13, **changes: object) -> np.void:
        given = {"source": "s", "lang": "en", "title": None, "presplit": False, "pair_id": None} | changes
        document = Document(doc_id=f"s:{number}", text=text, **given)
        return np.frombuffer(packed(document, source, seed), dtype=FACTS)[0]

    alone = facts(1, "Rain fell.", source=3)
    assert alone["source"] == 3
    copy = facts(2, "Rain fell.")
    assert (copy["text"] == alone["text"], copy["unit"] == alone["unit"]) == (True, False)
    again = facts(1, "Rain fell.", seed=14)
    assert (again["unit"] == alone["unit"], again["rank"] == alone["rank"]) == (True, False)
    for changes, together in (({"pair_id": "p"}, True), ({"work": "An article"}, False)):
        one, other = facts(1, "Rain fell.", **changes), facts(2, "It rained.", **changes)
        assert one["text"] != other["text"]
        assert (one["unit"] == other["unit"], one["rank"] == other["rank"]) == (together, together)


def test_gold_trees_are_no_near_copies_though_their_ids_have_one_checksum(tmp_path: Path) -> None:
    """Of these two ids zlib.crc32 is the same, as it is of one pair in four billion; their texts differ."""
    ids = ["ud-english-ewt:fbfe604efb73e1fc", "ud-english-ewt:d00621d077587282"]
    signer = Signer()
    with (tmp_path / "facts").open("wb") as facts, (tmp_path / "signatures").open("wb") as signatures:
        for gold in (True, False):
            for number, doc_id in enumerate(ids):
                text = f"tree {number}" if gold else f"A text of the words {doc_id}"
                document = Document(
                    doc_id, "s", "en", title=None, text=text, presplit=False, pair_id=None, gold=gold
                )
                facts.write(packed(document, 0, 13))
                signatures.write(signer.sign([doc_id]).tobytes())
    found = decide(read_facts(tmp_path / "facts"), tmp_path / "signatures", None, 0.5)
    assert found.tolist() == [KEPT, KEPT, KEPT, NEAR]


@pytest.mark.parametrize("documents", [1, 2, 7, 19, 20, 21])
def test_of_each_source_those_of_the_lowest_rank_are_drawn(documents: int, tmp_path: Path) -> None:
    """And all of one rank with the last of them, which are translations of it."""
    rng = np.random.default_rng(documents)
    facts = np.zeros(60, dtype=FACTS)
    facts["text"] = np.arange(60)
    facts["source"] = rng.permutation(np.repeat([0, 2], [40, 20]))  # of the second source there is none
    facts["rank"] = rng.permutation(30).repeat(2)
    kept = decide(facts, tmp_path / "signatures", documents, None) == KEPT
    for source in (0, 2):
        own = np.flatnonzero(facts["source"] == source)
        ranks = sorted(facts["rank"][own].tolist())
        assert kept[own].tolist() == (facts["rank"][own] <= ranks[:documents][-1]).tolist()
