"""UAS and LAS equal the shared task's own script; word order, and the parts of a treebank."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_world import PARAMS, BagOfHashes, context, outcome_of

from pipeline.core import schemas, store
from pipeline.evaluation.data import HeldOut
from pipeline.evaluation.tasks import chosen
from pipeline.parsing.conllu import lines
from pipeline.syntax.sentence import Sentence


class Parser(BagOfHashes):
    """The king of the small world's trees, but for what it gets wrong on purpose."""

    def __init__(self, gold: Sequence[Sentence]) -> None:
        super().__init__()
        self.known = {sentence.text: sentence for sentence in gold}

    def parse(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        found = []
        for number, each in enumerate(sentences):
            assert not each.heads  # the tree is not given away
            gold = self.known[each.text]
            heads, deprels = list(gold.heads), list(gold.deprels)
            if number % 2:
                heads[0] = 3  # the determiner hangs on the verb
                deprels[4] = "obl"
            if number % 3 == 0:
                deprels[1] = "nsubj:pass"  # a subtype, which the shared task leaves out
            found.append(Sentence(each.text, each.words, heads, deprels, gold.upos))
        return found


def parsing(world: Path, model: BagOfHashes, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = outcome_of("parsing", replace(context(world, model), **more)).metrics["semantic"]
    return found


def gold_trees(world: Path) -> list[Sentence]:
    held = HeldOut(world / "parsed", world / "augmented")
    return [Sentence.from_row(row) for row in held.rows]


def test_scores_equal_the_official_script(world: Path, tmp_path: Path) -> None:
    udeval = pytest.importorskip("udtools.udeval", reason="comes with the extra synsem[stanza]")
    gold = gold_trees(world)
    parser = Parser(gold)
    found = parsing(world, parser)["parsing"]
    parsed = parser.parse([Sentence(each.text, each.words, ()) for each in gold])
    places = []
    for name, trees in (("gold", gold), ("system", parsed)):
        text = "".join(
            f"{line}\n"
            for number, (whole, tree) in enumerate(zip(gold, trees, strict=True))
            for line in lines(
                str(number), whole.text, replace(whole, heads=tuple(tree.heads), deprels=tuple(tree.deprels))
            )
        )
        places.append(tmp_path / f"{name}.conllu")
        places[-1].write_text(text, encoding="utf-8")
    official = udeval.evaluate(*(udeval.load_conllu_file(str(place)) for place in places))
    assert found["test"]["uas"] == pytest.approx(100 * official["UAS"].f1, abs=0.01)
    assert found["test"]["las"] == pytest.approx(100 * official["LAS"].f1, abs=0.01)
    assert found["test"]["las_full"] < found["test"]["las"] < found["test"]["uas"] < 100


PROSE = Sentence("the dog barks", ["the", "dog", "barks"], [2, 3, 0], ["det", "nsubj", "root"], ["X"] * 3)
POETRY = Sentence("barks the dog", ["barks", "the", "dog"], [0, 3, 1], ["root", "det", "nsubj"], ["X"] * 3)


class ProseParser(BagOfHashes):
    """Knows prose; of all else it takes every word to hang on the first."""

    def parse(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        assert not any(each.heads for each in sentences)
        return [
            PROSE
            if each.text == PROSE.text
            else Sentence(each.text, each.words, [0, 1, 1], ["root", "dep", "nsubj"], ["X"] * 3)
            for each in sentences
        ]


def row(side: Sentence, **more: object) -> dict[str, object]:
    blank = [""] * len(side.words)
    return {
        "text": side.text, "words": side.words, "space_after": [True] * len(blank), "lemmas": blank,
        "upos": side.upos, "xpos": blank, "feats": blank, "heads": side.heads, "deprels": side.deprels,
        "split": "test",
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
    store.write_rows(home / "corpus" / "part-00000.arrow", sentences, schemas.SENTENCE)
    store.write_rows(home / "augmented" / "part-00000.arrow", variants, schemas.VARIANT)
    return home


def test_what_permuting_costs_and_each_part_by_itself(treebank: Path, world: Path) -> None:
    gold = HeldOut(treebank, treebank / "augmented")
    found = parsing(world, ProseParser(), treebank=gold)
    third, twice = (pytest.approx(part / 3, abs=0.01) for part in (100, 200))
    order = found["word_order"]
    assert order["original"] == {"uas": 100, "las": 100, "sentences": 1}
    assert order["permuted"] == {"uas": twice, "las": twice, "sentences": 1, "loss": third}
    assert order["prose"]["las"] == 100
    assert order["poetry"]["las"] == twice
    assert found["parsing"]["test"]["sentences"] == 2


def test_a_parser_is_judged_without_being_asked(world: Path) -> None:
    few = PARAMS.model_copy(update={"tasks": ["retrieval"]})
    assert list(chosen(context(world, ProseParser(), few))) == ["retrieval", "parsing"]
    assert list(chosen(context(world, BagOfHashes(), few))) == ["retrieval"]
