"""The tasks on held-out sentences, against brute force and models whose answer is known."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes, Constant, context, sentence, word_vector

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_rows
from pipeline.evaluation.data import HeldOutSentence, Variant
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.evaluation.records import NEIGHBOUR, Context
from pipeline.evaluation.tasks.intrinsic import _drawn, alignment, projection, retrieval
from pipeline.evaluation.tasks.neighbours import NEAREST, QUERIES, neighbours
from pipeline.evaluation.tasks.probes import probes
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems.base import Views


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


def test_of_sentences_without_another_meaning_no_triplet_is_kept(world: Path) -> None:
    here = context(world, BagOfHashes())
    bare = {held.sent_id for held in here.corpus.sentences[::2]}
    for name in bare:
        here.corpus.variants[name] = [v for v in here.corpus.variants[name] if v.meaning == "same"]
    rows = [row for row in retrieval(here).examples if row["metric"] == "accuracy_triplet"]
    expected = [held.sentence.text for held in here.corpus.sentences if held.sent_id not in bare]
    assert [row["a"] for row in rows] == expected


class Angles:
    """A vector in the plane for each text, at its angle in degrees."""

    def __init__(self, angles: dict[str, float]) -> None:
        self.angles = angles

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        turns = np.deg2rad([self.angles[each.text] for each in sentences])
        return {"semantic": np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32)}


def test_a_sentence_is_not_charged_with_the_variants_of_another() -> None:
    """The different variant of the second is nearer to it than the first is to its rewording."""
    tags, heads, relations = "DET NOUN VERB", "2 3 0", "det nsubj root"
    held = [
        HeldOutSentence(name, name, sentence(f"the {name} runs", tags, heads, relations)) for name in "ab"
    ]
    variants = {
        name: [Variant(name, "x", meaning, Side(f"{name} {meaning}", (), ())) for meaning in meanings]
        for name, meanings in (("a", ("same",)), ("b", ("same", "different")))
    }
    angles = {"the a runs": 0, "a same": 40, "the b runs": 120, "b same": 125, "b different": 135}
    here = SimpleNamespace(
        corpus=SimpleNamespace(sentences=held, variants=variants),
        params=PARAMS,
        embeddings=EmbeddingCache(Angles(angles)),
    )
    found = retrieval(here).metrics["semantic"]["retrieval"]["test"]  # type: ignore[arg-type]
    assert found == {"accuracy": 100, "mrr": 100, "accuracy_triplet": 100}


class Twins(BagOfHashes):
    """Gives every rewording the vector of some other held-out sentence."""

    def __init__(self, twins: dict[str, str]) -> None:
        super().__init__()
        self.twins = twins

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        rows = [word_vector(self.twins.get(each.text, each.text), 384) for each in sentences]
        return {"semantic": np.asarray(rows, dtype=np.float32)}


def test_a_rewording_that_ties_with_another_sentence_is_never_first(world: Path) -> None:
    here = context(world, BagOfHashes())
    texts = [held.sentence.text for held in here.corpus.sentences]
    twins = {
        variant.side.text: texts[(number + 1) % len(texts)]
        for number, held in enumerate(here.corpus.sentences)
        for variant in here.corpus.variants[held.sent_id]
        if variant.meaning == "same"
    }
    assert retrieval(context(world, Twins(twins))).metrics["semantic"]["retrieval"]["test"]["accuracy"] == 0


def _all_vectors(here: Context) -> dict[str, np.ndarray]:
    sides = [held.sentence for held in here.corpus.sentences]
    sides += [v.side for own in here.corpus.variants.values() for v in own]
    matrix = here.embeddings(sides)["semantic"].astype(np.float64)
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


def test_the_lists_equal_brute_force(world: Path, tmp_path: Path) -> None:
    here = context(world, BagOfHashes())
    found = neighbours(here).neighbours
    texts = list(dict.fromkeys(each.sentence.text for each in here.corpus.sentences))
    kinds: dict[str, dict[str, str]] = {text: {} for text in texts}
    for each in here.corpus.sentences:
        for variant in here.corpus.variants[each.sent_id]:
            kinds[each.sentence.text][variant.side.text] = variant.meaning
    everything = list(dict.fromkeys([*texts, *(text for own in kinds.values() for text in own)]))
    vectors = BagOfHashes().embed([type("Text", (), {"text": text}) for text in everything])["semantic"]  # type: ignore[misc]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = list(dict.fromkeys(row["query"] for row in found))
    assert len(queries) == QUERIES
    for query in queries:
        own = [row for row in found if row["query"] == query]
        assert [row["rank"] for row in own] == list(range(1, NEAREST + 1))
        similarity = vectors @ vectors[everything.index(query)]
        similarity[everything.index(query)] = -1
        assert [row["similarity"] for row in own] == pytest.approx(
            np.sort(similarity)[::-1][:NEAREST], abs=1e-5
        )
        for row in own:
            assert row["similarity"] == pytest.approx(similarity[everything.index(row["text"])], abs=1e-5)
            assert row["kind"] == kinds[query].get(row["text"], "other")
            assert bool(row["transformation"]) == (row["kind"] != "other")
    write_rows(tmp_path / "neighbours.arrow", found, NEIGHBOUR)


def test_too_few_sentences_have_no_neighbours(world: Path) -> None:
    params = PARAMS.model_copy(update={"retrieval_sentences": 1})
    with pytest.raises(SynsemError, match="too few"):
        neighbours(context(world, BagOfHashes(), params))


def test_of_few_sentences_those_with_a_rewording_come_first() -> None:
    held = [HeldOutSentence(name, "d", sentence(name, "X", "0", "root")) for name in ("a", "b", "c", "d")]
    same, other = (Variant("c", "rule", meaning, Side("x", ["x"], [0])) for meaning in ("same", "different"))
    corpus = SimpleNamespace(sentences=held, variants={"b": [other], "c": [same, other], "d": [same]})
    drawn = _drawn(SimpleNamespace(corpus=corpus), 3)  # type: ignore[arg-type]
    assert [(each.sent_id, len(own)) for each, own in drawn] == [("c", 2), ("d", 1), ("a", 0)]
