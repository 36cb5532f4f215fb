"""The whole report on projects with everything, and with parts missing."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_project import HTML, MARKUP, VIEWS, Project, ablate, fill, metrics_of

from pipeline.core.errors import SynsemError
from pipeline.report.figures.charts import Mark, forest_picture
from pipeline.report.intervals import signed
from pipeline.report.page import write_report

VOID = {"meta", "link", "br", "wbr", "img", "hr", "input"}


class Balance(HTMLParser):
    """Collects ids, outside addresses and scripts, and complains where tags do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.unnamed: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.outside += [
            value
            for name, value in attrs
            if name in ("src", "href", "srcset", "action") and value and not value.startswith(("#", "data:,"))
        ]
        self.links += [value[1:] for value in [values.get("href")] if value and value.startswith("#")]
        if "tabindex" in values and not values.get("aria-label"):
            self.unnamed.append(tag)
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def page(
    project: Project, systems: tuple[str, ...] = ("simcse", "sscp"), seeds: tuple[int, ...] = (1, 2)
) -> str:
    path = write_report(
        project.data, project.models, project.reports, project.reports, project.params(systems, seeds)
    )
    return path.read_text(encoding="utf-8")


def checked(html: str) -> Balance:
    balance = Balance()
    balance.feed(html)
    assert balance.open == []
    assert balance.unnamed == [], "the keyboard reaches these, and a screen reader has no name for them"
    return balance


def test_the_page_is_well_formed_and_self_contained(project: Project) -> None:
    html = page(project)
    found = checked(html)
    assert found.outside == []
    assert found.scripts == 1
    assert not re.search(r"url\(|@import|https?://", html)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)


def test_the_same_input_gives_the_same_bytes(project: Project) -> None:
    page(project)
    files = [project.reports / name for name in ("index.html", "results.md", "headline.json")]
    files += sorted((project.reports / "plots").iterdir())
    first = [path.read_bytes() for path in files]
    for path in files:
        path.unlink()
    page(project)
    assert [path.read_bytes() for path in files] == first
    assert len(files) == 6


def test_every_view_protocol_and_transformation_is_on_the_page(project: Project) -> None:
    html = page(project)
    text = re.sub(r"<wbr>|<[^>]+>", "", html)
    for metric in ("stsb.test.spearman", "paws.test.accuracy_logistic", "probe.tree_depth.accuracy"):
        assert metric in text
    for view in VIEWS["sscp"]:
        assert re.search(rf"sscp</span> <span class=\"view\">{view}", html)
    assert "Map of sscp-1" in html
    for transformation in ("passive", "argument swap", "permutation"):
        assert transformation in text
    assert "too short" in text
    assert "longer than 40 words" in text
    assert "cpu" in text


def test_text_from_the_data_is_escaped(project: Project) -> None:
    project.evaluation("sscp-1", VIEWS["sscp"], text=f'{HTML}"><img src=x onerror=alert(1)>')
    shutil.rmtree(project.data / "triplets")
    from pipeline.core.store import write_json

    write_json(project.data / "augmented" / "report.json", {"kept": {HTML: 1}, "dropped": {HTML: 2}})
    html = page(project)
    assert checked(html).scripts == 1
    assert HTML not in html
    assert "onerror" in html  # as text
    assert "<img" not in html


def test_five_seeds_with_everything_make_a_whole_page(empty: Project) -> None:
    seeds = (1, 2, 3, 4, 5)
    fill(empty, seeds)
    ablate(empty, seeds)
    html = page(empty, seeds=seeds)
    found = checked(html)
    assert found.outside == []
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)
    text = " ".join(re.sub(r"<style>.*?</style>|<script>.*?</script>|<[^>]+>", " ", html, flags=re.S).split())
    for words in (
        "means ± sample standard deviation over 5 seeds",
        "significantly above the strongest baseline",
        "late interaction",
        "SSCP (Adavala & Adavala 2026)".replace("&", "&amp;"),
        "no-bias 5 seeds sscp.bias: none",
        "Dogs chase cats nearby 1",
        "ranked too similar",
        "word overlap (Jaccard)",
    ):
        assert words in text
    assert "| sscp-1 | 3 min 20 s | 4,321 |" in (empty.reports / "cost.md").read_text()
    results = (empty.reports / "results.md").read_text()
    assert re.search(r"\| sscp late interaction \| \*\*[\d.]+\*\* ± [\d.]+ ✓ \|", results)
    assert results.index("Every metric") > results.index("sscp late interaction")


def test_text_of_every_new_section_is_escaped(empty: Project) -> None:
    evil = f'{HTML}"><img src=x onerror=alert(1)>'
    fill(empty, [1], text=evil)
    ablate(empty, [1])
    from pipeline.core.store import read_json, write_json

    run = empty.reports / "ablations" / "full-1.json"
    write_json(run.with_name("evil-1.json"), read_json(run) | {"ablation": evil, "changes": {evil: evil}})
    cost = empty.reports / "cost" / "sscp-1" / "cost.json"
    write_json(cost, read_json(cost) | {"device": evil})
    html = page(empty, seeds=(1,))
    assert checked(html).scripts == 1
    assert html.count("onerror") > 10
    assert HTML not in html
    assert "<img" not in html
    assert "<img" not in (empty.reports / "results.md").read_text()
    assert "<img" not in (empty.reports / "cost.md").read_text()


def test_a_slower_machine_makes_the_same_page(empty: Project) -> None:
    """What DVC hashes holds no time: the same results leave the same lock."""
    from pipeline.core.store import read_json, write_json

    fill(empty, [1])
    before = page(empty, seeds=(1,))
    cost = empty.reports / "cost" / "sscp-1" / "cost.json"
    write_json(cost, read_json(cost) | {"seconds": 999.0, "device": "another"})
    assert page(empty, seeds=(1,)) == before
    assert "another" in (empty.reports / "cost.md").read_text()
    cost.unlink()
    assert page(empty, seeds=(1,)) == before
    assert "sscp-1" not in (empty.reports / "cost.md").read_text()


def test_every_section_is_in_the_contents_once(project: Project) -> None:
    html = page(project)
    listed = re.findall(r'<a href="#([\w-]+)">', html.split("<nav")[1].split("</nav>")[0])
    assert listed == re.findall(r'<section id="([\w-]+)">', html)


def test_right_to_left_sentences_say_so(project: Project) -> None:
    assert re.search(r'<p class="sentence" dir="rtl">הכלב', page(project))


def test_one_system_one_seed_without_benchmarks(project: Project) -> None:
    shutil.rmtree(project.reports / "metrics")
    project.metrics("backbone", {"semantic": metrics_of("semantic", 50, benchmarks=False)})
    project.metrics("simcse-1", {"semantic": metrics_of("semantic", 60, benchmarks=False)})
    html = page(project, systems=("simcse",), seeds=(1,))
    checked(html)
    assert "One seed" in html
    assert "sscp" not in re.sub(r"<style>.*?</style>", "", html, flags=re.S).split("Provenance")[0]
    assert "stsb" not in html
    assert "±" not in (project.reports / "results.md").read_text()


def test_parts_that_are_missing_are_said_to_be(empty: Project) -> None:
    empty.metrics("backbone", {"semantic": {"retrieval": {"test": {"mrr": 10.0}}}})
    empty.metrics("odd name-7", {"semantic": {"retrieval": {"test": {"mrr": 20.0}}}, "a<b": {}})
    html = page(empty, systems=("odd name",), seeds=(7,))
    checked(html)
    for sentence in (
        "No probe was run",
        "No run has a metric that the papers report",
        "None was run",
        "No neighbours were kept",
        "No ranking task was run",
        "Mining left no distributions",
        "No run left what its training was like",
        "No similarities were kept",
        "No embeddings were kept",
        "No curve was logged",
        "No variant was made",
        "No stage left counts",
    ):
        assert sentence in html


def test_without_scores_of_examples_nothing_is_said_to_be_tested(empty: Project) -> None:
    for run in ("backbone", "simcse-1"):
        empty.metrics(run, {"semantic": metrics_of("semantic", 50)})
    html = page(empty, systems=("simcse",), seeds=(1,))
    checked(html)
    assert "no difference is tested" in html
    assert "significantly better than the strongest baseline" not in html
    assert "paired bootstrap" not in html
    written = (empty.reports / "results.md").read_text()
    assert "no interval is known and no difference tested" in written
    assert "Holm" not in written


def test_many_seeds_share_a_row(project: Project) -> None:
    for seed in range(3, 8):
        project.metrics(f"simcse-{seed}", {"semantic": metrics_of("semantic", 60 + seed)})
    html = page(project, systems=("simcse",), seeds=tuple(range(1, 8)))
    assert "7 seeds (1, 2, 3, 4, 5, 6, 7)" in html
    assert "over 7 seeds" in html
    assert "seeds: " not in html  # named where a number has fewer


def test_left_over_runs_stay_out(project: Project) -> None:
    project.metrics("older-1", {"semantic": metrics_of("semantic", 99)})
    assert "older" not in page(project)


def test_a_missing_run_is_named(project: Project) -> None:
    (project.reports / "metrics" / "sscp-2.json").unlink()
    with pytest.raises(SynsemError, match=r"sscp-2\.json: missing; .* `synsem evaluate sscp 2`"):
        page(project)
    (project.reports / "metrics" / "backbone.json").unlink()
    with pytest.raises(SynsemError, match=r"backbone\.json: missing; .* `synsem evaluate backbone`"):
        page(project)


@pytest.mark.parametrize("value", ["high", None, True, float("nan")])
def test_a_metric_that_is_no_number_is_named(project: Project, value: object) -> None:
    project.metrics("sscp-1", {"semantic": {"stsb": {"test": {"spearman": value}}}})
    with pytest.raises(SynsemError, match=r"stsb\.test\.spearman"):
        page(project)


def test_scores_of_another_evaluation_are_not_set_beside_the_metrics(empty: Project) -> None:
    """As after a checkout of another revision: the interval was not even around its number."""
    from pipeline.core.disk_cache import origin_of_results
    from pipeline.core.store import read_json, write_json

    fill(empty, [1])
    metrics = empty.reports / "metrics" / "sscp-1.json"
    origin = empty.reports / "evaluation" / "sscp-1" / "model.json"
    write_json(origin, origin_of_results("digest", metrics))
    page(empty, seeds=(1,))
    found = read_json(metrics)
    found["joint"]["paws"]["test"]["ap"] += 9
    write_json(metrics, found)
    with pytest.raises(SynsemError, match=r"sscp-1\.json: .*evaluate sscp 1`"):
        page(empty, seeds=(1,))


def test_the_revision_is_shown_only_if_given(project: Project, tmp_path: Path) -> None:
    assert "revision:" not in page(project)
    path = write_report(
        project.data,
        project.models,
        project.reports,
        tmp_path / "out",
        project.params(["sscp"], [1]),
        "abc123",
    )
    assert "abc123" in path.read_text()


def test_every_parameter_is_shown(project: Project) -> None:
    html = page(project).split('id="provenance"')[1]
    for section, values in project.params(["simcse", "sscp"], [1, 2]).model_dump().items():
        for key in values if isinstance(values, dict) else [section]:
            assert f"<dt>{key}</dt>" in html
    assert "weight: 0.4, dimensions: 512" in html


def test_many_lines_that_are_neither_kept_nor_dropped_are_folded(project: Project) -> None:
    from pipeline.core.store import write_json

    for count in (12, 13):
        tried = {f"rewrite {number}": number for number in range(count)}
        write_json(project.data / "augmented" / "report.json", {"kept": {"all": 5}, "applies": tried})
        html = page(project).split('id="counts"')[1]
        assert ("<summary>also counted: 13 lines</summary>" in html) == (count == 13)
        assert "applies · rewrite 11" in html


def test_the_backbone_has_one_name(project: Project) -> None:
    html = page(project)
    assert 'backbone</span> <span class="view">untouched' in html.split('id="similarity"')[1]
    assert 'backbone</span> <span class="view">semantic<' not in html


def test_markup_in_words_is_drawn_as_words(project: Project) -> None:
    assert MARKUP["words"][-1] == HTML
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</text>" in page(project)


def test_what_is_significantly_worse_has_a_sign_of_its_own(empty: Project) -> None:
    seeds = (1, 2, 3, 4, 5)
    fill(empty, seeds)
    ablate(empty, seeds)
    html = page(empty, seeds=seeds)
    ablations = html[html.index('id="ablations"') : html.index('id="results"')]
    loss = next(cell for cell in re.findall(r'<span class="gain[^/]*?</b>', ablations) if "−9" in cell)
    assert "✗" in loss
    assert "✓" not in loss
    for section in ("headline", "ablations"):
        start = html.index(f'id="{section}"')
        text = html[start : html.index("</section>", start)]
        assert "✓ where it is significantly better, ✗ where it is significantly worse" in text
    results = (empty.reports / "results.md").read_text()
    assert "✓ significantly better, ✗ significantly worse than the strongest baseline" in results


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (-0.0, "0.00"), (0.004, "0.00"), (-0.004, "0.00"), (0.006, "+0.01"), (-7.5, "−7.50")],
)
def test_what_is_shown_as_zero_is_neither_a_gain_nor_a_loss(value: float, text: str) -> None:
    """A tie stood as +0.00, and a mean a hair below as −0.00."""
    assert signed(value) == text
    drawn = forest_picture("name", [Mark("one", value, None, "s", "n")], 0.0, signed=True)
    assert f">{text}</text>" in drawn


def test_a_difference_that_is_shown_as_zero_is_called_equal(empty: Project) -> None:
    """Two means of probes differ by a thousandth: both are shown as 60.00, so neither is above the other."""
    from pipeline.core.store import write_json

    for run, value in (("backbone", 60.0), ("sscp-1", 60.004)):
        metrics = {"semantic": {"stsb": {"test": {"spearman": value}}}}
        write_json(empty.reports / "metrics" / f"{run}.json", metrics)
    html = page(empty, ("sscp",), seeds=(1,))
    line = html[html.index("<h3>Not tested") :]
    assert re.search(r"reaches 60\.00,\s+equal to\s+the strongest baseline", line)
    assert "+0.00" not in html
    assert "−0.00" not in html


def test_a_caption_says_what_the_whiskers_are_over(empty: Project) -> None:
    from pipeline.core.store import read_json, write_json

    fill(empty, [1])
    for name in ("backbone", "simcse-1", "sscp-1"):
        path = empty.reports / "metrics" / f"{name}.json"
        found = read_json(path)
        found["semantic"]["contrast_dev"] = {"all": {"ap": 50.0}}
        write_json(path, found)
    html = page(empty, seeds=(1,))
    assert "Whiskers: 95 % over 200 test examples." in html
    start = html.index("<figcaption>Generated pairs (development)")
    assert "No interval is known." in html[start : html.index("</figure>", start)]


def test_pairs_of_several_seeds_are_said_to_be_pooled(empty: Project) -> None:
    fill(empty, [1, 2])
    assert "a pair counts once for each of 2 seeds" in page(empty)
    assert "a pair counts once" not in page(empty, seeds=(1,))
