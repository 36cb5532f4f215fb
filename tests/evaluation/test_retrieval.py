"""Task ``retrieval``, against brute force and models whose answer is known."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes, Constant, context, outcome_of, sentence, word_vector

from pipeline.evaluation.data import HeldOutSentence, Variant
from pipeline.evaluation.models import Embeddings
from pipeline.evaluation.tasks.retrieval import PROJECTED
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems.base import Views


def test_only_test_documents_are_seen_and_each_text_once(world: Path) -> None:
    model = BagOfHashes()
    here = context(world, model)
    for name in ("retrieval", "probes"):
        outcome_of(name, here)
    assert len(model.seen) == len(set(model.seen))
    expected = {f"d{n // 4}-{n % 4}" for n in range(200) if n % 10}
    assert {held.sent_id for held in here.corpus.sentences} == expected


def test_retrieval_equals_brute_force(world: Path) -> None:
    here = context(world, BagOfHashes())
    outcome = outcome_of("retrieval", here)
    sides = [held.sentence for held in here.corpus.sentences]
    variants = here.corpus.variants([held.sent_id for held in here.corpus.sentences])
    sides += [v.side for own in variants.values() for v in own]
    matrix = here.embeddings(sides)["semantic"].astype(np.float64)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    vector = {side.text: row for side, row in zip(sides, matrix, strict=True)}
    ranks, hard = [], []
    for held in here.corpus.sentences:
        own = variants[held.sent_id]
        anchor = vector[held.sentence.text]
        gold = anchor @ vector[next(v.side.text for v in own if v.meaning == "same")]
        different = [vector[v.side.text] for v in own if v.meaning == "different"]
        others = [vector[o.sentence.text] for o in here.corpus.sentences if o.sent_id != held.sent_id]
        ranks.append(1 + sum(anchor @ other >= gold for other in different + others))
        hard.append(all(anchor @ adversary < gold for adversary in different))
    found = outcome.metrics["semantic"]["retrieval"]["test"]
    assert found["accuracy"] == pytest.approx(100 * np.mean(np.array(ranks) == 1), abs=0.01)
    assert found["mrr"] == pytest.approx(100 * np.mean(1 / np.array(ranks)), abs=0.01)
    assert found["accuracy_triplet"] == pytest.approx(100 * np.mean(hard), abs=0.01)
    for metric in ("mrr", "accuracy_triplet"):
        scores = [row["score"] for row in outcome.examples if row["metric"] == metric]
        assert found[metric] == pytest.approx(100 * np.mean(scores), abs=0.01)


class Angles:
    """A vector in the plane for each text, at its angle in degrees."""

    def __init__(self, angles: dict[str, float]) -> None:
        self.angles = angles

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        turns = np.deg2rad([self.angles[each.text] for each in sentences])
        return {"semantic": np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)}


def test_only_a_sentences_own_variants_are_hard(world: Path) -> None:
    """One has no variant of another meaning, the other's is nearer to it than the first to its rewording."""
    tags, heads, relations = "DET NOUN VERB", "2 3 0", "det nsubj root"
    held = [
        HeldOutSentence(name, name, sentence(f"the {name} runs", tags, heads, relations)) for name in "ab"
    ]
    variants = {
        name: [Variant("x", meaning, Side(f"{name} {meaning}", (), ())) for meaning in meanings]
        for name, meanings in (("a", ("same",)), ("b", ("same", "different")))
    }
    angles = {"the a runs": 0, "a same": 40, "the b runs": 120, "b same": 125, "b different": 135}
    here = SimpleNamespace(
        corpus=SimpleNamespace(sentences=held, variants=lambda _: variants),
        params=PARAMS,
        embeddings=Embeddings(Angles(angles)),
    )
    outcome = outcome_of("retrieval", here)  # type: ignore[arg-type]
    found = outcome.metrics["semantic"]["retrieval"]["test"]
    assert found == {"accuracy": 100, "mrr": 100, "accuracy_triplet": 100}
    triplets = [row["a"] for row in outcome.examples if row["metric"] == "accuracy_triplet"]
    assert triplets == ["the b runs"]


class Twins(BagOfHashes):
    """Gives every rewording the vector of some other held-out sentence."""

    def __init__(self, twins: dict[str, str]) -> None:
        super().__init__()
        self.twins = twins

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        rows = [word_vector(self.twins.get(each.text, each.text), 384) for each in sentences]
        return {"semantic": np.asarray(rows, dtype=np.float32)}


def test_a_tie_with_another_sentence_is_never_first(world: Path) -> None:
    corpus = context(world, BagOfHashes()).corpus
    texts = [held.sentence.text for held in corpus.sentences]
    variants = corpus.variants([held.sent_id for held in corpus.sentences])
    twins = {
        variant.side.text: texts[(number + 1) % len(texts)]
        for number, held in enumerate(corpus.sentences)
        for variant in variants[held.sent_id]
        if variant.meaning == "same"
    }
    for model in (Twins(twins), Constant()):
        found = outcome_of("retrieval", context(world, model)).metrics["semantic"]["retrieval"]["test"]
        assert found["accuracy"] == 0


def test_alignment_and_the_picture(world: Path) -> None:
    outcome = outcome_of("retrieval", context(world, BagOfHashes()))
    found = outcome.metrics["semantic"]["alignment"]["test"]
    assert found["cosine_same"] > found["cosine_different"] > found["cosine_random"]
    assert found["alignment"] == pytest.approx(2 - 2 * found["cosine_same"] / 100, abs=2e-4)
    assert {row["kind"] for row in outcome.similarities} == {"same", "different", "random"}
    roles = [row["role"] for row in outcome.projection]
    assert roles == ["anchor", "variant", "negative"] * PROJECTED
    assert all(len(row["embedding"]) == 64 for row in outcome.projection)
