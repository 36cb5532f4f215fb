"""UAS and LAS equal the shared task's own script; word order, and the parts of a treebank."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from small_world import PARAMS, BagOfHashes, folders, sentence

from pipeline.core import schemas, store
from pipeline.evaluation.data import HeldOut, Variant
from pipeline.evaluation.results import Folders
from pipeline.evaluation.run import EvaluationResult, ModelUnderTest, evaluate
from pipeline.evaluation.tasks.parsing import PERMUTATION, kendall_distance, word_order
from pipeline.parsing.conllu import lines
from pipeline.syntax.sentence import HasTree, Sentence, Side


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


def run(world: Path, out: Path, model: BagOfHashes) -> EvaluationResult:
    return evaluate(ModelUnderTest("test", model), folders(world, out), PARAMS, ["parsing"])


def gold_trees(world: Path) -> list[Sentence]:
    return HeldOut(world / "parsed", world / "augmented", PARAMS.seed).trees


def test_a_perfect_parser_has_all_points(world: Path, tmp_path: Path) -> None:
    result = run(world, tmp_path, Parser(gold_trees(world), wrong=False))
    assert result.failures == {}
    found = result.outcome.metrics["semantic"]["parsing"]
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
    result = run(world, tmp_path, parser)
    found = result.outcome.metrics["semantic"]["parsing"]
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
    result = run(world, tmp_path, BagOfHashes())
    assert result.failures == {"parsing": "the model does not parse; choose one that does, such as cssl"}


class Other(Parser):
    def parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        return [Side("x", ["x"], [0], ["root"]) for _ in sentences]


def test_trees_of_other_words_are_one_clear_line(world: Path, tmp_path: Path) -> None:
    result = run(world, tmp_path, Other(gold_trees(world)))
    assert "gave a tree of other words" in result.failures["parsing"]


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
    store.write_rows(home / "corpus" / "part-00000.arrow", sentences, schemas.SENTENCE)
    store.write_rows(home / "augmented" / "part-00000.arrow", variants, schemas.VARIANT)
    return home


def test_what_permuting_costs_and_each_part_by_itself(treebank: Path, world: Path, tmp_path: Path) -> None:
    folders = Folders(world / "parsed", world / "augmented", world / "benchmarks", tmp_path, treebank)
    result = evaluate(ModelUnderTest("test", ProseParser()), folders, PARAMS, ["word_order", "parsing"])
    assert result.failures == {}
    found = result.outcome.metrics["semantic"]["word_order"]
    third = pytest.approx(100 / 3, abs=0.01)
    twice = pytest.approx(200 / 3, abs=0.01)
    assert found["original"] == {"uas": 100, "las": 100, "sentences": 1}
    assert found["permuted"] == {"uas": twice, "las": twice, "sentences": 1, "loss": third}
    assert found["moved_50-75"] == {"las": twice}  # two of three pairs of words
    assert not any(name.startswith("moved_") for name in set(found) - {"moved_50-75"})
    assert found["prose"]["las"] == 100
    assert found["poetry"]["las"] == twice
    assert result.outcome.metrics["semantic"]["parsing"]["test"]["sentences"] == 2


def test_the_distance_of_two_orders_is_kendalls() -> None:
    assert kendall_distance([1, 2, 3, 4]) == 0
    assert kendall_distance([4, 3, 2, 1]) == 100
    assert kendall_distance([2, 1, 3]) == pytest.approx(100 / 3)
    assert kendall_distance([1]) == 0


@given(st.permutations(range(1, 7)))
def test_the_distance_of_two_orders_is_that_of_kendalls_tau(order: list[int]) -> None:
    tau = stats.kendalltau(order, range(len(order))).statistic
    assert kendall_distance(order) == pytest.approx(50 * (1 - tau))


def test_a_parser_is_judged_as_one_without_being_asked(treebank: Path, world: Path, tmp_path: Path) -> None:
    folders = Folders(world / "parsed", world / "augmented", world / "benchmarks", tmp_path, treebank)
    few = PARAMS.model_copy(update={"tasks": ["retrieval"]})
    asked = evaluate(ModelUnderTest("test", ProseParser()), folders, few).outcome.metrics["semantic"]
    assert {"parsing", "word_order"} <= set(asked)
    plain = evaluate(ModelUnderTest("test", BagOfHashes()), folders, few)
    assert plain.failures == {}
    assert "parsing" not in plain.outcome.metrics["semantic"]


def test_a_distance_on_the_border_of_two_ranges_is_in_the_lower_one_alone() -> None:
    """Three of the six pairs of four words moved: 50 %."""
    flat = sentence("a b c d", "X X X X", "0 1 1 1", "root dep dep dep")
    moved = Side("a d c b", ["a", "d", "c", "b"], [0, 1, 1, 1], ["root", "dep", "dep", "dep"], ["X"] * 4)
    variant = Variant("s", PERMUTATION, "order", moved, (1, 4, 3, 2))

    class Parser:
        """One of four heads is wrong where the order is another one."""

        def parse(self, sentences: list[Side]) -> list[Side]:
            labels = ["root", "dep", "dep", "dep"]
            return [
                Side(each.text, each.words, [0, 1, 2 if each.words[1] == "d" else 1, 1], labels)
                for each in sentences
            ]

    found = word_order(
        SimpleNamespace(
            embeddings=SimpleNamespace(embedder=Parser()),
            treebank=None,
            trees=SimpleNamespace(
                rows=[{"sent_id": "s", "doc_id": "d", **flat.row()}], variants={"s": [variant]}
            ),
        )  # type: ignore[arg-type]
    ).metrics["semantic"]["word_order"]
    assert kendall_distance(variant.alignment) == 50
    assert {name for name in found if name.startswith("moved")} == {"moved_25-50"}
    assert found["moved_25-50"]["las"] == found["permuted"]["las"] == 75
    assert found["original"]["las"] == 100
    assert found["permuted"]["loss"] == 25
