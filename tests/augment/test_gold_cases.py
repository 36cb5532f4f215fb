"""Hand-written cases, parsed by the pipeline's parser: what each transformation must make and decline.

The expected sentences were written before the transformations were run on them. A case passes when at
least one variant is made and every variant is, letter for letter, among those expected. The cases that fail
are stored with what is made of them and why, and no others may fail. The tree of every variant is stored too:
``python tests/augment/test_gold_cases.py`` writes those of today; read the difference before it is kept.
"""

import dataclasses
from pathlib import Path

import pytest
import yaml

from pipeline.augment.base import transformations
from pipeline.augment.run import all_variants
from pipeline.core.params import Parse
from pipeline.parsing.base import load
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.similarity import triples
from pipeline.syntax.tree import is_tree

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "tests" / "gold"
STORED_TREES = GOLD / "stored" / "trees.tsv"


def rows(path):
    """The tab-separated fields of every line that is no comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


CASES = [row for path in sorted(GOLD.glob("*.tsv")) for row in rows(path)]
POSITIVE = [case for case in CASES if case[2] != "-"]
# The rules that move words and leave every role as it was.
SAME_ROLES = (
    "passive", "active", "fronting", "postposing", "clause_order", "adjunct_swap", "topicalisation",
    "particle_shift", "genitive",
)  # fmt: skip


def parsed(sources):
    """The tree of each sentence, by the parser of the default parameters."""
    params = Parse.model_validate(yaml.safe_load((ROOT / "params.yaml").read_text())["parse"])
    texts = sorted(set(sources))
    trees = load(params, "en").parse([Sentence(text) for text in texts])
    return {text: tree for text, (tree,) in zip(texts, trees, strict=True)}


def run_cases():
    """For every case: its sentence and the variants made."""
    trees = parsed(source for _, source, _ in CASES)
    return {
        (name, source): (trees[source], all_variants(trees[source], [name])[0]) for name, source, _ in CASES
    }


def tree_rows(outcomes):
    """One line a variant: transformation, source, variant, and the head and relation of every word."""
    lines = []
    for (name, source), (_, variants) in sorted(outcomes.items()):
        for made in sorted((variant.sentence for variant in variants), key=lambda made: made.text):
            arcs = " ".join(map("{}:{}".format, made.heads, made.deprels))
            lines.append((name, source, made.text, arcs))
    return lines


@pytest.fixture(scope="module")
def outcomes():
    return run_cases()


def test_the_full_stop_may_be_on_any_word(outcomes):
    """As poor parsers have it: a rule may decline then, and makes trees if anything."""
    for (name, _), (tree, _) in outcomes.items():
        for head in range(1, len(tree)):
            odd = dataclasses.replace(tree, heads=(*tree.heads[:-1], head))
            variants, _ = all_variants(odd, [name]) if is_tree(odd.heads) else ([], [])
            assert all(is_tree(variant.sentence.heads) for variant in variants), (name, tree.text)


def joined(texts):
    return " | ".join(sorted(texts)) or "-"


def test_exactly_the_known_cases_fail(outcomes):
    failing = {}
    for name, source, expected in CASES:
        wanted = set() if expected == "-" else set(expected.split(" | "))
        made = {variant.sentence.text for variant in outcomes[name, source][1]}
        if not (made and made <= wanted if wanted else not made):
            failing[name, source] = joined(made)
    known = {(name, source): made for name, source, made, _ in rows(GOLD / "stored" / "known_failures.tsv")}
    assert failing == known


def test_no_known_failure_is_a_wrong_sentence():
    """A sentence that cannot be rewritten may be declined; none may be spoiled."""
    assert {made for _, _, made, _ in rows(GOLD / "stored" / "known_failures.tsv")} == {"-"}


def test_heads_and_relations_are_those_stored(outcomes):
    assert all(is_tree(variant.sentence.heads) for _, variants in outcomes.values() for variant in variants)
    assert tree_rows(outcomes) == rows(STORED_TREES)


def test_curved_apostrophes_are_read_and_written_as_straight_ones(outcomes):
    """Not in the rules for any text, which draw by the text."""
    rules = [rule.name for rule in transformations() if not rule.any_text]
    straight = {tree.text: tree for tree, _ in outcomes.values() if "'" in tree.text}
    curved = parsed(text.replace("'", "’") for text in straight)
    assert len(straight) > 40
    for text, tree in straight.items():
        made, wanted = (
            [variant.sentence.text for variant in all_variants(each, rules)[0]]
            for each in (curved[text.replace("'", "’")], tree)
        )
        assert made == [each.replace("'", "’") for each in wanted]


INDEFINITE = ("nobody", "nothing", "one", "someone")


def who_does_what(sentence):
    """The triples of a sentence; a recipient counts as an object, as where it is a passive's subject."""
    return {(word, head, "obj" if role == "iobj" else role) for word, head, role in triples(sentence)}


def test_who_does_what_is_the_same_after_a_change_of_voice_or_order(outcomes):
    """The triples (word, head, role) in the active voice, worked out by other code than the rules."""
    changed = []
    for (name, _), (sentence, variants) in outcomes.items():
        if name not in SAME_ROLES:
            continue
        for variant in variants:
            rest = who_does_what(sentence) ^ who_does_what(variant.sentence)
            # An agent that says nothing is left out, and the negation of an agent moves to the verb.
            if not rest or any("nsubj" in triple and triple[0] in INDEFINITE for triple in rest):
                continue
            changed.append((name, sentence.text, variant.sentence.text, sorted(rest)))
    assert not changed


def test_round_trip_of_the_passive(outcomes):
    """Active again, at least nine in ten come back letter for letter."""
    returned = []
    for (name, _), (sentence, variants) in outcomes.items():
        for variant in variants if name == "passive" else ():
            again = all_variants(variant.sentence, ["active"])[0]
            if again:
                returned.append(sentence.text in {each.sentence.text for each in again})
    assert len(returned) >= 25
    assert sum(returned) / len(returned) >= 0.9


if __name__ == "__main__":
    header = "# transformation, source, variant, head and relation of every word of the variant"
    table = ["\t".join(row) for row in tree_rows(run_cases())]
    STORED_TREES.write_text("\n".join([header, *table]) + "\n", encoding="utf-8")
