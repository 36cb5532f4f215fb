from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pipeline.errors import SynsemError
from pipeline.search import nearest
from pipeline.search.nearest import Searcher
from pipeline.sentences import HasTree, Sentence, Side, normalised
from pipeline.store import SENTENCE, ShardWriter
from pipeline.systems.base import Views

WORDS = ["cat", "dog", "sat", "ran", "old", "red", "the"]


class Stub:
    """Vectors that are a function of the text; counts what it is asked to embed."""

    def __init__(self) -> None:
        self.embedded = 0

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        self.embedded += len(sentences)
        rows = [[each.text.casefold().count(word) + 0.01 for word in WORDS] for each in sentences]
        matrix = np.array(rows, dtype=np.float32).reshape(len(sentences), len(WORDS))
        return {"syntactic": matrix / np.linalg.norm(matrix, axis=1, keepdims=True)}


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, scratch: Path) -> Stub:
    model = Stub()
    monkeypatch.setattr(nearest.registry, "load", lambda _: model)
    monkeypatch.setattr(nearest.torch.cuda, "is_available", lambda: False)
    return model


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A model's folder and 60 sentences in four shards; every seventh is in there twice, once in capitals."""
    rng = np.random.default_rng(1)
    with ShardWriter(tmp_path / "corpus", SENTENCE, rows_per_shard=17) as writer:
        for number in range(60):
            words = list(rng.choice(WORDS, 4))
            for text_words in (words, [word.upper() for word in words]) if number % 7 == 0 else (words,):
                sentence = Sentence(
                    tuple(text_words), (True,) * 4, tuple(words), ("X", "NOUN", "VERB", "ADJ"), ("",) * 4,
                    ("",) * 4, (0, 1, 1, 1), ("root", "dep", "dep", "dep"),
                )  # fmt: skip
                ids = {"sent_id": f"{number}-{text_words[0]}", "doc_id": "d", "lang": "en", "split": "train"}
                writer.add(ids | sentence.row())
    model = tmp_path / "model"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"weights")
    (model / "config.json").write_text("{}")
    return model, tmp_path / "corpus"


def query(text: str) -> Side:
    return Side(text, text.split(), [0], upos=["X", "NOUN", "VERB"])


def test_the_nearest_are_those_of_a_full_search(stub: Stub, folders: tuple[Path, Path]) -> None:
    from pipeline.store import rows

    found = Searcher(*folders, "syntactic")(query("old cat ran"), 8)
    corpus = [Sentence.from_row(row) for row in rows(folders[1])]
    scores = stub.embed(corpus)["syntactic"] @ stub.embed([query("old cat ran")])["syntactic"][0]
    best: dict[str, float] = {}
    for place in np.argsort(-scores, kind="stable"):
        best.setdefault(normalised(corpus[place].text), float(scores[place]))
    assert [round(each.score, 5) for each in found] == [round(score, 5) for score in list(best.values())[:8]]
    assert len({normalised(each.sentence.text) for each in found}) == 8
    assert {each.likeness for each in found} == {0.75}


def test_the_corpus_is_embedded_once_for_a_model(stub: Stub, folders: tuple[Path, Path]) -> None:
    first = Searcher(*folders, "syntactic")(query("red dog"), 3)
    before = stub.embedded
    assert Searcher(*folders, "syntactic")(query("red dog"), 3) == first
    assert stub.embedded == before + 1
    (folders[0] / "model.safetensors").write_bytes(b"other")
    Searcher(*folders, "syntactic")(query("red dog"), 3)
    assert stub.embedded > before + 60


def test_the_query_itself_is_not_an_answer(stub: Stub, folders: tuple[Path, Path]) -> None:
    own = Searcher(*folders, "syntactic")(query("the"), 1)[0].sentence.text
    found = Searcher(*folders, "syntactic")(query(own), 60)
    assert normalised(own) not in {normalised(each.sentence.text) for each in found}


def test_a_view_that_is_not_there_is_named(stub: Stub, folders: tuple[Path, Path]) -> None:
    with pytest.raises(SynsemError, match="no view 'joint'; choose from syntactic"):
        Searcher(*folders, "joint")(query("the"), 1)
