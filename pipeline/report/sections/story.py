"""The top of the page: one sentence, one example, a table of about five rows, then what is significant.

The example is a sentence of the contrast set with a rewording, which means the same, and an exchange, which
has the words of the sentence and another meaning. A vector that reads the structure finds the rewording
nearer.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.evaluation.compare import Key, Scores
from pipeline.report.inputs import (
    CONTROLS,
    LATE,
    LATE_SUFFIX,
    PAIRWISE,
    Group,
    Run,
    first_seeds,
    main_system,
)
from pipeline.report.sections.headline import UNTOUCHED, Comparison, Headline, Result

LEAD = "contrast.all.ap"  # the column that the story is told of, where it was measured
_ROWS, _COLUMNS, _WORDS = 6, 4, 12
Pairs = dict[str, tuple[str, float, str, float]]  # sentence -> rewording, its score, exchange, its score


@dataclass(frozen=True)
class Liking:
    """How alike one view finds the example's two pairs, and how often it prefers the exchange."""

    group: Group
    reworded: float
    exchanged: float
    wrong: int


@dataclass(frozen=True)
class Example:
    """A sentence with its two partners; ``chosen`` and ``other_way`` count sentences of the set.

    ``chosen``: the untouched backbone prefers the exchange and our view does not; ``other_way``: the reverse.
    """

    sentence: str
    reworded: str
    exchanged: str
    likings: tuple[Liking, ...]  # the untouched backbone, then ours
    sentences: int
    chosen: int
    other_way: int


@dataclass(frozen=True)
class Finding:
    """What the tests say of one leader of one column."""

    table: str
    comparison: Comparison
    leader: Group

    @property
    def result(self) -> Result:
        """The leader's result."""
        return self.comparison.results[self.leader]


@dataclass(frozen=True)
class Story:
    """What stands at the top of the page. ``main`` is the first trained system that is no baseline."""

    main: str
    lead: Comparison | None
    best: Group | None  # the main system's best vector of the lead column
    example: Example | None
    rows: tuple[Group, ...]
    columns: tuple[Comparison, ...]
    findings: Mapping[str, tuple[Finding, ...]]  # verdict (better, worse, even, "") -> findings


def story(runs: Sequence[Run], top: Sequence[Headline], seed: int) -> Story | None:
    """The story of the runs; None where no run has a headline metric."""
    main = main_system(runs)
    if not top or main is None:
        return None
    first = top[0]
    ours = [one for one in first.comparisons if any(system == main for system, _ in one.results)]
    lead = next((one for one in ours if one.column.metric == LEAD), ours[0] if ours else None)
    best = _best(lead, main) if lead else None
    columns = sorted(first.comparisons, key=lambda one: one is not lead)[:_COLUMNS]
    rows = [UNTOUCHED, *([lead.strongest] if lead and lead.strongest else [])]
    rows += [group for group in first.groups if group[0] == main]
    shown = [group for group in dict.fromkeys(rows) if any(group in one.results for one in columns)]
    return Story(
        main,
        lead,
        best,
        _example(runs, best, seed) if best else None,
        tuple(shown[:_ROWS]),
        tuple(columns),
        _findings(top),
    )


def _best(lead: Comparison, main: str) -> Group | None:
    vectors = [
        group
        for group in lead.results
        if group[0] == main and group[1] not in PAIRWISE and group[1] not in CONTROLS
    ]
    return max(vectors, key=lambda group: lead.results[group].mean, default=None)


def _findings(top: Sequence[Headline]) -> dict[str, tuple[Finding, ...]]:
    found: dict[str, list[Finding]] = {"better": [], "worse": [], "even": [], "": []}
    for table in top:
        for comparison in (one for one in table.comparisons if one.column.tested):
            for leader in comparison.leaders:
                gain = comparison.results[leader].gain
                found[gain.verdict if gain else ""].append(
                    Finding(table.title.partition(":")[0], comparison, leader)
                )
    return {verdict: tuple(each) for verdict, each in found.items()}


def _example(runs: Sequence[Run], best: Group, seed: int) -> Example | None:
    """A short sentence by its hash, of those that the untouched backbone gets wrong and our view right."""
    scores = {run.system: run.samples for run in first_seeds(runs)}
    before, after = (partners(_of(scores.get(system, {}), view)) for system, view in (UNTOUCHED, best))
    common = [sentence for sentence in before if sentence in after]
    if not common:
        return None
    wrong = {sentence for sentence in common if _is_wrong(before[sentence])}
    wrong_after = {sentence for sentence in common if _is_wrong(after[sentence])}
    chosen = wrong - wrong_after
    pool = [one for one in chosen or common if len(one.split()) <= _WORDS] or sorted(chosen or common)
    sentence = min(pool, key=lambda one: hashlib.sha256(f"{seed} {one}".encode()).hexdigest())
    likings = tuple(
        Liking(group, pairs[sentence][1], pairs[sentence][3], len(missed))
        for group, pairs, missed in ((UNTOUCHED, before, wrong), (best, after, wrong_after))
    )
    reworded, _, exchanged, _ = after[sentence]
    return Example(sentence, reworded, exchanged, likings, len(common), len(chosen), len(wrong_after - wrong))


def _of(scores: Mapping[Key, Scores], view: str) -> Scores | None:
    return scores.get((view, "contrast", "ap" + (LATE_SUFFIX if view == LATE else "")))


def _is_wrong(pair: tuple[str, float, str, float]) -> bool:
    return pair[3] > pair[1]


def partners(scores: Scores | None) -> Pairs:
    """Each sentence of the contrast set with its rewording, its exchange, and the scores of both."""
    if scores is None:
        return {}
    found: dict[str, dict[bool, tuple[str, float]]] = {}
    for a, b, gold, score in zip(scores.a, scores.b, scores.gold, scores.score, strict=True):
        found.setdefault(a, {}).setdefault(bool(gold > 0), (b or "", float(score)))
    return {a: (*sides[True], *sides[False]) for a, sides in found.items() if len(sides) == 2}
