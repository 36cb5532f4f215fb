"""A small world for the tasks: documents with trees and variants, and models whose scores are known."""

import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.core.params import Evaluate
from pipeline.core.schemas import EXAMPLE, SENTENCE
from pipeline.core.store import shard_path, write_rows
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.embeddings import Embeddings
from pipeline.evaluation.models import ModelUnderTest
from pipeline.evaluation.tasks import Context, Outcome, evaluate, task_class
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Embedder, Views

PARAMS = Evaluate(
    tasks=["retrieval", "probes", "sts", "pairs", "classification"],
    references=["backbone"],
    probe_sentences=500,
    probe_classifier="logistic",
)


def word_vector(word: str, width: int = 64) -> np.ndarray:
    digest = hashlib.sha256(word.lower().encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big")).normal(size=width)


class BagOfHashes:
    """Sums a random vector a word: sees which words, and nothing of their order or tree."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        self.seen += [sentence.text for sentence in sentences]
        rows = [
            np.sum([word_vector(word) for word in sentence.text.split()], axis=0) for sentence in sentences
        ]
        return {"semantic": np.asarray(rows, dtype=np.float32)}


class Late(BagOfHashes):
    """Scores a pair by the share of places at which the words are equal, which no bag of words can do."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []

    def late_scores(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> np.ndarray:
        self.pairs += [(x.text, y.text) for x, y in zip(a, b, strict=True)]
        return np.array(
            [
                np.mean([u == v for u, v in zip(x.text.split(), y.text.split(), strict=False)])
                for x, y in zip(a, b, strict=True)
            ],
            dtype=np.float32,
        )


class Constant:
    """One vector for every sentence: a collapsed model."""

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        return {"semantic": np.ones((len(sentences), 4), dtype=np.float32)}


class Broken:
    """Yields NaN for every text that holds the word ``sings``."""

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        vectors = BagOfHashes().embed(sentences)["semantic"]
        vectors[[" sings " in f" {sentence.text} " for sentence in sentences]] = np.nan
        return {"semantic": vectors}


def sides(*texts: str) -> list[Sentence]:
    """Sentences of these texts, each a chain of words."""
    return [Sentence(text, text.split(), list(range(len(text.split())))) for text in texts]


def sentence(
    words: str, upos: str, heads: str, deprels: str, feats: dict[int, str] | None = None
) -> Sentence:
    """A parsed sentence from space-separated columns; ``feats`` by 0-based position."""
    forms = tuple(words.split())
    return Sentence(
        words=forms,
        space_after=(True,) * len(forms),
        lemmas=tuple(form.lower() for form in forms),
        upos=tuple(upos.split()),
        xpos=("",) * len(forms),
        feats=tuple((feats or {}).get(position, "") for position in range(len(forms))),
        heads=tuple(int(head) for head in heads.split()),
        deprels=tuple(deprels.split()),
    )


def clause(subject: str, verb: str, thing: str, plural_subject: bool, plural_object: bool) -> Sentence:
    """``the dogs chase the ball``, with its numbers in the features."""
    return sentence(
        f"the {subject} {verb} the {thing}",
        "DET NOUN VERB DET NOUN",
        "2 3 0 5 3",
        "det nsubj root det obj",
        {
            1: f"Number={'Plur' if plural_subject else 'Sing'}",
            4: f"Number={'Plur' if plural_object else 'Sing'}",
        },
    )


def world_sentences() -> list[Sentence]:
    nouns = ["dog", "cat", "king", "farmer", "train", "river"]
    verbs = ["sees", "hears", "draws", "sings", "finds"]
    return [
        clause(a + "s" * p, verb, b + "s" * q, bool(p), bool(q))
        for (a, b), verb, p, q in itertools.product(itertools.permutations(nouns, 2), verbs, (0, 1), (0, 1))
        if (nouns.index(a) + nouns.index(b) + verbs.index(verb)) % 3 == 0
    ]


def passive(source: Sentence) -> Sentence:
    """Meaning ``same``: the same words and two more."""
    the, subject, verb, _, thing = source.words
    return sentence(
        f"{the} {thing} is {verb} by the {subject}",
        "DET NOUN AUX VERB ADP DET NOUN",
        "2 4 4 0 7 7 4",
        "det nsubj:pass aux:pass root case det obl",
    )


def negated(source: Sentence) -> Sentence:
    """Meaning ``different``: two words that the sentence lacks, twice each."""
    return sentence(
        f"never ever never ever {source.text}",
        "ADV ADV ADV ADV DET NOUN VERB DET NOUN",
        "7 7 7 7 6 7 0 9 7",
        "advmod advmod advmod advmod det nsubj root det obj",
    )


def held_out_rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    parsed, variants = [], []
    for number, each in enumerate(world_sentences()):
        split = "train" if number % 10 == 0 else "test"
        sent_id = f"d{number // 4}-{number % 4}"
        parsed.append(
            {"sent_id": sent_id, "doc_id": f"d{number // 4}", "lang": "en", "split": split, **each.row()}
        )
        for meaning, variant in (("same", passive(each)), ("different", negated(each))):
            variants.append(
                {
                    "source_id": sent_id,
                    "split": split,
                    "transformation": "passive" if meaning == "same" else "negation",
                    "meaning": meaning,
                    **variant.row(),
                    "alignment": [0] * len(variant),
                }
            )
    return parsed, variants


def example(task: str, split: str, a: str, b: str | None = None, **values: Any) -> dict[str, Any]:
    return {"task": task, "subset": "", "split": split, "a": a, "b": b, "score": None, "label": None} | values


def context(world: Path, embedder: Embedder, params: Evaluate = PARAMS, home: Path | None = None) -> Context:
    """What a task is given, with the benchmarks of ``home``."""
    return Context(
        Embeddings(embedder),
        HeldOut(world / "parsed", world / "augmented"),
        Benchmarks((home or world) / "benchmarks", world / "parsed", needs_trees=False),
        params,
    )


def outcome_of(name: str, here: Context, benchmark: str = "") -> Outcome:
    """What one task gives."""
    task = task_class(name)(here, benchmark)
    task.run()
    return task.outcome


def judge(
    world: Path,
    out: Path,
    rows: list[dict[str, Any]],
    tasks: list[str],
    embedder: Embedder | None = None,
    trees: Sequence[Sentence] = (),
    **options: Any,
) -> Outcome:
    """What an evaluation gives on these benchmark rows, with these trees of their texts."""
    parsed = [
        {"sent_id": tree.text, "doc_id": "", "lang": "en", "split": "test"} | tree.row()
        for tree in {tree.text: tree for tree in trees}.values()
    ]
    write_rows(shard_path(out / "benchmarks", 0), rows, EXAMPLE)
    write_rows(shard_path(out / "parsed" / "benchmarks", 0), parsed, SENTENCE)
    if not (out / "parsed" / "corpus").exists():
        (out / "parsed" / "corpus").symlink_to(world / "parsed" / "corpus")
    of_model = {name: options.pop(name) for name in ("needs_trees", "baselines") if name in options}
    model = ModelUnderTest("test", embedder or BagOfHashes(), **of_model)
    params = PARAMS.model_copy(update={"tasks": tasks} | options)
    return evaluate(model, params, out, out / "parsed", world / "augmented", out / "benchmarks")
