"""No kind of negative dominates: frequent transformations are downsampled."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import Doc, dropped, no_vectors, params, write

from pipeline.core import store
from pipeline.mining import variants
from pipeline.mining.variants import kind_limit, negative_kinds


@given(st.lists(st.integers(1, 500), min_size=1, max_size=9), st.floats(0.05, 1.0))
def test_the_limit_is_the_largest_that_keeps_the_share(counts: list[int], share: float) -> None:
    found = kind_limit(counts, share)
    if len(counts) * share <= 1:
        assert found == float("inf")
        return

    def fits(limit: float) -> bool:
        cut = [min(count, limit) for count in counts]
        return max(cut) <= share * sum(cut) * (1 + 1e-6)

    assert fits(found)
    assert found >= max(counts) - 1e-6 or not fits(found * 1.01)


def documents(plain: int, both: int) -> list[Doc]:
    """Sentences with a negation; some have a number variant or a swap too."""
    made = []
    for number in range(plain + both):
        text = f"s{number} sees t{number}"
        rewrites = [("different", "negation", f"s{number} never sees t{number}")]
        if number >= plain:
            kind = ("number", "quantity", "swap")[number % 3]
            rewrites.append(("different", kind, f"s{number} sees many t{number}"))
        made.append(Doc([text], variants=rewrites))
    return made


def negatives(folder: Path, **changes: object) -> Counter[str]:
    inputs = write(folder, documents(300, 120), sentences_per_shard=60)
    variants.mine(inputs, folder / "out", params(**changes), no_vectors)
    return Counter(kind for row in store.rows(folder / "out") for kind in row["negative_kinds"])


def test_frequent_kinds_are_thinned_and_rare_ones_come_first(tmp_path: Path) -> None:
    found = negatives(tmp_path, kind_share=0.4)
    assert (found["number"], found["quantity"], found["swap"]) == (40, 40, 40)  # none lost to negation
    assert found["negation"] / found.total() < 0.42
    assert dropped(tmp_path / "out")["negative beyond mine.kind_share: negation"] > 100


def test_without_a_share_all_stay(tmp_path: Path) -> None:
    assert negatives(tmp_path, kind_share=None) == {"negation": 300, "number": 40, "quantity": 40, "swap": 40}


def test_too_few_kinds_for_the_share_are_left_as_they_come(tmp_path: Path) -> None:
    inputs = write(tmp_path, documents(20, 0))
    assert negative_kinds(inputs, 0.3).kept == {"negation": 1.0}


def test_which_negatives_stay_depends_on_content_and_seed_and_not_on_order(tmp_path: Path) -> None:
    made = documents(60, 60)
    for number, document in enumerate(made):
        document.name = f"n{number}"
    texts = []
    for name, some, seed in (("one", made, 13), ("two", made[::-1], 13), ("other seed", made, 14)):
        variants.mine(write(tmp_path / name, some), tmp_path / name / "out", params(seed=seed), no_vectors)
        rows = store.rows(tmp_path / name / "out")
        texts.append({(row["anchor"]["text"], *(n["text"] for n in row["negatives"])) for row in rows})
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("wanted", [1, 2])
def test_as_many_negatives_as_asked_for(tmp_path: Path, wanted: int) -> None:
    found = negatives(tmp_path, kind_share=None, hard_negatives=wanted)
    assert found.total() == {1: 420, 2: 540}[wanted]


def test_variants_of_test_sentences_and_of_one_meaning_decide_nothing_about_the_kinds_that_stay(
    tmp_path: Path,
) -> None:
    documents = [
        Doc(["one two"], variants=[("different", "swap", "two one"), ("same", "passive", "one by two")]),
        Doc(
            ["one three"],
            "dev",
            variants=[("different", "negation", "one not three"), ("order", "rotation", "three one")],
        ),
        *(Doc([f"one {n}"], "test", variants=[("different", "swap", f"{n} one")]) for n in range(9)),
    ]
    kinds = negative_kinds(write(tmp_path, documents), 0.5)
    assert kinds.counts == {"swap": 1, "negation": 1}
    assert kinds.kept == {"swap": 1.0, "negation": 1.0}
