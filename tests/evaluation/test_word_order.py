"""A parser on sentences as they stand and permuted, and on the parts of a treebank."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from small_world import PARAMS, BagOfHashes

from pipeline import store
from pipeline.evaluation.run import Folders, Subject, evaluate
from pipeline.evaluation.word_order import distance
from pipeline.sentences import HasTree, Side

PROSE = Side("the dog barks", ["the", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"], ["X"] * 3)
POETRY = Side("barks the dog", ["barks", "the", "dog"], [0, 3, 1], ["root", "det", "nsubj"], ["X"] * 3)


class ProseParser(BagOfHashes):
    """Knows prose; of all else it takes every word to hang on the first."""

    def parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        assert not any(each.heads for each in sentences)
        return [
            PROSE
            if each.text == PROSE.text
            else Side(each.text, each.words, [0, 1, 1], ["root", "dep", "nsubj"], ["X"] * 3)
            for each in sentences
        ]


def row(side: Side, **more: object) -> dict[str, object]:
    blank = [""] * len(side.words)
    return {
        "text": side.text, "words": side.words, "space_after": [True] * 3, "lemmas": blank, "upos": side.upos,
        "xpos": blank, "feats": blank, "heads": side.heads, "deprels": side.deprels, "split": "test",
    } | more  # fmt: skip


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    home = tmp_path / "treebank"
    sentences = [
        row(PROSE, sent_id="1", doc_id="bank:prose", lang="en"),
        row(POETRY, sent_id="2", doc_id="bank:poetry", lang="en"),
    ]
    variant = {"transformation": "permutation", "meaning": "order", "alignment": [3, 1, 2]}
    rotated = variant | {"transformation": "rotation"}
    variants = [row(POETRY, source_id="1", **variant), row(POETRY, source_id="1", **rotated)]
    store.write_rows(home / "corpus" / "part-00000.arrow", sentences, store.SENTENCE)
    store.write_rows(home / "augmented" / "part-00000.arrow", variants, store.VARIANT)
    return home


def test_what_permuting_costs_and_each_part_by_itself(treebank: Path, world: Path, tmp_path: Path) -> None:
    folders = Folders(world / "parsed", world / "augmented", world / "benchmarks", tmp_path, treebank)
    done = evaluate(Subject("test", ProseParser()), folders, PARAMS, ["word_order", "parsing"])
    assert done.failures == {}
    found = done.outcome.metrics["semantic"]["word_order"]
    third = pytest.approx(100 / 3, abs=0.01)
    twice = pytest.approx(200 / 3, abs=0.01)
    assert found["original"] == {"uas": 100, "las": 100, "sentences": 1}
    assert found["permuted"] == {"uas": twice, "las": twice, "sentences": 1, "loss": third}
    assert found["moved_50-75"] == {"las": twice}  # two of three pairs of words
    assert not any(name.startswith("moved_") for name in set(found) - {"moved_50-75"})
    assert found["prose"]["las"] == 100
    assert found["poetry"]["las"] == twice
    assert done.outcome.metrics["semantic"]["parsing"]["test"]["sentences"] == 2


def test_the_distance_of_two_orders_is_kendalls() -> None:
    assert distance([1, 2, 3, 4]) == 0
    assert distance([4, 3, 2, 1]) == 100
    assert distance([2, 1, 3]) == pytest.approx(100 / 3)
    assert distance([1]) == 0


def test_a_parser_is_judged_as_one_without_being_asked(treebank: Path, world: Path, tmp_path: Path) -> None:
    folders = Folders(world / "parsed", world / "augmented", world / "benchmarks", tmp_path, treebank)
    few = PARAMS.model_copy(update={"tasks": ["retrieval"]})
    asked = evaluate(Subject("test", ProseParser()), folders, few).outcome.metrics["semantic"]
    assert {"parsing", "word_order"} <= set(asked)
    plain = evaluate(Subject("test", BagOfHashes()), folders, few)
    assert plain.failures == {}
    assert "parsing" not in plain.outcome.metrics["semantic"]
