"""The generated contrast sets: frozen, balanced, with disjoint lexicons; simple scores are near chance."""

import hashlib
import re
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from benchmarks.contrast_sets import overlap
from benchmarks.contrast_sets.__main__ import measured as measured_table
from benchmarks.contrast_sets.generate import Item, Recipe, items, phenomenon_items, table
from benchmarks.contrast_sets.recipes import PARTS, RECIPES
from pipeline.core.errors import SynsemError
from pipeline.evaluation.plan import CORPUS_TASKS
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.tasks.contrast import FILES, Contrast, contrast_set, put_scores
from pipeline.params import load
from pipeline.report.glossary import is_result
from pipeline.syntax.frames.drawing import Draw
from pipeline.syntax.frames.frames import exchanged, ways
from pipeline.syntax.frames.words import Lexicon, Noun, article, plural, verb

ROOT = Path(__file__).parents[2]
BLIND, BLIND_2, BLIND_3 = "contrast_blind", "contrast_blind_2", "contrast_blind_3"
BLIND_4, BLIND_5, BLIND_6 = "contrast_blind_4", "contrast_blind_5", "contrast_blind_6"
BLIND_7, BLIND_8 = "contrast_blind_7", "contrast_blind_8"
DEVELOPMENT = "contrast_dev"
# Frozen before anything was measured on them: a change makes every number measured before worthless.
SHA256 = {
    DEVELOPMENT: "0fbee4f09751f7886dc898cb45b2c94ccd2d3fe5f62f1ca435109202bd11bad9",
    BLIND: "db03bf6ef824be93852f3e898f62d50ca58c9e183f027035cd5689c4f7204019",
    BLIND_2: "9ba4d6a47c085b99c22aa07efc76d82cd19dc79446fa289b3ec71854117314d0",
    BLIND_3: "e9ebc1af0f3b7d852a04cba21a1502d3760e148c97b2c5f4cd5a051f7db05c1b",
    BLIND_4: "aacfe28714db2c6121f5a79311a55b5abfd18faf5118d64e93c75d98f228cd72",
    BLIND_5: "c8cbe5196436fee2008525d0c2251e350c460acbf9f62694204630ce0d68f95e",
    BLIND_6: "e6d23c985a11b2f491f4066cce1042fc3b0191cec19801b1598853b5e83c53e5",
    BLIND_7: "a1a160ab03c3bd2ca56eeb61c218a6a39ff1995cc77945ab63c8eeecc7d9f4bf",
    BLIND_8: "05a3b9b4439b6bd67b501009b491d498f735a77448d7925fcb0ff8542d670464",
}
PAIRS = {
    DEVELOPMENT: 408,
    BLIND: 1368,
    BLIND_2: 1368,
    BLIND_3: 864,
    BLIND_4: 1056,
    BLIND_5: 1056,
    BLIND_6: 1056,
    BLIND_7: 1056,
    BLIND_8: 1056,
}
EACH = pytest.mark.parametrize("task", list(SHA256))


@cache
def recipe(task: str) -> Recipe:
    return RECIPES[FILES[task].stem]


@cache
def drawn(task: str) -> list[Item]:
    return items(recipe(task))


@cache
def measured(task: str) -> dict[str, list[float]]:
    lemmas = recipe(task).lexicon.lemmas()
    scores = [overlap.scores(pair.a, pair.b, lemmas) for pair in contrast_set(task)]
    return dict(zip(overlap.NAMES, map(list, zip(*scores, strict=True)), strict=True))


@EACH
def test_the_generator_gives_the_frozen_files_byte_for_byte(task: str) -> None:
    frozen = FILES[task].read_bytes()
    assert hashlib.sha256(frozen).hexdigest() == SHA256[task]
    assert table(drawn(task)).encode() == frozen


@EACH
def test_every_phenomenon_has_as_many_of_either_meaning(task: str) -> None:
    pairs = contrast_set(task)
    sizes = Counter((pair.phenomenon, pair.meaning) for pair in pairs)
    assert set(sizes.values()) == {recipe(task).items}
    assert len(pairs) == PAIRS[task]
    assert len(recipe(task).frames) >= (15 if task == DEVELOPMENT else 20)
    # Each anchor stands once with the same meaning and once with another.
    by_anchor = Counter((pair.a, pair.meaning) for pair in pairs)
    assert set(by_anchor.values()) == {1}
    assert {a for a, meaning in by_anchor if meaning == "same"} == {
        a for a, meaning in by_anchor if meaning == "different"
    }


@pytest.mark.parametrize("pair", list(combinations(SHA256, 2)), ids="-".join)
def test_the_sets_share_no_word_of_their_lexicons_and_no_frame(pair: tuple[str, str]) -> None:
    one, other = map(recipe, pair)
    assert not one.lexicon.content() & other.lexicon.content()
    forms = [
        {re.sub(r"\{\w+(:[^}]*)?\}", "_", form) for frames in each.frames.values() for frame in frames
         for triple in frame.triples for form in triple}
        for each in (one, other)
    ]  # fmt: skip
    assert not forms[0] & forms[1]


def test_the_blind_sets_are_of_the_same_phenomena_more_than_the_development_set() -> None:
    assert set(recipe(BLIND).frames) == set(recipe(BLIND_2).frames)
    assert len(set(recipe(BLIND).frames) - set(recipe(DEVELOPMENT).frames)) >= 15


@pytest.mark.parametrize(
    ("task", "before"),
    [
        (BLIND_3, {BLIND}),
        (BLIND_4, {DEVELOPMENT, BLIND, BLIND_2, BLIND_3}),
        (BLIND_5, {DEVELOPMENT, BLIND, BLIND_2, BLIND_3, BLIND_4}),
        (BLIND_6, {DEVELOPMENT, BLIND, BLIND_2, BLIND_3, BLIND_4, BLIND_5}),
        (BLIND_7, {DEVELOPMENT, BLIND, BLIND_2, BLIND_3, BLIND_4, BLIND_5, BLIND_6}),
        (BLIND_8, {DEVELOPMENT, BLIND, BLIND_2, BLIND_3, BLIND_4, BLIND_5, BLIND_6, BLIND_7}),
    ],
)
def test_half_of_the_phenomena_of_the_later_blind_sets_were_in_no_set_before(
    task: str, before: set[str]
) -> None:
    parts = PARTS[task]
    known, new = (set(parts[part]) for part in ("known", "new"))
    assert len(known) == len(new) == len(recipe(task).frames) // 2
    assert [*parts["known"], *parts["new"]] == list(recipe(task).frames)
    assert known <= {name for other in before for name in recipe(other).frames}
    # A later set has some of what was new in an earlier one.
    sets = [*FILES][: [*FILES].index(task)]
    assert not new & {pair.phenomenon for other in sets for pair in contrast_set(other)}


@pytest.mark.parametrize(
    ("task", "shortest", "longest"),
    [
        (BLIND_3, 6, 23),
        (BLIND_4, 7, 25),
        (BLIND_5, 7, 22),
        (BLIND_6, 6, 22),
        (BLIND_7, 6, 22),
        (BLIND_8, 6, 22),
    ],
)
def test_both_halves_of_the_later_blind_sets_have_the_same_words(
    task: str, shortest: int, longest: int
) -> None:
    def words(text: str) -> list[str]:
        return sorted("a" if word == "an" else word for word in overlap.words(text))

    for item in drawn(task):
        assert words(item.same) == words(item.different), item
        lengths = [len(text.split()) for text in (item.anchor, item.same, item.different)]
        assert shortest <= min(lengths) <= max(lengths) <= longest, item


def test_the_sentences_of_the_second_blind_set_are_longer() -> None:
    lengths = {
        task: [len(text.split()) for pair in contrast_set(task) for text in (pair.a, pair.b)]
        for task in (BLIND, BLIND_2)
    }
    assert min(lengths[BLIND_2]) >= 8
    assert np.median(lengths[BLIND_2]) > np.median(lengths[BLIND])


def test_no_pair_is_there_twice() -> None:
    pairs = [(pair.a, pair.b) for task in FILES for pair in contrast_set(task)]
    unordered = Counter(frozenset(pair) for pair in pairs)
    assert set(unordered.values()) == {1}
    assert all(a != b for a, b in pairs)
    texts = [{text for pair in contrast_set(task) for text in (pair.a, pair.b)} for task in FILES]
    assert not any(one & other for one, other in combinations(texts, 2))


@EACH
def test_both_halves_share_as_many_words(task: str) -> None:
    for name in (*recipe(task).frames, None):
        means = {}
        for meaning in ("same", "different"):
            found = [
                score
                for pair, score in zip(contrast_set(task), measured(task)["jaccard"], strict=True)
                if pair.meaning == meaning and name in (pair.phenomenon, None)
            ]
            means[meaning] = sum(found) / len(found)
        assert means["same"] == pytest.approx(means["different"], abs=0.03)
        assert min(means.values()) > 0.4


@EACH
def test_nothing_that_reads_no_structure_solves_it(task: str) -> None:
    gold = [pair.meaning == "same" for pair in contrast_set(task)]
    for name, scores in measured(task).items():
        assert average_precision_score(gold, scores) == pytest.approx(0.5, abs=0.06), name


@EACH
def test_every_sentence_is_well_formed(task: str) -> None:
    for text in {text for pair in contrast_set(task) for text in (pair.a, pair.b)}:
        assert re.match(r'"?[A-Z]', text), text
        assert re.search(r'[.?]"?$', text), text
        assert "  " not in text
        assert not re.search(r"[{}_\t]|\b(\w+) \1\b(?<!that that)", text), text
        assert 4 <= len(text.split()) <= 25, text
        for before, word in re.findall(r"\b([Aa]n?) (\w+)", text):
            assert before.lower() == article(word), text


def test_a_swap_of_two_slots_leaves_the_others() -> None:
    assert exchanged("{x} {v:past} {y:'s} {z}", "xy") == "{y} {v:past} {x:'s} {z}"


def test_words_have_their_forms() -> None:
    assert [article(word) for word in ("hour", "university", "envelope", "harp", "one")] == [
        "an", "a", "an", "a", "a",
    ]  # fmt: skip
    assert [article(word) for word in ("honourable", "eulogy", "utility room", "honey", "utter")] == [
        "an", "a", "a", "a", "an",
    ]  # fmt: skip
    assert [plural(noun) for noun in ("scarf", "fisherman", "ministry", "bench", "donkey")] == [
        "scarves", "fishermen", "ministries", "benches", "donkeys",
    ]  # fmt: skip
    assert [plural(noun) for noun in ("cello", "film studio", "mango", "foster child", "mongoose")] == [
        "cellos", "film studios", "mangoes", "foster children", "mongooses",
    ]  # fmt: skip
    assert [plural(noun) for noun in ("chief of police", "crisis", "television series", "quiz")] == [
        "chiefs of police", "crises", "television series", "quizzes",
    ]  # fmt: skip
    carry = verb("carry|the box")
    assert f"{carry} / {carry:s} / {carry:past} / {carry:ing}" == (
        "carry the box / carries the box / carried the box / carrying the box"
    )
    farmers = Noun("tailor", before="old", many=True)
    assert f"{farmers} {farmers:was}, {farmers:'s}" == "the old tailors were, the old tailors'"
    with pytest.raises(SynsemError, match="no form 'plural'"):
        format(farmers, "plural")
    with pytest.raises(SynsemError, match="no form 'gone'"):
        format(carry, "gone")


def test_direction_sees_a_swap() -> None:
    a, b = "The tailor kicked the bishop.", "The bishop kicked the tailor."
    assert overlap.jaccard(a, b) == 1
    assert overlap.direction(a, a, {}) == pytest.approx(1)
    assert overlap.direction(a, b, {}) == pytest.approx(-1)


def test_bad_frames_are_told() -> None:
    lexicon = Lexicon("Eve", "Adam", {"role": "guard"}, {"deed": "greet"}, {"when": "today"})
    few = Recipe({"voice": (ways("x y:name z:role w:role v:deed", "{x} {y}"),)}, lexicon, 1, 1)
    with pytest.raises(SynsemError, match="too few words"):
        phenomenon_items("voice", few)
    unknown = Recipe({"voice": (ways("x:beast", "{x}"),)}, lexicon, 1, 1)
    with pytest.raises(SynsemError, match="no category 'beast'"):
        phenomenon_items("voice", unknown)
    with pytest.raises(SynsemError, match="one form alone"):
        ways("x y:name v:deed", "{x} {v:past} {y}", adverbial="")
    two = ways("x y:name v:deed", "{x} {v:past} {y}", "{y} was {v:part} by {x}", adverbial="")
    scarce = Recipe({"voice": (two,)}, lexicon, 9, 1)
    with pytest.raises(SynsemError, match="gives no new item"):
        phenomenon_items("voice", scarce)
    assert Draw(1, "a").number(10**6) == Draw(1, "a").number(10**6) != Draw(2, "a").number(10**6)


@EACH
def test_the_pages_show_the_table_and_a_pair_of_each_phenomenon(task: str) -> None:
    balance, pairs = (
        (ROOT / "docs" / f"contrast-set-{name}.md").read_text(encoding="utf-8")
        for name in ("balance", "pairs")
    )
    assert "\n".join(measured_table(recipe(task), drawn(task))) in balance
    if task != DEVELOPMENT:
        section = pairs.split("\n## ")[1 + [each for each in SHA256 if each != DEVELOPMENT].index(task)]
        for name in recipe(task).frames:
            shown = re.findall(rf"^\| `{name}` \| (.+) \| (.+) \| (.+) \|$", section, flags=re.MULTILINE)
            assert len(shown) == 1, name
            for meaning, b in zip(("same", "different"), shown[0][1:], strict=True):
                assert Contrast(name, meaning, shown[0][0], b) in contrast_set(task)


def test_the_pairs_are_read_as_they_are_written() -> None:
    first = contrast_set(BLIND)[0]
    line = FILES[BLIND].read_text(encoding="utf-8").splitlines()[1]
    assert isinstance(first, Contrast)
    assert "\t".join(first) == line


@EACH
def test_each_set_is_a_task_and_the_blind_ones_are_asked_for_by_name(task: str) -> None:
    assert CORPUS_TASKS[task].benchmark == FILES[task].stem
    assert (task in load(ROOT / "params.yaml", "evaluate").evaluate.tasks) == (task == DEVELOPMENT)
    outcome = Outcome()
    put_scores(
        outcome, "semantic", np.array([pair.meaning == "same" for pair in contrast_set(task)]), 1, task=task
    )
    found = outcome.metrics["semantic"]
    assert list(found) == [task]
    assert set(found[task]) == {"all", *recipe(task).frames}
    assert found[task]["voice"] == {"ap": 100, "accuracy_crossfit_threshold": 100}
    assert {row["task"] for row in outcome.examples} == {task}
    # Development data is no result.
    assert is_result(f"{task}.all.ap") == (task != DEVELOPMENT)
    assert not is_result(f"{task}.all.accuracy_crossfit_threshold")
