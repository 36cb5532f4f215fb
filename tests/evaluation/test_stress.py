"""Stress subsets, easy and hard pairs: what belongs to them and how they are scored."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import average_precision_score
from small_world import PARAMS, BagOfHashes, example, folders, sentence

from pipeline.core.schemas import EXAMPLE, SENTENCE
from pipeline.core.store import shard_path, write_rows
from pipeline.evaluation.results import Folders
from pipeline.evaluation.run import ModelUnderTest, evaluate
from pipeline.evaluation.tasks import stress
from pipeline.syntax.sentence import Sentence

PLAIN = sentence("dogs chase cats", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
CLEFT = sentence(
    "it was dogs that chased cats",
    "PRON AUX NOUN PRON VERB NOUN",
    "3 3 0 5 3 5",
    "nsubj cop root nsubj acl:relcl obj",
)
TOPIC = sentence("cats dogs chase", "NOUN NOUN VERB", "3 3 0", "obj nsubj root")
LONG_PASSIVE = sentence(
    "cats are chased by dogs",
    "NOUN AUX VERB ADP NOUN",
    "3 3 0 5 3",
    "nsubj:pass aux:pass root case obl",
)
SHORT_PASSIVE = sentence("cats are chased", "NOUN AUX VERB", "3 3 0", "nsubj:pass aux:pass root")


def test_marked_constructions_are_found_and_plain_ones_are_not() -> None:
    found = {
        "cleft": [stress.has_cleft(s) for s in (CLEFT, PLAIN, TOPIC)],
        "topic": [stress.has_topic(s) for s in (TOPIC, PLAIN, CLEFT)],
        "passive": [stress.has_long_passive(s) for s in (LONG_PASSIVE, SHORT_PASSIVE, PLAIN)],
    }
    assert found == {name: [True, False, False] for name in found}


def test_reordering_needs_the_same_words_in_another_order() -> None:
    assert stress.is_reordered((PLAIN, TOPIC))
    assert not stress.is_reordered((PLAIN, PLAIN))
    assert not stress.is_reordered((PLAIN, LONG_PASSIVE))


@pytest.mark.parametrize(
    ("changed", "reordered"),
    [
        (lambda words: [*words[:5], "other", *words[6:]], False),
        (lambda words: [*words, "more"], False),
        (lambda words: [*words, words[-1]], False),
        (lambda words: [words[1], words[0], *words[2:]], True),
        (lambda words: [words[3], *words[1:3], words[0], *words[4:], "more"], True),
    ],
)
def test_a_word_more_or_in_place_of_another_is_no_other_order(
    changed: Callable[[list[str]], list[str]], reordered: bool
) -> None:
    def of(words: list[str]) -> Sentence:
        rest = len(words) - 1
        return sentence(" ".join(words), "X " * len(words), "0 " + "1 " * rest, "root " + "dep " * rest)

    words = [f"w{place}" for place in range(20)]
    pair = of(words), of(changed(words))
    assert stress.is_reordered(pair) is stress.is_reordered(pair[::-1]) is reordered


@pytest.mark.parametrize(("split", "parsed"), [("test", False), ("dev", True)])
def test_where_no_part_is_left_one_line_says_so(
    split: str, parsed: bool, world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing fails: most benchmarks are too small for most parts."""
    passives = [
        dataclasses.replace(LONG_PASSIVE, words=(f"cats{number}", *LONG_PASSIVE.words[1:]))
        for number in range(100)
    ]
    rows = [
        example("qqp", split, a.text, b.text, label=str(number % 2))
        for number, (a, b) in enumerate(zip(passives[:50], passives[50:], strict=True))
    ]
    places = written(world, tmp_path, rows, passives if parsed else [])
    result = evaluate(ModelUnderTest("test", BagOfHashes()), places, PARAMS, ["stress"])
    assert (result.failures, result.outcome.metrics) == ({}, {})
    assert "qqp: no part has 20 test pairs with trees and of both labels" in capsys.readouterr().err


@pytest.mark.parametrize(("first", "second", "long"), [(26, 26, True), (25, 26, False), (40, 25, False)])
def test_a_pair_is_long_where_both_sentences_have_more_than_25_words(
    first: int, second: int, long: bool
) -> None:
    def of(words: int) -> Sentence:
        relations = " ".join(["root", *["dep"] * (words - 1)])
        return sentence("so " * words, "ADV " * words, "0 " + "1 " * (words - 1), relations)

    assert stress.is_long((of(first), of(second))) is long
    assert stress.is_long((of(second), of(first))) is long


def written(world: Path, out: Path, rows: list[dict[str, Any]], trees: list[Sentence]) -> Folders:
    """Folders with these pairs and the trees of their texts."""
    fixed = {"doc_id": "", "lang": "en", "split": "test"}
    by_text = {tree.text: tree for tree in trees}
    write_rows(
        shard_path(out / "parsed" / "benchmarks", 0),
        [{"sent_id": text} | fixed | tree.row() for text, tree in by_text.items()],
        SENTENCE,
    )
    (out / "parsed" / "corpus").symlink_to(world / "parsed" / "corpus")
    write_rows(shard_path(out / "benchmarks", 0), rows, EXAMPLE)
    places = folders(world, out, out / "benchmarks")
    return dataclasses.replace(places, parsed=out / "parsed")


def test_subsets_easy_and_hard_pairs_and_agreement_of_trees(world: Path, tmp_path: Path) -> None:
    rows, trees = [], []
    for split in ("dev", "test"):
        for number in range(160):
            verb = f"v{split}{number}"
            a = sentence(f"dogs {verb} cats", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
            if number % 4 == 1:  # meaning kept, and the top constituents: the easy half
                b = sentence(f"dogs {verb} kittens", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
            elif number % 4 == 3:  # meaning kept in another order: the hard half
                b = sentence(f"cats dogs {verb}", "NOUN NOUN VERB", "3 3 0", "obj nsubj root")
            else:
                b = sentence(f"birds x{verb} fish", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
            rows.append(example("qqp", split, a.text, b.text, label=str(number % 2)))
            trees += [a, b]
    places = written(world, tmp_path, rows, trees)
    model = ModelUnderTest("test", BagOfHashes(), needs_trees=True, baselines=True)
    result = evaluate(model, places, PARAMS, ["pairs", "stress", "easy_and_hard"])
    assert result.failures == {}
    found = result.outcome.metrics["semantic"]["qqp"]
    assert "stress_topicalised" not in found  # one class only: all of them are paraphrases
    assert found["test"]["ap"] == 100
    for half in ("easy", "hard"):
        assert found[half] == {"pairs": 80, "accuracy_oracle_threshold": 100, "derived_trees": 100}
    assert result.outcome.metrics["structural_agreement"]["qqp"]["test"]["ap"] > 50


@pytest.mark.parametrize("choosing", ["dev", "train"])
def test_a_subset_is_of_test_pairs_and_judged_by_the_threshold_of_all_development_pairs(
    choosing: str, world: Path, tmp_path: Path
) -> None:
    """Of topicalised pairs, half of which share their words; on development pairs the labels are reversed.

    Without development pairs the training pairs choose, as in ``pairs``.
    """
    rows, trees = [], []
    for split in (choosing, "test"):
        for number in range(48):
            verb, alike = f"v{split}{number}", number % 2
            thing = "cats" if alike else f"birds{number}"
            a = sentence(f"dogs {verb} cats", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
            b = sentence(f"{thing} dogs {verb}", "NOUN NOUN VERB", "3 3 0", "obj nsubj root")
            label = alike if split == "test" and number < 40 else 1 - alike
            rows.append(example("qqp", split, a.text, b.text, label=str(label)))
            trees += [a, b]
    places = written(world, tmp_path, rows, trees)
    result = evaluate(
        ModelUnderTest("test", BagOfHashes(), needs_trees=True), places, PARAMS, ["pairs", "stress"]
    )
    assert result.failures == {}
    found = result.outcome.metrics["semantic"]["qqp"]
    assert found["stress_topicalised"]["pairs"] == 48
    assert found["stress_topicalised"]["ap"] == found["test"]["ap"]
    kept = [row for row in result.outcome.examples if row["metric"] == "ap" and row["task"] == "qqp.test"]
    expected = average_precision_score([row["gold"] for row in kept], [row["score"] for row in kept])
    assert found["stress_topicalised"]["ap"] == pytest.approx(100 * expected, abs=0.01)
    # No threshold beats calling all development pairs alike, and half of the test pairs are.
    assert found["stress_topicalised"]["accuracy_dev_threshold"] == 50
    assert found["test"]["accuracy_dev_threshold"] == 50
    assert set(found) & {"stress_long", "stress_cleft", "stress_long_passive"} == set()


@pytest.mark.parametrize(("count", "told"), [(20, True), (19, False)])
def test_a_subset_is_told_from_twenty_pairs_on(count: int, told: bool, world: Path, tmp_path: Path) -> None:
    rows, trees = [], []
    for number in range(count):
        a = sentence(f"dogs v{number} cats", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
        b = sentence(f"cats dogs v{number}", "NOUN NOUN VERB", "3 3 0", "obj nsubj root")
        rows.append(example("qqp", "test", a.text, b.text, label=str(number % 2)))
        trees += [a, b]
    places = written(world, tmp_path, rows, trees)
    result = evaluate(ModelUnderTest("test", BagOfHashes(), needs_trees=True), places, PARAMS, ["stress"])
    assert ("stress_topicalised" in result.outcome.metrics.get("semantic", {}).get("qqp", {})) == told
