"""Attachment scores by hand and against the shared task's official script of given words."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipeline.parsing.base import repair
from pipeline.parsing.conllu import lines, read
from pipeline.syntax.attachment_scores import compare
from pipeline.syntax.sentence import Sentence

GOLD = Sentence(
    "The old dog barks .",
    ["The", "old", "dog", "barks", "."],
    [3, 3, 4, 0, 4],
    ["det", "amod", "nsubj", "root", "punct"],
    ["DET", "ADJ", "NOUN", "VERB", "PUNCT"],
)
FOUND = Sentence(
    "The old dog barks .",
    ["The", "old", "dog", "barks", "."],
    [3, 3, 4, 0, 3],
    ["det", "det:poss", "nsubj:outer", "root", "punct"],
    ["DET", "NOUN", "NOUN", "VERB", "PUNCT"],
)


def official(gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
    """The shared task's own script, in the version that UD's tools carry."""
    udeval = pytest.importorskip("udtools.udeval")

    def loaded(sentences: Sequence[Sentence]) -> object:
        text = "".join(
            line + "\n"
            for number, each in enumerate(sentences)
            for line in lines(str(number), each.text, each)
        )
        treebank_type = {f"no_{name}": 0 for name in ("gapping", "shared_parents_in_coordination")}
        treebank_type |= {"no_shared_dependents_in_coordination": 0, "no_control": 0}
        treebank_type |= {"no_external_arguments_of_relative_clauses": 0, "no_case_info": 0}
        treebank_type |= {"no_empty_nodes": 0, "multiple_roots_okay": 0}
        return udeval.load_conllu(io.StringIO(text), "test", treebank_type)

    scores = udeval.evaluate(loaded(gold), loaded(found))
    return {name: 100 * scores[name].f1 for name in ("UAS", "LAS", "UPOS")}


def sentence(
    words: Sequence[str], heads: Sequence[int], deprels: Sequence[str], upos: Sequence[str]
) -> Sentence:
    n = len(words)
    blank = ("",) * n
    return Sentence(
        words=tuple(words),
        space_after=(True,) * n,
        lemmas=tuple(words),
        upos=tuple(upos),
        xpos=blank,
        feats=blank,
        heads=tuple(heads),
        deprels=tuple(deprels),
    )


def test_a_sentence_by_hand() -> None:
    comparison = compare([GOLD], [FOUND])
    assert comparison.score() == (80, 60, 40, 80, 5)
    assert comparison.without_punctuation() == (100, 75, 50, 75, 4)
    assert comparison.per_sentence().tolist() == [60]


def test_the_relation_tells_what_is_punctuation_only_where_there_is_no_tag() -> None:
    # A hashtag that some treebank attaches as ``punct`` is a word by its tag.
    marks = Sentence("a # .", ["a", "#", "."], [0, 1, 1], ["root", "punct", "punct"], ["X", "SYM", "PUNCT"])
    assert compare([marks], [marks]).punctuation.tolist() == [False, False, True]
    untagged = replace(marks, upos=())
    assert compare([untagged], [untagged]).punctuation.tolist() == [False, True, True]


def test_other_words_are_refused() -> None:
    with pytest.raises(ValueError, match="not the same words"):
        compare([GOLD], [replace(GOLD, words=["A", "old", "dog", "barks", "."])])


def test_random_trees_score_as_in_the_official_evaluation() -> None:
    rng = np.random.default_rng(0)
    relations = ["nsubj", "nsubj:pass", "obj", "punct", "aux:pass", "dep"]

    def random_tree(n: int) -> Sentence:
        made = sentence(
            [f"w{i}" for i in range(n)],
            rng.integers(0, n + 1, n).tolist(),
            rng.choice(relations, n).tolist(),
            rng.choice(["NOUN", "VERB", "PUNCT"], n).tolist(),
        )
        return repair(made)[0]

    sizes = rng.integers(1, 12, 60)
    gold, found = [random_tree(n) for n in sizes], [random_tree(n) for n in sizes]
    ours, theirs = compare(gold, found).score(), official(gold, found)
    assert (ours.uas, ours.las, ours.upos) == pytest.approx((theirs["UAS"], theirs["LAS"], theirs["UPOS"]))


@pytest.mark.mirror
def test_a_damaged_treebank_scores_as_in_the_official_evaluation(mirror: Path) -> None:
    (path,) = mirror.glob("*/UniversalDependencies/UD_Telugu-MTG/*/te_mtg-ud-test.conllu*")
    import gzip

    text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()
    gold = [repair(each)[0] for each in read(text, path.name)]
    found = []
    for number, each in enumerate(gold):  # another head for every third word, another relation for some
        heads = [0 if not head else (number + i) % (len(each) + 1) if i % 3 == 0 else head
                 for i, head in enumerate(each.heads)]  # fmt: skip
        deprels = ["obj" if i % 4 == 1 else relation for i, relation in enumerate(each.deprels)]
        found.append(repair(sentence(each.words, heads, deprels, each.upos))[0])
    gold = [sentence(each.words, each.heads, each.deprels, each.upos) for each in gold]
    ours, theirs = compare(gold, found).score(), official(gold, found)
    assert 20 < ours.las < 95
    assert (ours.uas, ours.las, ours.upos) == pytest.approx((theirs["UAS"], theirs["LAS"], theirs["UPOS"]))
