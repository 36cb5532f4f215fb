"""Mining on a corpus made by hand: what is kept, what is dropped, and that it is counted."""

from pathlib import Path
from typing import NoReturn

import pytest
import yaml

from pipeline import store
from pipeline.errors import SynsemError
from pipeline.mining import simcse, sscp
from pipeline.mining.builders import builder
from pipeline.params import parse as parse_params
from pipeline.sentences import Sentence

DEFAULTS = parse_params(yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())).mine
PARAMS = DEFAULTS.model_copy(update={"hard_negatives": 1, "max_words": 6, "identity": "all"})


def no_vectors(sides: object) -> NoReturn:
    raise AssertionError("no vectors are needed without neighbours")


def parse(text: str) -> Sentence:
    words = tuple(text.split())
    n = len(words)
    blank = ("",) * n
    heads, labels = (0, *(1,) * (n - 1)), ("root", *("dep",) * (n - 1))
    return Sentence(words, (True,) * n, words, ("X",) * n, blank, blank, heads, labels)


def corpus(folder: Path, sentences: dict[str, tuple[str, list[tuple[str, str]]]]) -> tuple[Path, Path]:
    """Write ``{sentence: (split, [(meaning, variant), ...])}`` as the parse and augment stages would."""
    parsed, augmented = folder / "parsed", folder / "augmented"
    with (
        store.ShardWriter(parsed / "corpus", store.SENTENCE, rows_per_shard=2) as write_sentence,
        store.ShardWriter(augmented, store.VARIANT, rows_per_shard=3) as write_variant,
    ):
        for number, (text, (split, variants)) in enumerate(sentences.items()):
            name = f"d{number}#0"
            write_sentence.add(
                {"sent_id": name, "doc_id": f"d{number}", "lang": "en", "split": split, **parse(text).row()}
            )
            for meaning, variant in variants:
                write_variant.add(
                    {
                        "source_id": name,
                        "split": split,
                        "transformation": f"{meaning}-rule",
                        "meaning": meaning,
                        "alignment": [0] * len(variant.split()),
                        **parse(variant).row(),
                    }
                )
    return parsed, augmented


CORPUS = {
    "no variants here": ("train", []),
    "a sees b": ("train", [("same", "b is seen"), ("different", "b sees a"), ("same", "seen is b")]),
    "c sees d": ("train", [("different", "c  SEES d"), ("order", "d c sees")]),
    "A  sees B": ("train", []),
    "one two three four five six seven": ("train", [("same", "seven six")]),
    "e sees f": ("dev", [("different", "f sees e"), ("different", "f e sees")]),
    "held out for tests": ("test", [("same", "out held")]),
}


def test_sscp_pairs_each_same_variant_and_draws_negatives(tmp_path: Path) -> None:
    parsed, augmented = corpus(tmp_path, CORPUS)
    kept = sscp.mine(parsed, augmented, tmp_path / "out", PARAMS, no_vectors)
    got = [
        (row["anchor"]["text"], row["positive"]["text"], [n["text"] for n in row["negatives"]])
        for row in store.rows(tmp_path / "out")
    ]
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
    report = store.read_json(tmp_path / "out" / "report.json")
    assert {reason: count for reason, count in report["dropped"].items() if count} == {
        "duplicate sentence": 1,
        "longer than 6 words": 1,
        "negative beyond mine.hard_negatives": 1,
        "negative equal to the anchor or a positive": 1,
    }


@pytest.mark.parametrize("identity", ["with_negatives", "none"])
def test_sentences_that_teach_nothing_are_counted(tmp_path: Path, identity: str) -> None:
    parsed, augmented = corpus(tmp_path, CORPUS)
    params = PARAMS.model_copy(update={"identity": identity})
    sscp.mine(parsed, augmented, tmp_path / "out", params, no_vectors)
    found = {row["anchor"]["text"] for row in store.rows(tmp_path / "out")}
    assert found == ({"a sees b", "e sees f"} if identity == "with_negatives" else {"a sees b"})
    dropped = store.read_json(tmp_path / "out" / "report.json")["dropped"]
    assert dropped["no variant to learn from"] == (2 if identity == "with_negatives" else 3)


def test_simcse_takes_the_same_sentences(tmp_path: Path) -> None:
    parsed, augmented = corpus(tmp_path, CORPUS)
    simcse.mine(parsed, augmented, tmp_path / "out", PARAMS, no_vectors)
    rows = list(store.rows(tmp_path / "out"))
    assert [row["anchor"]["text"] for row in rows] == ["no variants here", "a sees b", "c sees d", "e sees f"]
    assert all(row["positive"] == row["anchor"] and row["negatives"] == [] for row in rows)


def test_a_cap_draws_training_examples_only_and_is_counted(tmp_path: Path) -> None:
    parsed, augmented = corpus(tmp_path, CORPUS)
    capped = PARAMS.model_copy(update={"examples": 2})
    kept = sscp.mine(parsed, augmented, tmp_path / "out", capped, no_vectors)
    assert (kept["train"], kept["dev"]) == (2, 1)
    assert store.read_json(tmp_path / "out" / "report.json")["dropped"]["beyond mine.examples"] == 2


def test_variants_of_another_run_are_refused(tmp_path: Path) -> None:
    parsed, _ = corpus(tmp_path / "one", {"a b": ("train", [])})
    _, augmented = corpus(tmp_path / "two", {"x y": ("train", []), "c d": ("train", [("same", "d c")])})
    with pytest.raises(SynsemError, match="run augment again"):
        sscp.mine(parsed, augmented, tmp_path / "out", PARAMS, no_vectors)


def test_nothing_to_train_on_is_one_clear_line(tmp_path: Path) -> None:
    parsed, augmented = corpus(tmp_path, {"held out": ("test", [])})
    with pytest.raises(SynsemError, match=r"download\.documents"):
        simcse.mine(parsed, augmented, tmp_path / "out", PARAMS, no_vectors)


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(SynsemError, match=r"pipeline/mining/nonesuch\.py"):
        builder("nonesuch")
