"""Fit the constants of ``Model.same`` on development data, and show what pairs of one's own add.

    python benchmarks/same.py --mirror FOLDER      # QQP needs the network or a mirror

The first 4,000 pairs of PAWS-Wiki dev, QQP dev and the spent contrast sets 1 to 6 count the same, whatever
their number of pairs. Few of these pairs differ only in a number or a negation, so the weights of those two
features are fitted in a second step, on pairs of the same meaning whose second text was given another number
or a negation; these count a quarter as much as a kind. Then pairs of each kind are one's own, next to
constants fitted without that kind.
"""

import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from peers import calibration_error, read_set

from pipeline.export.same import (
    COUNTS,
    DAYS,
    EDITS,
    FEATURES,
    MONTHS,
    OWN_PRIOR,
    PRIOR,
    TERMS,
    Scorer,
    negated,
    numbers,
)
from pipeline.pretrained import SCORER

Floats = NDArray[np.floating[Any]]
Pair = tuple[str, str]
Known = tuple[Floats, Floats]  # features [n, F] and labels [n]
MOST = {"paws-wiki": 4000}
KINDS = {"paws": ["paws-wiki"], "qqp": ["qqp"], "templates": [f"contrast_{n}" for n in range(1, 7)]}

TESTS = {"paws": "paws-wiki", "qqp": "qqp", "templates": "contrast_8"}


EDITED, MOST_EDITED = 0.25, 400  # weight of the edited pairs next to a kind; most of each sort in a kind
FIXED = 1e6  # precision of a prior that lets nothing move
WORDS = [words.split() for words in (COUNTS, DAYS, MONTHS)]
QUESTION = re.compile(
    r"(?i)\W*(?:how|why|when|where|what|which|who|whose|am|are|is|was|were|can|could|will|would|should|must|may"
    r"|do|does|did|has|have|had)\b"
)
AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|should|must|has been|have been|had been)\b"
)


def fit(kinds: Iterable[Known], edited: Iterable[Known]) -> Scorer:
    """Return a scorer fitted to kinds of pairs that count the same, then to pairs of edited texts.

    The latter set only the weights of the features in ``EDITS``, so that other pairs keep what they had.
    """
    known = list(kinds)
    rows, labels, share = weighted(known, [1.0] * len(known))
    plain = np.isin(FEATURES, EDITS, invert=True)
    mean = plain * (share @ rows)
    spread = np.where(plain, np.sqrt(share @ (rows - mean) ** 2), 1)
    of_edits = np.array([any(name in term for name in EDITS) for term in TERMS["weights"]])
    start = Scorer(mean, spread, np.zeros(len(of_edits)))
    base = start.fitted(rows, labels, np.where(of_edits, FIXED, PRIOR), share)
    more = [np.concatenate(each) for each in zip(*edited, strict=True)]
    rows, labels, share = weighted([*known, (more[0], more[1])], [*[1.0] * len(known), EDITED])
    return base.fitted(rows, labels, np.where(of_edits, PRIOR, FIXED), share)


def weighted(kinds: Sequence[Known], weights: Sequence[float]) -> tuple[Floats, Floats, Floats]:
    """Return the features, labels and shares in the loss of all pairs: each kind has its weight in all."""
    share = [np.full(len(own), each / len(own)) for (_, own), each in zip(kinds, weights, strict=True)]
    rows, labels, shares = (np.concatenate(each) for each in (*zip(*kinds, strict=True), share))
    return rows, labels, shares / shares.sum()


def renumbered(a: str, b: str, rng: random.Random) -> str | None:
    """Return b with another number, weekday or month; None if it has none, or other numbers than a."""
    places = list(re.finditer(r"\d+|[A-Za-z]+", b)) if numbers(a) == numbers(b) else []
    for place in rng.sample(places, len(places)):
        old = place[0].lower()
        like = [word for words in WORDS if old in words for word in words if word != old]
        new = str(int(old) + rng.randint(1, 9)) if old.isdecimal() else rng.choice([*like, old])
        edited = b[: place.start()] + (new.capitalize() if place[0][0].isupper() else new) + b[place.end() :]
        if numbers(edited) != numbers(a):
            return edited
    return None


def denied(a: str, b: str, rng: random.Random) -> str | None:
    """Return b with a negation; None if a text has one, and for questions, unless *with* can be *without*."""
    if negated(a) or negated(b):
        return None
    if (place := re.search(r"\bwith\b", b)) and rng.random() < 0.3:
        return f"{b[: place.end()]}out{b[place.end() :]}"
    place = None if QUESTION.match(b) else AUXILIARY.search(b)
    if place is None:
        return None
    first, *rest = place[0].split()
    short = {"can": "can't", "will": "won't"}.get(first, first + "n't")
    return b[: place.start()] + " ".join([rng.choice([short, first + " not"]), *rest]) + b[place.end() :]


def main(
    mirror: Annotated[str | None, typer.Option(help="As download.mirror.")] = None, out: Path = SCORER
) -> None:
    from pipeline.core.metrics import average_precision
    from pipeline.export.texts import open_system, pair_features

    system, parse = open_system(Path("pretrained"), "cpu", None)

    def features(pairs: Sequence[Pair]) -> Floats:
        known = pair_features(pairs, system, parse)[1]
        assert known is not None
        return known

    def read(name: str, split: str) -> tuple[list[Pair], Floats]:
        a, b, gold, _ = read_set(name, mirror, split)
        most = MOST.get(name) if split == "dev" else None
        return list(zip(a, b, strict=True))[:most], gold[:most]

    def edit(pairs: Sequence[Pair], known: Floats, gold: Floats) -> Known:
        draw, found = random.Random(0), []
        for change in (renumbered, denied):
            changed = [(row, change(*pair, draw)) for row, pair in enumerate(pairs) if gold[row]]
            made = [(row, (pairs[row][0], text)) for row, text in changed if text]
            made = draw.sample(made, min(len(made), MOST_EDITED))
            found += [(known[[row for row, _ in made]], np.ones(len(made)))]
            found += [(features([pair for _, pair in made]), np.zeros(len(made)))]
        rows, labels = (np.concatenate(each) for each in zip(*found, strict=True))
        return rows, labels

    kinds: dict[str, Known] = {}
    edited: dict[str, Known] = {}
    for kind, names in KINDS.items():
        sets = [read(name, "test" if kind == "templates" else "dev") for name in names]
        pairs, gold = [pair for some, _ in sets for pair in some], np.concatenate([each for _, each in sets])
        kinds[kind] = features(pairs), gold
        edited[kind] = edit(pairs, *kinds[kind])
    fit(kinds.values(), edited.values()).save(out)
    for kind, name in TESTS.items():
        pairs, gold = read(name, "test")
        rows = features(pairs)
        others = [each for each in kinds if each != kind]
        without = fit([kinds[each] for each in others], [edited[each] for each in others])
        own, labels = kinds[kind]
        for size in (0, 50, 100, 500):
            found = []
            for draw in range(10 if size else 1):
                some = np.random.default_rng(draw).choice(len(own), size, replace=False)
                chance = without.fitted(own[some], labels[some], OWN_PRIOR)(rows)
                found.append((average_precision(gold, chance), calibration_error(gold, chance)))
            precision, error = np.mean(found, axis=0)
            print(
                f"{name}, {size} own pairs: average precision {precision:.1f}, calibration error {error:.1f}"
            )


if __name__ == "__main__":
    typer.run(main)
