"""The top of the page: a table of about six rows, and one example.

The example is a sentence of the contrast set with a rewording, which means the same, and an exchange, which
has its words and another meaning. A vector that reads the structure finds the rewording nearer.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.evaluation.compare import Scores
from pipeline.report.results import SEED, Table
from pipeline.report.runs import BACKBONE, BASELINES, PAIRWISE, UNTOUCHED, Group, Run, first_seeds

LEAD = "contrast.all.ap"  # the column that comes first
_ROWS, _COLUMNS, _WORDS = 6, 4, 12


def main_numbers(runs: Sequence[Run], tables: Sequence[Table]) -> Table | None:
    """Return a few rows of the first headline table: the backbone, the strongest baseline and ours."""
    if not tables:
        return None
    columns = sorted(tables[0].comparisons, key=lambda one: one.metric != LEAD)[:_COLUMNS]
    ours = [group for group in tables[0].groups if group[0] == _main(runs)]
    rows = dict.fromkeys(group for group in (UNTOUCHED, columns[0].strongest, *ours) if group)
    shown = [group for group in rows if any(group in one.results for one in columns)]
    return Table(tables[0].title, shown[:_ROWS], columns)


def _main(runs: Sequence[Run]) -> str:
    """The first trained system that is no baseline, or the first one trained."""
    trained = [run.system for run in runs if run.system != BACKBONE]
    return next((system for system in trained if system not in BASELINES), next(iter(trained), ""))


@dataclass(frozen=True)
class Example:
    """A sentence with its two partners, and the cosines of the untouched backbone and of our best vector."""

    sentence: str
    rewording: str
    exchange: str
    cosines: Mapping[Group, tuple[float, float]]  # with the rewording and with the exchange
    wrong: Mapping[Group, int]  # sentences whose exchange is nearer than their rewording
    sentences: int  # of the contrast set
    gained: int  # sentences that the backbone gets wrong and our vector right
    lost: int  # the other way round


def example(runs: Sequence[Run]) -> Example | None:
    """Draw a short sentence by its hash, of those that the backbone gets wrong and our best vector right."""
    first = first_seeds(runs)
    ours = first.get(_main(runs))
    if ours is None:
        return None
    measured = {view: one[LEAD] for view, one in ours.views.items() if LEAD in one and view not in PAIRWISE}
    best = (ours.system, max(measured, key=lambda view: measured[view], default=""))
    pairs = {group: partners(first[group[0]].samples.get((group[1], LEAD))) for group in (UNTOUCHED, best)}
    common = [sentence for sentence in pairs[UNTOUCHED] if sentence in pairs[best]]
    if not common:
        return None
    wrong = {
        group: {one for one in common if found[one][1][1] > found[one][0][1]}
        for group, found in pairs.items()
    }
    gained = wrong[UNTOUCHED] - wrong[best]
    pool = [one for one in common if one in gained] or common
    pool = [one for one in pool if len(one.split()) <= _WORDS] or pool
    sentence = min(pool, key=lambda one: hashlib.sha256(f"{SEED} {one}".encode()).hexdigest())
    return Example(
        sentence,
        *(text for text, _ in pairs[best][sentence]),
        {group: tuple(cosine for _, cosine in found[sentence]) for group, found in pairs.items()},
        {group: len(found) for group, found in wrong.items()},
        len(common),
        len(gained),
        len(wrong[best] - wrong[UNTOUCHED]),
    )


Partner = tuple[str, float]  # a text and its cosine with the sentence


def partners(scores: Scores | None) -> dict[str, tuple[Partner, Partner]]:
    """Return for each sentence of the contrast set its rewording and its exchange, if it has both."""
    found: dict[str, dict[bool, Partner]] = {}
    if scores is not None:
        for a, b, gold, score in zip(scores.a, scores.b, scores.gold, scores.score, strict=True):
            found.setdefault(a, {}).setdefault(bool(gold > 0), (b or "", float(score)))
    return {a: (sides[True], sides[False]) for a, sides in found.items() if len(sides) == 2}
