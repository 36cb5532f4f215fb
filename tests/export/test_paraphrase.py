"""``synsem paraphrase``: what it writes, and what it says to those who ask for the impossible."""

from pathlib import Path

import pytest

from pipeline.core.errors import SynsemError
from pipeline.export import paraphrase as module
from pipeline.export.paraphrase import (
    ParaphraseRequest,
    is_partial,
    open_writer,
    paraphrase,
    paraphrase_quality,
)
from pipeline.params import load_all
from pipeline.syntax.constituency import read, template, tokens
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from tests.systems.parabart.paraphrases import ANCHORS, BATCH, build

PARSE = load_all(Path(__file__).parents[2] / "params.yaml").parse
TREE = "(S (NP) (VP (VBD) (VP (VBN) (PP))))"


@pytest.fixture
def model(tiny_backbone: Path, tmp_path: Path) -> Path:
    registry.save(build(tiny_backbone), tmp_path / "parabart")
    return tmp_path / "parabart"


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the parser's place: the passive of the first pair, whatever the text."""
    monkeypatch.setattr(module, "ready", lambda parse: None)
    passive = BATCH.positives[0]
    monkeypatch.setattr(module, "parsed", lambda texts, parse, most: [passive for _ in texts])


def test_a_tree_and_a_sentence_that_has_it_ask_for_the_same(model: Path, parser: None) -> None:
    order = ParaphraseRequest("The cat saw the dog.", None, 2, 2)
    tree = " ".join(template(BATCH.positives[0]))
    by_tree = paraphrase(model, order._replace(like=tree), PARSE)
    by_sentence = paraphrase(model, order._replace(like="The dog was seen by the cat."), PARSE)
    assert by_tree == by_sentence
    assert by_tree.notes == []
    assert len(by_tree.paraphrases) == 2
    system = open_writer(model)
    source = Side("The cat saw the dog.", ["The", "cat", "saw", "the", "dog."], ())
    assert by_tree.paraphrases == system.write([source], [template(BATCH.positives[0])], 2, 2)[0]


def test_what_the_model_has_not_seen_is_said(tiny_backbone: Path, tmp_path: Path) -> None:
    registry.save(build(tiny_backbone, prune=0.0, max_tree_tokens=8), tmp_path / "whole")
    found = paraphrase(tmp_path / "whole", ParaphraseRequest("Rain fell.", TREE, 1, 1, False), PARSE)
    assert found.notes == [
        "the model saw whole trees alone (parabart.prune: 0); a partial one is new to it",
        "the tree has 14 tokens, of which the first 8 are read",
    ]


def test_a_partial_tree_is_completed_unless_it_is_to_stay_open(model: Path) -> None:
    order = ParaphraseRequest("The cat saw the dog.", "(S (NP) (VP (VBD) (NP)))", 2, 2)
    whole = "(S (NP (DT) (NN)) (VP (VBD) (NP (DT) (NN))))"  # as the four sources have it
    completed = paraphrase(model, order, PARSE)
    assert completed.notes == [f"the tree was completed: {whole}"]
    by_hand = paraphrase(model, order._replace(like=whole), PARSE)
    assert by_hand.notes == []
    assert completed.paraphrases == by_hand.paraphrases
    open_ended = paraphrase(model, order._replace(complete=False), PARSE)
    assert open_ended.notes == []
    assert [each.score for each in open_ended.paraphrases] != [each.score for each in by_hand.paraphrases]


def test_which_trees_are_partial() -> None:
    assert is_partial(read(TREE))
    assert is_partial(read("(S (NP) (VP (VBD)))"))
    assert not is_partial(read("(S (NP (DT) (NN)) (VP (VBD)))"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"text": "  "}, "the text is empty"),
        ({"like": None}, "--like: say in which syntax"),
        ({"like": " "}, "--like: is empty"),
        ({"like": "(S (NP)"}, "not closed"),
        ({"best": 5}, "--best: 5 are more than --beams gives"),
    ],
)
def test_what_cannot_be_written_is_refused(changed: dict[str, object], message: str, model: Path) -> None:
    order = ParaphraseRequest("Rain fell.", TREE, 2, 1)._replace(**changed)  # type: ignore[arg-type]
    with pytest.raises(SynsemError, match=message):
        paraphrase(model, order, PARSE)


def test_models_that_write_nothing_and_models_without_templates(tiny_backbone: Path, tmp_path: Path) -> None:
    registry.save(build(tiny_backbone, guidance=False), tmp_path / "blind")
    assert (
        len(paraphrase(tmp_path / "blind", ParaphraseRequest("Rain fell.", None, 1, 1), PARSE).paraphrases)
        == 1
    )
    with pytest.raises(SynsemError, match="was trained without templates"):
        paraphrase(tmp_path / "blind", ParaphraseRequest("Rain fell.", TREE, 1, 1), PARSE)
    settings = build(tiny_backbone).settings
    defaults = load_all(Path(__file__).parents[2] / "params.yaml")
    registry.save(
        registry.create("simcse", settings.encoder, settings.train, defaults.simcse), tmp_path / "simcse"
    )
    with pytest.raises(SynsemError, match="a model of simcse writes no paraphrases"):
        open_writer(tmp_path / "simcse")


def test_development_pairs_are_judged(model: Path, parser: None, triplets_of: Path) -> None:
    found = paraphrase_quality(model, triplets_of, 4, PARSE)
    assert 0 <= found["template_match"] <= 1
    assert found["bleu_copy"] > 0
    for folder, most_shared in ((triplets_of / "none", 1.0), (triplets_of / "copies", 0.5)):
        with pytest.raises(SynsemError, match="fewer than two development examples"):
            paraphrase_quality(model, folder, 4, PARSE, most_shared)
    assert paraphrase_quality(model, triplets_of, 4, PARSE, 0.5).keys() == found.keys()


@pytest.fixture
def triplets_of(tmp_path: Path) -> Path:
    """The four pairs as development examples; beside them a folder with one, and one of copies."""
    from pipeline.core.store import TRIPLET, write_rows

    rows = [
        {
            "source_id": str(number), "split": "dev", "anchor": anchor._asdict(),
            "positive": positive._asdict(),
            "positive_kind": "passive", "negatives": [], "negative_kinds": [], "negative_hardness": [],
        }
        for number, (anchor, positive) in enumerate(zip(ANCHORS, BATCH.positives, strict=True))
    ]  # fmt: skip
    write_rows(tmp_path / "pairs" / "part-00000.arrow", rows, TRIPLET)
    write_rows(tmp_path / "pairs" / "none" / "part-00000.arrow", rows[:1], TRIPLET)
    copies = [row | {"positive": row["anchor"]} for row in rows]
    write_rows(tmp_path / "pairs" / "copies" / "part-00000.arrow", copies, TRIPLET)
    return tmp_path / "pairs"


def test_brackets_are_read_as_written() -> None:
    assert "".join(tokens(read(TREE))) == "(S(NP)(VP(VBD)(VP(VBN)(PP))))"
