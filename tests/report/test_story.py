"""The top of the page: one sentence, one example, a short table, then what is significant."""

import re
from pathlib import Path

import numpy as np
import pytest
from report_project import ROOT, Project, fill

from pipeline.core import store
from pipeline.core.metrics import average_precision
from pipeline.evaluation.records import EXAMPLE_SCORE
from pipeline.evaluation.significance import holm
from pipeline.params import load_all
from pipeline.report.inputs import Run, read_runs
from pipeline.report.intervals import LEVEL
from pipeline.report.page import write_report
from pipeline.report.sections.headline import headlines
from pipeline.report.sections.story import Story, story

SYSTEMS = ["synsem", "sscp", "simcse"]
SKILL = {"backbone": -1.0, "simcse": -0.8, "sscp": 0.5, "synsem": 2.0}
VIEWS = {
    "backbone": ["semantic"],
    "simcse": ["semantic"],
    "sscp": ["semantic", "syntactic", "joint", "late"],
    "synsem": ["semantic", "structural", "joint", "late"],
}


def contrast(project: Project, seed: int = 1, sentences: int = 60) -> None:
    """Runs of all systems with a contrast set: each sentence has a rewording and an exchange."""
    for system, views in VIEWS.items():
        name = system if system == "backbone" else f"{system}-{seed}"
        metrics, rows = {}, []
        for number, view in enumerate(views):
            rng = np.random.default_rng([len(system), number])
            gold = np.tile([1.0, 0.0], sentences)
            skill = SKILL[system] if view in ("structural", "joint", "late") else SKILL["backbone"]
            score = gold * skill + rng.normal(size=2 * sentences)
            suffix = "_late" if view == "late" else ""
            metrics[view] = {"contrast": {"all": {f"ap{suffix}": round(average_precision(gold, score), 2)}}}
            rows += [
                {"view": view, "task": "contrast", "metric": f"ap{suffix}", "subset": "voice",
                 "a": f"Sentence {place // 2} <b>",
                 "b": f"{('rewording', 'exchange')[place % 2]} {place // 2}",
                 "gold": float(gold[place]), "score": float(score[place])}
                for place in range(2 * sentences)
            ]  # fmt: skip
        project.metrics(name, metrics)
        store.write_rows(project.reports / "evaluation" / name / "examples.arrow", rows, EXAMPLE_SCORE)


def told(project: Project, systems: list[str] | None = None, draws: int = 5000) -> Story:
    runs = read_runs(project.reports, project.models, systems or SYSTEMS, [1])
    found = story(runs, headlines(runs, draws, 13), 13)
    assert found is not None
    return found


def test_the_story_is_of_the_first_trained_system_whatever_its_views_are_called(empty: Project) -> None:
    contrast(empty)
    found = told(empty)
    assert found.main == "synsem"
    assert found.best is not None
    assert found.best[0] == "synsem"
    assert found.best[1] in ("structural", "joint")
    assert found.rows[0] == ("backbone", "semantic")
    assert ("synsem", "structural") in found.rows
    assert ("synsem", "late") in found.rows
    assert 4 <= len(found.rows) <= 6
    assert told(empty, ["simcse", "sscp"]).main == "sscp"
    assert told(empty, ["simcse"]).main == "simcse"


def test_the_example_is_counted_from_the_scores_of_all_sentences(empty: Project) -> None:
    contrast(empty)
    found = told(empty).example
    assert found is not None
    before, after = found.likings
    assert found.sentences == 60
    assert found.chosen - found.other_way == before.wrong - after.wrong
    assert before.exchanged > before.reworded
    assert after.exchanged <= after.reworded
    number = re.findall(r"\d+", found.sentence)[0]
    assert (found.reworded, found.exchanged) == (f"rewording {number}", f"exchange {number}")
    assert told(empty).example == found


def test_what_is_significant_comes_before_what_is_not(empty: Project) -> None:
    contrast(empty)
    assert told(empty).findings["better"]
    path = write_report(empty.data, empty.models, empty.reports, empty.reports, empty.params(SYSTEMS, [1]))
    html = path.read_text(encoding="utf-8")
    assert "Sentence" in html
    assert "<b> " not in html.split('class="sentence query"')[1][:40]
    claim = re.sub(r"<[^>]+>", "", html.split('<p class="claim">')[1].split("</p>")[0])
    assert "Same words, other meaning: of 60 sentences" in claim
    order = [html.index(part) for part in ('class="claim"', "The main numbers", "Significantly better")]
    assert order == sorted(order)
    assert "sscp syntactic" not in re.sub(
        r"<[^>]+>", "", html.split("The main numbers")[1].split("</table>")[0]
    )


def test_no_contrast_set_is_a_sentence_on_another_column_and_no_example(empty: Project) -> None:
    fill(empty, [1])
    found = told(empty, ["simcse", "sscp"])
    assert found.example is None
    assert found.lead is not None
    path = write_report(
        empty.data, empty.models, empty.reports, empty.reports, empty.params(["simcse", "sscp"], [1])
    )
    assert 'class="claim"' in path.read_text(encoding="utf-8")
    assert story([Run("backbone", None, {})], [], 1) is None


@pytest.mark.parametrize("tests", [20, 100])
def test_the_default_draws_can_show_a_significant_difference(tests: int) -> None:
    """The smallest p of a bootstrap, after Holm over a table's tests, is below the level."""
    draws = load_all(Path(ROOT) / "params.yaml").report.bootstrap_draws
    assert holm([2 / (draws + 1)] + [1.0] * (tests - 1))[0] < LEVEL


def read(folder: Path, view: str, scores: dict[str, tuple[float, ...]]) -> Path:
    """The kept scores of one view: of each sentence those of its rewording and its exchange."""
    rows = [
        {"view": view, "task": "contrast", "metric": "ap", "subset": "voice", "a": sentence,
         "b": f"{sentence} {kind}", "gold": gold, "score": score}
        for sentence, both in scores.items()
        for kind, gold, score in zip(("reworded", "exchanged"), (1.0, 0.0), both, strict=False)
    ]  # fmt: skip
    store.write_rows(folder / "examples.arrow", rows, EXAMPLE_SCORE)
    return folder


def two_runs(tmp_path: Path, scores: dict[str, tuple[float, ...]], **others: float) -> list[Run]:
    """The backbone with these scores, and a system that is right on each of the sentences."""
    right = {sentence: (0.9, 0.1)[: len(both)] for sentence, both in scores.items()}
    base = {"contrast.all.ap": 50.0} | others
    late = dict.fromkeys(base, 90.0)
    return [
        Run("backbone", None, {"semantic": base}, scores=read(tmp_path / "a", "semantic", scores)),
        Run("sscp", 1, {"joint": base, "late": late}, scores=read(tmp_path / "b", "joint", right)),
    ]


def test_a_tie_is_not_wrong_and_a_sentence_without_an_exchange_is_no_example(tmp_path: Path) -> None:
    runs = two_runs(tmp_path, {"Wrong": (0.5, 0.9), "Tied": (0.5, 0.5), "Alone": (0.5,)})
    found = story(runs, headlines(runs, 100, 1), 13)
    assert found is not None
    assert found.example is not None
    assert (found.example.sentence, found.example.sentences, found.example.chosen) == ("Wrong", 2, 1)
    # Late interaction is better, but has no vector to show.
    assert found.best == ("sscp", "joint")


def test_the_example_has_twelve_words_at_most_where_there_is_one(tmp_path: Path) -> None:
    short, long = " ".join(["word"] * 12), " ".join(["word"] * 13)
    runs = two_runs(tmp_path, {short: (0.5, 0.9), long: (0.5, 0.9)})
    for seed in range(8):  # it decides among those that are short enough
        found = story(runs, headlines(runs, 100, 1), seed)
        assert found is not None
        assert found.example is not None
        assert found.example.sentence == short


def test_the_column_that_the_story_is_told_of_comes_first(tmp_path: Path) -> None:
    others = dict.fromkeys(("stsb.test.spearman", "paws.test.ap", "qqp.test.ap", "mrpc.test.ap"), 50.0)
    runs = two_runs(tmp_path, {"Wrong": (0.5, 0.9)}, **others)
    found = story(runs, headlines(runs, 100, 1), 13)
    assert found is not None
    columns = [one.column.metric for one in found.columns]
    assert columns == ["contrast.all.ap", "stsb.test.spearman", "paws.test.ap", "qqp.test.ap"]


def test_the_page_says_what_is_of_development_data_and_that_it_is_not_tested(empty: Project) -> None:
    contrast(empty)
    params = empty.params(SYSTEMS, [1])

    def sections() -> tuple[str, str]:
        path = write_report(empty.data, empty.models, empty.reports, empty.reports, params)
        html = path.read_text(encoding="utf-8")
        first, second = (html.split(f'<section id="{name}">')[1] for name in ("headline", "errors"))
        return first.split("</section>")[0], second.split("</section>")[0]

    top, errors = sections()
    assert "no difference in such a column is tested" not in top
    assert "120 test pairs" in errors
    for path in (empty.reports / "metrics").glob("*.json"):
        metrics = {
            view: own | {"contrast_dev": own["contrast"]} for view, own in store.read_json(path).items()
        }
        store.write_json(path, metrics)
        scores = empty.reports / "evaluation" / path.stem / "examples.arrow"
        rows = store.read_file(scores).to_pylist()
        store.write_rows(scores, [*rows, *(row | {"task": "contrast_dev"} for row in rows)], EXAMPLE_SCORE)
    top, errors = sections()
    assert "no difference in such a column is tested" in top
    assert "120 test pairs" in errors
    assert "120 development pairs" in errors
