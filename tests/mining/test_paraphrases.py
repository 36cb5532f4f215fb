"""Paraphrases that the corpus marks: which are positives, and what a decoder learns to write."""

from pathlib import Path

import pytest
from hypothesis import strategies as st
from small_corpus import Doc, Triple, dropped, mined, params, parse, triples, write

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.mining.build import mine
from pipeline.mining.pairs import join_trees
from pipeline.syntax.sentence import Sentence

PAIR = ("In the beginning God made heaven and earth .", "God created the heavens and the earth at first .")
FILLER = [
    Doc([f"w{n} x{n} y{n} z{n} ."], variants=[("same", "rule", f"x{n} w{n} y{n} z{n} .")]) for n in range(8)
]
CAPTIONS = (
    "a brown dog runs over the wet grass",
    "the dog is running on grass",
    "one dog leaps over some very wet grass",
    "an animal outside",
)
WHOLE = "The bridge was built in 1901 and it burnt down after the second great war ."
PARTS = ("The bridge was built early in 1901 .", "It burnt down later , after the second great war .")


def positives(folder: Path, documents: list[Doc], share: float = 0.5) -> list[Triple]:
    found = mined("synsem", folder, [*FILLER, *documents], pair_share=share, synsem={"templates": 0.0})
    return [row for row in found if row[1] == "pair"]


def test_texts_of_one_pair_id_are_positives_once(tmp_path: Path) -> None:
    assert positives(tmp_path, [Doc([text], pair_id="v") for text in PAIR]) == [
        (PAIR[0], "pair", PAIR[1], [])
    ]


def test_paraphrase_comes_with_hard_negatives_that_say_something_else(tmp_path: Path) -> None:
    wrong = "In the beginning God never made heaven and earth ."
    variants = [("different", "negation", wrong), ("different", "swap", PAIR[1])]
    first = Doc([PAIR[0]], pair_id="v", variants=variants)
    assert positives(tmp_path, [first, Doc([PAIR[1]], pair_id="v")]) == [(PAIR[0], "pair", PAIR[1], [wrong])]
    assert dropped(tmp_path)["negative equal to the anchor or a positive"] == 1


def test_the_same_words_in_another_order_are_a_paraphrase(tmp_path: Path) -> None:
    """As most of PAWS's are."""
    other = "God made heaven and earth in the beginning ."
    documents = [Doc([text], pair_id="v") for text in (PAIR[0], other)]
    assert positives(tmp_path, documents) == [(PAIR[0], "pair", other, [])]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Doc(["in the  BEGINNING God made heaven and earth ."]), "equal text"),
        (Doc(["Wholly other words stand here"]), "too few words shared"),
        (Doc(["God made heaven"]), "lengths differ"),
        (Doc(["Au commencement God made heaven and earth ."], lang="fr"), "another language"),
        (Doc(["God created the heavens and the earth at first ."], "dev"), "another split"),
        (Doc(["God created " + "the heavens and the earth " * 9]), "longer than 40 words"),
    ],
)
def test_what_is_no_paraphrase_is_counted(second: Doc, reason: str, tmp_path: Path) -> None:
    second.pair_id = "v"
    assert positives(tmp_path, [Doc([PAIR[0]], pair_id="v"), second]) == []
    assert dropped(tmp_path)[f"pair: {reason}"] == 1


def test_documents_of_more_than_one_sentence_are_not_aligned(tmp_path: Path) -> None:
    several = Doc([PAIR[1], "And more ."], pair_id="v")
    lost = Doc([PAIR[1]], pair_id="w", lost="A part that was not parsed.")
    assert positives(tmp_path, [*(Doc([PAIR[0]], pair_id=name) for name in "vw"), several, lost]) == []


@pytest.mark.parametrize("source", ["wikisplit", "flickr8k"])
def test_sources_of_parts_and_captions_give_no_positives(source: str, tmp_path: Path) -> None:
    assert positives(tmp_path, [Doc([text], pair_id="v", source=source) for text in PAIR]) == []


def test_pairs_keep_to_their_share_of_each_split(tmp_path: Path) -> None:
    verses = [
        Doc([text.replace("God", f"God{n} he{n}")], split, pair_id=f"v{n}")
        for n, split in [*((n, "train") for n in range(10)), (10, "dev")]
        for text in PAIR
    ]
    found = positives(tmp_path, verses, share=0.2)
    assert len(found) == 2  # of eight other training examples, so that two are a fifth; none of no others
    assert dropped(tmp_path)["pair: beyond mine.pair_share of the examples"] == 9
    order = [row for row in triples(tmp_path / "out") if row[1] != "pair"]
    assert order == [row for row in positives_and_others(tmp_path / "none", verses) if row[1] != "pair"]


def positives_and_others(folder: Path, documents: list[Doc]) -> list[Triple]:
    return mined("synsem", folder, [*FILLER, *documents], pair_share=0.0, synsem={"templates": 0.0})


def test_sentences_of_another_corpus_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "one", [Doc(["a b"], pair_id="p", name="other")])
    two = write(tmp_path / "two", [Doc(["a b"], pair_id="p")])
    with pytest.raises(SynsemError, match="parse again"):
        mine("sscp", two._replace(corpus=one.corpus), tmp_path / "out", params())


def written(folder: Path, documents: list[Doc], **changes: object) -> set[tuple[frozenset[str], str]]:
    """The examples of parabart as their two texts, whichever is the source, and their kind."""
    found = mined("parabart", folder, documents, **changes)
    return {(frozenset((a, b)), kind) for a, kind, b, _ in found}


def test_pairs_and_variants_are_written_and_near_copies_counted(tmp_path: Path) -> None:
    long = "the dog that barks all night sees the small cat on the wall"
    passive = "the small cat on the wall is seen by the dog that barks all night"
    documents = [
        Doc([PAIR[0]], pair_id="v", source="bible-a"),
        Doc([PAIR[1]], pair_id="v", source="bible-b"),
        Doc(["so the lord made all heaven and earth ."], pair_id="w", source="bible-a"),
        Doc(["So the lord made all heaven and earth !"], pair_id="w", source="bible-b"),
        Doc([long], variants=[
            ("same", "passive", passive), ("same", "fronting", f"all {long}"), ("same", "copy", long.upper()),
            ("different", "negation", "no"), ("order", "rotation", "wall the"),
        ]),
    ]  # fmt: skip
    found = written(tmp_path, documents)
    assert found == {(frozenset(PAIR), "pair-bible-b"), (frozenset((long, passive)), "passive")}
    assert dropped(tmp_path) == {
        "near copy: fronting": 1, "near copy: pair-bible-b": 1, "equal text: copy": 1
    }  # fmt: skip
    assert mined("simcse", tmp_path / "s", documents, simcse={"positives": "paraphrases"}) == triples(
        tmp_path / "out"
    )


def test_split_sentence_pairs_with_its_two_parts_joined(tmp_path: Path) -> None:
    documents = [Doc([text], pair_id="s", source="wikisplit") for text in (WHOLE, *PARTS)]
    lone = [Doc([text], pair_id="t", source="wikisplit") for text in CAPTIONS[:2]]
    # Three parts of a sentence that cleaning has dropped.
    parts = [
        Doc([text], pair_id=f"u{schemas.OTHER_PARTS}", source="wikisplit") for text in (*PAIR, "A third .")
    ]
    found = written(tmp_path, [*documents, *lone, *parts])
    assert found == {(frozenset((WHOLE, " ".join(PARTS))), "pair-wikisplit")}
    assert dropped(tmp_path) == {"not a sentence and its two parts: wikisplit": 2}
    (row,) = store.rows(tmp_path / "out")
    both = row["anchor"] if row["anchor"]["text"] != WHOLE else row["positive"]
    assert both["words"] == [word for part in PARTS for word in part.split()]
    assert both["heads"].count(0) == 1
    assert row["source_id"] == "d0-0"


@pytest.mark.parametrize("first", ["a b", "a"])
def test_two_trees_become_one(first: str) -> None:
    row = join_trees([parse(first).row(), parse("c d e").row()])
    start = len(first.split())
    assert (row["text"], row["words"]) == (f"{first} c d e", [*first.split(), "c", "d", "e"])
    assert row["heads"] == [0, *[1] * start, start + 1, start + 1]
    assert row["deprels"] == ["root", *["dep"] * (start - 1), "parataxis", "dep", "dep"]
    assert len(Sentence.from_row({**parse(f"{first} c d e").row(), **row})) == start + 3
    assert join_trees([row]) is row


words = st.lists(st.sampled_from("abAB"), min_size=1, max_size=7)
