"""UAS and LAS of a system that parses, equal to the shared task's own script."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from small_world import PARAMS, BagOfHashes, folders

from pipeline.evaluation.data import HeldOut
from pipeline.evaluation.run import Done, Subject, evaluate
from pipeline.parsing.conllu import lines
from pipeline.sentences import HasTree, Sentence, Side


class Parser(BagOfHashes):
    """The king of the small world's trees, but for what it gets wrong on purpose."""

    def __init__(self, gold: Sequence[Sentence], wrong: bool = True) -> None:
        super().__init__()
        self.known = {sentence.text: sentence for sentence in gold}
        self.wrong = wrong

    def parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        found = []
        for number, each in enumerate(sentences):
            assert not each.heads  # the tree is not given away
            gold = self.known[each.text]
            heads, deprels = list(gold.heads), list(gold.deprels)
            if self.wrong and number % 2:
                heads[0] = 3  # the determiner hangs on the verb
                deprels[4] = "obl"
            if self.wrong and number % 3 == 0:
                deprels[1] = "nsubj:pass"  # a subtype, which the shared task leaves out
            found.append(Side(each.text, each.words, heads, deprels, gold.upos))
        return found


def run(world: Path, out: Path, model: BagOfHashes) -> Done:
    return evaluate(Subject("test", model), folders(world, out), PARAMS, ["parsing"])


def gold_trees(world: Path) -> list[Sentence]:
    return HeldOut(world / "parsed", world / "augmented", PARAMS.seed).trees


def test_a_perfect_parser_has_all_points(world: Path, tmp_path: Path) -> None:
    done = run(world, tmp_path, Parser(gold_trees(world), wrong=False))
    assert done.failures == {}
    found = done.outcome.metrics["semantic"]["parsing"]
    assert {found["test"][name] for name in ("uas", "las", "las_full", "las_no_punctuation", "las_mean")} == {
        100
    }
    assert found["words_1-10"]["las"] == 100


def test_scores_equal_the_official_script(world: Path, tmp_path: Path) -> None:
    udeval = pytest.importorskip(
        "udtools.udeval", reason="the official script comes with the extra synsem[stanza]"
    )
    gold = gold_trees(world)
    parser = Parser(gold)
    done = run(world, tmp_path, parser)
    found = done.outcome.metrics["semantic"]["parsing"]
    parsed = parser.parse([Side(each.text, each.words, ()) for each in gold])
    places = []
    for name, trees in (("gold", gold), ("system", parsed)):
        text = "".join(
            f"{line}\n"
            for number, (whole, tree) in enumerate(zip(gold, trees, strict=True))
            for line in lines(
                str(number),
                whole.text,
                Sentence(
                    whole.words,
                    whole.space_after,
                    whole.lemmas,
                    whole.upos,
                    whole.xpos,
                    whole.feats,
                    tuple(tree.heads),
                    tuple(tree.deprels),
                ),
            )
        )
        places.append(tmp_path / f"{name}.conllu")
        places[-1].write_text(text, encoding="utf-8")
    official = udeval.evaluate(*(udeval.load_conllu_file(str(place)) for place in places))
    assert found["test"]["uas"] == pytest.approx(100 * official["UAS"].f1, abs=0.01)
    assert found["test"]["las"] == pytest.approx(100 * official["LAS"].f1, abs=0.01)
    assert found["test"]["las_full"] < found["test"]["las"] < found["test"]["uas"] < 100
    assert found["relation_nsubj"]["las"] == 100
    assert found["relation_obj"]["las"] == pytest.approx(50, abs=1)


def test_a_model_that_does_not_parse_is_one_clear_line(world: Path, tmp_path: Path) -> None:
    done = run(world, tmp_path, BagOfHashes())
    assert done.failures == {"parsing": "the model does not parse; choose one that does, such as cssl"}


class Other(Parser):
    def parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        return [Side("x", ["x"], [0], ["root"]) for _ in sentences]


def test_trees_of_other_words_are_one_clear_line(world: Path, tmp_path: Path) -> None:
    done = run(world, tmp_path, Other(gold_trees(world)))
    assert "gave a tree of other words" in done.failures["parsing"]
