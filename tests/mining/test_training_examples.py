"""What each paper's system learns from, on a corpus made by hand; all systems on bad input."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_corpus import Doc, dropped, mined, params, parse, triples, write

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.mining.build import examples_of, mine
from pipeline.mining.inputs import Inputs
from pipeline.systems.ebsim import mining as ebsim
from pipeline.systems.upos import mining as upos


def test_cssl_positive_holds_the_words_and_arcs_of_its_sentence(tmp_path: Path) -> None:
    documents = [Doc([text]) for text in ("a b c d", "e f g", "h i")]
    assert [kind for _, kind, *_ in mined("cssl", tmp_path, documents)] == ["permutation"] * 3
    for row in store.rows(tmp_path / "out"):
        anchor, positive = row["anchor"], row["positive"]
        assert anchor["words"] != positive["words"]
        assert sorted(anchor["words"]) == sorted(positive["words"])
        assert _arcs(anchor) == _arcs(positive)


def _arcs(row: dict[str, Any]) -> set[tuple[str, str]]:
    names = ["root", *row["words"]]
    return {(word, names[head]) for word, head in zip(row["words"], row["heads"], strict=True)}


ORDERS = [("order", "rotation", "b a c d"), ("order", "permutation", "d c b a"), ("order", "cropping", "a b")]
REORDERED = [
    Doc(["a b c d"], variants=ORDERS),
    Doc(["short"]),
    Doc(["x a b c"], "dev", [("order", "rotation", "a x b c")]),
    Doc(["y a b c"], "test", [("order", "permutation", "c y b a")]),
]


@pytest.mark.parametrize(
    ("choice", "rotated", "cropped"),
    [("none", [], []), ("rotation", ["b a c d"], []), ("rotation_and_cropping", ["b a c d"], ["a b"])],
)
def test_cssl_augmentation_adds_training_trees(
    choice: str, rotated: list[str], cropped: list[str], tmp_path: Path
) -> None:
    found = mined("cssl", tmp_path, REORDERED, cssl={"augmentation": choice})
    kinds = ["permutation", *["permutation"] * len(rotated), *["identity"] * len(cropped)]
    assert [kind for _, kind, *_ in found] == [*kinds, "identity", "permutation"]
    assert [anchor for anchor, *_ in found] == ["a b c d", *rotated, *cropped, "short", "x a b c"]
    # The positive of a rotated tree is the sentence's own, which keeps the two out of one batch.
    assert [positive for anchor, _, positive, _ in found if anchor in rotated] == [found[0][2]] * len(rotated)


def test_treebank_takes_the_place_of_the_corpus(tmp_path: Path) -> None:
    inputs = write(tmp_path, REORDERED)
    gold = write(tmp_path / "gold", [Doc(["gold"], lang="te")])
    (tmp_path / "gold" / "parsed" / "augmented").symlink_to(gold.augmented)
    mine("cssl", inputs._replace(treebank=gold.parsed), tmp_path / "out", params())
    assert store.read_json(tmp_path / "out" / "report.json")["languages"] == ["te"]
    mine("sscp", inputs._replace(treebank=gold.parsed), tmp_path / "other", params())
    assert store.read_json(tmp_path / "other" / "report.json")["languages"] == ["en"]
    assert triples(tmp_path / "out") == [("gold", "identity", "gold", [])]
    for none in (None, tmp_path / "never made", write(tmp_path / "empty", []).parsed):
        assert inputs._replace(treebank=none).gold().parsed == inputs.parsed
    with pytest.raises(SynsemError, match=r"never made.*cssl\.treebank"):
        mine("cssl", inputs._replace(treebank=tmp_path / "never made"), tmp_path / "none", params())


def test_variants_can_be_left_out_of_paraphrases(tmp_path: Path) -> None:
    documents = [
        Doc(["the fox finds a river"], variants=[("same", "passive", "a river is found by the fox")])
    ]
    assert len(mined("parabart", tmp_path / "with", documents)) == 1
    with pytest.raises(SynsemError, match="no training example"):
        mined("parabart", tmp_path / "without", documents, variants=False)


VERSE = ("In the beginning God made heaven and earth .", "God created the heavens and the earth at first .")
TRANSLATED = [
    Doc(["a dog sees"], pair_id="t", lang="en"),
    Doc(["un chien voit"], pair_id="t", lang="fr"),
    Doc(["un perro ve ahora"], pair_id="t", lang="es"),
    Doc(["alone it stands"], lang="en"),
    Doc(["seul il reste"], lang="fr"),
]


def hold_out(patch: pytest.MonkeyPatch, length: int | None) -> None:
    patch.setattr(upos, "held_out", lambda tags: len(tags) == length)


def test_upos_targets_are_translations_then_paraphrases_then_the_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_out(monkeypatch, None)
    documents = [
        Doc(["the dog sees a cat"], pair_id="t", lang="en"),
        Doc(["le chien voit un chat"], pair_id="t", lang="fr"),
        Doc(["a dog looks at a cat"], pair_id="t", lang="en"),
        *(Doc([text], pair_id="v") for text in VERSE),
        Doc(["alone it stands"]),
        Doc(["held back here"], "test", pair_id="u"),
        Doc(["kept for training"], pair_id="u"),
        Doc(["kept for choosing"], "dev", pair_id="w"),
        Doc(["gardé pour apprendre"], pair_id="w", lang="fr"),
    ]
    assert mined("upos", tmp_path, documents) == [
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


def test_upos_leaves_out_languages_and_held_out_tags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold_out(monkeypatch, None)
    only = {"sources": ["fr", "es"], "targets": ["en"]}
    assert mined("upos", tmp_path, TRANSLATED, upos=only) == [
        ("un chien voit", "translation-en", "a dog sees", []),
        ("un perro ve ahora", "translation-en", "a dog sees", []),
    ]
    assert dropped(tmp_path) == {"language not in upos.sources": 2, "no translation into upos.targets": 1}
    hold_out(monkeypatch, 4)
    found = mined("upos", tmp_path / "held", TRANSLATED)
    assert found
    assert all(len(text.split()) == 3 for anchor, _, positive, _ in found for text in (anchor, positive))
    reason = "shape held out for evaluation"
    assert dropped(tmp_path / "held") == {reason: 1, f"target: {reason}": 2}


ARTICLE = Doc(
    [
        "It was painted in spring .",
        "The Night Watch is a painting by Rembrandt .",
        "Many people see the watch each day .",
    ],
    title="Night Watch",
)


@pytest.mark.usefixtures("word_model")
def test_ebsim_ranks_sentences_by_their_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [
        ARTICLE,
        Doc(["No title here ."]),
        Doc(["One dog sleeps ."], "dev", title="Dog"),
        Doc(["One cow sleeps .", "Two eat ."], "test", title="Cow"),
    ]
    first = ARTICLE.sentences[1]
    expected = [
        ("Night Watch", "title", first, [ARTICLE.sentences[2]]),
        ("Night Watch", "title", first, ["The [MASK] [MASK] is a painting by Rembrandt ."]),
        ("Dog", "title", "One dog sleeps .", ["One [MASK] sleeps ."]),
    ]
    assert mined("ebsim", tmp_path, documents) == expected
    row = next(store.rows(tmp_path / "out"))["anchor"]
    assert (row["words"], row["heads"], row["deprels"]) == (["Night", "Watch"], [0, 1], ["root", "flat"])
    assert dropped(tmp_path) == {"document without title": 1, "document of one sentence: no later one": 1}
    monkeypatch.setattr(ebsim, "_DOCUMENTS", 1)
    assert mined("ebsim", tmp_path / "blocks", documents) == expected
    assert mined("ebsim", tmp_path / "none", documents, ebsim={"mask_words": None}) == expected[:1]


def test_function_words_are_never_masked() -> None:
    """Although "the" is a word of the title: the paper masks synonymous entities."""
    tree = replace(parse("the Watch is one painting ."), upos=("DET", "NOUN", "AUX", "NUM", "NOUN", "PUNCT"))
    unlike = np.eye(9, dtype=np.float32)
    found = ebsim.similarity(["The", "watch"], tree.row(), lambda words: unlike[: len(words)] * 0)
    np.testing.assert_array_equal(found, [-1, 1, -1, 0, 0, -1])


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [
        ([0.9, 0.1, 1.0, -1.0, 0.85, 1.0, -1.0], "[MASK] red [MASK], the [MASK]!"),  # half at most
        ([-1.0, 0.8, 0.79, -1.0, -1.0, 0.1, -1.0], "The [MASK] fox, the fox!"),  # eq. 3: 0.8 itself, too
        ([0.5] * 7, None),
    ],
)
def test_most_similar_words_are_masked(similarity: list[float], expected: str | None) -> None:
    row = parse("The red fox , the fox !").row() | {"text": "The red fox, the fox!"}
    hidden = ebsim.masked(row, np.array(similarity, dtype=np.float32))
    assert (hidden and hidden["text"]) == expected
    if hidden is not None:
        assert hidden["heads"] == row["heads"]


def vectors(kind: str, inputs: Inputs, *words: str) -> np.ndarray:
    def fails(texts: object) -> np.ndarray:
        raise AssertionError("no model is needed here")

    find = ebsim.word_vectors(inputs, params(ebsim={"mask_words": kind}), fails)
    assert find is not None
    return find(words)


def test_word2vec_learns_from_training_sentences_and_repeats_itself(tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    rng = np.random.default_rng(0)
    groups = {"a": ["dog", "cat", "hen"], "b": ["car", "bus", "tram"]}
    documents = [
        Doc([" ".join(rng.choice(groups[group], 12))], split="test" if number > 250 else "train")
        for number, group in enumerate(rng.choice(["a", "b"], 300))
    ] + [Doc(["unseen unseen unseen unseen unseen unseen"], split="test")]
    inputs = write(tmp_path, documents)
    first, second = (vectors("corpus", inputs, "dog", "cat", "car", "Bus", "unseen") for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (5, 200)
    cosine = first @ first.T
    assert min(cosine[0, 1], cosine[2, 3]) > cosine[:2, 2:4].max()
    assert not first[4].any()


SYSTEMS = ("sscp", "simcse", "cssl", "parabart", "upos", "ebsim")
TRAINABLE = {
    "one sentence and its variants": [
        Doc(["a sees b"], variants=[
            ("same", "x", "b is seen"), ("different", "y", "b sees a"), ("order", "z", "b a sees"),
        ])
    ],
    "all texts equal": [Doc(["the same words again"], title="T", pair_id="p") for _ in range(6)],
    "no words": [Doc(["! ? ."], title="...", pair_id="p"), Doc([". . ."], title="T", pair_id="p")],
}  # fmt: skip
UNTRAINABLE = {
    "test": [Doc(["nothing to train on"], "test", title="T")],
    "dev": [Doc(["nothing to train on"], "dev", title="T")],
    "too long": [Doc(["word " * 60], title="T", pair_id="p")] * 2,
}


@pytest.mark.usefixtures("word_model")
@pytest.mark.parametrize("system", SYSTEMS)
def test_strange_corpora_give_sound_examples_or_one_clear_error(system: str, tmp_path: Path) -> None:
    for name, documents in {**TRAINABLE, **UNTRAINABLE}.items():
        none = name in UNTRAINABLE or system == "ebsim" or (system == "parabart" and "variants" not in name)
        if none:  # no pair, no second sentence, no title
            with pytest.raises(SynsemError, match="no training example"):
                mined(system, tmp_path / name, documents)
            continue
        for anchor, _, _, negatives in mined(system, tmp_path / name, documents):
            assert anchor not in negatives


@pytest.mark.parametrize("name", ["nonesuch", "../../x", "", ".", "/tmp"])
def test_unknown_system_is_named(name: str) -> None:
    with pytest.raises(SynsemError, match=r"is unknown; choose from cssl"):
        examples_of(name)


@pytest.mark.parametrize("folder", ["corpus", "benchmarks", "parsed", "augmented"])
def test_folder_of_other_rows_is_named_and_a_missing_one_is_not(folder: str, tmp_path: Path) -> None:
    inputs = write(tmp_path, REORDERED)
    inputs.check()
    Inputs(*(tmp_path / "nowhere" / name for name in "abcd")).check()
    wrong = {"corpus": inputs.benchmarks, "parsed": inputs.parsed.parent / "wrong"}.get(folder, inputs.corpus)
    if folder == "parsed":
        (wrong / "corpus").mkdir(parents=True)
        store.write_table(store.shard_path(wrong / "corpus", 0), store.read(inputs.corpus))
    with pytest.raises(SynsemError, match=f"{wrong}.*: has no column"):
        inputs._replace(**{folder: wrong}).check()
