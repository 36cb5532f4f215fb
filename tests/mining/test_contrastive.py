"""Contrastive examples: positives and negatives of a sentence's variants, and how many of each kind."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import Doc, dropped, mined, params, triples, write

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.mining import negatives
from pipeline.mining.build import mine
from pipeline.mining.negatives import kind_limit


def variants(*texts: tuple[str, str]) -> list[tuple[str, str, str]]:
    return [(meaning, f"{meaning}-rule", text) for meaning, text in texts]


CORPUS = [
    Doc(["no variants here"]),
    Doc(
        ["a sees b"],
        variants=variants(("same", "b is seen"), ("different", "b sees a"), ("same", "seen is b")),
    ),
    Doc(["c sees d"], variants=variants(("different", "c  SEES d"), ("order", "d c sees"))),
    Doc(["A  sees B"]),
    Doc(["one two three four five six seven"], variants=variants(("same", "seven six"))),
    Doc(["e sees f"], "dev", variants(("different", "f sees e"), ("different", "f e sees"))),
    Doc(["held out for tests"], "test", variants(("same", "out held"))),
]


def test_each_same_variant_is_a_positive(tmp_path: Path) -> None:
    *found, (anchor, kind, positive, negatives) = mined("sscp", tmp_path, CORPUS, max_words=6)
    assert found == [
        ("no variants here", "identity", "no variants here", []),
        ("a sees b", "same-rule", "b is seen", ["b sees a"]),
        ("a sees b", "same-rule", "seen is b", ["b sees a"]),
        ("c sees d", "identity", "c sees d", []),
    ]
    assert (anchor, kind, positive) == ("e sees f", "identity", "e sees f")
    assert negatives in (["f sees e"], ["f e sees"])
    assert dropped(tmp_path) == {
        "duplicate sentence": 1,
        "longer than 6 words": 1,
        "negative beyond mine.hard_negatives": 1,
        "negative equal to the anchor or a positive": 1,
    }


def test_sscp_as_published_has_no_hard_negatives(tmp_path: Path) -> None:
    found = mined("sscp", tmp_path, CORPUS, max_words=6, sscp={"hard_negatives": False})
    assert [(anchor, positive, negatives) for anchor, _, positive, negatives in found] == [
        ("no variants here", "no variants here", []),
        ("a sees b", "b is seen", []),
        ("a sees b", "seen is b", []),
        ("c sees d", "c sees d", []),
        ("e sees f", "e sees f", []),
    ]


def test_synsem_leaves_out_a_sentence_without_a_variant(tmp_path: Path) -> None:
    found = mined("synsem", tmp_path, CORPUS, max_words=6, synsem={"templates": 0.0})
    assert {anchor for anchor, *_ in found} == {"a sees b"}
    assert dropped(tmp_path)["no variant to learn from"] == 3


def test_text_that_one_rule_calls_equal_is_no_negative(tmp_path: Path) -> None:
    given = variants(("same", "b is seen"), ("different", "B  is seen"), ("different", "b sees a"))
    found = mined("sscp", tmp_path, [Doc(["a sees b"], variants=given)], hard_negatives=9)
    assert found == [("a sees b", "same-rule", "b is seen", ["b sees a"])]
    assert dropped(tmp_path) == {"negative equal to the anchor or a positive": 1}


def test_variants_of_another_run_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "one", [Doc(["a b"])])
    two = write(tmp_path / "two", [Doc(["x y"]), Doc(["c d"], variants=[("same", "rule", "d c")])])
    with pytest.raises(SynsemError, match="augment again"):
        mine("sscp", one._replace(augmented=two.augmented), tmp_path / "out", params())


def test_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        mined("sscp", tmp_path / name, CORPUS, examples=2)
        files.append({path.name: path.read_bytes() for path in (tmp_path / name / "out").iterdir()})
    assert files[0] == files[1]
    assert sorted(files[0]) == ["part-00000.arrow", "report.json"]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=9), st.floats(0.05, 1.0))
def test_kind_limit_is_the_largest_that_keeps_the_share(counts: list[int], share: float) -> None:
    found = kind_limit(counts, share)
    if len(counts) * share <= 1:
        assert found == float("inf")
        return

    def fits(limit: float) -> bool:
        cut = [min(count, limit) for count in counts]
        return max(cut) <= share * sum(cut) * (1 + 1e-6)

    assert fits(found)
    assert found >= max(counts) - 1e-6 or not fits(found * 1.01)


def negated(plain: int, both: int) -> list[Doc]:
    """Sentences with a negation; some have a number variant or a swap as well."""
    made = []
    for number in range(plain + both):
        text = f"s{number} sees t{number}"
        rewrites = [("different", "negation", f"s{number} never sees t{number}")]
        if number >= plain:
            kind = ("number", "quantity", "swap")[number % 3]
            rewrites.append(("different", kind, f"s{number} sees many t{number}"))
        made.append(Doc([text], variants=rewrites, name=f"n{number}"))
    return made


@pytest.mark.parametrize(("share", "wanted"), [(0.4, 1), (1.0, 1), (1.0, 2)])
def test_frequent_kinds_are_thinned_and_rare_ones_come_first(
    share: float, wanted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(negatives, "KIND_SHARE", share)
    mined("sscp", tmp_path, negated(100, 60), hard_negatives=wanted)
    found = Counter(kind for row in store.rows(tmp_path / "out") for kind in row["negative_kinds"])
    assert (found["number"], found["quantity"], found["swap"]) == (20, 20, 20)  # none lost to negation
    if share == 1.0:
        assert found["negation"] == 100 + 60 * (wanted - 1)
    else:
        assert found["negation"] / found.total() < 0.45
        assert dropped(tmp_path)["negative of a frequent kind: negation"] > 40


PASSIVE = [
    Doc(["the dog bit the man"], variants=[("same", "passive", "the man was bitten by the dog"),
                                           ("different", "argument_swap", "the man bit the dog")]),
    Doc(["rain fell all day"]),
]  # fmt: skip


def test_simcse_takes_sentences_or_the_examples_of_sscp(tmp_path: Path) -> None:
    own = mined("simcse", tmp_path / "own", PASSIVE)
    assert own == [(text, "identity", text, []) for text in ("the dog bit the man", "rain fell all day")]
    shared = mined("simcse", tmp_path / "shared", PASSIVE, simcse={"positives": "variants"})
    assert shared == mined("sscp", tmp_path / "sscp", PASSIVE)
    assert [kind for _, kind, *_ in shared] == ["passive", "identity"]


def test_synsem_mixes_templates_in(tmp_path: Path) -> None:
    texts = ((f"dog {n} sees cat {n} now", f"cat {n} is seen by dog {n} now") for n in range(60))
    documents = [Doc([text], variants=[("same", "passive", other)]) for text, other in texts]
    plain = mined("synsem", tmp_path / "plain", documents, synsem={"templates": 0.0})
    found = mined("synsem", tmp_path / "mixed", documents, synsem={"templates": 0.25})
    assert [row for row in found if row[1] == "passive"] == plain
    assert len(found) == pytest.approx(len(plain) / 0.75, abs=2)
    assert len(found) > len(plain) > 0
    assert found == triples(tmp_path / "mixed" / "out")
