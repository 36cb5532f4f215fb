"""All parts together: read, draw, and write the page, the Markdown table and the CSVs."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipeline.params import Params, Report
from pipeline.report import counts, gallery, loss, markdown, probes, projection, similarity, tables
from pipeline.report.inputs import BACKBONE, Run, read_runs
from pipeline.report.plots import write_plots
from pipeline.report.provenance import costs, provenance

_COLOURS = 6  # --system-1 to --system-6 in style.css; 0 is the backbone


def write_report(
    data: Path,
    models: Path,
    reports: Path,
    out: Path,
    params: Params,
    revision: str | None = None,
) -> Path:
    """Write ``index.html``, ``results.md`` and ``plots/`` into ``out``; return the page's path.

    The page shows every parameter; ``params.systems`` and ``params.seeds`` say which runs are read. Raises
    SynsemError where a run's metrics or the sentences are missing.
    """
    runs = read_runs(reports, models, params.systems, params.seeds)
    results = tables.result_tables(runs)
    html = render(data, runs, results, params, revision)
    write_plots(out / "plots", runs)
    _write(out / "results.md", markdown.results(results, _seed_count(runs)))
    _write(out / "index.html", html)
    return out / "index.html"


def render(
    data: Path,
    runs: Sequence[Run],
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
    colours = {system: _colour(position) for position, system in enumerate(systems)}
    histograms = similarity.histograms(runs)
    highest = similarity.tallest(histograms)
    return environment.get_template("page.html").render(
        systems=[system for system in systems if system != BACKBONE],
        seeds=sorted({run.seed for run in runs if run.seed is not None}),
        colours=colours,
        tables=results,
        cell_text=markdown.cell_text,
        losses=_losses(runs, systems),
        costs=costs(runs),
        probes=[(probe, probes.probe_picture(probe, colours)) for probe in probes.probes(runs)],
        histograms=[(one, similarity.histogram_picture(one, highest)) for one in histograms],
        maps=_maps(runs, params.report),
        transformations=gallery.gallery(
            data / "parsed" / "corpus", data / "augmented", params.report.gallery, params.report.seed
        ),
        longest=gallery.LONGEST,
        stages=counts.stage_counts(data),
        provenance=provenance(params.model_dump(), runs, revision),
    )


def _colour(position: int) -> int:
    return 0 if position == 0 else (position - 1) % _COLOURS + 1


def _losses(runs: Sequence[Run], systems: Sequence[str]) -> list[tuple[str, Markup | None]]:
    trained = [system for system in systems if system != BACKBONE]
    return [
        (system, loss.loss_picture(system, [run for run in runs if run.system == system]))
        for system in trained
    ]


def _maps(runs: Sequence[Run], report: Report) -> list[tuple[str, Markup, list[str]]]:
    """Name, map and views of the backbone and of the first seed of every system."""
    maps = []
    for run in {run.system: run for run in reversed(runs)}.values():
        points = projection.project(run.evaluation.get("projection", []), report.tsne_perplexity, report.seed)
        if points:
            views = list(dict.fromkeys(point.view for point in points))
            maps.append((run.name, projection.projection_picture(run.name, points), views))
    return maps[::-1]


def _seed_count(runs: Sequence[Run]) -> int:
    return len({run.seed for run in runs if run.seed is not None})


def _wrap_dots(name: str) -> Markup:
    """Let a dotted name break after its dots and underscores."""
    return Markup("").join(Markup("{}<wbr>").format(part) for part in _pieces(name))


def _pieces(name: str) -> list[str]:
    return name.replace(".", ".\0").replace("_", "_\0").split("\0")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
