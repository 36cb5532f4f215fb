"""All parts together: read, draw, and write the page, the tables, the headline numbers and the CSVs."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipeline.params import Params
from pipeline.report import (
    ablations,
    counts,
    few_shot,
    figures,
    gallery,
    languages,
    markdown,
    matchers,
    matching,
    mistakes,
    neighbours,
    probes,
    published,
    similarity,
    syntax,
    tables,
    token_alignment,
    triplets,
)
from pipeline.report.columns import headline_metrics
from pipeline.report.costs import costs
from pipeline.report.headline import Headline, headlines
from pipeline.report.inputs import BACKBONE, CONTROLS, Run, read_runs
from pipeline.report.plots import write_plots
from pipeline.report.projection import METHODS
from pipeline.report.provenance import provenance
from pipeline.store import write_json, write_text

# Template, anchor and name of every section, the most important first.
SECTIONS = (
    ("headline", "headline", "At a glance"),
    ("published", "papers", "Papers"),
    ("ablations", "ablations", "Ablations"),
    ("syntax", "without-syntax", "Without syntax"),
    ("languages", "languages", "Parsing"),
    ("results", "results", "Every result"),
    ("probes", "probes", "Probes"),
    ("few_shot", "few-shot", "Few-shot"),
    ("matching", "matching", "Matching"),
    ("similarity", "similarity", "Similarity"),
    ("projection", "maps", "Maps"),
    ("neighbours", "neighbours", "Neighbours"),
    ("mistakes", "errors", "Errors"),
    ("training", "training", "Training"),
    ("triplets", "examples", "Examples"),
    ("gallery", "gallery", "Augmentations"),
    ("counts", "counts", "Counts"),
    ("cost", "cost", "Cost"),
    ("provenance", "provenance", "Provenance"),
)


def write_report(
    data: Path,
    models: Path,
    reports: Path,
    out: Path,
    params: Params,
    revision: str | None = None,
) -> Path:
    """Write ``index.html``, ``results.md``, ``headline.json`` and ``plots/``; return the page's path.

    The page shows every parameter; ``params.systems`` and ``params.seeds`` say which runs are read. Raises
    SynsemError where a run's metrics or the sentences are missing.
    """
    runs = read_runs(reports, models, params.systems, params.seeds)
    results = tables.result_tables(runs)
    top = headlines(runs, params.report.bootstrap_draws, params.report.seed)
    html = render(data, reports, runs, top, results, params, revision)
    write_plots(out / "plots", runs)
    write_json(out / "headline.json", headline_metrics(runs))
    write_text(out / "results.md", markdown.results(top, results, _seed_count(runs)))
    write_text(out / "index.html", html)
    return out / "index.html"


def render(
    data: Path,
    reports: Path,
    runs: Sequence[Run],
    top: Sequence[Headline],
    results: Sequence[tables.ResultTable],
    params: Params,
    revision: str | None,
) -> str:
    """The page as one HTML document that asks for nothing from outside."""
    environment = Environment(
        loader=PackageLoader("pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["wrap_dots"] = _wrap_dots
    systems = list(dict.fromkeys(run.system for run in runs))
    matched = matching.read_matching(reports / "matching")
    tuned, aligned = matchers.matchers(reports / "matching"), token_alignment.pairs(runs)
    colours = figures.colours([*systems, *dict.fromkeys(run.system for run in matched)])
    histograms = similarity.histograms(runs)
    highest = similarity.tallest(histograms)
    ablated = ablations.read_ablations(reports / "ablations")
    effects = ablations.effects(ablated)
    return environment.get_template("page.html").render(
        sections=[one for one in SECTIONS if one[0] != "matching" or tuned or aligned],
        systems=[system for system in systems if system != BACKBONE],
        seeds=sorted({run.seed for run in runs if run.seed is not None}),
        colours=colours,
        controls=CONTROLS,
        headlines=top,
        forests={table.title: figures.forests(table, colours) for table in top},
        published=published.beside(runs, [run for each in ablated for run in each.runs], matched),
        effects=effects,
        ablation_notes=ablations.read_notes(reports / "ablations"),
        differences=[figures.differences(views[0]) for views in effects],
        without_syntax=syntax.without_syntax(ablated),
        languages=languages.languages(reports),
        language_metrics=languages.METRICS,
        language_variants=languages.VARIANTS,
        tables=results,
        losses=figures.losses(runs, systems),
        costs=costs(runs),
        probes=[(probe, probes.probe_picture(probe, colours)) for probe in probes.probes(runs)],
        few_shot=[
            (shots, few_shot.few_shot_picture(shots, colours))
            for shots in (
                *few_shot.few_shot(runs, "a classifier on frozen embeddings"),
                *few_shot.few_shot(matched, "the encoder fine-tuned"),
            )
            if shots.climbs
        ],
        matchers=tuned,
        alignments=[
            (pair, [(grid, token_alignment.grid_picture(grid)) for grid in pair.grids]) for pair in aligned
        ],
        histograms=[(one, similarity.histogram_picture(one, highest)) for one in histograms],
        maps=figures.maps(runs, params.report),
        methods=[METHODS[method] for method in params.report.maps],
        queries=neighbours.queries(runs),
        mistakes=mistakes.mistakes(runs, params.report.worst_errors),
        spreads=[
            (spread, triplets.spread_picture(spread))
            for spread in triplets.spreads(data / "triplets", systems)
        ],
        transformations=gallery.gallery(
            data / "parsed" / "corpus", data / "augmented", params.report.gallery, params.report.seed
        ),
        longest=gallery.LONGEST,
        stages=counts.stage_counts(data),
        provenance=provenance(params.model_dump(), runs, revision),
    )


def _seed_count(runs: Sequence[Run]) -> int:
    return len({run.seed for run in runs if run.seed is not None})


def _wrap_dots(name: str) -> Markup:
    """Let a dotted name break after its dots and underscores."""
    return Markup("").join(Markup("{}<wbr>").format(part) for part in _pieces(name))


def _pieces(name: str) -> list[str]:
    return name.replace(".", ".\0").replace("_", "_\0").split("\0")
