"""Corpus sentences of the same words in another structure become negatives."""

from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import Doc, dropped, no_vectors, params, parse, triples, write

from pipeline.mining import overlap_negatives, variants
from pipeline.mining.examples import tree_similarity
from pipeline.mining.inputs import Row
from pipeline.syntax.sentence import Side


def mined(folder: Path, documents: list[Doc], **overlap: object) -> dict[str, list[str]]:
    changed = params(identity="all", overlap=overlap)
    variants.mine(write(folder, documents), folder / "out", changed, no_vectors)
    return {anchor: negatives for anchor, _, _, negatives in triples(folder / "out")}


def test_what_will_be_written_has_its_place_on_the_disk(tmp_path: Path) -> None:
    """A process that writes to a mapped file on a full disk is killed, without a word."""
    overlap_negatives._Best(tmp_path, 100_000, 2)
    sizes = {path.name: path.stat() for path in tmp_path.iterdir()}
    assert {name: size.st_size for name, size in sizes.items()} == {"scores": 1_600_000, "others": 800_000}
    assert all(size.st_blocks * 512 >= size.st_size for size in sizes.values())


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.2, 0.3]), st.integers(0, 9)), unique=True),
    st.integers(1, 3),
)
def test_the_best_are_those_of_sorted_lists(added: list[tuple[int, float, int]], per_example: int) -> None:
    expected = defaultdict(list)
    with TemporaryDirectory() as folder:
        best = overlap_negatives._Best(Path(folder), 5, per_example)
        for each, score, other in added:
            best.add(each, score, other)
            expected[each].append((score, other))
        pairs = [
            (each, other) for each in sorted(expected) for _, other in sorted(expected[each])[:per_example]
        ]
        assert list(best.pairs()) == pairs
        assert best.given == len(added)


@pytest.mark.parametrize("exact_up_to", [100, 1])
def test_the_same_words_in_another_structure_are_negatives_of_each_other(
    tmp_path: Path, exact_up_to: int
) -> None:
    documents = [Doc([text]) for text in ("dogs chase cats", "cats chase dogs", "birds sing", "fish swim")]
    found = mined(tmp_path, documents, exact_up_to=exact_up_to)
    assert found == {
        "dogs chase cats": ["cats chase dogs"],
        "cats chase dogs": ["dogs chase cats"],
        "birds sing": [],
        "fish swim": [],
    }


def test_up_to_the_given_number_of_sentences_all_pairs_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashing beyond it may miss a pair."""
    monkeypatch.setattr(overlap_negatives, "hashed_pairs", lambda sets, threshold, seed: iter(()))
    documents = [Doc([text]) for text in ("dogs chase cats", "cats chase dogs", "birds sing")]
    assert mined(tmp_path / "all", documents, exact_up_to=3)["dogs chase cats"] == ["cats chase dogs"]
    assert mined(tmp_path / "hashed", documents, exact_up_to=2)["dogs chase cats"] == []


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Doc(["dogs often chase small cats"]), "one text contains the other"),
        (Doc(["cats chase dogs"]), "one text contains the other"),
        (Doc(["dogs chase small birds"]), "the same structure"),
        (Doc(["cats chase small dogs"], "dev"), "another split"),
        (Doc(["cats chase small dogs"], pair_id="p"), "shared pair_id"),
    ],
)
def test_what_may_mean_the_same_is_refused_and_counted(tmp_path: Path, second: Doc, reason: str) -> None:
    first = Doc(["dogs chase small cats"], pair_id="p")
    found = mined(tmp_path, [first, second])
    assert found == {"dogs chase small cats": [], second.sentences[0]: []}
    assert dropped(tmp_path / "out")[f"overlap: {reason}"] == 1


def test_trees_as_similar_as_may_be_are_negatives(tmp_path: Path) -> None:
    texts = ("dogs chase small cats", "birds chase small dogs")
    documents = [Doc([text]) for text in texts]
    similarity = tree_similarity(*(parse(text).row() for text in texts))
    assert 0 <= similarity < 1
    at, below = (
        mined(tmp_path / name, documents, max_structural_similarity=limit)
        for name, limit in (("at", similarity), ("below", similarity - 1e-6))
    )
    assert at == {texts[0]: [texts[1]], texts[1]: [texts[0]]}
    assert below == {texts[0]: [], texts[1]: []}


def test_a_sentence_that_is_too_long_for_an_example_is_no_negative(tmp_path: Path) -> None:
    documents = [
        Doc(["dogs chase small cats"]),
        Doc(["small cats chase dogs"]),
        Doc(["cats and dogs chase birds"]),
    ]
    changed = params(identity="all", max_words=4, overlap={"per_example": 9, "min_overlap": 0.5})
    variants.mine(write(tmp_path, documents), tmp_path / "out", changed, no_vectors)
    assert {anchor: negatives for anchor, _, _, negatives in triples(tmp_path / "out")} == {
        "dogs chase small cats": ["small cats chase dogs"],
        "small cats chase dogs": ["dogs chase small cats"],
    }


def test_a_sentence_that_is_a_variant_already_comes_once(tmp_path: Path) -> None:
    swapped = [("different", "argument_swap", "cats chase dogs")]
    found = mined(tmp_path, [Doc(["dogs chase cats"], variants=swapped), Doc(["cats chase dogs"])])
    assert found["dogs chase cats"] == ["cats chase dogs"]
    assert dropped(tmp_path / "out")["overlap: a variant already"] == 1


def test_a_sentence_that_says_what_a_variant_says_is_no_negative(tmp_path: Path) -> None:
    reworded = [("same", "passive", "cats chase dogs")]
    found = mined(tmp_path, [Doc(["dogs chase cats"], variants=reworded), Doc(["cats  chase dogs"])])
    assert found["dogs chase cats"] == []
    assert dropped(tmp_path / "out")["overlap: a variant already"] == 1


def test_a_sentence_that_may_say_what_a_positive_says_is_no_negative(tmp_path: Path) -> None:
    """It has all the words of a rewording, and one more."""
    reworded = [("same", "passive", "cats sleep in town")]
    texts = ("dogs sleep in town", "cats sleep in big town")
    documents = [Doc([texts[0]], variants=reworded), Doc([texts[1]])]
    found = mined(tmp_path, documents, max_structural_similarity=1.0)
    assert found[texts[0]] == []
    assert found[texts[1]] == [texts[0]]
    assert dropped(tmp_path / "out")["overlap: may mean the same as a positive"] == 1


def test_nor_is_one_that_may_say_what_a_paraphrase_says(tmp_path: Path) -> None:
    texts = ("dogs sleep in town", "cats lie in town", "cats sleep in big town lie")
    documents = [Doc([texts[0]], pair_id="p"), Doc([texts[1]], pair_id="p"), Doc([texts[2]])]
    changed = params(
        identity="all", overlap={"max_structural_similarity": 1.0, "min_overlap": 0.3}, pairs={"share": 0.9}
    )
    variants.mine(write(tmp_path, documents), tmp_path / "out", changed, no_vectors)
    found = {(anchor, kind): negatives for anchor, kind, _, negatives in triples(tmp_path / "out")}
    assert found[texts[0], "pair"] == []
    assert found[texts[2], "identity"] == [texts[0]]


BERLIN = Side(
    "Berlin is the capital of Germany", ["Berlin", "is", "the", "capital", "of", "Germany"],
    [4, 4, 4, 0, 6, 4], ["nsubj", "cop", "det", "root", "case", "nmod"],
    ["PROPN", "AUX", "DET", "NOUN", "ADP", "PROPN"],
)  # fmt: skip
TURNED = Side(
    "The capital of Germany is Berlin", ["The", "capital", "of", "Germany", "is", "Berlin"],
    [2, 6, 4, 2, 6, 0], ["det", "nsubj", "case", "nmod", "cop", "root"],
    ["DET", "NOUN", "ADP", "PROPN", "AUX", "PROPN"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "refused"),
    [
        (BERLIN, TURNED, True),
        (TURNED, BERLIN, True),
        (BERLIN, TURNED._replace(words=["The", "capital", "of", "Berlin", "is", "Germany"]), False),
        (BERLIN, TURNED._replace(deprels=["det", "nsubj", "case", "nmod", "aux", "root"]), False),
        (BERLIN._replace(upos=[*BERLIN.upos[:3], "ADJ", *BERLIN.upos[4:]]), TURNED, False),
    ],
)
def test_a_copular_clause_turned_round_may_mean_the_same(a: Side, b: Side, refused: bool) -> None:
    rows = [each._asdict() | {"text": " ".join(each.words)} for each in (a, b)]
    found = overlap_negatives.may_mean_the_same(rows[0], rows[1], 0.0, params())
    assert found == ("a copular clause turned round" if refused else None)


def test_the_least_similar_tree_comes_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    documents = [Doc([text]) for text in ("a b c d", "b a c d", "c b a d", "d b c a")]
    found = mined(tmp_path, documents, max_structural_similarity=1.0)
    assert all(len(negatives) == 1 for negatives in found.values())
    assert dropped(tmp_path / "out")["overlap: beyond mine.overlap.per_example"] == 8
    assert mined(tmp_path / "none", documents, per_example=0)["a b c d"] == []


def test_to_ask_for_more_negatives_than_pairs_are_examined_takes_no_room(tmp_path: Path) -> None:
    """Each place is 12 bytes of a file, for every sentence of the corpus."""
    documents = [Doc([text]) for text in ("dogs chase cats", "cats chase dogs", "chase dogs cats")]
    for name, per_example in (("most", overlap_negatives._EXAMINED), ("all", 10**12)):
        found = mined(tmp_path / name, documents, per_example=per_example)
        assert found["dogs chase cats"] == ["cats chase dogs", "chase dogs cats"]


def test_words_are_numbered_alike_in_every_process(tmp_path: Path) -> None:
    """Hashing works on the numbers, and the order of a set of strings differs between processes."""
    inputs = write(tmp_path, [Doc(["h g f e d c b a"]), Doc(["j b i a"])])
    sets, _, _ = overlap_negatives._word_sets(inputs, params(), tmp_path)
    assert sets.words.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 8, 9]
    assert sets.starts.tolist() == [0, 8, 12]


def test_a_corpus_of_one_template_stays_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examined: Counter[str] = Counter()

    def counted(one: Row, other: Row) -> float:
        examined.update((one["text"], other["text"]))
        return tree_similarity(one, other)

    monkeypatch.setattr(overlap_negatives, "tree_similarity", counted)
    documents = [Doc([f"it is the capital of {n}"]) for n in range(60)]
    mined(tmp_path, documents)
    assert max(examined.values()) == 16
    beyond = dropped(tmp_path / "out")["overlap: beyond 16 pairs of one sentence"]
    assert beyond == 60 * 59 // 2 - examined.total() // 2
