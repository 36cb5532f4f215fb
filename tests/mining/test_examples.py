"""Mining on a corpus made by hand: what is kept, what is dropped, and that it is counted."""

from collections import Counter
from pathlib import Path

import pytest
from small_corpus import Doc, bag_of_words, dropped, no_vectors, params, parse, triples, write

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.mining import variants as variant_examples
from pipeline.mining.examples import (
    add_negatives,
    distinct,
    example,
    side,
    word_overlap,
    word_set,
)
from pipeline.systems.builders import builder
from pipeline.systems.simcse import mining

PARAMS = params(hard_negatives=1, max_words=6, identity="all")


def variants(*texts: tuple[str, str]) -> list[tuple[str, str, str]]:
    return [(meaning, f"{meaning}-rule", text) for meaning, text in texts]


CORPUS = [
    Doc(["no variants here"]),
    Doc(
        ["a sees b"],
        variants=variants(("same", "b is seen"), ("different", "b sees a"), ("same", "seen is b")),
    ),
    Doc(["c sees d"], variants=variants(("different", "c  SEES d"), ("order", "d c sees"))),
    Doc(["A  sees B"]),
    Doc(["one two three four five six seven"], variants=variants(("same", "seven six"))),
    Doc(["e sees f"], "dev", variants(("different", "f sees e"), ("different", "f e sees"))),
    Doc(["held out for tests"], "test", variants(("same", "out held"))),
]


def test_sscp_pairs_each_same_variant_and_draws_negatives(tmp_path: Path) -> None:
    kept = variant_examples.mine(write(tmp_path, CORPUS), tmp_path / "out", PARAMS, no_vectors)
    got = [(anchor, positive, negatives) for anchor, _, positive, negatives in triples(tmp_path / "out")]
    assert got[:4] == [
        ("no variants here", "no variants here", []),
        ("a sees b", "b is seen", ["b sees a"]),
        ("a sees b", "seen is b", ["b sees a"]),
        ("c sees d", "c sees d", []),
    ]
    anchor, positive, negatives = got[4]
    assert (anchor, positive) == ("e sees f", "e sees f")
    assert len(negatives) == 1
    assert negatives[0] in {"f sees e", "f e sees"}
    assert len(got) == 5
    assert kept["train"] == 4
    assert kept["dev"] == 1
    assert dropped(tmp_path / "out") == {
        "duplicate sentence": 1,
        "longer than 6 words": 1,
        "negative beyond mine.hard_negatives": 1,
        "negative equal to the anchor or a positive": 1,
    }


@pytest.mark.parametrize("identity", ["with_negatives", "none"])
def test_sentences_that_teach_nothing_are_counted(tmp_path: Path, identity: str) -> None:
    changed = PARAMS.model_copy(update={"identity": identity})
    variant_examples.mine(write(tmp_path, CORPUS), tmp_path / "out", changed, no_vectors)
    found = {row["anchor"]["text"] for row in store.rows(tmp_path / "out")}
    assert found == ({"a sees b", "e sees f"} if identity == "with_negatives" else {"a sees b"})
    assert dropped(tmp_path / "out")["no variant to learn from"] == (2 if identity == "with_negatives" else 3)


def test_without_variants_every_sentence_is_its_own_positive(tmp_path: Path) -> None:
    changed = PARAMS.model_copy(update={"variants": False})
    variant_examples.mine(write(tmp_path, CORPUS), tmp_path / "out", changed, no_vectors)
    assert {(kind, *negatives) for _, kind, _, negatives in triples(tmp_path / "out")} == {("identity",)}


def test_a_corpus_without_rewordings_says_which_systems_need_none(tmp_path: Path) -> None:
    """As any corpus in another language than English: the rules for meaning are for English."""
    corpus = [Doc(["un chien mord"], variants=variants(("order", "mord un chien"))), Doc(["la pluie tombe"])]
    changed = PARAMS.model_copy(update={"identity": "with_negatives"})
    with pytest.raises(SynsemError, match=r"set mine\.identity to all, or train simcse or cssl"):
        variant_examples.mine(write(tmp_path, corpus), tmp_path / "out", changed, no_vectors)


def test_simcse_takes_the_same_sentences(tmp_path: Path) -> None:
    mining.mine(write(tmp_path, CORPUS), tmp_path / "out", PARAMS, no_vectors)
    rows = list(store.rows(tmp_path / "out"))
    assert [row["anchor"]["text"] for row in rows] == ["no variants here", "a sees b", "c sees d", "e sees f"]
    assert all(row["positive"] == row["anchor"] and row["negatives"] == [] for row in rows)


def test_a_text_that_is_equal_by_one_rule_and_different_by_another_is_no_negative(tmp_path: Path) -> None:
    given = variants(("same", "b is seen"), ("different", "B  is seen"), ("different", "b sees a"))
    variant_examples.mine(
        write(tmp_path, [Doc(["a sees b"], variants=given)]),
        tmp_path / "out",
        params(hard_negatives=9),
        no_vectors,
    )
    assert triples(tmp_path / "out") == [("a sees b", "same-rule", "b is seen", ["b sees a"])]
    assert dropped(tmp_path / "out") == {"negative equal to the anchor or a positive": 1}


def test_a_cap_draws_training_examples_only_and_is_counted(tmp_path: Path) -> None:
    capped = PARAMS.model_copy(update={"examples": 2})
    kept = variant_examples.mine(write(tmp_path, CORPUS), tmp_path / "out", capped, no_vectors)
    assert (kept["train"], kept["dev"]) == (2, 1)
    assert dropped(tmp_path / "out")["beyond mine.examples"] == 2


def test_the_hardness_of_a_negative_is_its_word_overlap(tmp_path: Path) -> None:
    swapped = [("different", "number", "the dog sees some cats .")]
    variant_examples.mine(
        write(tmp_path, [Doc(["the dog sees a cat ."], variants=swapped)]),
        tmp_path / "out",
        params(),
        no_vectors,
    )
    (row,) = store.rows(tmp_path / "out")
    assert row["negative_hardness"] == pytest.approx([3 / 7])  # the dog sees; the full stop is no word


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    inputs = write(tmp_path, CORPUS)
    files = []
    for name in ("one", "two"):
        variant_examples.mine(
            inputs, tmp_path / name, PARAMS.model_copy(update={"similarity_sample": 3}), bag_of_words
        )
        files.append({path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())})
    assert files[0] == files[1]
    assert sorted(files[0]) == ["part-00000.arrow", "report.json", "similarity.json"]


def test_variants_of_another_run_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "one", [Doc(["a b"])])
    two = write(tmp_path / "two", [Doc(["x y"]), Doc(["c d"], variants=[("same", "rule", "d c")])])
    with pytest.raises(SynsemError, match="run augment again"):
        variant_examples.mine(one._replace(augmented=two.augmented), tmp_path / "out", PARAMS, no_vectors)


def test_sentences_of_another_corpus_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "one", [Doc(["a b"], pair_id="p", name="other")])
    two = write(tmp_path / "two", [Doc(["a b"], pair_id="p")])
    with pytest.raises(SynsemError, match="run parse again"):
        variant_examples.mine(two._replace(corpus=one.corpus), tmp_path / "out", PARAMS, no_vectors)


def test_nothing_to_train_on_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match=r"download\.documents"):
        mining.mine(write(tmp_path, [Doc(["held out"], "test")]), tmp_path / "out", PARAMS, no_vectors)


def test_every_repetition_and_every_long_sentence_is_counted() -> None:
    texts = ("a b", "A  b", "one two three four", "c", "a b", "five six seven eight", "c", "three words stay")
    dropped: Counter[str] = Counter()
    found = distinct((parse(text).row() for text in texts), params(max_words=3), dropped)
    assert [sentence["text"] for sentence in found] == ["a b", "c", "three words stay"]
    assert dropped == {"duplicate sentence": 3, "longer than 3 words": 2}


def test_a_word_counts_once_whatever_its_case_and_punctuation_is_none() -> None:
    words = ["The", "STRASSE", "the", ",", "-", "straße", "3", "n't"]
    assert word_set(words) == {"the", "strasse", "3", "n't"}
    one, other = (parse(text).row() for text in ("a b c , .", "C b d !"))
    assert word_overlap(one, other) == pytest.approx(2 / 4)


def test_given_constituents_come_along() -> None:
    row = parse("a b").row()
    assert side(row | {"constituents": "(S x)"}) == side(row) | {"constituents": "(S x)"}
    assert "constituents" not in side(row | {"constituents": None})


def test_negatives_of_equal_text_are_added_once_and_counted() -> None:
    row = example({"sent_id": "s", "split": "train", **parse("a b").row()}, parse("c d").row(), "order")
    again = [
        (parse(text).row(), kind) for text, kind in (("a c", "x"), ("A  c", "y"), ("c", "z"), ("a c", "x"))
    ]
    assert add_negatives(row, again) == 2
    assert add_negatives(row, again[:1]) == 1
    assert [side["text"] for side in row["negatives"]] == ["a c", "c"]
    assert row["negative_kinds"] == ["x", "z"]
    assert row["negative_hardness"] == pytest.approx([1 / 3, 0])


def test_a_system_whose_mining_lacks_its_function_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pipeline.systems.simcse.mining.mine")
    with pytest.raises(SynsemError, match=r"systems/simcse/mining.py: has no function mine; write it"):
        builder("simcse")


@pytest.mark.parametrize("name", ["nonesuch", "builders"])
def test_an_unknown_system_is_named(name: str) -> None:
    with pytest.raises(SynsemError, match=rf"systems: .{name}. is unknown; choose from"):
        builder(name)
