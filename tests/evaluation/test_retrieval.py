"""Task ``retrieval``, against brute force and models whose answer is known."""

from pathlib import Path

import numpy as np
import pytest
from small_world import BagOfHashes, Constant, context, outcome_of

from pipeline.evaluation.tasks.retrieval import PROJECTED
from pipeline.syntax.sentence import Sentence


def test_retrieval_equals_brute_force(world: Path) -> None:
    here = context(world, BagOfHashes())
    outcome = outcome_of("retrieval", here)
    held = {row["sent_id"]: Sentence.from_row(row) for row in here.corpus.sample}
    sides = [*held.values()]
    variants = here.corpus.variants(held)
    sides += [v.sentence for own in variants.values() for v in own]
    matrix = here.embeddings(sides)["semantic"].astype(np.float64)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    vector = {side.text: row for side, row in zip(sides, matrix, strict=True)}
    ranks, hard = [], []
    for sent_id, sentence in held.items():
        own = variants[sent_id]
        anchor = vector[sentence.text]
        gold = anchor @ vector[next(v.sentence.text for v in own if v.meaning == "same")]
        different = [vector[v.sentence.text] for v in own if v.meaning == "different"]
        others = [vector[other.text] for name, other in held.items() if name != sent_id]
        ranks.append(1 + sum(anchor @ other >= gold for other in different + others))
        hard.append(all(anchor @ adversary < gold for adversary in different))
    found = outcome.metrics["semantic"]["retrieval"]["test"]
    assert found["accuracy"] == pytest.approx(100 * np.mean(np.array(ranks) == 1), abs=0.01)
    assert found["mrr"] == pytest.approx(100 * np.mean(1 / np.array(ranks)), abs=0.01)
    assert found["accuracy_triplet"] == pytest.approx(100 * np.mean(hard), abs=0.01)
    for metric in ("mrr", "accuracy_triplet"):
        scores = [row["score"] for row in outcome.examples if row["metric"] == metric]
        assert found[metric] == pytest.approx(100 * np.mean(scores), abs=0.01)


def test_a_tie_with_another_sentence_is_never_first(world: Path) -> None:
    found = outcome_of("retrieval", context(world, Constant())).metrics["semantic"]["retrieval"]["test"]
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
