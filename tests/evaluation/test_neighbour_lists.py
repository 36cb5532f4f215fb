"""The neighbours that the report shows, against a search by hand."""

from pathlib import Path

import numpy as np
import pytest
from small_world import PARAMS, BagOfHashes

from pipeline.errors import SynsemError
from pipeline.evaluation.bank import Bank
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.neighbour_lists import NEAREST, QUERIES, neighbours
from pipeline.evaluation.records import NEIGHBOUR
from pipeline.evaluation.task import Context
from pipeline.params import Evaluate
from pipeline.store import write_rows


def context(world: Path, params: Evaluate = PARAMS) -> Context:
    return Context(
        Bank(BagOfHashes()),
        HeldOut(world / "parsed", world / "augmented", params.seed),
        Benchmarks(world / "benchmarks", world / "parsed", needs_trees=False),
        params,
    )


def test_the_lists_equal_brute_force(world: Path, tmp_path: Path) -> None:
    here = context(world)
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
        neighbours(context(world, params))
