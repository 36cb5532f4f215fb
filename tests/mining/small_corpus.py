"""A small corpus as the stages before mining write it, and vectors that need no model."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import yaml

from pipeline.core import schemas, store
from pipeline.mining.inputs import Inputs
from pipeline.params import Mine
from pipeline.params import parse as parse_params
from pipeline.syntax.sentence import Sentence, Side

DEFAULTS = parse_params(yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())).mine


def params(**changes: Any) -> Mine:
    """The defaults without what needs vectors; a dict, as in ``pairs={"share": 0.5}``, changes a part."""
    return _changed(DEFAULTS, {"similarity_sample": 0, **changes})


def _changed(section: Any, changes: dict[str, Any]) -> Any:
    return section.model_copy(
        update={
            name: _changed(getattr(section, name), value) if isinstance(value, dict) else value
            for name, value in changes.items()
        }
    )


# What all examples go through: caps, shares and similarities.
MINE = params(identity="all", similarity_sample=5, examples=30, pairs={"share": 0.4})


def no_vectors(sides: object) -> NoReturn:
    raise AssertionError("no vectors are needed here")


def bag_of_words(sides: Sequence[Side]) -> np.ndarray:
    """Unit vectors whose cosine grows with the words that two texts share."""
    vectors = np.zeros((len(sides), 512), dtype=np.float32)
    for row, side in enumerate(sides):
        for word in side.words:
            vectors[row, zlib.crc32(word.lower().strip(".,").encode()) % 512] += 1
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def parse(text: str) -> Sentence:
    """A flat tree under the first word."""
    words = tuple(text.split())
    n = len(words)
    blank = ("",) * n
    heads, labels = (0, *(1,) * (n - 1)), ("root", *("dep",) * (n - 1))
    return Sentence(words, (True,) * n, words, ("NOUN",) * n, blank, blank, heads, labels)


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
    name: str = field(default="")


def write(
    folder: Path, documents: Sequence[Doc], benchmark: Sequence[str] = (), sentences_per_shard: int = 2
) -> Inputs:
    """Write the four folders that mining reads, in small shards."""
    inputs = Inputs(*(folder / name for name in ("corpus", "benchmarks", "parsed", "augmented")))
    with store.ShardWriter(inputs.benchmarks, schemas.EXAMPLE) as examples:
        for text in benchmark:
            examples.add(
                {
                    "task": "t",
                    "subset": "",
                    "split": "test",
                    "a": text,
                    "b": None,
                    "score": 1.0,
                    "label": None,
                }
            )
    with (
        store.ShardWriter(inputs.corpus, schemas.DOCUMENT, rows_per_shard=3) as write_document,
        store.ShardWriter(
            inputs.sentences, schemas.SENTENCE, rows_per_shard=sentences_per_shard
        ) as write_sentence,
        store.ShardWriter(inputs.augmented, schemas.VARIANT, rows_per_shard=3) as write_variant,
    ):
        for number, document in enumerate(documents):
            name = document.name or f"d{number}"
            text = " ".join([*document.sentences, document.lost]).strip()
            write_document.add(
                {"doc_id": name, "source": document.source, "lang": document.lang, "split": document.split,
                 "title": document.title, "text": text, "presplit": False, "pair_id": document.pair_id}
            )  # fmt: skip
            for place, sentence in enumerate(document.sentences):
                write_sentence.add(
                    {"sent_id": f"{name}-{place}", "doc_id": name, "lang": document.lang,
                     "split": document.split, **parse(sentence).row()}
                )  # fmt: skip
            for meaning, transformation, text in document.variants:
                order = [
                    document.sentences[0].split().index(word) + 1
                    if word in document.sentences[0].split()
                    else 0
                    for word in text.split()
                ]
                write_variant.add(
                    {"source_id": f"{name}-0", "split": document.split, "transformation": transformation,
                     "meaning": meaning, "alignment": order, **parse(text).row()}
                )  # fmt: skip
    return inputs


def corpus(folder: Path, count: int = 16) -> Inputs:
    """Documents with variants, paraphrases, sentences of the same words, repetitions and benchmark texts."""
    documents = []
    for number in range(count):
        a, b = f"animal{number % 13}", f"thing{number // 2}"
        text = f"the {a} sees one old {b}"
        documents.append(
            Doc(
                [text, f"one old {b} sees the {a}", "a short one"],
                "dev" if number % 7 == 3 else "test" if number % 7 == 5 else "train",
                [
                    ("same", "passive", f"one old {b} is seen by the {a}"),
                    ("different", "swap", f"one old {b} sees this {a}"),
                    ("different", "negation", f"the {a} never sees one old {b}"),
                    ("order", "rotation", f"sees the {a} one old {b}"),
                ][: number % 5],
                title=f"{a} {b}",
            )
        )
        documents.append(
            Doc([f"{a} and a very {('big', 'large')[number % 2]} {b} here"], pair_id=f"p{number // 2}")
        )
    return write(folder, documents, [f"the animal{number} sees one old thing1" for number in (2, 3)])


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of each file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def triples(out: Path) -> list[tuple[str, str, str, list[str]]]:
    """Every example as anchor, kind of the positive, positive, negatives."""
    return [
        (
            row["anchor"]["text"],
            row["positive_kind"],
            row["positive"]["text"],
            [n["text"] for n in row["negatives"]],
        )
        for row in store.rows(out)
    ]


def dropped(out: Path) -> dict[str, int]:
    """What report.json counts as dropped."""
    counts: dict[str, int] = store.read_json(out / "report.json")["dropped"]
    return counts
