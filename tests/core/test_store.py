"""What is written is read back; files are complete and their bytes are always the same."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence

WORD = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=5)
LABEL = st.none() | st.sampled_from(["NOUN", "VERB", ""])
NUMBERS = st.lists(st.none() | st.integers(-1, 60), max_size=3)
ROWS = pa.schema(
    [("label", schemas.LABEL), ("labels", schemas.LABELS), ("heads", schemas.HEADS), ("side", schemas.SIDE)]
)
SIDE = st.fixed_dictionaries(
    {"text": st.text(max_size=3), "heads": NUMBERS}
    | dict.fromkeys(("words", "deprels", "upos", "xpos", "lemmas"), st.lists(WORD, max_size=3))
)
ROW = st.fixed_dictionaries(
    {
        "label": LABEL,
        "labels": st.none() | st.lists(LABEL, max_size=3),
        "heads": st.none() | NUMBERS,
        "side": st.none() | SIDE,
    }
)


def document(number: int) -> dict:
    split = "train" if number % 2 else "test"
    own = {"doc_id": f"d{number}", "source": "s", "lang": "en", "split": split, "text": f"Text {number}."}
    return own | {"title": None, "presplit": False, "pair_id": None}


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 13])
def test_rows_come_back_in_order(tmp_path: Path, count: int) -> None:
    with store.ShardWriter(tmp_path, schemas.DOCUMENT, rows_per_shard=3) as writer:
        for number in range(count):
            writer.add(document(number))
    assert list(store.rows(tmp_path)) == [document(number) for number in range(count)]
    assert len(store.shards(tmp_path)) == max(1, -(-count // 3))
    assert store.read(tmp_path).num_rows == count
    pieces = store.slices(tmp_path, 2)
    assert [row for piece in pieces for row in piece.read().to_pylist()] == list(store.rows(tmp_path))
    assert all(piece.stop - piece.start <= 2 for piece in pieces)


def test_a_writer_of_many_rows_writes_the_bytes_of_one_table(tmp_path: Path) -> None:
    rows = [document(number) | {"lang": f"x{number % 7}"} for number in range(2503)]
    with store.ShardWriter(tmp_path / "packed", schemas.DOCUMENT, rows_per_shard=2400) as writer:
        for row in rows:
            writer.add(row)
    for number, part in enumerate((rows[:2400], rows[2400:])):
        whole = store.shard_path(tmp_path / "whole", number)
        store.write_rows(whole, part, schemas.DOCUMENT)
        assert store.shard_path(tmp_path / "packed", number).read_bytes() == whole.read_bytes()


def test_a_failed_writer_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), store.ShardWriter(tmp_path, schemas.DOCUMENT) as writer:
        writer.add(document(0))
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_shards_are_one_table(tmp_path: Path) -> None:
    """With labels numbered alike; a column that some files lack is null in their rows."""
    longer = schemas.DOCUMENT.append(pa.field("constituents", pa.string()))
    store.write_rows(store.shard_path(tmp_path, 0), [document(0)], schemas.DOCUMENT)
    store.write_rows(store.shard_path(tmp_path, 1), [document(1) | {"constituents": "(S x)"}], longer)
    table = store.read(tmp_path)
    assert table["split"].to_pylist() == ["test", "train"]
    assert table["constituents"].to_pylist() == [None, "(S x)"]


@pytest.mark.parametrize("damage", [lambda whole: b"", lambda whole: b"text" * 10, lambda whole: whole[:-40]])
def test_a_damaged_file_is_named(tmp_path: Path, damage) -> None:
    path = store.shard_path(tmp_path, 0)
    store.write_rows(path, [document(0)], schemas.DOCUMENT)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SynsemError, match=r"part-00000\.arrow"):
        store.read(tmp_path)


def test_a_wrong_folder_is_named_with_the_right_one(tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match="dvc repro"):
        store.shards(tmp_path)
    store.write_rows(store.shard_path(tmp_path, 0), [document(0)], schemas.DOCUMENT)
    store.require_rows(tmp_path, schemas.DOCUMENT)
    with pytest.raises(SynsemError, match="sent_id"):
        store.require_rows(tmp_path, schemas.SENTENCE)


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
    assert Sentence.from_row(store.to_rows(table)[0]) == sentence
    assert table["text"][0].as_py() == sentence.text


@settings(max_examples=40)
@given(st.lists(ROW, max_size=6), st.integers(0, 4), st.integers(1, 4))
def test_rows_are_those_of_to_pylist(rows: list[dict], start: int, size: int) -> None:
    table = pa.Table.from_pylist(rows, schema=ROWS)
    chunked = pa.concat_tables([table, table.slice(start)]).unify_dictionaries()
    for each in (table, table.slice(start, size), chunked):
        assert store.to_rows(each) == each.to_pylist()
        assert [store.to_values(column) for column in each.columns] == [c.to_pylist() for c in each.columns]
        for batch in each.to_batches(max_chunksize=size):
            assert store.to_rows(batch) == batch.to_pylist()


def test_json(tmp_path: Path) -> None:
    path = tmp_path / "a" / "report.json"
    store.write_json(path, {"b": 1, "a": "é"})
    assert path.read_text() == '{\n  "a": "é",\n  "b": 1\n}\n'
    assert store.read_json(path, "a", "b") == {"b": 1, "a": "é"}
    with pytest.raises(SynsemError, match=r"report\.json: .* c;"):
        store.read_json(path, "a", "c")
    path.write_text("{")
    with pytest.raises(SynsemError, match=r"report\.json: not a readable JSON file"):
        store.read_json(path)
    with pytest.raises(SynsemError, match=r"other\.json: missing; run the stage"):
        store.read_json(tmp_path / "other.json")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "home" / "out.npy"
    for text in ("first", "second"):
        with store.atomic_path(path) as place:
            assert place.suffix == ".npy"
            place.write_text(text)
        assert path.read_text() == text
    with pytest.raises(OSError), store.atomic_path(path) as place:
        place.write_text("half")
        raise OSError(28, "No space left on device")
    assert path.read_text() == "second"
    assert names(path.parent) == ["out.npy"]


def test_a_file_follows_a_link_or_goes_to_a_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for path in (tmp_path / "link", Path("/dev/null")):
        with store.atomic_path(path) as place:
            place.write_bytes(b"text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "out")
    for text in ("first", "second"):
        with store.atomic_folder(tmp_path / "link", "*.txt") as new:
            assert not names(new)
            (new / f"{text}.txt").write_text(text)
        assert names(tmp_path / "out") == [f"{text}.txt"]
    with pytest.raises(OSError), store.atomic_folder(tmp_path / "out", "*.txt") as new:
        (new / "third.txt").write_text("half")
        raise OSError(28, "No space left on device")
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial" / "left.txt").write_text("by a run that was killed")
    assert names(tmp_path / "out") == ["second.txt"]
    with store.atomic_folder(tmp_path / "out", "*.txt"):
        pass
    assert names(tmp_path) == ["link", "out"]
    assert names(tmp_path / "out") == []


def test_somebody_elses_files_stay(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file"):
        with (
            pytest.raises(SynsemError, match="would be deleted"),
            store.atomic_folder(place, "part-*.arrow"),
        ):
            raise AssertionError("it must be refused before any work")
    assert (tmp_path / "file").exists()


def test_one_run_at_a_time(tmp_path: Path) -> None:
    wait = pytest.raises(SynsemError, match="another run is writing to it")
    with store.atomic_folder(tmp_path / "out"), wait, store.atomic_folder(tmp_path / "out"):
        pass


def test_an_earlier_folder_that_cannot_be_deleted_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "out").mkdir()
    with store.atomic_folder(tmp_path / "out", "new") as folder:
        (folder / "new").touch()
        monkeypatch.setattr(store.shutil, "rmtree", refuse)
    assert (tmp_path / "out" / "new").exists()
    assert f"{tmp_path / 'out.old'} (Permission denied)" in capsys.readouterr().err
