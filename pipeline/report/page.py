"""The report: reads the runs; writes the page, the tables, the headline numbers and the plots' CSVs."""

import re
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipeline.core.params import Params
from pipeline.core.significance import FEWEST
from pipeline.core.store import write_json, write_text
from pipeline.report import data as facts
from pipeline.report import gallery, glance, outputs, results
from pipeline.report.ablations import ablations
from pipeline.report.embeddings import maps, similarities, similarity_pictures
from pipeline.report.figures import Mark, rows_picture
from pipeline.report.metrics import headline_metrics
from pipeline.report.results import Comparison, Table
from pipeline.report.runs import BACKBONE, CONTROLS, UNTOUCHED, Group, read_runs, style, title

SECTIONS = {  # template -> name; the anchor is called as the template
    "glance": "At a glance",
    "phenomena": "By phenomenon",
    "results": "Every result",
    "training": "Training and cost",
    "embeddings": "Embeddings",
    "data": "Data and provenance",
}
_COLOURS = range(1, 7)  # --system-1 to --system-6 in style.css; 0 is the backbone


def write_report(
    data: Path,
    models: Path,
    reports: Path,
    out: Path,
    params: Params,
    revision: str | None = None,
) -> Path:
    """Write ``index.html``, ``results.md``, ``headline.json`` and ``plots/``; return the page's path.

    ``params.systems`` and ``params.seeds`` name the runs; ``reports/ablations.csv`` is shown if there.
    The same inputs give the same bytes. Raises SynsemError if a run's metrics or the sentences are missing.
    """
    runs = read_runs(reports, models, params.systems, params.seeds)
    ablated = reports / "ablations.csv"
    headlines = results.headline_tables(runs)
    tables = results.result_tables(runs, headlines)
    systems = list(dict.fromkeys(run.system for run in runs if run.system != BACKBONE))
    seeds = sorted({run.seed for run in runs if run.seed is not None})
    colours = {BACKBONE: 0, **dict(zip(systems, cycle(_COLOURS), strict=False))}
    html = render(
        sections=SECTIONS,
        systems=systems,
        seeds=seeds,
        colours=colours,
        controls=CONTROLS,
        signs=results.SIGNS,
        fewest=FEWEST,
        untouched=UNTOUCHED,
        main=glance.main_numbers(runs, headlines),
        example=glance.example(runs),
        headlines=[(table, _forests(table, colours)) for table in headlines],
        phenomena=_phenomena(tables, colours),
        tables=tables,
        published=results.published_tables(tables),
        ablations=ablations(ablated) if ablated.exists() else None,
        losses=facts.losses(runs),
        costs=facts.fact_table({run.name: run.training for run in runs}),
        similarities=similarity_pictures(similarities(runs)),
        maps=maps(runs),
        stages=facts.stage_counts(data),
        transformations=gallery.gallery(data / "parsed" / "corpus", data / "augmented"),
        longest=gallery.LONGEST,
        parameters=params.model_dump(),
        versions=facts.versions(),
        revision=revision,
    )
    outputs.write_plots(out / "plots", runs)
    write_json(out / "headline.json", headline_metrics(runs))
    write_text(out / "results.md", outputs.results_page(headlines, tables, len(seeds)))
    write_text(out / "index.html", html)
    return out / "index.html"


def render(**values: Any) -> str:
    """Return the page as one HTML document, which loads nothing from elsewhere."""
    templates = Environment(
        loader=PackageLoader("pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    html = templates.get_template("page.html").render(**values)
    return re.sub(r"\n\s+", "\n", html)  # the templates' indentation would be a tenth of the page


def _forests(table: Table, colours: Mapping[str, int]) -> list[tuple[Comparison, Markup]]:
    """A forest plot for each metric of a table."""
    found = []
    for one in table.comparisons:
        rows = {
            title(group): [Mark(result.mean, style(group, colours), f"{result.mean:.2f}", result.whisker)]
            for group in table.groups
            if (result := one.results.get(group))
        }
        reference = one.results[one.strongest].mean if one.strongest else None
        found.append((one, rows_picture(f"{one.column.label}, {one.column.unit}", "", rows, reference)))
    return found


def _phenomena(
    tables: Sequence[Table], colours: Mapping[str, int]
) -> list[tuple[str, str, list[Group], Markup]]:
    """A chart for each contrast set and system: average precision by phenomenon, the backbone beside it.

    ``all`` is the first row; below it the phenomena, the hardest for the untouched backbone first.
    """
    measured = {one.metric: one for table in tables for one in table.comparisons}
    own = [one for one in measured.values() if one.meaning.table == "phenomena"]
    found = []
    for task in dict.fromkeys(one.metric.split(".")[0] for one in own):
        rows = [one for one in own if one.metric.split(".")[0] == task]
        rows.sort(key=lambda one: one.results[UNTOUCHED].mean if UNTOUCHED in one.results else 0)
        rows = [one for one in (measured.get(f"{task}.all.ap"), *rows) if one]
        shown = list(dict.fromkeys(group for one in rows for group in one.results))
        for system in dict.fromkeys(system for system, _ in shown):
            groups = [group for group in shown if group[0] == system or group == UNTOUCHED]
            dots = {
                one.metric.split(".")[1].replace("_", " "): [
                    Mark(result.mean, style(group, colours), f"{title(group)}: {result.mean:.2f}")
                    for group in groups
                    if (result := one.results.get(group))
                ]
                for one in rows
            }
            name = f"Average precision by phenomenon, {system}, {task}"
            found.append((task, system, groups, rows_picture(name, "average precision", dots, 50, (0, 100))))
    return found
