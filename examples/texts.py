"""What the examples share: two hundred sentences with trees, triplets made of them, and a new system."""

import argparse
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from pipeline.augment.run import all_variants
from pipeline.core.params import DEFAULTS, load_all
from pipeline.parsing.show import parsed as parse
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, System, registry

PEOPLE = ("farmer", "doctor", "singer", "soldier", "teacher", "sailor", "lawyer", "painter")
VERBS = ("praised", "followed", "visited", "warned", "invited", "watched", "helped")
PLACES = ("in the village", "near the river", "after the concert", "on Monday", "behind the old church")
ADJECTIVES = ("young", "clever", "tired", "famous", "nervous")


class Triplet(NamedTuple):
    """A sentence, another that means the same, and one of the same words that does not."""

    anchor: Sentence
    positive: Sentence
    negative: Sentence


def steps(description: str | None, default: int) -> int:
    """Read ``--steps`` from the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=default, help="updates of the weights")
    return int(parser.parse_args().steps)


def texts(count: int) -> list[str]:
    """Return sentences such as *The young farmer praised the doctor near the river.*"""
    rng = np.random.default_rng(13)
    pairs = [(a, b) for a, b in product(PEOPLE, PEOPLE) if a != b]
    found: dict[str, None] = {}
    while len(found) < count:
        agent, patient = pairs[rng.integers(len(pairs))]
        adjective, verb, place = (rng.choice(words) for words in (ADJECTIVES, VERBS, PLACES))
        found[f"The {adjective} {agent} {verb} the {patient} {place}."] = None
    return list(found)


@cache
def parsed(count: int) -> list[Sentence]:
    """Return ``texts`` with their trees, by the parser that params.yaml names for English."""
    params = load_all(DEFAULTS).parse
    return [parse(text, "en", params)[0] for text in texts(count)]


@cache
def triplets(count: int) -> list[Triplet]:
    """Return sentences with a rewording and an exchange of agent and patient, both by rule."""
    found = []
    for sentence in parsed(count):
        made, _ = all_variants(sentence, ["passive", "argument_swap"])
        variants = {each.transformation: each.sentence for each in made}
        if "passive" in variants and "argument_swap" in variants:
            found.append(Triplet(sentence, variants["passive"], variants["argument_swap"]))
    return found


def batch(some: list[Triplet]) -> Batch:
    """Return triplets as the training examples of a system; every example has one hard negative."""
    anchors, positives, negatives = zip(*some, strict=True)
    return Batch(anchors, positives, negatives, owners=range(len(some)))


def batches(some: list[Triplet], size: int, count: int) -> list[Batch]:
    """Draw so many batches of distinct triplets."""
    rng = np.random.default_rng(13)
    rows = [rng.choice(len(some), size, replace=False) for _ in range(count)]
    return [batch([some[row] for row in chosen]) for chosen in rows]


def create(name: str, **changed: object) -> System:
    """Make a new system with the values of params.yaml, but for what is ``changed`` of its section."""
    params = load_all(DEFAULTS)
    section = getattr(params, name).model_copy(update=changed)
    return registry.create(name, params.encoder, params.train, section)


def told_apart(system: System, some: list[Triplet], view: str) -> float:
    """Return the percentage of triplets whose rewording is nearer than the exchange of roles."""
    anchor, positive, negative = (system.embed(side)[view] for side in zip(*some, strict=True))
    right = (anchor * positive).sum(axis=1) > (anchor * negative).sum(axis=1)
    return 100 * float(right.mean())


def show(system: System, triplet: Triplet, view: str) -> None:
    """Print the cosines of a sentence with its rewording and with the exchange of roles."""
    anchor, *others = system.embed(triplet)[view]
    print(f"  {triplet.anchor.text}")
    for sentence, vector in zip(triplet[1:], others, strict=True):
        print(f"  {anchor @ vector:.3f}  {sentence.text}")
