"""The parser's examples: every sentence is learnt from, and a treebank comes before the corpus."""

from pathlib import Path

from small_corpus import Doc, no_vectors, params, triples, write

from pipeline.mining import cssl

ORDERS = [("order", "rotation", "b a c d"), ("order", "permutation", "d c b a"), ("order", "cropping", "a b")]
CORPUS = [
    Doc(["a b c d"], variants=ORDERS),
    Doc(["short one"]),
    Doc(["x a b c"], "dev", [("order", "rotation", "a x b c")]),
    Doc(["y a b c"], "test", [("order", "permutation", "c y b a")]),
]


def test_every_training_sentence_is_an_anchor_once(tmp_path: Path) -> None:
    kept = cssl.mine(write(tmp_path, CORPUS), tmp_path / "out", params(), no_vectors)
    assert triples(tmp_path / "out") == [
        ("a b c d", "permutation", "d c b a", []),
        ("short one", "identity", "short one", []),
        ("x a b c", "rotation", "a x b c", []),
    ]
    assert (kept["train"], kept["dev"]) == (2, 1)


def test_augmentation_adds_rotated_and_cropped_trees_to_the_training_split_alone(tmp_path: Path) -> None:
    augmented = params(cssl={"augmentation": True})
    cssl.mine(write(tmp_path, CORPUS), tmp_path / "out", augmented, no_vectors)
    assert triples(tmp_path / "out") == [
        ("a b c d", "permutation", "d c b a", []),
        ("b a c d", "permutation", "d c b a", []),
        ("a b", "identity", "a b", []),
        ("short one", "identity", "short one", []),
        ("x a b c", "rotation", "a x b c", []),
    ]


def test_a_treebank_takes_the_place_of_the_corpus_and_an_empty_one_does_not(tmp_path: Path) -> None:
    inputs = write(tmp_path, CORPUS)
    gold = write(tmp_path / "gold", [Doc(["gold tree here"])])
    (tmp_path / "gold" / "parsed" / "augmented").symlink_to(gold.augmented)
    cssl.mine(inputs._replace(treebank=gold.parsed), tmp_path / "out", params(), no_vectors)
    assert triples(tmp_path / "out") == [("gold tree here", "identity", "gold tree here", [])]
    empty = write(tmp_path / "empty", [])
    assert inputs._replace(treebank=empty.parsed).gold().parsed == inputs.parsed
