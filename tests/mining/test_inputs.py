"""What mining reads, against the rows of the files read at once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from small_corpus import Doc, parse, write

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.mining import inputs as reading
from pipeline.mining.inputs import DistinctTexts, Inputs, Lookup, with_sentences, without_variants
from pipeline.syntax.sentence import Side

SPLITS = ("train", "dev", "test")
DOCUMENTS = [
    Doc([f"w{number} x y", f"z{number} y"][: 1 + number % 2], SPLITS[number % 3], pair_id=f"p{number}")
    for number in range(40)
]


@pytest.mark.parametrize("sentences_per_shard", [7, 100])
def test_a_sentence_is_found_by_its_row_number(tmp_path: Path, sentences_per_shard: int) -> None:
    inputs = write(tmp_path, DOCUMENTS, sentences_per_shard=sentences_per_shard)
    paths = store.shards(inputs.sentences)
    last = paths[-1].rename(store.shard_path(inputs.sentences, len(paths)))  # and an empty file before it
    store.write_table(paths[-1], store.read_file(last).slice(0, 0))
    expected = list(store.rows(inputs.sentences))
    lookup = Lookup(inputs)
    for place in np.random.default_rng(0).permutation(len(expected)).tolist():
        assert lookup[place] == expected[place]
        assert lookup.sent_id(place) == expected[place]["sent_id"]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc(["a b"])])
    assert Lookup(inputs)[0]["text"] == "a b"
    write(tmp_path, [Doc(["c d"])])
    assert (Lookup(inputs)[0]["text"], Lookup(inputs).sent_id(0)) == ("c d", "d0-0")


def test_sentences_to_train_on_have_the_columns_that_are_asked_for_and_their_row_number(
    tmp_path: Path,
) -> None:
    inputs = write(tmp_path, DOCUMENTS)
    names = ("split", "text", "words", "lang", "constituents")
    expected = [
        {name: row[name] for name in names if name in row} | {"place": place}
        for place, row in enumerate(store.rows(inputs.sentences))
        if row["split"] in ("train", "dev")
    ]
    assert list(without_variants(inputs, "lang", "constituents")) == expected
    # Only files of documents that came with trees have that column.
    path = store.shards(inputs.sentences)[0]
    table = store.read_file(path)
    trees = pa.array([f"(S {number})" for number in range(len(table))])
    store.write_table(path, table.append_column("constituents", trees))
    found = [row.get("constituents") for row in without_variants(inputs, "constituents")]
    assert found == ["(S 0)", "(S 1)", *[None] * (len(expected) - 2)]


def test_a_document_comes_with_all_its_sentences_and_one_without_any_is_passed_over(tmp_path: Path) -> None:
    documents = [*DOCUMENTS[:5], Doc([], lost="never parsed"), *DOCUMENTS[5:]]
    inputs = write(tmp_path, documents)
    found = list(with_sentences(inputs, ["pair_id"], ["text"]))
    assert [(row["pair_id"], [each["text"] for each in own]) for row, own in found] == [
        (document.pair_id, list(document.sentences)) for document in DOCUMENTS
    ]
    assert found[0][0].keys() == {"doc_id", "pair_id"}


def test_each_text_has_one_number_and_is_embedded_once_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CHUNK", 3)
    asked: list[list[str]] = []

    def embed(sides: Sequence[Side]) -> np.ndarray:
        asked.append([side.text for side in sides])
        return np.array([[float(len(side.text)), 1.0] for side in sides], dtype=np.float32)

    texts = DistinctTexts(embed)
    given = ["a", "bb", "A", "ccc", "dddd", " b b", "bb", "ccc", "eeeee"]
    sides = [parse(text).row() for text in given]
    assert [texts.number(side | {"text": text}) for side, text in zip(sides, given, strict=True)] == [
        0, 1, 0, 2, 3, 4, 1, 2, 5
    ]  # fmt: skip
    assert texts.vectors()[:, 0].tolist() == [1, 2, 3, 4, 4, 5]
    assert asked == [["a", "bb", "ccc"], ["dddd", " b b", "eeeee"]]
    column = pa.chunked_array(
        [pa.array([{name: side[name] for name in Side._fields if name in side}]) for side in sides]
    )
    assert texts.numbers(column).tolist() == [0, 1, 0, 2, 3, 4, 1, 2, 5]
    assert texts.number(parse("ffffff").row()) == 6
    assert texts.vectors()[:, 0].tolist() == [1, 2, 3, 4, 4, 5, 6]
    assert texts.vectors() is texts.vectors()
    assert len(asked) == 3
    none = DistinctTexts(embed)
    assert none.vectors().shape == (0, 0)
    assert none.numbers(pa.chunked_array([], type=schemas.SIDE)).tolist() == []


def test_gold_trees_take_the_place_of_parses_only_where_there_are_some(tmp_path: Path) -> None:
    inputs = write(tmp_path, DOCUMENTS[:1])
    for treebank in (None, tmp_path / "never made"):
        other = inputs._replace(treebank=treebank)
        assert other.gold() == other
    bank = write(tmp_path / "bank", DOCUMENTS[1:2])
    gold = inputs._replace(treebank=bank.parsed).gold()
    assert gold.parsed == bank.parsed
    assert gold.augmented == bank.parsed / "augmented"
    assert (gold.corpus, gold.benchmarks) == (inputs.corpus, inputs.benchmarks)


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("corpus", "holds no documents; name what the download stage writes, such as data/corpus"),
        ("benchmarks", "holds no benchmarks; name what the download stage writes"),
        ("parsed", "holds no parsed sentences; name what the parse stage writes"),
        ("augmented", "holds no variants; name what the augment stage writes"),
    ],
)
def test_a_folder_of_other_rows_is_named_and_one_that_is_missing_is_not(
    tmp_path: Path, folder: str, said: str
) -> None:
    inputs = write(tmp_path, DOCUMENTS[:1])
    inputs.demand()
    Inputs(*(tmp_path / "nowhere" / name for name in "abcd")).demand()
    wrong = tmp_path / "wrong"
    store.write_table(store.shard_path(wrong / "corpus", 0), pa.table({"other": [1]}))
    store.write_table(store.shard_path(wrong, 0), pa.table({"other": [1]}))
    with pytest.raises(SynsemError, match=said):
        inputs._replace(**{folder: wrong}).demand()
