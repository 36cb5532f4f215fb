"""Task ``stress``: what belongs to a part, and how parts are scored."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sklearn.metrics import average_precision_score
from small_world import example, judge, sentence

from pipeline.evaluation.tasks import stress
from pipeline.syntax.sentence import Sentence


def flat(words: list[str]) -> Sentence:
    rest = len(words) - 1
    return sentence(" ".join(words), "X " * len(words), "0 " + "1 " * rest, "root " + "dep " * rest)


@pytest.mark.parametrize(
    ("changed", "reordered"),
    [
        (lambda words: words, False),
        (lambda words: [*words[:5], "other", *words[6:]], False),
        (lambda words: [*words, "more"], False),
        (lambda words: [*words, words[-1]], False),
        (lambda words: [words[1], words[0], *words[2:]], True),
        (lambda words: [words[3], *words[1:3], words[0], *words[4:], "more"], True),
    ],
)
def test_reordered_pairs_have_the_same_words(
    changed: Callable[[list[str]], list[str]], reordered: bool
) -> None:
    words = [f"w{place}" for place in range(20)]
    pair = flat(words), flat(changed(words))
    assert stress.is_reordered(pair) is stress.is_reordered(pair[::-1]) is reordered


def test_easy_and_hard_pairs(world: Path, tmp_path: Path) -> None:
    rows, trees = [], []
    for number in range(160):
        verb = f"v{number}"
        a = sentence(f"dogs {verb} cats", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
        if number % 4 == 1:  # meaning kept, and the top constituents: the easy half
            b = sentence(f"dogs {verb} kittens", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
        elif number % 4 == 3:  # meaning kept in another order: the hard half
            b = sentence(f"cats dogs {verb}", "NOUN NOUN VERB", "3 3 0", "obj nsubj root")
        else:
            b = sentence(f"birds x{verb} fish", "NOUN VERB NOUN", "2 0 2", "nsubj root obj")
        rows.append(example("qqp", "test", a.text, b.text, label=str(number % 2)))
        trees += [a, b]
    found = judge(world, tmp_path, rows, ["stress"], trees=trees).metrics["semantic"]["qqp"]
    for half in ("easy", "hard"):
        assert found[half] == {"pairs": 80, "accuracy_oracle_threshold": 100}
    assert "stress_reordered" not in found  # of one class: all of them are paraphrases


@pytest.mark.parametrize("choosing", ["dev", "train"])
def test_threshold_is_of_all_development_pairs(choosing: str, world: Path, tmp_path: Path) -> None:
    """Half of the long pairs share their words; on development pairs the labels are reversed."""
    rows, trees = [], []
    for split in (choosing, "test"):
        for number in range(48):
            alike = number % 2
            words = [f"{split}{number}x{place}" for place in range(26)]
            a, b = flat(words), flat([*words[:13], *(words[13:] if alike else ["so"] * 13)])
            label = alike if split == "test" and number < 40 else 1 - alike
            rows.append(example("qqp", split, a.text, b.text, label=str(label)))
            trees += [a, b]
    outcome = judge(world, tmp_path, rows, ["pairs", "stress"], trees=trees)
    found = outcome.metrics["semantic"]["qqp"]
    assert found["stress_long"]["pairs"] == 48
    kept = [row for row in outcome.examples if row["metric"] == "ap"]
    expected = average_precision_score([row["gold"] for row in kept], [row["score"] for row in kept])
    assert found["stress_long"]["ap"] == found["test"]["ap"] == pytest.approx(100 * expected, abs=0.01)
    # No threshold beats calling all development pairs alike, and half of the test pairs are.
    assert found["stress_long"]["accuracy_dev_threshold"] == 50
