"""The contrast set by phenomenon: average precision of every view, a chart a system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.report import glossary
from pipeline.report.figures.plane import Row, dot_picture
from pipeline.report.inputs import BACKBONE, VIEWS, Group, Run, style, title
from pipeline.report.tables import groups, metric_names, summary, values

CHANCE = 50.0


@dataclass(frozen=True)
class Phenomena:
    """One contrast set and one system: ``rows`` of (phenomenon, mean average precision of each embedding)."""

    task: str
    system: str
    groups: tuple[Group, ...]
    rows: tuple[tuple[str, Mapping[Group, float]], ...]


def phenomena(runs: Sequence[Run]) -> list[Phenomena]:
    """Every contrast set that was measured, a chart a system, each with the untouched backbone beside it.

    ``all`` is the first row; below it the phenomena, the hardest for the untouched backbone first.
    """
    names = [name for name in metric_names(runs) if glossary.meaning(name).protocol == glossary.PHENOMENA]
    untouched = (BACKBONE, VIEWS[0])
    found = []
    for task in dict.fromkeys(name.split(".")[0] for name in names):
        metrics = [name for name in names if name.split(".")[0] == task]
        means = {
            group: {
                metric: summary(numbers)[0]
                for metric in (f"{task}.all.ap", *metrics)
                if (numbers := values(runs, *group, metric))
            }
            for group in groups(runs)
        }
        base = means.get(untouched, {})
        order = [f"{task}.all.ap", *sorted(metrics, key=lambda name: (base.get(name, CHANCE), name))]
        for system in dict.fromkeys(run.system for run in runs):
            own = [group for group in means if group[0] == system and means[group]]
            if not own:
                continue
            shown = tuple(dict.fromkeys([*([untouched] if base else []), *own]))
            rows = [
                (
                    metric.split(".")[1],
                    {group: means[group][metric] for group in shown if metric in means[group]},
                )
                for metric in order
            ]
            found.append(Phenomena(task, system, shown, tuple(row for row in rows if row[1])))
    return found


def phenomena_picture(one: Phenomena, colours: Mapping[str, int]) -> Markup:
    """Rows of dots from 0 to 100, with a dashed line at chance."""
    rows = [
        Row(
            name.replace("_", " "),
            [
                (mean, style(group, colours), f"{title(*group)}, {name}: {mean:.2f}")
                for group, mean in means.items()
            ],
        )
        for name, means in one.rows
    ]
    spoken = f"Average precision by phenomenon, {one.system}, {one.task}"
    return dot_picture(spoken, "average precision", rows, CHANCE, (0, 100))
