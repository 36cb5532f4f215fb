"""What parabart learns from: which pairs, of which sources, and what is left out."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpus import Doc, dropped, no_vectors, params, parse, triples, write

from pipeline.core import schemas, store
from pipeline.corpora.download import texts_of
from pipeline.mining import paraphrase_pairs
from pipeline.mining.paraphrase_pairs import shared_ngrams
from pipeline.mining.paraphrases import Member, join_trees, limited
from pipeline.syntax.sentence import Sentence
from pipeline.systems.simcse import mining

VERSE = ("In the beginning God made heaven and earth .", "God created the heavens and the earth at first .")
CAPTIONS = (
    "a brown dog runs over the wet grass",
    "the dog is running on grass",
    "one dog leaps over some very wet grass",
    "an animal outside",
)
WHOLE = "The bridge was built in 1901 and it burnt down after the second great war ."
PARTS = ("The bridge was built early in 1901 .", "It burnt down later , after the second great war .")


def mined(folder: Path, documents: list[Doc], benchmark: tuple[str, ...] = (), **rule: object) -> Path:
    inputs = write(folder, documents, benchmark)
    paraphrase_pairs.mine(inputs, folder / "out", params(parabart=rule), no_vectors)
    return folder / "out"


def pairs(out: Path) -> set[tuple[frozenset[str], str]]:
    """Every example as its two texts, whichever is the source, and its kind."""
    return {(frozenset((a, b)), kind) for a, kind, b, _ in triples(out)}


def test_pairs_and_variants_are_taken_and_near_copies_counted_by_source(tmp_path: Path) -> None:
    long = "the dog that barks all night sees the small cat on the wall"
    passive = "the small cat on the wall is seen by the dog that barks all night"
    documents = [
        Doc([VERSE[0]], pair_id="v", source="bible-a"),
        Doc([VERSE[1]], pair_id="v", source="bible-b"),
        Doc(["so the lord made all heaven and earth ."], pair_id="w", source="bible-a"),
        Doc(["So the lord made all heaven and earth !"], pair_id="w", source="bible-b"),
        Doc([long], variants=[
            ("same", "passive", passive), ("same", "fronting", f"all {long}"),
            ("different", "negation", "no"), ("order", "rotation", "wall the"),
        ]),
    ]  # fmt: skip
    out = mined(tmp_path, documents)
    assert pairs(out) == {(frozenset(VERSE), "pair-bible-b"), (frozenset((long, passive)), "passive")}
    assert dropped(out) == {"near copy: fronting": 1, "near copy: pair-bible-b": 1}


def test_captions_of_one_image_pair_up_but_not_those_without_a_word_in_common(tmp_path: Path) -> None:
    documents = [Doc([text], pair_id="image", source="flickr8k") for text in CAPTIONS]
    out = mined(tmp_path, documents, per_pair_id=9, min_overlap=0.15)
    assert pairs(out) == {(frozenset(two), "pair-flickr8k") for two in combinations(CAPTIONS[:3], 2)}
    few = mined(tmp_path / "few", documents, per_pair_id=2, min_overlap=0.15)
    assert len(pairs(few)) == 2
    assert pairs(few) < pairs(out)
    assert dropped(few)["pair: beyond 2 of one pair_id"] == 1


def test_of_many_texts_of_one_thing_some_stay_in_corpus_order() -> None:
    members = [Member(place, f"s{place}", "en", "train", "flickr8k") for place in range(40)]
    gone: Counter[str] = Counter()
    some = limited(members, 13, gone)
    assert len(some) == 8
    assert some == sorted(some)
    assert some != members[:8]
    assert gone == {"pair: beyond 8 texts of one pair_id": 32}
    assert limited(members, 14, gone) != some


def test_a_source_may_be_left_out(tmp_path: Path) -> None:
    documents = [Doc([text], pair_id=source, source=source) for source in ("a", "b") for text in VERSE]
    assert {kind for _, kind in pairs(mined(tmp_path, documents, exclude=["b"]))} == {"pair-a"}


def test_a_split_sentence_pairs_with_its_two_parts_as_one_side(tmp_path: Path) -> None:
    documents = [Doc([text], pair_id="s", source="wikisplit") for text in (WHOLE, *PARTS)]
    lone = [Doc([text], pair_id="t", source="wikisplit") for text in CAPTIONS[:2]]
    # Three parts of a sentence that cleaning has dropped.
    parts = [
        Doc([text], pair_id=f"u{schemas.OTHER_PARTS}", source="wikisplit") for text in (*VERSE, "A third .")
    ]
    out = mined(tmp_path, [*documents, *lone, *parts])
    assert pairs(out) == {(frozenset((WHOLE, " ".join(PARTS))), "pair-wikisplit")}
    assert dropped(out) == {"not a sentence and its two parts: wikisplit": 2}
    (row,) = store.rows(out)
    both = row["anchor"] if row["anchor"]["text"] != WHOLE else row["positive"]
    assert both["words"] == [word for part in PARTS for word in part.split()]
    assert both["heads"].count(0) == 1
    assert row["source_id"] == "d0-0"


def test_what_is_no_split_sentence_is_counted_under_its_own_source(tmp_path: Path) -> None:
    """Of the second source no text is one sentence."""
    first = [Doc([text], pair_id="s", source="wikisplit") for text in (WHOLE, *PARTS)]
    lone = [Doc([text], pair_id="t", source="other") for text in CAPTIONS[:2]]
    several = [Doc([text, f"And more {text} ."], pair_id="u", source="other") for text in CAPTIONS[2:]]
    four = [
        Doc([text], pair_id="v", source="other") for text in (*VERSE, "A third verse .", "A fourth verse .")
    ]
    none = [Doc(["held out"], "test", pair_id="w", source="other"), Doc(["of no pair"], source="wikisplit")]
    out = mined(tmp_path, [*first, *lone, *several, *four, *none], split_sources=["wikisplit", "other"])
    assert pairs(out) == {(frozenset((WHOLE, " ".join(PARTS))), "pair-wikisplit")}
    assert dropped(out) == {"not a sentence and its two parts: other": 3}


def test_pairs_and_variants_have_limits_of_their_own(tmp_path: Path) -> None:
    """Those of ``mine.parabart`` in place of ``mine.pairs``, and of a variant only what it shares."""
    long = "it was on the wall of the old house that dogs"
    documents = [
        *(Doc([text], pair_id="v") for text in VERSE),
        Doc(["dogs bark"], variants=[("same", "cleft", f"{long} bark"), ("same", "copy", "Dogs  bark")]),
    ]
    out = mined(tmp_path, documents, min_overlap=0.9, max_shared=1.0)
    assert pairs(out) == {(frozenset(("dogs bark", f"{long} bark")), "cleft")}
    assert dropped(out) == {"pair: too few words shared": 1, "equal text: copy": 1}


@pytest.mark.parametrize(("most", "kept"), [(0.2, 1), (0.19, 0)])
def test_what_shares_as_many_ngrams_as_may_be_is_kept(tmp_path: Path, most: float, kept: int) -> None:
    documents = [
        Doc(["a b c d e"], variants=[("same", "rule", "a b c x e")]),  # one of five
        Doc(["dogs bark"], variants=[("same", "other", "barking is what they do")]),
    ]
    out = mined(tmp_path, documents, ngram=3, max_shared=most)
    assert [kind for _, kind, _, _ in triples(out)] == ["rule"] * kept + ["other"]


def test_the_pairs_of_a_crowd_are_drawn_by_content_and_seed(tmp_path: Path) -> None:
    documents = [Doc([f"{text} near house{n}"], pair_id=f"i{n}") for n in range(12) for text in CAPTIONS[:3]]
    inputs = write(tmp_path, documents)
    drawn = []
    for seed in (13, 14):
        changed = params(parabart={"per_pair_id": 1}, seed=seed)
        paraphrase_pairs.mine(inputs, tmp_path / str(seed), changed, no_vectors)
        found = [
            frozenset(CAPTIONS.index(text.partition(" near")[0]) for text in (anchor, positive))
            for anchor, _, positive, _ in triples(tmp_path / str(seed))
        ]
        assert len(found) == 12
        assert len(set(found)) > 1  # not always the first two
        drawn.append(found)
    assert drawn[0] != drawn[1]


def test_either_of_the_two_is_the_source_by_lot(tmp_path: Path) -> None:
    documents = [
        Doc([text.replace("God", f"God{n} he{n}")], pair_id=f"v{n}", source=source)
        for n in range(30)
        for source, text in zip(("older", "newer"), VERSE, strict=True)
    ]
    first = triples(mined(tmp_path, documents))
    older = sum(anchor.startswith("In the beginning") for anchor, _, _, _ in first)
    assert 5 < older < 25
    assert first == triples(mined(tmp_path / "again", documents))
    other = tmp_path / "other seed"
    paraphrase_pairs.mine(write(other, documents), other / "out", params(seed=14), no_vectors)
    assert first != triples(other / "out")
    assert pairs(tmp_path / "out") == pairs(other / "out")


def test_no_benchmark_text_on_either_side(tmp_path: Path) -> None:
    documents = [Doc([text], pair_id="v", source="a") for text in VERSE]
    documents += [Doc([text], pair_id="i", source="b") for text in CAPTIONS[:2]]
    out = mined(tmp_path, documents, benchmark=(CAPTIONS[1].upper(),))
    assert pairs(out) == {(frozenset(VERSE), "pair-a")}
    assert dropped(out) == {"benchmark text: anchor or positive": 1}


def test_a_benchmarks_training_part_may_be_learnt_from_where_the_corpus_names_it(tmp_path: Path) -> None:
    documents = [Doc([text], pair_id="v", source="t-train") for text in VERSE]
    inputs = write(tmp_path, documents)
    with store.ShardWriter(inputs.benchmarks, schemas.EXAMPLE) as writer:
        for split, text in (("train", VERSE[0]), ("test", CAPTIONS[0])):
            texts = {"a": text, "b": None, "score": None, "label": "1"}
            writer.add({"task": "t", "subset": "", "split": split, **texts})
    assert list(texts_of(inputs.benchmarks, ["t-train"])) == [CAPTIONS[0]]
    assert list(texts_of(inputs.benchmarks, ["t", "u-train"])) == [VERSE[0], CAPTIONS[0]]
    paraphrase_pairs.mine(inputs, tmp_path / "out", params(), no_vectors)
    assert len(triples(tmp_path / "out")) == 1


def test_simcse_can_learn_from_the_same_pairs(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc([text], pair_id="v") for text in VERSE])
    changed = params(simcse="paraphrases")
    mining.mine(inputs, tmp_path / "simcse", changed, no_vectors)
    paraphrase_pairs.mine(inputs, tmp_path / "parabart", changed, no_vectors)
    assert triples(tmp_path / "simcse") == triples(tmp_path / "parabart") != []


def test_two_trees_become_one() -> None:
    row = join_trees(parse("a b").row(), parse("c d e").row())
    assert (row["text"], row["words"]) == ("a b c d e", ["a", "b", "c", "d", "e"])
    assert row["heads"] == [0, 1, 1, 3, 3]
    assert row["deprels"] == ["root", "dep", "parataxis", "dep", "dep"]


@pytest.mark.parametrize("first", ["a", "a b c"])
def test_a_joined_row_fits_a_sentence(first: str) -> None:
    row = join_trees(parse(first).row(), parse("x y").row())
    assert len({len(row[name]) for name in ("words", "heads", "deprels", "upos", "xpos", "lemmas")}) == 1
    assert isinstance(Sentence.from_row({**parse(first + " x y").row(), **row}), Sentence)


def test_shared_ngrams_by_hand() -> None:
    a, b = list("Abcde"), list("abcxe")
    assert shared_ngrams(a, b, 3) == pytest.approx(1 / 5)
    assert shared_ngrams(a, b, 1) == pytest.approx(4 / 6)
    assert shared_ngrams(["a", "b"], ["A", "b"], 3) == 1.0
    assert shared_ngrams(["a"], ["b"], 3) == 0.0


words = st.lists(st.sampled_from("abAB"), min_size=1, max_size=7)


@settings(max_examples=100, deadline=None)
@given(words, words, st.integers(1, 4))
def test_shared_ngrams_as_counted_by_hand(a: list[str], b: list[str], n: int) -> None:
    def runs(row: list[str]) -> list[list[str]]:
        lower = [word.lower() for word in row]
        return [lower[i : i + n] for i in range(len(lower)) if i + n <= len(lower)] or [lower]

    union: list[list[str]] = []
    for run in [*runs(a), *runs(b)]:
        if run not in union:
            union.append(run)
    both = sum(run in runs(a) and run in runs(b) for run in union)
    assert shared_ngrams(a, b, n) == pytest.approx(both / len(union))
