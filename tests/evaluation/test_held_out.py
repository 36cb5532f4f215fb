"""The tasks on held-out sentences, against brute force and against models whose answer is known."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes

from pipeline.errors import SynsemError
from pipeline.evaluation import probes as probing
from pipeline.evaluation.bank import Bank
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.embedders import Embedder, Vectors
from pipeline.evaluation.intrinsic import alignment, projection, retrieval
from pipeline.evaluation.probes import FOLDS, build, probes
from pipeline.evaluation.task import Context
from pipeline.sentences import HasTree


def context(world: Path, embedder: Embedder) -> Context:
    return Context(
        Bank(embedder),
        HeldOut(world / "parsed", world / "augmented", PARAMS.seed),
        Benchmarks(world / "benchmarks", world / "parsed", needs_trees=False),
        PARAMS,
    )


class Constant:
    def embed(self, sentences: Sequence[HasTree]) -> Vectors:
        return {"semantic": np.ones((len(sentences), 4), dtype=np.float32)}


def test_only_test_documents_are_seen_and_each_text_is_embedded_once(world: Path) -> None:
    model = BagOfHashes()
    here = context(world, model)
    for task in (alignment, retrieval, probes, projection):
        task(here)
    assert len(model.seen) == len(set(model.seen))
    assert {held.sent_id for held in here.corpus.sentences} == {
        f"d{n // 4}-{n % 4}" for n in range(200) if n % 10 and n < 1000
    }


def test_retrieval_equals_brute_force(world: Path) -> None:
    here = context(world, BagOfHashes())
    outcome = retrieval(here)
    vector = _all_vectors(here)
    ranks, hard = [], []
    for held in here.corpus.sentences:
        own = here.corpus.variants[held.sent_id]
        anchor = vector[held.sentence.text]
        gold = anchor @ vector[next(v.side.text for v in own if v.meaning == "same")]
        rivals = [vector[v.side.text] for v in own if v.meaning == "different"]
        others = [vector[o.sentence.text] for o in here.corpus.sentences if o.sent_id != held.sent_id]
        ranks.append(1 + sum(anchor @ other >= gold for other in rivals + others))
        hard.append(all(anchor @ rival < gold for rival in rivals))
    found = outcome.metrics["semantic"]["retrieval"]["test"]
    assert found["accuracy"] == pytest.approx(100 * np.mean(np.array(ranks) == 1), abs=0.01)
    assert found["mrr"] == pytest.approx(100 * np.mean(1 / np.array(ranks)), abs=0.01)
    assert found["accuracy_triplet"] == pytest.approx(100 * np.mean(hard), abs=0.01)
    assert found["mrr"] == pytest.approx(100 * np.mean([row["score"] for row in outcome.examples]), abs=0.01)


def _all_vectors(here: Context) -> dict[str, np.ndarray]:
    sides = [held.sentence for held in here.corpus.sentences]
    sides += [v.side for own in here.corpus.variants.values() for v in own]
    matrix = here.bank(sides)["semantic"].astype(np.float64)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return {side.text: row for side, row in zip(sides, matrix, strict=True)}


def test_a_collapsed_model_finds_nothing(world: Path) -> None:
    found = retrieval(context(world, Constant())).metrics["semantic"]["retrieval"]["test"]
    assert found["accuracy"] == 0
    assert found["accuracy_triplet"] == 0


def test_alignment_prefers_the_nearer_variant(world: Path) -> None:
    outcome = alignment(context(world, BagOfHashes()))
    found = outcome.metrics["semantic"]["alignment"]["test"]
    assert found["cosine_same"] > found["cosine_different"] > found["cosine_random"]
    assert found["alignment"] == pytest.approx(2 - 2 * found["cosine_same"] / 100, abs=2e-4)
    kinds = {row["kind"] for row in outcome.similarities}
    assert kinds == {"same", "different", "random"}


def test_the_projection_holds_anchor_variant_and_negative(world: Path) -> None:
    rows = projection(context(world, BagOfHashes())).projection
    assert [row["role"] for row in rows] == ["anchor", "variant", "negative"] * PARAMS.projection_sentences
    assert all(len(row["embedding"]) == 64 for row in rows)


def test_words_give_the_numbers_away_but_not_their_order(world: Path) -> None:
    found = probes(context(world, BagOfHashes())).metrics["semantic"]["probe"]
    assert set(found) == {
        "tree_depth",
        "subject_number",
        "object_number",
        "top_constituents",
        "bigram_shift",
    } - {
        "tree_depth",
        "top_constituents",
    }
    assert abs(found["bigram_shift"]["accuracy"] - 50) < 20
    assert found["bigram_shift"]["majority"] <= 60


def test_folds_keep_documents_whole_and_majority_is_counted_by_hand(world: Path) -> None:
    here = context(world, BagOfHashes())
    sheet = build(here.corpus.sentences, PARAMS.seed)
    fold_of: dict[str, set[int]] = {}
    for held, fold in zip(here.corpus.sentences, sheet.folds, strict=False):
        fold_of.setdefault(held.doc_id, set()).add(int(fold))
    assert all(len(folds) == 1 for folds in fold_of.values())
    probe = next(each for each in sheet.probes if each.name == "subject_number")
    right = []
    for fold in range(FOLDS):
        train = [
            label
            for label, f in zip(probe.labels, sheet.folds, strict=True)
            if label >= 0 and f not in (fold, (fold + 1) % FOLDS)
        ]
        guess = max(sorted(set(train)), key=train.count)
        right += [
            label == guess
            for label, f in zip(probe.labels, sheet.folds, strict=True)
            if label >= 0 and f == fold
        ]
    assert probing.majority(probe, sheet.folds) == pytest.approx(100 * np.mean(right))


def test_too_few_documents_is_one_clear_line(world: Path) -> None:
    few = [held for held in context(world, Constant()).corpus.sentences if held.doc_id in ("d1", "d2")]
    with pytest.raises(SynsemError, match="probes need sentences of 5 documents, the test split has 2"):
        build(few, seed=1)
