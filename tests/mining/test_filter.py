"""No text that models are tested on enters an example."""

from collections import Counter
from pathlib import Path

import pytest
from small_corpus import Doc, benchmark_row, dropped, params, parse, triples, write

from pipeline.core import schemas, store
from pipeline.mining.build import mine
from pipeline.mining.filter import Example, clean, distinct
from pipeline.mining.inputs import Inputs, Row

SECRET = "the clever fox finds a quiet river"
OTHER = "one more sentence without any stain"


def texts(out: Path) -> set[str]:
    return {text for anchor, _, positive, rest in triples(out) for text in (anchor, positive, *rest)}


def row(text: str) -> Row:
    return {"sent_id": "s", "split": "train", **parse(text).row()}


def left(inputs: Inputs, *given: str) -> list[str]:
    """Anchors that pass as such, beside a harmless positive."""
    examples = [Example(row(text), row("another one"), "rule") for text in given]
    return [each.anchor["text"] for each in clean(examples, inputs, Counter())]


@pytest.mark.parametrize("where", ["benchmark", "test split"])
def test_text_to_be_tested_on_is_no_anchor_positive_or_negative(where: str, tmp_path: Path) -> None:
    documents = [
        Doc([SECRET.capitalize()], variants=[("same", "fronting", "a quiet river the clever fox finds")]),
        Doc(["a river was found by the fox"], "dev", variants=[("same", "passive", SECRET + " ")]),
        Doc(["the quiet fox finds a clever river"], variants=[("different", "modifier_swap", SECRET)]),
        Doc([OTHER], variants=[("same", "fronting", "stain without any")]),
    ]
    tested = where == "test split"
    inputs = write(
        tmp_path, [*documents, Doc([SECRET], "test")] if tested else documents, () if tested else (SECRET,)
    )
    mine("sscp", inputs, tmp_path / "out", params())
    found = texts(tmp_path / "out")
    assert not any(text.casefold().strip() == SECRET for text in found)
    assert {"the quiet fox finds a clever river", OTHER} <= found
    reason = "text of the test split" if tested else "benchmark text"
    counts = dropped(tmp_path)
    assert counts[f"{reason}: anchor or positive"] == 2
    assert counts[f"{reason}: negative"] == 1


@pytest.mark.parametrize("system", ["simcse", "cssl", "parabart", "upos", "ebsim", "synsem"])
def test_every_system_passes_the_filter(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word_model: None
) -> None:
    monkeypatch.setattr("pipeline.systems.upos.mining.held_out", lambda tags: False)
    documents = [
        Doc([SECRET, OTHER], title="Fox", variants=[("same", "passive", "a quiet river is found by a fox")]),
        Doc(
            [OTHER + " here", OTHER + " there"],
            title="Stain",
            variants=[("same", "x", "no stain is here at all")],
        ),
    ]
    mine(system, write(tmp_path, documents), tmp_path / "out", params())  # the benchmark comes later
    mine(system, write(tmp_path, documents, [SECRET]), tmp_path / "out", params())
    assert SECRET not in texts(tmp_path / "out")
    assert dropped(tmp_path)["benchmark text: anchor or positive"] >= 1


def test_treebank_keeps_its_published_splits(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc([SECRET], "test"), Doc([SECRET])])
    assert left(inputs, SECRET) == []
    assert left(inputs._replace(treebank=inputs.parsed), SECRET) == [SECRET]


def test_five_words_of_the_test_split_are_enough(tmp_path: Path) -> None:
    documents = [
        Doc(["Foxes find  a quiet river"], "test"),
        Doc(["who is it ?"], "test"),
        Doc(["one two three four five"], "dev"),
    ]
    passing = ["foxes find a quiet river .", "who is it ?", "one two three four five"]
    assert left(write(tmp_path, documents), "foxes find a quiet river", *passing) == passing


def test_negatives_go_with_their_kinds_and_come_once(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc(["plain"])], [SECRET])
    negatives = [(row(text), kind) for text, kind in (("x y", "a"), (SECRET, "b"), ("X  y", "c"), ("z", "d"))]
    (found,) = clean([Example(row("a"), row("b"), "rule", negatives)], inputs, Counter())
    assert [(negative["text"], kind) for negative, kind in found.negatives] == [("x y", "a"), ("z", "d")]


def test_nearly_a_benchmark_text(tmp_path: Path) -> None:
    long = f"on a cold day in the year of the great frost {SECRET} under the old stone bridge by the mill"
    inputs = write(tmp_path, [Doc(["plain"])], [long])
    assert left(inputs, f"{long} there", OTHER) == [OTHER]


@pytest.mark.parametrize(
    ("split", "source", "passes"),
    [
        ("train", "own", 0),
        ("train", "t", 0),
        ("train", "t-train", 1),
        ("dev", "t-train", 0),
        ("test", "t-train", 0),
    ],
)
def test_training_part_of_a_benchmark_may_be_a_source(
    split: str, source: str, passes: int, tmp_path: Path
) -> None:
    inputs = write(tmp_path, [Doc(["plain"], source=source)])
    store.write_rows(
        store.shard_path(inputs.benchmarks, 0), [benchmark_row(SECRET, split=split)], schemas.EXAMPLE
    )
    assert left(inputs, SECRET) == [SECRET] * passes


def test_repetitions_long_sentences_and_test_sentences_are_left_out() -> None:
    given = ("a b", "A  b", "one two three four", "c", "a b", "five six seven eight", "c", "three words stay")
    gone: Counter[str] = Counter()
    rows: list[tuple[Row, list[Row]]] = [(row(text), []) for text in given]
    rows.append((row("held out") | {"split": "test"}, []))
    found = distinct(rows, params(max_words=3).mine, gone)
    assert [sentence["text"] for sentence, _ in found] == ["a b", "c", "three words stay"]
    assert gone == {"duplicate sentence": 3, "longer than 3 words": 2}
