"""A small corpus as the stages before mining write it, and vectors that need no model."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.core import schemas, store
from pipeline.core.params import Params, load_all
from pipeline.mining.build import mine
from pipeline.mining.inputs import Inputs
from pipeline.syntax.sentence import Sentence

DEFAULTS = load_all(Path(__file__).parents[2] / "params.yaml")
Triple = tuple[str, str, str, list[str]]


def params(**changes: Any) -> Params:
    """The defaults with other values in ``mine``, or in a system's section, as in ``cssl={"depth": 1}``.

    ``sscp`` reads hard negatives.
    """
    sections = {"sscp": {"hard_negatives": True}}
    sections |= {name: value for name, value in changes.items() if isinstance(value, dict)}
    sections["mine"] = {name: value for name, value in changes.items() if name not in sections}
    changed = {name: getattr(DEFAULTS, name).model_copy(update=values) for name, values in sections.items()}
    return DEFAULTS.model_copy(update=changed)


def bag_of_words(texts: Sequence[Sentence]) -> np.ndarray:
    """Unit vectors whose cosine grows with the words that two texts share."""
    vectors = np.zeros((len(texts), 512), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.words:
            vectors[row, zlib.crc32(word.lower().strip(".,").encode()) % 512] += 1
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def parse(text: str) -> Sentence:
    """A flat tree under the first word."""
    words = tuple(text.split())
    n = len(words)
    blank = ("",) * n
    heads, labels = (0, *(1,) * (n - 1)), ("root", *("dep",) * (n - 1))
    return Sentence(
        words=words,
        space_after=(True,) * n,
        lemmas=words,
        upos=("NOUN",) * n,
        xpos=blank,
        feats=blank,
        heads=heads,
        deprels=labels,
    )


@dataclass
class Doc:
    """A document of one or more sentences; ``variants`` of the first: (meaning, transformation, text)."""

    sentences: Sequence[str]
    split: str = "train"
    variants: Sequence[tuple[str, str, str]] = ()
    title: str | None = None
    pair_id: str | None = None
    source: str = "own"
    lang: str = "en"
    lost: str = ""  # text of the document that no sentence has
    name: str = ""


def write(folder: Path, documents: Sequence[Doc], benchmark: Sequence[str] = ()) -> Inputs:
    """Write the four folders that mining reads, in small shards."""
    inputs = Inputs(*(folder / name for name in ("corpus", "benchmarks", "parsed", "augmented")))
    with store.ShardWriter(inputs.benchmarks, schemas.EXAMPLE) as examples:
        for text in benchmark:
            examples.add(benchmark_row(text))
    with (
        store.ShardWriter(inputs.corpus, schemas.DOCUMENT, 3) as corpus,
        store.ShardWriter(inputs.sentences, schemas.SENTENCE, 2) as sentences,
        store.ShardWriter(inputs.augmented, schemas.VARIANT, 3) as variants,
    ):
        for number, document in enumerate(documents):
            name = document.name or f"d{number}"
            text = " ".join([*document.sentences, document.lost]).strip()
            common = {"doc_id": name, "lang": document.lang, "split": document.split}
            corpus.add(
                {"source": document.source, "title": document.title, "text": text, "presplit": False,
                 "pair_id": document.pair_id, **common}
            )  # fmt: skip
            for place, sentence in enumerate(document.sentences):
                sentences.add({"sent_id": f"{name}-{place}", **common, **parse(sentence).row()})
            for meaning, transformation, text in document.variants:
                variants.add(
                    {"source_id": f"{name}-0", "split": document.split, "transformation": transformation,
                     "meaning": meaning, "alignment": [0] * len(text.split()), **parse(text).row()}
                )  # fmt: skip
    return inputs


def benchmark_row(a: str, b: str | None = None, split: str = "test") -> dict[str, Any]:
    """A row of ``schemas.EXAMPLE`` of the task ``t``."""
    return {"task": "t", "subset": "", "split": split, "a": a, "b": b, "score": 1.0, "label": None}


def mined(system: str, folder: Path, documents: Sequence[Doc], **changes: Any) -> list[Triple]:
    """Write the documents and mine them into ``folder/out``; every example as in ``triples``."""
    mine(system, write(folder, documents), folder / "out", params(**changes))
    return triples(folder / "out")


def triples(out: Path) -> list[Triple]:
    """Every example as anchor, kind of the positive, positive, negatives."""
    return [
        (
            row["anchor"]["text"],
            row["positive_kind"],
            row["positive"]["text"],
            [negative["text"] for negative in row["negatives"]],
        )
        for row in store.rows(out)
    ]


def dropped(folder: Path) -> dict[str, int]:
    """What the report of ``folder/out`` counts as dropped."""
    counts: dict[str, int] = store.read_json(folder / "out" / "report.json")["dropped"]
    return counts
