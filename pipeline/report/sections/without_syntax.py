"""Embeddings freed of syntax: what probes still read off ParaBART, and what meaning it keeps.

Here a lower probe accuracy is better, as long as similarity does not suffer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

from pipeline.report.inputs import Run
from pipeline.report.sections.ablations import Ablation, Effect, EffectTable, effect_table, family
from pipeline.report.sections.published import published_entries
from pipeline.report.tables import Column

FAMILY = "parabart"
# The paper's three rows by the names of ours: their order is compared with ours.
ROWS = {
    FAMILY: "ParaBART",
    f"{FAMILY}-no-adversary": "ParaBART, no adversary",
    f"{FAMILY}-no-adversary-no-guidance": "ParaBART, no adversary, no guidance",
}
# Computed here from others: means, and each probe's accuracy on the first set that was probed.
STS, PROBED = "sts.mean.pearson", "syntax.mean.accuracy_mlp"
_STS = ("stsb.test.pearson", *(f"sts{year}.test.pearson_mean" for year in range(12, 17)))
_SETS = ("senteval-{}.test", "xprobe-{}.test", "xprobe-{}.held_out", "probe.{}")
_CONSTITUENT_SETS = ("senteval-{}.test", "ptb-sample.held_out", "probe.{}")
_PROBES = {
    f"syntax.{name}.accuracy_mlp": tuple(f"{place.format(name)}.accuracy_mlp" for place in places)
    for name, places in (
        ("bigram_shift", _SETS),
        ("tree_depth", _SETS),
        ("top_constituents", _CONSTITUENT_SETS),
    )
}
_NAMES = tuple(_PROBES)
COLUMNS = (
    Column(STS, "STS", "Pearson × 100, mean over sets"),
    Column(_NAMES[0], "Bigram shift", "accuracy, %; lower is better", lower_is_better=True),
    Column(_NAMES[1], "Tree depth", "accuracy, %; lower is better", lower_is_better=True),
    Column(_NAMES[2], "Top constituents", "accuracy, %; lower is better", lower_is_better=True),
    Column(PROBED, "Three probes", "mean accuracy, %; lower is better", lower_is_better=True),
    Column("qqp.easy.accuracy_oracle_threshold", "QQP-Easy", "accuracy, %, oracle threshold"),
    Column("qqp.hard.accuracy_oracle_threshold", "QQP-Hard", "accuracy, %, oracle threshold"),
    Column("paraphrasing.variants.piece_accuracy", "Predicted", "share of the paraphrase's subwords"),
)


@dataclass(frozen=True)
class WithoutSyntax:
    """Published rows and ours under the same columns.

    ``same_order`` says of each column whether our three rows stand in the order of the published three; None
    where a number is missing.
    """

    protocol: str
    differs: str
    cited: tuple[tuple[str, tuple[float | None, ...]], ...]
    table: EffectTable
    sets: tuple[str, ...]  # of the STS mean
    same_order: tuple[bool | None, ...]


def without_syntax(ablations: Sequence[Ablation]) -> WithoutSyntax | None:
    """The section's table of the ablations of this family; None where none of them was run."""
    own = [_with_means(each) for each in ablations if family(each.name) == FAMILY]
    if not own:
        return None
    entry = next(entry for entry in published_entries() if entry.get("of") == FAMILY)
    table = effect_table(own, entry["table"], COLUMNS, "semantic", reference=FAMILY)
    places = {metric: place for place, metric in enumerate(entry["columns"])}
    at = [places.get(column.metric) for column in table.columns]
    cited = {
        name: tuple(None if place is None else numbers[place] for place in at)
        for name, numbers in entry["rows"].items()
    }
    measured = {each.name: row for each, row in table.rows}
    order = tuple(_same_order(measured, cited, number) for number in range(len(table.columns)))
    sets = {
        name for each in own for run in each.runs for name in _STS if name in run.views.get("semantic", {})
    }
    return WithoutSyntax(
        entry["protocol"],
        entry["differs"],
        tuple(cited.items()),
        table,
        tuple(name.split(".")[0].upper().replace("STSB", "STS-B") for name in _STS if name in sets),
        order,
    )


def _same_order(
    ours: Mapping[str, Sequence[Effect | None]],
    theirs: Mapping[str, Sequence[float | None]],
    column: int,
) -> bool | None:
    pairs = [
        (ours[name][column] if name in ours else None, theirs[row][column]) for name, row in ROWS.items()
    ]
    known = [(effect.mean, number) for effect, number in pairs if effect is not None and number is not None]
    if len(known) < len(ROWS):
        return None
    return all((a - b) * (x - y) > 0 for (a, x), (b, y) in combinations(known, 2))


def _with_means(ablation: Ablation) -> Ablation:
    return replace(ablation, runs=tuple(map(_with_mean_metrics, ablation.runs)))


def _with_mean_metrics(run: Run) -> Run:
    views = {}
    for view, metrics in run.views.items():
        means = dict(metrics)
        if sets := [metrics[name] for name in _STS if name in metrics]:
            means[STS] = fmean(sets)
        found = {
            name: next((each for each in some if each in metrics), None) for name, some in _PROBES.items()
        }
        means |= {name: metrics[each] for name, each in found.items() if each}
        if all(found.values()):
            means[PROBED] = fmean(means[name] for name in _NAMES)
        views[view] = means
    return replace(run, views=views)
