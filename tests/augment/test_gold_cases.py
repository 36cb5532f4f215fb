"""Hand-written cases, parsed by the pipeline's parser: what each transformation must make and decline.

The expected sentences were written before the transformations were run on them. A case passes when at
least one variant is made and every variant is, letter for letter, among those expected.
"""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from pipeline.augment.catalogue import NAMES, transformations
from pipeline.params import Parse
from pipeline.parsing.registry import Passage, load
from pipeline.syntax.tree import is_tree

ROOT = Path(__file__).parents[2]
CASES = [
    tuple(line.split("\t"))
    for path in sorted((ROOT / "tests" / "gold").glob("*.tsv"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
POSITIVE = [case for case in CASES if case[2] != "-"]
NEGATIVE = [case for case in CASES if case[2] == "-"]


@pytest.fixture(scope="module")
def outcomes():
    """For every case: the variants made."""
    params = Parse.model_validate(yaml.safe_load((ROOT / "params.yaml").read_text())["parse"])
    sources = sorted({source for _, source, _ in CASES})
    parses = load(params, "en").parse([Passage(source, "en", single=True) for source in sources])
    trees = dict(zip(sources, parses, strict=True))
    rules = {rule.name: rule for rule in transformations(NAMES)}
    made = {}
    for name, source, _ in CASES:
        (sentence,) = trees[source]
        variants, _ = rules[name].variants(sentence)
        assert all(is_tree(variant.sentence.heads) for variant in variants)
        made[name, source] = {variant.sentence.text for variant in variants}
    return made


def accuracy(outcomes, cases):
    """Share of cases that pass, and a line for each that fails."""
    wrong = []
    hits: Counter[str] = Counter()
    for name, source, expected in cases:
        wanted = set() if expected == "-" else set(expected.split(" | "))
        made = outcomes[name, source]
        if (made and made <= wanted) if wanted else not made:
            hits[name] += 1
        else:
            wrong.append(
                f"{name}: {source}\n  wanted {sorted(wanted)}\n  made   {sorted(outcomes[name, source])}"
            )
    return sum(hits.values()) / len(cases), wrong


def test_there_are_cases_enough():
    assert len(POSITIVE) >= 300
    assert len(NEGATIVE) >= 100
    assert {case[0] for case in CASES} >= set(NAMES) - {"permutation", "rotation"}


def test_at_least_95_percent_exact(outcomes):
    share, wrong = accuracy(outcomes, POSITIVE)
    assert share >= 0.95, f"{share:.1%}\n" + "\n".join(wrong)


def test_what_must_be_declined_is(outcomes):
    share, wrong = accuracy(outcomes, NEGATIVE)
    assert share >= 0.95, f"{share:.1%}\n" + "\n".join(wrong)


def test_round_trip_of_the_passive(outcomes):
    """Active again, at least nine in ten come back letter for letter."""
    params = Parse.model_validate(yaml.safe_load((ROOT / "params.yaml").read_text())["parse"])
    there, back = transformations(["passive", "active"])
    sources = sorted({source for name, source, expected in POSITIVE if name == "passive"})
    returned = []
    for (sentence,) in load(params, "en").parse([Passage(source, "en", single=True) for source in sources]):
        for variant in there.variants(sentence)[0]:
            again = back.variants(variant.sentence)[0]
            if again:
                returned.append(sentence.text in {each.sentence.text for each in again})
    assert len(returned) >= 25
    assert sum(returned) / len(returned) >= 0.9
