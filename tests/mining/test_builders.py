"""The dataset builders of the systems on a corpus made by hand; all of them on bad input."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_corpus import Doc, bag_of_words, dropped, no_vectors, params, parse, triples, write

from pipeline.core import progress, schemas, store
from pipeline.core.errors import SynsemError
from pipeline.mining import variants as variant_examples
from pipeline.mining.inputs import Inputs
from pipeline.systems.builders import builder
from pipeline.systems.cssl import mining as cssl
from pipeline.systems.ebsim import mining as ebsim
from pipeline.systems.ebsim.mining import masked
from pipeline.systems.simcse import mining as simcse
from pipeline.systems.upos import mining as upos

VERSE = ("In the beginning God made heaven and earth .", "God created the heavens and the earth at first .")


def test_cssl_positives_hold_exactly_the_words_of_their_sentence(tmp_path: Path) -> None:
    documents = [
        Doc(["a b c d"], variants=[("order", "permutation", "c a d b"), ("order", "cropping", "a b")]),
        Doc(["e f g"], variants=[("order", "rotation", "f g e"), ("same", "passive", "g f e")]),
        Doc(["h i"]),
    ]
    cssl.mine(write(tmp_path, documents), tmp_path / "out", params(), no_vectors)
    rows = list(store.rows(tmp_path / "out"))
    assert [row["positive_kind"] for row in rows] == ["permutation"] * 3
    for row in rows:
        anchor, positive = row["anchor"], row["positive"]
        assert anchor["words"] != positive["words"]
        assert sorted(anchor["words"]) == sorted(positive["words"])
        assert _arcs(anchor) == _arcs(positive)


def _arcs(side: dict[str, Any]) -> set[tuple[str, str]]:
    names = ["root", *side["words"]]
    return {(word, names[head]) for word, head in zip(side["words"], side["heads"], strict=True)}


ORDERS = [("order", "rotation", "b a c d"), ("order", "permutation", "d c b a"), ("order", "cropping", "a b")]
REORDERED = [
    Doc(["a b c d"], variants=ORDERS),
    Doc(["short"]),
    Doc(["x a b c"], "dev", [("order", "rotation", "a x b c")]),
    Doc(["y a b c"], "test", [("order", "permutation", "c y b a")]),
]


def test_every_training_sentence_is_an_anchor_once(tmp_path: Path) -> None:
    kept = cssl.mine(write(tmp_path, REORDERED), tmp_path / "out", params(), no_vectors)
    assert [(anchor, kind) for anchor, kind, _, _ in triples(tmp_path / "out")] == [
        ("a b c d", "permutation"),
        ("short", "identity"),
        ("x a b c", "permutation"),
    ]
    assert (kept["train"], kept["dev"]) == (2, 1)


@pytest.mark.parametrize("choice", ["none", "rotation", "rotation_and_cropping"])
def test_augmentation_adds_rotated_and_if_asked_cropped_trees_to_the_training_split_alone(
    choice: str, tmp_path: Path
) -> None:
    cssl.mine(write(tmp_path, REORDERED), tmp_path / "out", params(cssl={"augmentation": choice}), no_vectors)
    found = triples(tmp_path / "out")
    rotated = ["b a c d"] if choice != "none" else []
    cropped = ["a b"] if choice == "rotation_and_cropping" else []
    assert [anchor for anchor, _, _, _ in found] == ["a b c d", *rotated, *cropped, "short", "x a b c"]
    # The positive of a rotated tree is the sentence's own, which keeps the two out of one batch.
    assert [positive for anchor, _, positive, _ in found if anchor in rotated] == [found[0][2]] * len(rotated)
    assert [positive for anchor, _, positive, _ in found if anchor in cropped] == cropped


def test_a_treebank_takes_the_place_of_the_corpus_and_an_empty_one_does_not(tmp_path: Path) -> None:
    inputs = write(tmp_path, REORDERED)
    gold = write(tmp_path / "gold", [Doc(["gold"])])
    (tmp_path / "gold" / "parsed" / "augmented").symlink_to(gold.augmented)
    cssl.mine(inputs._replace(treebank=gold.parsed), tmp_path / "out", params(), no_vectors)
    assert triples(tmp_path / "out") == [("gold", "identity", "gold", [])]
    empty = write(tmp_path / "empty", [])
    assert inputs._replace(treebank=empty.parsed).gold().parsed == inputs.parsed


PASSIVE = [
    Doc(["the dog bit the man"], variants=[("same", "passive", "the man was bitten by the dog"),
                                           ("different", "argument_swap", "the man bit the dog")]),
    Doc(["rain fell all day"]),
]  # fmt: skip


@pytest.mark.parametrize("choice", ["self", "mined"])
def test_positives_are_the_sentences_themselves_or_those_of_sscp(choice: str, tmp_path: Path) -> None:
    inputs, chosen = write(tmp_path, PASSIVE), params().model_copy(update={"simcse": choice})
    simcse.mine(inputs, tmp_path / "simcse", chosen, no_vectors)
    variant_examples.mine(inputs, tmp_path / "sscp", chosen, no_vectors)
    found = triples(tmp_path / "simcse")
    if choice == "mined":
        assert found == triples(tmp_path / "sscp")
        assert [kind for _, kind, _, _ in found] == ["passive"]
    else:
        assert sorted(anchor for anchor, _, _, _ in found) == ["rain fell all day", "the dog bit the man"]
        assert all(anchor == positive and not negatives for anchor, _, positive, negatives in found)


def test_upos_targets_are_translations_then_paraphrases_then_the_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upos, "held_out", lambda tags: False)
    documents = [
        Doc(["the dog sees a cat"], pair_id="t", lang="en"),
        Doc(["le chien voit un chat"], pair_id="t", lang="fr"),
        Doc(["a dog looks at a cat"], pair_id="t", lang="en"),
        Doc([VERSE[0]], pair_id="v"),
        Doc([VERSE[1]], pair_id="v"),
        Doc(["alone it stands"]),
        Doc(["held back here"], "test", pair_id="u"),
        Doc(["kept for training"], pair_id="u"),
        Doc(["kept for choosing"], "dev", pair_id="w"),
        Doc(["gardé pour apprendre"], pair_id="w", lang="fr"),
    ]
    upos.mine(write(tmp_path, documents), tmp_path / "out", params(), no_vectors)
    assert triples(tmp_path / "out") == [
        ("the dog sees a cat", "translation-fr", "le chien voit un chat", []),
        ("le chien voit un chat", "translation-en", "the dog sees a cat", []),
        ("le chien voit un chat", "translation-en", "a dog looks at a cat", []),
        ("a dog looks at a cat", "translation-fr", "le chien voit un chat", []),
        (VERSE[0], "pair", VERSE[1], []),
        (VERSE[1], "pair", VERSE[0], []),
        ("alone it stands", "identity", "alone it stands", []),
        ("kept for training", "identity", "kept for training", []),
        ("kept for choosing", "identity", "kept for choosing", []),
        ("gardé pour apprendre", "identity", "gardé pour apprendre", []),
    ]
    assert all(
        row["positive"]["upos"] == ["NOUN"] * len(row["positive"]["words"])
        for row in store.rows(tmp_path / "out")
    )


TRANSLATED = [
    Doc(["a dog sees"], pair_id="t", lang="en"),
    Doc(["un chien voit"], pair_id="t", lang="fr"),
    Doc(["un perro ve ahora"], pair_id="t", lang="es"),
    Doc(["alone it stands"], lang="en"),
    Doc(["seul il reste"], lang="fr"),
]


def test_upos_leaves_languages_out_as_sources_or_as_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upos, "held_out", lambda tags: False)
    inputs = write(tmp_path, TRANSLATED)
    only = params(upos={"sources": ["fr", "es"], "targets": ["en"]})
    upos.mine(inputs, tmp_path / "out", only, no_vectors)
    assert triples(tmp_path / "out") == [
        ("un chien voit", "translation-en", "a dog sees", []),
        ("un perro ve ahora", "translation-en", "a dog sees", []),
    ]
    assert dropped(tmp_path / "out") == {
        "language not in mine.upos.sources": 2,
        "no translation into mine.upos.targets": 1,
    }


def test_upos_learns_nothing_from_text_without_tags(tmp_path: Path) -> None:
    """What a parser or a treebank without tags gives: X for every word."""
    inputs = write(tmp_path, [Doc([" ".join("word" for _ in range(length))]) for length in range(3, 30)])
    for path in store.shards(inputs.sentences):
        bare = [row | {"upos": ["X"] * len(row["words"])} for row in store.read_file(path).to_pylist()]
        store.write_rows(path, bare, schemas.SENTENCE)
    with pytest.raises(SynsemError, match=r"no training example; .*target without UPOS: 27"):
        upos.mine(inputs, tmp_path / "out", params(), no_vectors)


def test_upos_reads_and_predicts_no_tag_sequence_that_is_held_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upos, "held_out", lambda tags: len(tags) == 4)
    upos.mine(write(tmp_path, TRANSLATED), tmp_path / "out", params(), no_vectors)
    rows = list(store.rows(tmp_path / "out"))
    assert rows
    assert {len(row[side]["upos"]) for row in rows for side in ("anchor", "positive")} == {3}
    reason = "shape held out for evaluation"
    assert dropped(tmp_path / "out") == {reason: 1, f"target: {reason}": 2}


ARTICLE = Doc(
    [
        "It was painted in spring .",
        "The Night Watch is a painting by Rembrandt .",
        "Many people see the watch each day .",
    ],
    title="Night Watch",
)


def test_ebsim_ranks_sentences_by_their_title(tmp_path: Path) -> None:
    inputs = write(tmp_path, [ARTICLE, Doc(["No title here ."]), Doc(["One dog sleeps ."], title="Dog")])
    ebsim.mine(inputs, tmp_path / "out", params(ebsim={"per_document": 5}), bag_of_words)
    first = ARTICLE.sentences[1]
    assert triples(tmp_path / "out") == [
        ("Night Watch", "title", first, [ARTICLE.sentences[2]]),
        ("Night Watch", "title", first, [ARTICLE.sentences[0]]),
        ("Night Watch", "title", first, ["The [MASK] [MASK] is a painting by Rembrandt ."]),
        ("Dog", "title", "One dog sleeps .", ["One [MASK] sleeps ."]),
    ]
    row = next(store.rows(tmp_path / "out"))
    assert (row["anchor"]["words"], row["anchor"]["heads"], row["anchor"]["deprels"]) == (
        ["Night", "Watch"], [0, 1], ["root", "flat"]
    )  # fmt: skip
    assert dropped(tmp_path / "out") == {
        "document without title": 1,
        "document of one sentence: no later one": 1,
    }


def test_a_title_for_ebsim_has_whole_words_where_vowels_are_marks(tmp_path: Path) -> None:
    """In Hindi ``boy`` and ``girl`` have the same consonants."""
    article = Doc(["लड़की घर गयी .", "लड़का घर गया ."], title="लड़का: एक कहानी", lang="hi")
    ebsim.mine(write(tmp_path, [article]), tmp_path / "out", params(), bag_of_words)
    row = next(store.rows(tmp_path / "out"))
    assert row["anchor"]["words"] == ["लड़का", ":", "एक", "कहानी"]
    assert row["positive"]["text"] == article.sentences[1]


def test_ebsim_reads_no_document_of_the_test_split(tmp_path: Path) -> None:
    documents = [
        Doc([f"{word} sleeps .", f"{word} eats ."], split, title=word)
        for word, split in (("Dog", "train"), ("Cat", "dev"), ("Cow", "test"))
    ]
    ebsim.mine(write(tmp_path, documents), tmp_path / "out", params(), bag_of_words)
    found = {(row["anchor"]["text"], row["split"]) for row in store.rows(tmp_path / "out")}
    assert found == {("Dog", "train"), ("Cat", "dev")}
    assert dropped(tmp_path / "out") == {}


def test_the_negative_of_ebsim_is_the_next_sentence_by_rank_or_any_later_one(tmp_path: Path) -> None:
    """The paper (4.1.2) builds <title, relevant 1, relevant 2>. Ranks: the cosines with the title."""
    words = [f"title{number}" for number in range(12)]
    titled = [
        Doc(
            [f"{word} alone .", f"{word} and much more .", f"{word} and very much more is there ."],
            title=word,
        )
        for word in words
    ]
    inputs = write(tmp_path, titled)
    found = {}
    for choice in ("next", "any"):
        rule = params(ebsim={"masked": False, "negative": choice})
        ebsim.mine(inputs, tmp_path / choice, rule, bag_of_words)
        found[choice] = triples(tmp_path / choice)
        assert [first for _, _, first, _ in found[choice]] == [f"{word} alone ." for word in words]
    assert [negative for *_, negative in found["next"]] == [[f"{word} and much more ."] for word in words]
    drawn = {tuple(negative[0].split()[1:]) for *_, negative in found["any"]}
    assert drawn == {("and", "much", "more", "."), ("and", "very", "much", "more", "is", "there", ".")}
    ebsim.mine(inputs, tmp_path / "two", params(ebsim={"masked": False, "per_document": 2}), bag_of_words)
    assert [negative[0].split()[2] for *_, negative in triples(tmp_path / "two")] == ["much", "very"] * 12


def test_function_words_are_never_masked(tmp_path: Path) -> None:
    """Although "the" is a word of the title: the paper masks synonymous entities."""
    inputs = Inputs(*(tmp_path / name for name in ("corpus", "benchmarks", "parsed", "augmented")))
    tree = replace(parse("the watch is the painting ."), upos=("DET", "NOUN", "AUX", "DET", "NOUN", "PUNCT"))
    write(tmp_path, [Doc([tree.text], title="The Watch")])
    store.write_rows(
        inputs.sentences / "part-00000.arrow",
        [{"sent_id": "d0-0", "doc_id": "d0", "lang": "en", "split": "train", **tree.row()}],
        schemas.SENTENCE,
    )
    ebsim.mine(inputs, tmp_path / "out", params(), bag_of_words)
    assert triples(tmp_path / "out")[0][3] == ["the [MASK] is the painting ."]


def test_masks_go_to_the_most_similar_words_and_to_half_at_most() -> None:
    row = parse("The red fox , the fox !").row() | {"text": "The red fox, the fox!"}
    similarity = np.array([0.9, 0.1, 1.0, -1.0, 0.85, 1.0, -1.0], dtype=np.float32)
    hidden = masked(row, similarity, params(ebsim={"mask_similarity": 0.8, "max_masked": 0.5}))
    assert hidden is not None
    assert hidden["text"] == "[MASK] red [MASK], the [MASK]!"
    assert hidden["words"] == ["[MASK]", "red", "[MASK]", ",", "the", "[MASK]", "!"]
    assert hidden["heads"] == row["heads"]
    assert masked(row, np.full(7, 0.5, dtype=np.float32), params()) is None


def test_a_word_just_as_similar_as_is_asked_for_is_masked() -> None:
    """Eq. 3 masks from the threshold on, that one included."""
    row = parse("The red fox slept .").row() | {"text": "The red fox slept."}
    settings = params(ebsim={"mask_similarity": 0.8, "max_masked": 0.5})
    hidden = masked(row, np.array([-1.0, 0.8, 0.79, 0.1, -1.0], dtype=np.float32), settings)
    assert hidden is not None
    assert hidden["text"] == "The [MASK] fox slept."


def test_ebsim_shows_its_progress_over_all_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    inputs = write(tmp_path, [ARTICLE, Doc(["No title here ."]), ARTICLE])
    ebsim.mine(inputs, tmp_path / "out", params(), bag_of_words)
    assert "mine ebsim: 3 of 3 documents" in capsys.readouterr().err


def test_ebsim_finds_the_same_whatever_the_size_of_its_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [
        Doc([f"the {word} is old .", f"people like {word} here .", "it is far ."], title=word)
        for word in ("bridge", "tower", "river", "church", "garden")
    ]
    inputs = write(tmp_path, documents)
    ebsim.mine(inputs, tmp_path / "whole", params(), bag_of_words)
    monkeypatch.setattr(ebsim, "_DOCUMENTS", 2)
    ebsim.mine(inputs, tmp_path / "blocks", params(), bag_of_words)
    assert triples(tmp_path / "whole") == triples(tmp_path / "blocks")
    assert len(triples(tmp_path / "whole")) == 10


BUILDERS = ("sscp", "simcse", "cssl", "parabart", "upos", "ebsim")
EVERYTHING = params(
    identity="all", pairs={"share": 0.5},
    similarity_sample=4, kind_share=0.3,
)  # fmt: skip
BAD = {
    "one document": [Doc(["only this sentence here"], title="T", pair_id="p")],
    "one sentence and its variants": [
        Doc(["a sees b"], variants=[
            ("same", "x", "b is seen"), ("different", "y", "b sees a"), ("order", "z", "b a sees"),
        ])
    ],
    "all texts equal": [Doc(["the same words again"], title="T", pair_id="p") for _ in range(6)],
    "no words": [Doc(["! ? ."], title="...", pair_id="p"), Doc([". . ."], title="T", pair_id="p")],
    "test alone": [Doc(["nothing to train on"], "test", title="T")],
    "dev alone": [Doc(["nothing to train on"], "dev", title="T")],
    "too long": [Doc(["word " * 60], title="T", pair_id="p")] * 2,
}  # fmt: skip


NO_TRAINING_TEXT = ("test alone", "dev alone", "too long")


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize("case", [case for case in BAD if case not in NO_TRAINING_TEXT])
def test_strange_corpora_give_sound_examples_or_one_clear_line(tmp_path: Path, name: str, case: str) -> None:
    inputs, out = write(tmp_path, BAD[case]), tmp_path / "out"
    variants = case == "one sentence and its variants"
    if name == "ebsim" or (name == "parabart" and not variants):  # no pair, no second sentence, no title
        with pytest.raises(SynsemError, match="no training example"):
            builder(name)(inputs, out, EVERYTHING, bag_of_words)
        return
    kept = builder(name)(inputs, out, EVERYTHING, bag_of_words)
    rows = list(store.rows(out))
    assert kept["train"] == len(rows) > 0
    for row in rows:
        assert len(row["negatives"]) == len(row["negative_kinds"]) == len(row["negative_hardness"])
        assert row["anchor"]["text"] not in [negative["text"] for negative in row["negatives"]]


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize("case", NO_TRAINING_TEXT)
def test_nothing_to_train_on_is_one_clear_line(tmp_path: Path, name: str, case: str) -> None:
    with pytest.raises(SynsemError, match="no training example; take more text"):
        builder(name)(write(tmp_path, BAD[case]), tmp_path / "out", EVERYTHING, bag_of_words)


@pytest.mark.parametrize("name", ["../../x", "", ".", "/tmp"])
def test_a_path_is_no_system(name: str) -> None:
    with pytest.raises(SynsemError, match=r"is unknown; choose from cssl"):
        builder(name)
