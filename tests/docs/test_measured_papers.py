"""The page beside the papers shows what reports/ holds: means over seeds, and gains with 95 % intervals."""

from collections.abc import Iterator
from typing import Any

from measured import SEEDS, Row, Values, complaints, differences, over
from test_measured_tables import (
    BY_SHARE,
    PARABART,
    SHARES_OF_QQP,
    STARTS,
    TABLE_7,
    of_matching,
    of_parabart,
    runs_of_table_7,
)
from test_measured_trees import LANGUAGES, over_treebanks
from test_measured_upos import AGAIN, of_run
from test_measured_upos import FOLDER as UPOS

STSB_FINE_TUNED = "reports/matching/stsb.json"
SHOWN = [TABLE_7, PARABART, LANGUAGES, SHARES_OF_QQP, BY_SHARE, STSB_FINE_TUNED, UPOS]


def of_sscp(name: str, view: str = "semantic", metric: str = "stsb.test.spearman") -> list[float]:
    return [run["metrics"][view][metric] for run in runs_of_table_7(name)]


def of_paraphrasing(name: str, column: int) -> list[float]:
    return [of_parabart(f"{PARABART}/{name}-{seed}.json")[column] for seed in SEEDS]


def mean(values: list[float]) -> Values:
    return over([value] for value in values)


def claims() -> Iterator[Row]:
    """What the figure of each claim is here, in the order of the page."""
    untouched = of_sscp("untouched") * len(SEEDS)
    yield "[`sscp`]", [..., ..., differences(of_sscp("full"), untouched), ..., ...]
    yield "", [..., ..., differences(of_sscp("simcse"), untouched), ..., ...]
    yield "", [..., ..., differences(of_sscp("full"), of_sscp("no-bias")), ..., ...]
    bare, whole, simcse = "parabart-no-adversary-no-guidance", "parabart", "parabart-simcse"
    yield (
        "[`parabart`]",
        [..., ..., differences(*(of_paraphrasing(name, 0) for name in (whole, bare))), ..., ...],
    )
    yield "", [..., ..., differences(*(of_paraphrasing(name, 4) for name in (whole, bare))), ..., ...]
    yield "", [..., ..., differences(*(of_paraphrasing(name, 0) for name in (simcse, whole))), ..., ...]
    over_cross_entropy, of_control, _ = (cells[0] for _, cells in over_treebanks())
    yield "[`cssl`]", [..., ..., over_cross_entropy, ..., ...]
    yield "", [..., ..., of_control, ..., ...]
    starts = (STARTS["`ebsim`"], "backbone")
    few = [of_matching(SHARES_OF_QQP, start, 20, "accuracy") for start in starts]
    yield "[`ebsim`]", [..., ..., differences(*few), ..., ...]
    sixty = mean(of_matching(BY_SHARE, starts[0], 60, "accuracy")) or []
    hundred = mean(of_matching(BY_SHARE, starts[1], 100, "accuracy")) or []
    yield "", [..., ..., [*sixty, *hundred], ..., ...]
    fine_tuned: list[Any] = [mean(of_matching(STSB_FINE_TUNED, start, 100, "spearman")) for start in starts]
    yield "", [..., ..., [*fine_tuned[0], *fine_tuned[1]], ..., ...]
    nearest = [of_run(run, "en", "unseen", "accuracy_1nn") or [] for run in ("long", "backbone")]
    yield "[`upos`]", [..., ..., [*nearest[0], *nearest[1]], ..., ...]
    apart = [of_run(run, "en", "test", "functional_dissimilarity") or [] for run in ("long", "backbone")]
    yield "", [..., ..., [*apart[0], *apart[1]], ..., ...]
    shots = [
        of_run(f"{run}-es", "es", "unseen", "accuracy_1nn", folder=AGAIN) or []
        for run in ("zero-shot", "few-shot")
    ]
    yield "", [..., ..., [*shots[0], *shots[1]], ..., ...]


def test_the_table_of_claims_shows_what_was_measured() -> None:
    assert complaints("docs/papers.md", ("system", "what the paper claims"), claims, *SHOWN) == []
