"""The stage from parsed rows to variants, and some transformations on hand-made trees."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from handmade import APPROVED, COMMITTEE, DOGS, sentence

from pipeline.augment.base import NAMES, Transformation, transformations
from pipeline.augment.draft import Decline, Draft
from pipeline.augment.run import all_variants, augment_folder, plan_all, sample
from pipeline.core.errors import SynsemError
from pipeline.core.params import load
from pipeline.core.schemas import SENTENCE
from pipeline.core.store import read, read_json, rows, write_rows
from pipeline.syntax.tree import is_tree

PARAMS = load(Path(__file__).parents[2] / "params.yaml", "augment")


def augment_params(names, **changes):
    return PARAMS.augment.model_copy(update={"transformations": names, **changes})


CASES = [
    ("passive", COMMITTEE, "The plans have not yet been approved by the committee."),
    ("active", APPROVED, "The committee approved the plans on Monday."),
    ("fronting", APPROVED, "On Monday, the plans were approved by the committee."),
    ("fronting", DOGS, "Yesterday, Alice and Bob fed an old dog near a white house."),
    ("coordination_swap", DOGS, "Bob and Alice fed an old dog near a white house yesterday."),
    ("argument_swap", COMMITTEE, "The plans have not yet approved the committee."),
    ("argument_swap", APPROVED, "The committee was approved by the plans on Monday."),
    ("modifier_swap", DOGS, "Alice and Bob fed a white dog near an old house yesterday."),
]


@pytest.mark.parametrize(("name", "source", "expected"), CASES)
def test_hand_made_case(name, source, expected):
    variants, _ = all_variants(source, [name])
    assert [variant.sentence.text for variant in variants] == [expected]
    assert is_tree(variants[0].sentence.heads)


def test_alignment_points_at_the_source_words():
    (variant,), _ = all_variants(COMMITTEE, ["passive"])
    pairs = [
        (word, COMMITTEE.words[source - 1] if source else None)
        for word, source in zip(variant.sentence.words, variant.alignment, strict=True)
    ]
    assert pairs == [
        ("The", "the"), ("plans", "plans"), ("have", "has"), ("not", "not"), ("yet", "yet"), ("been", None),
        ("approved", "approved"), ("by", None), ("the", "The"), ("committee", "committee"), (".", "."),
    ]  # fmt: skip


def test_permutation_keeps_words_and_arcs():
    (variant,), _ = all_variants(DOGS, ["permutation"])
    words, source = variant.sentence, DOGS
    assert sorted(variant.alignment) == list(range(1, len(source) + 1))
    for place, origin in enumerate(variant.alignment):
        head = words.heads[place]
        assert (variant.alignment[head - 1] if head else 0) == source.heads[origin - 1]


def parsed_folder(folder, sentences):
    rows = [
        sentence.row() | {"sent_id": f"s{number}", "doc_id": "d", "lang": "en", "split": "train"}
        for number, sentence in enumerate(sentences)
    ]
    write_rows(folder / "part-00000.arrow", rows, SENTENCE)
    return folder


def test_same_bytes_for_any_number_of_workers(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.core.parallel.ROOT", tmp_path / "scratch")
    monkeypatch.setattr("pipeline.augment.run._ROWS_PER_SHARD", 2)
    parsed = parsed_folder(tmp_path / "parsed", [COMMITTEE, APPROVED, DOGS, COMMITTEE, DOGS])
    params = augment_params(["passive", "active", "permutation"], per_sentence=2)
    for workers in (1, 2):
        augment_folder(parsed, tmp_path / f"out{workers}", params, workers)
    names = sorted(path.name for path in (tmp_path / "out1").iterdir())
    assert names == ["part-00000.arrow", "report.json"]
    for name in names:
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out2" / name).read_bytes()
    report = read_json(tmp_path / "out1" / "report.json")
    assert sum(report["kept"].values()) == read(tmp_path / "out1").num_rows
    assert set(report) == {
        "sentences", "sentences_with_variants", "applies", "declined", "kept", "meaning", "dropped",
    }  # fmt: skip
    assert set(report["dropped"]) == {"no transformation applies"}
    assert report["kept"]["passive"] == report["applies"]["passive"] == 4
    assert sum(report["declined"]["passive"].values()) == 1


@pytest.mark.parametrize("sites", ["dn", "dm", "m"])
def test_every_sentence_is_counted_once_a_rule(sites):
    """Some rules find out only while they rewrite: d declines, n changes nothing, m moves words."""
    rotation = transformations(["rotation"])[0]

    def rewrite(tree, site):
        if site == "d":
            raise Decline("no site after all")
        return rotation.rewrite(tree, next(iter(rotation.sites(tree)))) if site == "m" else Draft(tree)

    rule = Transformation("late", "order", "no site", lambda tree: sites, rewrite, any_text=True)
    counts = Counter()
    plans = plan_all(DOGS, [rule], counts)
    kept = sample(plans, 4, Counter(), 0, DOGS.text, counts)
    declined = Counter({names[2]: number for names, number in counts.items() if names[0] == "declined"})
    assert counts["applies", "late"] == len(kept) == ("m" in sites)
    assert declined.total() == 1 - len(kept)
    assert declined.keys() <= {"no site after all", "nothing changed"}


def test_unknown_transformation_is_named():
    with pytest.raises(SynsemError, match="'pasive' is unknown; did you mean passive"):
        transformations(["pasive"])


def test_other_languages_get_not_english(tmp_path, scratch):
    row = APPROVED.row() | {"sent_id": "s", "doc_id": "d", "lang": "fr", "split": "train"}
    write_rows(tmp_path / "parsed" / "part-00000.arrow", [row], SENTENCE)
    augment_folder(tmp_path / "parsed", tmp_path / "out", PARAMS.augment, 1)
    assert {row["meaning"] for row in read(tmp_path / "out").to_pylist()} == {"order"}
    # The rules for English were not tried, and the report says of how many sentences.
    assert read_json(tmp_path / "out" / "report.json")["not_english"] == {"fr": 1}


PORTUGUESE = sentence(
    """
    A o DET _ 2 det
    irmã irmã NOUN _ 3 nsubj
    ama amar VERB _ 0 root
    a o DET _ 5 det
    ave ave NOUN _ 3 obj
    _. . PUNCT _ 3 punct
    """
)


def test_no_rule_writes_english_articles_into_another_language(tmp_path, scratch):
    ids = {"doc_id": "d", "split": "train", "lang": "pt"}
    several = [PORTUGUESE.row() | ids | {"sent_id": f"s{number}"} for number in range(3)]
    write_rows(tmp_path / "parsed" / "part-00000.arrow", several, SENTENCE)
    augment_folder(tmp_path / "parsed", tmp_path / "out", PARAMS.augment, 1)
    made = [variant["words"] for variant in rows(tmp_path / "out")]
    made += [each.sentence.words for each in all_variants(PORTUGUESE, list(NAMES), "pt")[0]]
    assert len(made) > 4
    assert {word.lower() for words in made for word in words} <= set(map(str.lower, PORTUGUESE.words))


def test_english_trees_without_penn_tags_are_counted(tmp_path, scratch):
    """Most rules read these tags, which CoNLL-U may leave out."""
    untagged = replace(DOGS, xpos=("",) * len(DOGS.words))
    augment_folder(parsed_folder(tmp_path / "parsed", [DOGS, untagged]), tmp_path / "out", PARAMS.augment, 1)
    assert read_json(tmp_path / "out" / "report.json")["without_tags"] == {"en": 1}
    augment_folder(parsed_folder(tmp_path / "tagged", [DOGS]), tmp_path / "all", PARAMS.augment, 1)
    assert "without_tags" not in read_json(tmp_path / "all" / "report.json")


def plan(name: str, text: str, meaning: str = "same") -> SimpleNamespace:
    """A rewrite of one rule that gives this text."""
    variant = SimpleNamespace(transformation=name, sentence=SimpleNamespace(text=text))
    return SimpleNamespace(transformation=name, meaning=meaning, realise=lambda: variant)


def test_a_rule_that_was_used_less_comes_first() -> None:
    """So that rare rules keep up with common ones: two that always apply take turns."""
    used: Counter[str] = Counter()
    kept = []
    for number in range(20):
        plans = [plan(name, f"{name} {number}") for name in ("cleft", "passive")]
        [variant] = sample(plans, 1, used, 13, f"text {number}", Counter())  # type: ignore[arg-type]
        kept.append(variant.transformation)
    assert all(set(kept[start : start + 2]) == {"cleft", "passive"} for start in range(0, 20, 2))
    assert used == {"cleft": 10, "passive": 10}


def test_no_two_variants_of_a_sentence_are_by_one_rule() -> None:
    """However many sites a rule has: else one rule would fill all places of a sentence."""
    plans = [plan("fronting", f"site {number}") for number in range(5)] + [plan("passive", "other")]
    for seed in range(10):
        kept = sample(plans, 3, Counter(), seed, "text", Counter())  # type: ignore[arg-type]
        assert sorted(variant.transformation for variant in kept) == ["fronting", "passive"]


@pytest.mark.parametrize("count", [1, 3])
def test_meanings_take_turns_and_a_word_order_comes_on_top(count) -> None:
    """Every sentence has word orders: they must not take the places of the rewordings."""
    meanings = {"cleft": "same", "passive": "same", "fronting": "same", "negation": "different",
                "number": "different", "rotation": "order", "permutation": "order"}  # fmt: skip
    plans = [plan(name, name, meaning) for name, meaning in meanings.items()]
    kept = sample(plans, count, Counter(), 13, "text", Counter())  # type: ignore[arg-type]
    found = [meanings[variant.transformation] for variant in kept]
    wanted = {1: ["same", "different"], 3: ["same", "different", "same", "different", "same"]}
    assert found == [*wanted[count], "order"]


def test_no_two_variants_of_a_sentence_have_one_text_and_none_has_its_own() -> None:
    plans = [plan("cleft", "one text"), plan("passive", "one text"), plan("fronting", "text")]
    [kept] = sample(plans, 3, Counter(), 13, "text", Counter())  # type: ignore[arg-type]
    assert kept.sentence.text == "one text"
