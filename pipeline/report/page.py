"""The report: reads the runs; writes the page, the tables, the headline numbers and the plots' CSVs."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipeline.core.store import write_json, write_text
from pipeline.evaluation.significance import FEWEST
from pipeline.params import Params
from pipeline.report import markdown, sizes, tables
from pipeline.report.inputs import BACKBONE, CONTROLS, Run, read_runs
from pipeline.report.intervals import SIGNS
from pipeline.report.plots import write_plots
from pipeline.report.sections import (
    ablations,
    examples,
    gallery,
    headline,
    languages,
    matchers,
    phenomena,
    probes,
    projection,
    published,
    ranking,
    run_facts,
    similarity,
    story,
    token_alignment,
    training,
    weights,
    without_syntax,
)

# Template, anchor and name of every section, the most important first.
SECTIONS = (
    ("headline", "headline", "At a glance"),
    ("published", "papers", "Papers"),
    ("ablations", "ablations", "Ablations"),
    ("without_syntax", "without-syntax", "Without syntax"),
    ("languages", "languages", "Parsing"),
    ("results", "results", "Every result"),
    ("pairs", "pairs", "Pairs"),
    ("probes", "probes", "Probes"),
    ("matching", "matching", "Matching"),
    ("similarity", "similarity", "Similarity"),
    ("projection", "maps", "Maps"),
    ("neighbours", "neighbours", "Neighbours"),
    ("errors", "errors", "Errors"),
    ("training", "training", "Training"),
    ("triplets", "examples", "Examples"),
    ("gallery", "gallery", "Augmentations"),
    ("counts", "counts", "Counts"),
    ("cost", "cost", "Cost"),
    ("provenance", "provenance", "Provenance"),
)
_COLOURS = 6  # --system-1 to --system-6 in style.css; 0 is the backbone


def write_report(
    data: Path,
    models: Path,
    reports: Path,
    out: Path,
    params: Params,
    revision: str | None = None,
) -> Path:
    """Write ``index.html``, ``results.md``, ``headline.json`` and ``plots/``; return the page's path.

    The page shows every parameter; ``params.systems`` and ``params.seeds`` say which runs are read. Where
    runs left their times, ``cost.md`` has them: the other files are the same for the same results. Raises
    SynsemError where a run's metrics or the sentences are missing.
    """
    runs = read_runs(reports, models, params.systems, params.seeds)
    counted = sizes.sizes(runs)
    results = tables.result_tables(runs, counted)
    top = headline.headlines(runs, params.report.bootstrap_draws, params.report.seed, counted)
    html = render(data, reports, runs, top, results, params, revision)
    write_plots(out / "plots", runs)
    write_json(out / "headline.json", tables.headline_metrics(runs, sizes.few_probes(counted)))
    write_text(out / "results.md", markdown.results_page(top, results, _seed_count(runs)))
    write_text(out / "index.html", html)
    headings, measured = run_facts.measured(runs)
    if measured:
        named = [(run.name, cells) for run, cells in measured]
        write_text(out / "cost.md", markdown.cost_page(headings, named))
    else:  # one of other runs
        (out / "cost.md").unlink(missing_ok=True)
    return out / "index.html"


def render(
    data: Path,
    reports: Path,
    runs: Sequence[Run],
    top: Sequence[headline.Headline],
    results: Sequence[tables.ResultTable],
    params: Params,
    revision: str | None,
) -> str:
    """The page as one HTML document, which loads nothing from elsewhere."""
    systems = list(dict.fromkeys(run.system for run in runs))
    matched = matchers.read_matching(reports / "matching")
    colours = system_colours([*systems, *dict.fromkeys(run.system for run in matched)])
    values = {
        "systems": [system for system in systems if system != BACKBONE],
        "seeds": sorted({run.seed for run in runs if run.seed is not None}),
        "colours": colours,
        "controls": CONTROLS,
        "signs": SIGNS,
        "fewest": FEWEST,
        "tables": results,
        "story": story.story(runs, top, params.report.seed),
        **_compared(reports, runs, top, matched, colours),
        **_ranked(runs, params, systems, colours),
        **_embedded(runs, params, colours),
        **_made(data, runs, systems, params),
        "provenance": run_facts.provenance(params.model_dump(), runs, revision),
    }
    has_matching = values["matchers"] or values["alignments"]
    sections = [one for one in SECTIONS if one[0] != "matching" or has_matching]
    html = _templates().get_template("page.html").render(sections=sections, **values)
    # The templates' indentation would be a tenth of the page.
    return re.sub(r"\n\s+", "\n", html)


@cache
def _templates() -> Environment:
    """The folder of templates, each compiled once a process."""
    environment = Environment(
        loader=PackageLoader("pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["wrap_dots"] = _wrap_dots
    return environment


def _compared(
    reports: Path,
    runs: Sequence[Run],
    top: Sequence[headline.Headline],
    matched: Sequence[Run],
    colours: Mapping[str, int],
) -> dict[str, Any]:
    """Values of the sections that compare numbers: baselines, papers, ablations, languages."""
    ablated = ablations.read_ablations(reports / "ablations")
    effects = ablations.effects(ablated)
    ablated_runs = [run for each in ablated for run in each.runs]
    tables_of_matchers = matchers.matcher_tables(reports / "matching")
    elsewhere = {
        "ablations": ablations.origins(reports / "ablations"),
        "matching": ablations.gathered(
            sorted({origin for one in tables_of_matchers for origin in one.origins})
        ),
    }
    return {
        "headlines": top,
        "matching_origins": elsewhere["matching"],
        "forests": {table.title: headline.forests(table, colours) for table in top},
        "published": published.published_tables(runs, ablated_runs, matched, elsewhere),
        "effects": effects,
        "ablation_notes": ablations.read_notes(reports / "ablations"),
        "ablations_mixed": ablations.mixed([one for one in ablated if not ablations.family(one.name)]),
        "without_syntax_mixed": ablations.mixed([one for one in ablated if ablations.family(one.name)]),
        "differences": [ablations.differences(views[0]) for views in effects],
        "ablation_origins": elsewhere["ablations"],
        "without_syntax_origins": ablations.origins(reports / "ablations", without_syntax.FAMILY),
        "without_syntax": without_syntax.without_syntax(ablated),
        "languages": languages.languages(reports),
        "language_metrics": languages.METRICS,
        "language_variants": languages.VARIANTS,
        "matchers": tables_of_matchers,
    }


def _ranked(
    runs: Sequence[Run], params: Params, systems: Sequence[str], colours: Mapping[str, int]
) -> dict[str, Any]:
    """Values of the section on pairs: phenomena, precision and recall, gold, the weight of the structure."""
    classes, graded = (ranking.ranked_pairs(runs, metric) for metric in ("ap", "spearman"))
    weighed = weights.tradeoffs(runs, params)
    return {
        "phenomena": [(one, phenomena.phenomena_picture(one, colours)) for one in phenomena.phenomena(runs)],
        "precision_recall": ranking.curves(classes, colours),
        "gold_tasks": [
            (
                task,
                [
                    similarity.similarity_picture(one, similarity.highest_share(task.classes))
                    for one in task.classes
                ],
            )
            for task in ranking.gold_tasks(graded, classes, colours, params.report.seed, systems)
        ],
        "tradeoffs": weighed,
        "tradeoff_picture": weights.tradeoff_picture(weighed, colours) if weighed else None,
    }


def _embedded(runs: Sequence[Run], params: Params, colours: Mapping[str, int]) -> dict[str, Any]:
    """Values of the sections on the embeddings: probes, similarities, maps, neighbours, errors."""
    similarities = similarity.similarities(runs)
    highest = similarity.highest_share(similarities)
    drawn, texts = projection.maps(runs, params.report)
    spread = similarity.uniformities(runs)
    return {
        "probes": [(probe, probes.probe_picture(probe, colours)) for probe in probes.probes(runs)],
        "alignments": [
            (pair, [(grid, token_alignment.grid_picture(grid)) for grid in pair.grids])
            for pair in token_alignment.aligned_pairs(runs)
        ],
        "similarities": [(one, similarity.similarity_picture(one, highest)) for one in similarities],
        "uniformity": similarity.uniformity_picture(spread, colours) if spread else None,
        "maps": drawn,
        "map_texts": texts,
        "queries": examples.queries(runs),
        "errors": examples.worst_errors(runs, params.report.worst_errors),
    }


def _made(data: Path, runs: Sequence[Run], systems: Sequence[str], params: Params) -> dict[str, Any]:
    """Values of the sections on the data and the training: what was made, kept, dropped and paid."""
    mined = similarity.example_similarities(data / "triplets", systems)
    return {
        "losses": training.losses(runs, systems),
        "costs": run_facts.costs(runs),
        "example_similarities": [(one, similarity.example_picture(one)) for one in mined],
        "transformations": gallery.gallery(
            data / "parsed" / "corpus", data / "augmented", params.report.gallery, params.report.seed
        ),
        "longest": gallery.LONGEST,
        "stages": run_facts.stage_counts(data),
    }


def system_colours(systems: Sequence[str]) -> dict[str, int]:
    """A colour's number for each system, named once or more: 0 for the first, the backbone; then in turn."""
    return {
        system: 0 if position == 0 else (position - 1) % _COLOURS + 1
        for position, system in enumerate(dict.fromkeys(systems))
    }


def _seed_count(runs: Sequence[Run]) -> int:
    return len({run.seed for run in runs if run.seed is not None})


def _wrap_dots(name: str) -> Markup:
    """Let a dotted name break after its dots and underscores."""
    parts = name.replace(".", ".\0").replace("_", "_\0").split("\0")
    return Markup("").join(Markup("{}<wbr>").format(part) for part in parts)
