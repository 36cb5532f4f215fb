"""Paraphrases of the corpus as positives: which are taken, which are refused, how many."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import Doc, bag_of_words, dropped, no_vectors, params, parse, triples, write

from pipeline.mining import variants
from pipeline.mining.paraphrases import Member, PairOf, no_paraphrase, read_pairs

PAIR = ("In the beginning God made heaven and earth .", "God created the heavens and the earth at first .")
FILLER = [
    Doc([f"w{n} x{n} y{n} z{n} ."], variants=[("same", "rule", f"x{n} w{n} y{n} z{n} .")]) for n in range(8)
]
PARAMS = params(pairs={"share": 0.5})


def mined(folder: Path, documents: list[Doc], **pairs: object) -> list[tuple[str, str, str, list[str]]]:
    changed = params(pairs={"share": 0.5, **pairs})
    variants.mine(write(folder, documents), folder / "out", changed, bag_of_words)
    return [row for row in triples(folder / "out") if row[1] == "pair"]


def test_texts_of_one_pair_id_are_positives_of_each_other_once(tmp_path: Path) -> None:
    found = mined(tmp_path, [*FILLER, *(Doc([text], pair_id="v1", source="a") for text in PAIR)])
    assert found == [(PAIR[0], "pair", PAIR[1], [])]
    # The first has the second to learn from, which has none itself.
    assert dropped(tmp_path / "out") == {"no variant to learn from": 1}


def test_an_anchor_keeps_its_hard_negatives_with_a_true_paraphrase(tmp_path: Path) -> None:
    wrong = "In the beginning God never made heaven and earth ."
    first = Doc([PAIR[0]], pair_id="v1", variants=[("different", "negation", wrong)])
    found = mined(tmp_path, [*FILLER, first, Doc([PAIR[1]], pair_id="v1")])
    assert found == [(PAIR[0], "pair", PAIR[1], [wrong])]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Doc(["In the beginning God made heaven and earth ;"]), "near copy"),
        (Doc(["in the  BEGINNING God made heaven and earth ."]), "equal text"),
        (Doc(["Wholly other words stand here"]), "too few words shared"),
        (Doc(["God made heaven"]), "lengths differ"),
        (Doc(["Au commencement God made heaven and earth ."], lang="fr"), "another language"),
        (Doc(["God created the heavens and the earth at first ."], "dev"), "another split"),
        (Doc(["God created " + "the heavens and the earth " * 9]), "longer than 40 words"),
    ],
)
def test_what_is_no_paraphrase_is_counted(tmp_path: Path, second: Doc, reason: str) -> None:
    second.pair_id = "v1"
    assert mined(tmp_path, [*FILLER, Doc([PAIR[0]], pair_id="v1"), second]) == []
    assert dropped(tmp_path / "out")[f"pair: {reason}"] == 1


def test_pairs_at_the_limits_are_paraphrases() -> None:
    def reason(**limits: float) -> str | None:
        return no_paraphrase(parse("a b").row(), parse("a b c d").row(), params(pairs=limits).pairs, 4)

    assert reason(min_length_ratio=0.5, min_overlap=0.5, max_overlap=0.5) is None
    assert reason(min_length_ratio=0.51, min_overlap=0.5, max_overlap=0.5) == "lengths differ"
    assert reason(min_length_ratio=0.5, min_overlap=0.51, max_overlap=1.0) == "too few words shared"
    assert reason(min_length_ratio=0.5, min_overlap=0.0, max_overlap=0.49) == "near copy"


def test_documents_of_more_than_their_one_sentence_are_not_aligned(tmp_path: Path) -> None:
    several = Doc([PAIR[1], "And more ."], pair_id="v1")
    lost = Doc([PAIR[1]], pair_id="v2", lost="A part that was not parsed.")
    first = [Doc([PAIR[0]], pair_id=name) for name in ("v1", "v2")]
    assert mined(tmp_path, [*FILLER, *first, several, lost]) == []


def test_sources_whose_pair_id_ties_parts_are_left_out(tmp_path: Path) -> None:
    documents = [*FILLER, *(Doc([text], pair_id="v1", source="wikisplit") for text in PAIR)]
    assert mined(tmp_path / "a", documents) == []
    assert len(mined(tmp_path / "b", documents, exclude=[])) == 1


def test_pairs_keep_to_their_share_of_each_split(tmp_path: Path) -> None:
    verses = [
        Doc([text.replace("God", f"God{n} he{n}")], split, pair_id=f"v{n}")
        for n, split in [*((n, "train") for n in range(10)), (10, "dev")]
        for text in PAIR
    ]
    found = mined(tmp_path, [*FILLER, *verses], share=0.2)
    assert len(found) == 2  # of eight other training examples, so that two are a fifth; none of no others
    assert dropped(tmp_path / "out")["pair: beyond its share of the examples"] == 9
    assert mined(tmp_path / "none", [*FILLER, *verses], share=0.0) == []
    assert not any(reason.startswith("pair") for reason in dropped(tmp_path / "none" / "out"))


def test_a_crowd_under_one_pair_id_stays_bounded(tmp_path: Path) -> None:
    crowd = [Doc([f"God made heaven {n} and the earth of all {n}"], pair_id="v") for n in range(12)]
    found = mined(tmp_path, [*FILLER, *crowd], max_overlap=1.0, share=0.9)
    assert len(found) == 8 * 7 / 2
    assert dropped(tmp_path / "out")["pair: beyond 8 texts of one pair_id"] == 4


def test_a_corpus_without_pairs_costs_nothing(tmp_path: Path) -> None:
    variants.mine(write(tmp_path, FILLER), tmp_path / "out", PARAMS, no_vectors)
    assert not any("pair" in reason for reason in dropped(tmp_path / "out"))


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 2**64 - 1)))
def test_every_sentence_has_the_number_of_its_pair_id(pairs: dict[str, int]) -> None:
    pair_of = PairOf()
    for sent_id, pair in pairs.items():
        pair_of.add(sent_id, pair)
    assert len(pair_of) == len(pairs)
    assert {sent_id: pair_of.get(sent_id) for sent_id in pairs} == pairs
    assert pair_of.get("none of them") is None
    assert len(pair_of) == len(pairs)


def test_the_members_of_a_pair_id_are_two_or_more(tmp_path: Path) -> None:
    documents = [Doc(["alone"], pair_id="u")]
    documents += [Doc([text], pair_id="v", source=source) for source, text in zip("ab", PAIR, strict=True)]
    (members,) = read_pairs(write(tmp_path, documents), PARAMS).members()
    assert members == [
        Member(1, "d1-0", "en", "train", "a"),
        Member(2, "d2-0", "en", "train", "b"),
    ]


def test_a_source_that_is_left_out_as_positive_still_gives_no_negative(tmp_path: Path) -> None:
    """Captions of one picture are no paraphrases to learn from, and may say the same all the same."""
    documents = [
        Doc([text], pair_id="v1", source="flickr8k") for text in ("a dog runs", "the dog is running")
    ]
    excluded = params(pairs={"exclude": ["flickr8k"]})
    paired = read_pairs(write(tmp_path, [*documents, Doc(["alone"])]), excluded)
    assert list(paired.members()) == []
    assert paired.pair_of.get("d0-0") == paired.pair_of.get("d1-0") is not None
    assert paired.pair_of.get("d2-0") is None


def test_a_variant_that_says_what_a_paraphrase_says_is_no_negative(tmp_path: Path) -> None:
    documents = [
        *FILLER,
        Doc(
            [PAIR[0]],
            pair_id="v1",
            variants=[("different", "swap", PAIR[1]), ("different", "cut", "God made")],
        ),
        Doc([PAIR[1]], pair_id="v1"),
    ]
    assert mined(tmp_path, documents) == [(PAIR[0], "pair", PAIR[1], ["God made"])]
    assert dropped(tmp_path / "out")["negative equal to the anchor or a positive"] == 1
