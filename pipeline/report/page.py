"""The report: reads the runs; writes the page, the tables, the headline numbers and the loss curves.

The page opens with an example: a sentence of the contrast set with a rewording, which means the same, and an
exchange, which has its words and another meaning. A vector that reads the structure finds the first nearer.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.core.metrics import FEWEST
from pipeline.core.params import Params
from pipeline.core.seeding import SEED
from pipeline.core.store import read_yaml, write_json, write_text
from pipeline.report import data as facts
from pipeline.report import figures, results
from pipeline.report.metrics import headline_metrics
from pipeline.report.results import Comparison, Table
from pipeline.report.runs import (
    BACKBONE,
    BASELINES,
    CONTROLS,
    LATE,
    UNTOUCHED,
    Group,
    Run,
    Scores,
    first_seeds,
    read_runs,
    style,
    title,
    with_matchers,
)

_COLOURS = 6  # --system-1 to --system-6 in style.css; 0 is the backbone
LEAD = "contrast.all.ap"  # the main numbers' first column
_ROWS, _COLUMNS, _WORDS = 6, 4, 12  # of the main numbers; of the example at most


def write_report(
    data: Path, models: Path, reports: Path, out: Path, params: Params, revision: str | None = None
) -> Path:
    """Write ``index.html``, ``results.md``, ``headline.json`` and ``plots/``; return the page's path.

    The runs are those of ``params``; ``reports/ablations.csv`` is shown if there. The same inputs give the
    same bytes. Raises SynsemError if a run's metrics or the sentences are missing.
    """
    runs = read_runs(reports, models, params.systems, params.seeds)
    runs = with_matchers(runs, reports, models, params.finetune.tasks, params.finetune.shares)
    headlines = results.headline_tables(runs)
    tables = results.result_tables(runs, headlines)
    ablated = reports / "ablations.csv"
    systems = list(dict.fromkeys(run.system for run in runs if run.system != BACKBONE))
    colours = {BACKBONE: 0} | {system: 1 + place % _COLOURS for place, system in enumerate(systems)}
    shown = {
        "systems": systems,
        "seeds": sorted({run.seed for run in runs if run.seed is not None}),
        "colours": colours,
        "controls": CONTROLS,
        "signs": results.SIGNS,
        "fewest": FEWEST,
        "untouched": UNTOUCHED,
        "title": title,
        "main": _main_numbers(runs, headlines),
        "example": example(runs),
        "headlines": headlines,
        "forest": partial(_forest, colours),
        "phenomena": _phenomena(tables, colours),
        "tables": tables,
        "published": read_yaml(Path(__file__).with_name("published.yaml")),
        "ours": {one.metric: one.results for table in tables for one in table.comparisons},
        "ablations": results.ablations(ablated) if ablated.exists() else None,
        "runs": runs,
        "similarities": figures.similarities(runs),
        "maps": figures.maps(runs),
        "figures": figures,
        "facts": facts,
        "data": data,
        "parameters": params.model_dump(),
        "revision": revision,
    }
    page, table = (figures.TEMPLATES.get_template(name).render(shown) for name in ("page.html", "results.md"))
    write_text(out / "index.html", re.sub(r"\n\s+", "\n", page))  # indentation would be a tenth of the page
    write_text(out / "results.md", f"{table}\n")
    write_json(out / "headline.json", headline_metrics(runs))
    losses = (
        f"{run.system},{run.seed},{split},{step:.15g},{loss:.6g}\n"
        for run in runs
        for split, curve in sorted(run.curves.items())
        for step, loss in curve
    )
    write_text(out / "plots" / "loss.csv", "".join(("system,seed,split,step,loss\n", *losses)))
    _write_matching(out / "plots", runs)
    return out / "index.html"


def _write_matching(folder: Path, runs: Sequence[Run]) -> None:
    """Write the test score by share of the pairs and the development score by step, as EBSIM's figures.

    A score is F1, or Spearman's correlation of graded pairs.
    """
    shares, steps = ["system,run,task,share,score\n"], ["system,run,task,step,score\n"]
    for run in runs:
        for (task, share), trained in run.matchers.items():
            score = "f1" if "f1" in trained["test"] else "spearman"
            start = f"{run.system},{run.system}-{run.seed}"
            shares.append(f"{start},{task},{share},{trained['test'][score]:g}\n")
            steps += (f"{start}-{share},{task},{one['step']},{one[score]:g}\n" for one in trained["curve"])
    write_text(folder / "shares.csv", "".join(shares))
    write_text(folder / "matching.csv", "".join(steps))


def _forest(colours: Mapping[str, int], one: Comparison, shown: Sequence[Group]) -> Markup:
    """A row for each embedding, with its whisker; the strongest baseline is the reference."""
    rows = {
        title(group): [figures.Mark(result.mean, style(group, colours), f"{result.mean:.2f}", result.whisker)]
        for group in shown
        if (result := one.results.get(group))
    }
    reference = one.results[one.strongest].mean if one.strongest else None
    return figures.rows_picture(f"{one.column.label}, {one.column.unit}", "", rows, reference)


def _phenomena(
    tables: Sequence[Table], colours: Mapping[str, int]
) -> list[tuple[str, str, list[Group], Markup]]:
    """A chart for each contrast set and system: average precision by phenomenon, with the backbone's.

    ``all`` is the first row; below it the phenomena, the hardest for the untouched backbone first.
    """
    measured = {one.metric: one for table in tables for one in table.comparisons}
    own = [one for one in measured.values() if one.meaning.table == "phenomena"]
    own.sort(key=lambda one: one.results[UNTOUCHED].mean if UNTOUCHED in one.results else 0)
    found = []
    for task in sorted({one.metric.split(".")[0] for one in own}):
        rows = [one for one in own if one.metric.startswith(f"{task}.")]
        rows = [one for one in (measured.get(f"{task}.all.ap"), *rows) if one]
        present = dict.fromkeys(group for one in rows for group in one.results)
        for system in dict.fromkeys(system for system, _ in present):
            shown = [group for group in present if group[0] == system or group == UNTOUCHED]
            dots = {
                one.metric.split(".")[1].replace("_", " "): [
                    figures.Mark(result.mean, style(group, colours), f"{title(group)}: {result.mean:.2f}")
                    for group in shown
                    if (result := one.results.get(group))
                ]
                for one in rows
            }
            name = f"Average precision by phenomenon, {system}, {task}"
            chart = figures.rows_picture(name, "average precision", dots, 50, (0, 100))
            found.append((task, system, shown, chart))
    return found


def _main_numbers(runs: Sequence[Run], tables: Sequence[Table]) -> Table | None:
    """A few rows of the first headline table: the backbone, the strongest baseline and ours."""
    if not tables:
        return None
    columns = sorted(tables[0].comparisons, key=lambda one: one.metric != LEAD)[:_COLUMNS]
    ours = [group for group in tables[0].groups if group[0] == _main(runs)]
    rows = dict.fromkeys(group for group in (UNTOUCHED, columns[0].strongest, *ours) if group)
    shown = [group for group in rows if any(group in one.results for one in columns)]
    return Table(tables[0].title, shown[:_ROWS], columns)


def _main(runs: Sequence[Run]) -> str:
    """The first trained system that is not a baseline, or the first one trained."""
    trained = [run.system for run in runs if run.seed is not None]
    return next((system for system in trained if system not in BASELINES), next(iter(trained), ""))


def example(runs: Sequence[Run]) -> dict[str, Any] | None:
    """Draw a short sentence by its hash, of those that the backbone gets wrong and our best vector right.

    ``cosines`` are by embedding those with the rewording and the exchange, ``wrong`` the number of sentences
    whose exchange is nearer. Only our vector gets ``gained`` of them right, only the backbone ``lost``.
    """
    first = first_seeds(runs)
    if (ours := first.get(_main(runs))) is None:
        return None
    measured = {view: one[LEAD] for view, one in ours.views.items() if LEAD in one and view != LATE}
    best = (ours.system, max(measured, key=lambda view: measured[view], default=""))
    pairs = {group: _partners(first[group[0]].samples.get((group[1], LEAD))) for group in (UNTOUCHED, best)}
    common = [one for one in pairs[UNTOUCHED] if one in pairs[best]]
    if not common:
        return None
    cosines = {group: {one: found[one][1] for one in common} for group, found in pairs.items()}
    wrong = {of: {one for one in common if found[one][1] > found[one][0]} for of, found in cosines.items()}
    gained = wrong[UNTOUCHED] - wrong[best]
    pool = [one for one in common if one in gained] or common
    pool = [one for one in pool if len(one.split()) <= _WORDS] or pool
    sentence = min(pool, key=lambda one: hashlib.sha256(f"{SEED} {one}".encode()).hexdigest())
    return {
        "sentence": sentence,
        "texts": pairs[best][sentence][0],
        "cosines": {group: found[sentence] for group, found in cosines.items()},
        "wrong": {group: len(found) for group, found in wrong.items()},
        "sentences": len(common),
        "gained": len(gained),
        "lost": len(wrong[best] - wrong[UNTOUCHED]),
    }


def _partners(scores: Scores | None) -> dict[str, tuple[list[str], list[float]]]:
    """For each sentence of the contrast set its rewording and its exchange, and their cosines with it."""
    found: dict[str, dict[bool, tuple[str, float]]] = {}
    for a, b, gold, score in zip(*scores, strict=True) if scores else ():
        found.setdefault(a, {}).setdefault(bool(gold > 0), (b or "", float(score)))
    both = {a: (sides[True], sides[False]) for a, sides in found.items() if len(sides) == 2}
    return {a: ([text for text, _ in sides], [cosine for _, cosine in sides]) for a, sides in both.items()}
