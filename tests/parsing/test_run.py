"""The stage ``parse``: what it writes and counts, and that workers do not change a byte."""

from pathlib import Path

import pytest

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.params import Parse
from pipeline.parsing import base as registry
from pipeline.parsing.run import parse_folders
from pipeline.syntax.tree import is_tree
from tests.parsing.chain_parser import Chain
from tests.parsing.conftest import TEXTS, document

pytestmark = pytest.mark.usefixtures("scratch")


def digests(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): store.sha256(path) for path in folder.rglob("*") if path.is_file()}


def test_writes_trees_and_counts_all(data: Path, params: Parse) -> None:
    out = data / "parsed"
    parse_folders(data / "corpus", data / "benchmarks", out, params, 1)
    rows = list(store.rows(out / "corpus"))
    assert store.read(out / "corpus").schema.names == schemas.SENTENCE.names
    assert all(is_tree(row["heads"]) for row in rows)
    for row in rows:
        assert row["text"] in TEXTS[int(row["doc_id"].removeprefix("doc-"))]
        assert "".join(row["words"]) == row["text"].replace(" ", "")
    report = store.read_json(out / "report.json")
    assert report["kept"]["sentences"] == len(rows)
    assert report["kept"]["words"] == sum(len(row["words"]) for row in rows)
    assert "mended" not in report  # spaCy's trees are sound
    assert report["kept"]["documents"] == len(TEXTS) - 1 == len({row["doc_id"] for row in rows})
    assert report["dropped"] == {"short": 1, "document of dropped sentences": 1, "empty benchmark text": 1}
    assert rows[0]["sent_id"] == "doc-0-1"
    assert rows[0]["deprels"] == ["det", "nsubj", "root", "det", "obj", "punct"]


def test_a_line_end_in_a_document_ends_a_sentence(tmp_path: Path, data: Path, params: Parse) -> None:
    lines = ["The ministers met in Paris and agreed on", "Rain fell over the north of the country", "He left"]
    with store.ShardWriter(tmp_path / "corpus", schemas.DOCUMENT) as corpus:
        corpus.add(document(0, "\n".join(lines)))
    parse_folders(tmp_path / "corpus", data / "benchmarks", tmp_path / "out", params, 1)
    assert [row["text"] for row in store.rows(tmp_path / "out" / "corpus")] == lines[:2]


def test_benchmark_texts_have_one_tree_each_under_their_own_text(data: Path, params: Parse) -> None:
    out = data / "parsed"
    parse_folders(data / "corpus", data / "benchmarks", out, params, 1)
    rows = {row["text"]: row for row in store.rows(out / "benchmarks")}
    assert set(rows) == {"A  man is eating. He is glad.", "Wow", "The girl reads."}
    two = rows["A  man is eating. He is glad."]
    assert is_tree(two["heads"])
    assert two["doc_id"] == ""
    assert two["deprels"].count("parataxis") == 1


def test_sentences_at_the_limits_are_kept_and_numbered_as_they_stand(
    tmp_path: Path, data: Path, params: Parse
) -> None:
    lines = ["a", "a b", "a b c", "a b c d", f"{'x' * 200} b", f"{'x' * 201} b"]
    with store.ShardWriter(tmp_path / "limits", schemas.DOCUMENT) as corpus:
        corpus.add(document(0, "\n".join(lines)))
        corpus.add(document(1, ""))
    registry.BACKENDS["chain"] = Chain
    chains = params.model_copy(update={"models": {"en": "chain:none"}, "min_words": 2, "max_words": 3})
    parse_folders(tmp_path / "limits", data / "benchmarks", data / "out", chains, 1)
    assert [row["sent_id"] for row in store.rows(data / "out" / "corpus")] == [
        "doc-0-2",
        "doc-0-3",
        "doc-0-5",
    ]
    assert store.read_json(data / "out" / "report.json")["dropped"] == {
        "short": 1, "long": 1, "endless word": 1, "empty document": 1, "empty benchmark text": 1
    }  # fmt: skip


def test_benchmark_texts_are_numbered_over_all_shards(
    data: Path, params: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.parsing.run._TEXTS_PER_SHARD", 2)
    registry.BACKENDS["chain"] = Chain
    chains = params.model_copy(update={"models": {"en": "chain:none"}})
    parse_folders(data / "corpus", data / "benchmarks", data / "out", chains, 1)
    rows = store.rows(data / "out" / "benchmarks")
    assert [row["sent_id"] for row in rows] == ["benchmark-0", "benchmark-1", "benchmark-3"]


def test_workers_change_no_byte(data: Path, params: Parse, monkeypatch) -> None:
    monkeypatch.setattr("pipeline.parsing.run.DOCUMENTS_PER_SHARD", 2)
    for workers in (1, 2):
        parse_folders(data / "corpus", data / "benchmarks", data / f"out{workers}", params, workers)
    assert digests(data / "out1") == digests(data / "out2")


def test_a_corpus_without_a_usable_sentence_is_an_error(tmp_path: Path, data: Path, params: Parse) -> None:
    for name, texts in {"none": [], "short": ["Hi.", ""]}.items():
        with store.ShardWriter(tmp_path / name, schemas.DOCUMENT) as corpus:
            for number, text in enumerate(texts):
                corpus.add(document(number, text))
        with pytest.raises(SynsemError, match="no sentence"):
            parse_folders(tmp_path / name, data / "benchmarks", tmp_path / "out", params, 1)


def test_a_language_without_a_model_is_an_error_that_names_the_key(
    tmp_path: Path, data: Path, params: Parse
) -> None:
    with store.ShardWriter(tmp_path / "fr", schemas.DOCUMENT) as corpus:
        corpus.add(document(0, "Le garçon lit.", lang="fr"))
    with pytest.raises(SynsemError, match=r"parse\.models\.fr"):
        parse_folders(tmp_path / "fr", data / "benchmarks", tmp_path / "out", params, 1)


def test_an_unknown_model_is_an_error_that_names_it(data: Path, params: Parse) -> None:
    bad = params.model_copy(update={"models": {"en": "no_such_pipeline"}})
    with pytest.raises(SynsemError, match="no_such_pipeline"):
        parse_folders(data / "corpus", data / "benchmarks", data / "out", bad, 1)


def test_a_folder_of_something_else_is_one_clear_sentence(data: Path, params: Parse) -> None:
    with pytest.raises(SynsemError, match="benchmarks: has no column doc_id"):
        parse_folders(data / "benchmarks", data / "benchmarks", data / "out", params, 1)


@pytest.mark.parametrize("part", ["corpus", "benchmarks"])
def test_a_sentence_of_more_words_than_the_data_can_number_is_one_sentence(
    part: str, data: Path, params: Parse
) -> None:
    """Heads are int16 (``schemas.HEADS``)."""
    text = "word " * 45_000
    if part == "corpus":
        with store.ShardWriter(data / "corpus", schemas.DOCUMENT) as corpus:
            corpus.add(document(0, text, presplit=True))
    else:
        example = {"task": "t", "subset": "", "split": "test", "score": 1.0, "label": None}
        with store.ShardWriter(data / "benchmarks", schemas.EXAMPLE) as benchmarks:
            benchmarks.add(example | {"a": text, "b": "Short."})
    chains = params.model_copy(update={"models": {"en": "chain:none"}, "max_words": 60_000})
    registry.BACKENDS["chain"] = Chain
    with pytest.raises(SynsemError, match=r"'word word .*: has 45,000 words; .* at most 32,767"):
        parse_folders(data / "corpus", data / "benchmarks", data / "out", chains, 1)
