"""What is written is read back; files are complete and their bytes are always the same."""

import json
import os
import weakref
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence

WORD = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=5)


def document(number: int) -> dict:
    return {
        "doc_id": f"d{number}",
        "source": "s",
        "lang": "en",
        "split": "train" if number % 2 else "test",
        "title": None,
        "text": f"Text {number}.",
        "presplit": False,
        "pair_id": None,
    }


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 13])
def test_sharded_rows_come_back_in_order(tmp_path: Path, count: int) -> None:
    with store.ShardWriter(tmp_path, schemas.DOCUMENT, rows_per_shard=3) as writer:
        for number in range(count):
            writer.add(document(number))
    assert list(store.rows(tmp_path)) == [document(number) for number in range(count)]
    assert len(store.shards(tmp_path)) == max(1, -(-count // 3))
    assert store.read(tmp_path).num_rows == count
    pieces = store.slices(tmp_path, 2)
    assert [row for piece in pieces for row in piece.read().to_pylist()] == list(store.rows(tmp_path))
    assert all(piece.stop - piece.start <= 2 for piece in pieces)


def test_no_range_crosses_the_end_of_a_record_batch(tmp_path: Path) -> None:
    """So that a file of several units gives the ranges of the units."""
    sizes = [[5, 0, 3], [1]]
    for number, own in enumerate(sizes):
        table = pa.Table.from_pylist([document(row) for row in range(sum(own))], schema=schemas.DOCUMENT)
        batches = [table.slice(sum(own[:place]), size).to_batches() for place, size in enumerate(own)]
        flat = [batch for some in batches for batch in some]
        store.write_batches(store.shard_path(tmp_path, number), table.schema, flat)
    found = [(piece.path.name, piece.start, piece.stop) for piece in store.slices(tmp_path, 2)]
    first = [("part-00000.arrow", start, stop) for start, stop in ((0, 2), (2, 4), (4, 5), (5, 7), (7, 8))]
    assert found == [*first, ("part-00001.arrow", 0, 1)]


def test_rows_are_packed_as_they_come_and_the_bytes_are_those_of_rows_packed_at_once(tmp_path: Path) -> None:
    schema = schemas.DOCUMENT.with_metadata({"licences": "{}"})
    rows = [
        document(number) | {"lang": f"x{number % 7}", "title": ["T", None][number % 3 == 0]}
        for number in range(2503)
    ]
    with store.ShardWriter(tmp_path / "packed", schema, rows_per_shard=2400) as writer:
        for row in rows:
            writer.add(row)
            if writer.rows == 1203:
                writer.cut()
    for number, part in enumerate((rows[:1203], rows[1203:])):
        store.write_rows(store.shard_path(tmp_path / "whole", number), part, schema)
        packed, whole = (
            store.shard_path(tmp_path / name, number).read_bytes() for name in ("packed", "whole")
        )
        assert packed == whole
    assert store.read_file(store.shard_path(tmp_path / "packed", 0)).schema.metadata == {b"licences": b"{}"}


def test_a_shard_that_is_cut_early_ends_there_and_none_is_empty(tmp_path: Path) -> None:
    with store.ShardWriter(tmp_path, schemas.DOCUMENT, rows_per_shard=3) as writer:
        writer.cut()
        for number in range(4):
            writer.add(document(number))
        writer.cut()
        writer.cut()
        writer.add(document(4))
    assert [store.read_file(path).num_rows for path in store.shards(tmp_path)] == [3, 1, 1]
    assert list(store.rows(tmp_path)) == [document(number) for number in range(5)]


def test_a_writer_keeps_no_more_than_a_thousand_rows_as_they_came(tmp_path: Path) -> None:
    class Row(dict):
        """A mapping that can be referred to weakly."""

    given = []
    with store.ShardWriter(tmp_path, schemas.DOCUMENT) as writer:
        for number in range(2_500):
            row = Row(document(number))
            given.append(weakref.ref(row))
            writer.add(row)
            del row
        assert sum(each() is not None for each in given) <= 1_000
    assert store.read(tmp_path)["doc_id"].to_pylist() == [f"d{number}" for number in range(2_500)]


def test_labels_of_several_shards_are_unified(tmp_path: Path) -> None:
    store.write_rows(store.shard_path(tmp_path, 0), [document(0)], schemas.DOCUMENT)
    store.write_rows(store.shard_path(tmp_path, 1), [document(1)], schemas.DOCUMENT)
    assert store.read(tmp_path)["split"].to_pylist() == ["test", "train"]


def test_more_labels_than_a_column_can_number_are_refused_by_its_name(tmp_path: Path) -> None:
    schema = pa.schema([("word", pa.string()), ("xpos", schemas.LABELS)])

    def rows(first: int, count: int) -> list[dict]:
        return [{"word": "w", "xpos": [f"x{first + number}"]} for number in range(count)]

    most = schemas.MOST_LABELS
    store.write_rows(store.shard_path(tmp_path, 0), rows(0, most), schema)
    assert len(store.read(tmp_path)) == most
    said = r"more than 32,768 different values of 'xpos'; take out of the input"
    with pytest.raises(SynsemError, match=rf"part-00001\.arrow: {said}"):
        store.write_rows(store.shard_path(tmp_path, 1), rows(0, most + 1), schema)
    with pytest.raises(SynsemError, match=said), store.ShardWriter(tmp_path / "of parts", schema) as writer:
        for row in rows(0, most + 1):
            writer.add(row)
    store.write_rows(store.shard_path(tmp_path, 1), rows(most, 1), schema)
    with pytest.raises(SynsemError, match=f"^{tmp_path}: {said}"):
        store.read(tmp_path)


def test_a_failed_writer_leaves_no_shard_and_no_partial_file(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError),
        store.ShardWriter(tmp_path, schemas.DOCUMENT) as writer,
    ):
        writer.add(document(0))
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_place_of_the_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "part-00000.arrow").mkdir()
    with pytest.raises(SynsemError, match=r"part-00000\.arrow: could not be written"):
        store.write_rows(store.shard_path(tmp_path, 0), [document(0)], schemas.DOCUMENT)
    assert [path.name for path in tmp_path.iterdir()] == ["part-00000.arrow"]


@pytest.mark.parametrize("damage", [b"", b"ARROW1", b"not arrow at all" * 10])
def test_a_damaged_file_is_named(tmp_path: Path, damage: bytes) -> None:
    path = store.shard_path(tmp_path, 0)
    path.write_bytes(damage)
    with pytest.raises(SynsemError, match=r"part-00000\.arrow"):
        store.read(tmp_path)


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    path = store.shard_path(tmp_path, 0)
    store.write_rows(path, [document(0)], schemas.DOCUMENT)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(SynsemError, match="not a readable Arrow file"):
        store.read_file(path)


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match="dvc repro"):
        store.shards(tmp_path)


@given(st.lists(st.tuples(WORD, st.booleans()), min_size=1, max_size=8))
def test_a_sentence_survives_arrow(words: list[tuple[str, bool]]) -> None:
    n = len(words)
    sentence = Sentence(
        words=tuple(word for word, _ in words),
        space_after=tuple(space for _, space in words),
        lemmas=("x",) * n,
        upos=("NOUN",) * n,
        xpos=("NN",) * n,
        feats=("",) * n,
        heads=tuple(range(n)),
        deprels=("root", *("dep",) * (n - 1)),
    )
    table = pa.Table.from_pylist([sentence.row()], schema=pa.schema(schemas.PARSE))
    assert Sentence.from_row(table.to_pylist()[0]) == sentence
    assert table["text"][0].as_py() == sentence.text


class FailsMidway:
    """A table that ends in an error after its first batch."""

    schema = schemas.DOCUMENT

    def combine_chunks(self) -> "FailsMidway":
        return self

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pylist([document(7)], schema=self.schema)
        raise RuntimeError("no more")


def test_a_write_that_fails_midway_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    table, text, value = tmp_path / "part-00000.arrow", tmp_path / "page.md", tmp_path / "report.json"
    store.write_rows(table, [document(0)], schemas.DOCUMENT)
    store.write_text(text, "before")
    store.write_json(value, {"kept": 1})
    with pytest.raises(RuntimeError):
        store.write_table(table, FailsMidway())
    for write in (lambda: store.write_text(text, "half \ud800"), lambda: store.write_json(value, "\ud800")):
        with pytest.raises(UnicodeEncodeError):
            write()
    assert store.read_file(table).to_pylist() == [document(0)]
    assert text.read_text() == "before"
    assert store.read_json(value) == {"kept": 1}
    assert sorted(tmp_path.iterdir()) == sorted((table, text, value))


def test_text_through_a_link_reaches_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "target.json").write_text("{}")
    (tmp_path / "link.json").symlink_to("target.json")
    store.write_json(tmp_path / "link.json", {"a": 1})
    assert (tmp_path / "link.json").is_symlink()
    assert store.read_json(tmp_path / "target.json") == {"a": 1}


def test_json_is_sorted_and_damage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a" / "report.json"
    store.write_json(path, {"b": 1, "a": "é"})
    assert path.read_text() == '{\n  "a": "é",\n  "b": 1\n}\n'
    assert store.read_json(path) == json.loads(path.read_text())
    path.write_text("{")
    with pytest.raises(SynsemError, match=r"report\.json: not a readable JSON file"):
        store.read_json(path)
    with pytest.raises(SynsemError, match=r"other\.json: missing; run the stage"):
        store.read_json(tmp_path / "other.json")


def test_a_folder_without_a_column_is_named_with_what_it_lacks_and_the_remedy(tmp_path: Path) -> None:
    store.write_rows(store.shard_path(tmp_path, 0), [document(0)], schemas.DOCUMENT)
    store.require_rows(tmp_path, schemas.DOCUMENT)
    lacking = schemas.DOCUMENT.remove(schemas.DOCUMENT.get_field_index("title"))
    store.write_rows(store.shard_path(tmp_path, 1), [document(1)], lacking)
    remedy = "name what the download stage writes, such as data/corpus"
    with pytest.raises(SynsemError, match=rf"^{tmp_path}: holds no documents; {remedy}$"):
        store.require_rows(tmp_path, schemas.DOCUMENT)


def test_a_column_that_some_files_lack_is_null_in_their_rows(tmp_path: Path) -> None:
    """As constituents, which few documents come with."""
    longer = schemas.DOCUMENT.append(pa.field("constituents", pa.string()))
    store.write_rows(store.shard_path(tmp_path, 0), [document(0)], schemas.DOCUMENT)
    store.write_rows(store.shard_path(tmp_path, 1), [document(1) | {"constituents": "(S x)"}], longer)
    assert store.read(tmp_path)["constituents"].to_pylist() == [None, "(S x)"]


def test_a_folder_to_be_replaced_holds_rows_of_its_own_stage_alone(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    store.demand_own_rows(own, schemas.DOCUMENT)  # not there yet
    store.write_rows(store.shard_path(own, 0), [document(0)], schemas.DOCUMENT)
    store.write_json(own / "report.json", {})
    store.demand_own_rows(own, schemas.DOCUMENT, "report.json")
    with pytest.raises(SynsemError, match=r"own: holds other files, such as report\.json"):
        store.demand_own_rows(own, schemas.DOCUMENT)
    with pytest.raises(SynsemError) as failure:
        store.demand_own_rows(own, schemas.VARIANT, "report.json")
    assert str(failure.value) == (
        f"{own}: holds documents of the stage download, which would be deleted; name a new folder"
    )
    other.mkdir()
    store.write_table(store.shard_path(other, 0), pa.table({"text": ["of no stage"]}))
    store.demand_own_rows(other, schemas.DOCUMENT)
    store.shard_path(own, 0).write_bytes(b"ARROW1")  # cut short: whose it was cannot be said
    store.demand_own_rows(own, schemas.VARIANT, "report.json")


def test_an_object_is_read_with_the_keys_that_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    store.write_json(path, {"kept": 1, "dropped": None})
    assert store.read_object(path, "kept", "dropped") == {"kept": 1, "dropped": None}
    with pytest.raises(SynsemError, match=r"report\.json: has no read, splits; run the stage that writes it"):
        store.read_object(path, "kept", "read", "splits")
    store.write_json(path, ["kept"])
    with pytest.raises(SynsemError, match=r"report\.json: not a JSON object; run the stage that writes it"):
        store.read_object(path)


def test_given_constituents_are_a_column_of_the_sentence_and_of_every_side() -> None:
    sentences = schemas.with_constituents(schemas.SENTENCE)
    assert sentences.names == [*schemas.SENTENCE.names, "constituents"]
    assert sentences.field("constituents").type == pa.string()
    triplets = schemas.with_constituents(schemas.TRIPLET)
    assert triplets.names == schemas.TRIPLET.names
    for name in ("anchor", "positive"):
        assert triplets.field(name).type == pa.struct([*schemas.SIDE, pa.field("constituents", pa.string())])
    assert triplets.field("negatives").type.value_type == triplets.field("anchor").type
    others = set(schemas.TRIPLET.names) - {"anchor", "positive", "negatives"}
    assert all(triplets.field(name).equals(schemas.TRIPLET.field(name)) for name in others)


def test_the_state_of_a_file_is_another_after_each_change_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, place = tmp_path / "a", Path("a")
    path.write_text("one")
    monkeypatch.chdir(tmp_path)
    before = path.stat()
    states = [store.file_state(path)]
    assert store.file_state(place) == states[0]  # wherever it is looked at from
    path.write_text("longer")  # the same file, of another size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    states.append(store.file_state(path))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    states.append(store.file_state(path))
    new = tmp_path / "new"  # put in its place, of the same size and time
    new.write_text("LONGER")
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    new.replace(path)
    states.append(store.file_state(path))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    (tmp_path / "other" / "a").hardlink_to(path)
    states.append(store.file_state(place))
    assert len(set(states)) == 5


def test_a_checksum_is_of_all_bytes(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    # The first example of FIPS 180-2, appendix B.1.
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert store.sha256(tmp_path / "abc") == expected
