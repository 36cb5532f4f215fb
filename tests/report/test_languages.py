"""The parser's grid: means over seeds, the tests against both references, and the paper's numbers beside."""

from pathlib import Path

import pytest
from jinja2 import Environment, PackageLoader, StrictUndefined
from scipy import stats

from pipeline.core.store import read_json, write_json
from pipeline.report.intervals import SIGNS
from pipeline.report.sections.languages import FOLDER, METRICS, VARIANTS, languages


def ran(
    reports: Path, treebank: str, variant: str, seed: int, las: float, permuted: float | None = None
) -> None:
    metrics = {"parsing": {"test": {"uas": las + 5, "las": las}}}
    if permuted is not None:
        metrics["word_order"] = {"permuted": {"las": permuted}}
    write_json(
        reports / FOLDER / f"{treebank}.{variant}-{seed}.json",
        {
            "ablation": f"{treebank}.{variant}",
            "system": "cssl",
            "changes": {"cssl.treebank": treebank},
            "note": "",
            "seed": seed,
            "metrics": {"semantic": metrics},
            "key": "",
        },
    )


CE, DA, CSSL = (70.0, 71.0, 73.0), (71.0, 70.5, 72.0), (74.0, 75.5, 76.0)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    for seed, (ce, da, cssl) in enumerate(zip(CE, DA, CSSL, strict=True)):
        ran(tmp_path, "te_mtg", "ce", seed, ce, permuted=30)
        ran(tmp_path, "te_mtg", "ce-da", seed, da)
        ran(tmp_path, "te_mtg", "cssl", seed, cssl)
    ran(tmp_path, "xx_new", "cssl", 13, 50.0)
    return tmp_path


def test_means_gains_and_published_numbers(reports: Path) -> None:
    section = languages(reports)
    assert section is not None
    telugu, new = section.treebanks
    assert (telugu.title, new.title) == ("Telugu MTG", "xx_new")
    assert [row.variant for row in telugu.rows] == ["ce", "ce-da", "cssl"]
    assert telugu.metrics == ("parsing.test.uas", "parsing.test.las", "word_order.permuted.las")
    cssl = telugu.rows[2]
    assert cssl.seeds == 3
    assert cssl.published == (93.79, 85.67)
    assert cssl.numbers[1] == pytest.approx((75.1667, 1.0408), abs=1e-3)
    assert cssl.numbers[2] is None
    assert [reference for reference, _ in cssl.gains] == ["ce", "ce-da"]
    assert cssl.gains[0][1].value == pytest.approx(sum(CSSL) / 3 - sum(CE) / 3)
    assert telugu.rows[0].gains == ()
    assert [reference for reference, _ in telugu.rows[1].gains] == ["ce"]
    assert new.rows[0].gains == ()
    assert new.rows[0].published is None


def test_p_is_the_paired_test_over_seeds_after_holm_over_all(reports: Path) -> None:
    section = languages(reports)
    assert section is not None
    found = {(row.variant, name): gain.p for row in section.treebanks[0].rows for name, gain in row.gains}
    raw = {
        ("ce-da", "ce"): stats.ttest_rel(CE, DA).pvalue,
        ("cssl", "ce"): stats.ttest_rel(CSSL, CE).pvalue,
        ("cssl", "ce-da"): stats.ttest_rel(CSSL, DA).pvalue,
    }
    assert found.keys() == raw.keys()
    smallest = min(raw, key=raw.__getitem__)
    assert found[smallest] == pytest.approx(min(1, 3 * raw[smallest]))


def test_the_control_stands_before_what_it_could_explain_away(reports: Path) -> None:
    for seed, las in enumerate((74.5, 75.0, 76.5)):
        ran(reports, "te_mtg", "dropout", seed, las)
    section = languages(reports)
    assert section is not None
    rows = {row.variant: dict(row.gains) for row in section.treebanks[0].rows}
    assert list(rows) == ["ce", "dropout", "ce-da", "cssl"]
    assert list(rows["dropout"]) == ["ce"]
    assert list(rows["ce-da"]) == ["ce", "dropout"]
    assert rows["cssl"]["dropout"].value == pytest.approx(sum(CSSL) / 3 - 226 / 3)


def test_without_runs_there_is_no_section(tmp_path: Path) -> None:
    assert languages(tmp_path) is None


@pytest.mark.parametrize("empty", [False, True])
def test_the_section_shows_every_variant_or_how_to_run_them(
    reports: Path, tmp_path: Path, empty: bool
) -> None:
    environment = Environment(
        loader=PackageLoader("pipeline.report"), autoescape=True, undefined=StrictUndefined
    )
    section = None if empty else languages(reports)
    html = environment.get_template("languages.html").render(
        languages=section, language_metrics=METRICS, language_variants=VARIANTS, signs=SIGNS
    )
    if empty:
        assert "synsem ablate --ablations languages.yaml" in html
        return
    assert html.count('<th scope="row">') == 4
    assert "75.17" in html
    assert "+3.83" in html
    assert "93.79" in html


def test_it_is_said_of_how_many_sentences_and_seeds_a_number_is(reports: Path) -> None:
    """And where the seeds of a variant are of two versions of the data: its mean is over both."""
    for path in (reports / FOLDER).glob("te_mtg.*.json"):
        run = read_json(path)
        run["metrics"]["semantic"]["parsing"]["test"]["sentences"] = 146
        write_json(path, run)
    found = languages(reports)
    assert found is not None
    assert found.mixed == ()
    (reports / FOLDER / "te_mtg.ce-2.json").unlink()
    second = reports / FOLDER / "te_mtg.cssl-1.json"
    write_json(second, read_json(second) | {"basis": "of other data"})
    found = languages(reports)
    assert found is not None
    assert found.mixed == ("te_mtg",)
    [table] = [one for one in found.treebanks if one.name == "te_mtg"]
    assert table.sentences == 146
    [row] = [row for row in table.rows if row.variant == "cssl"]
    # Of seed 1 the two are of other data, and of seed 2 one is missing.
    assert (row.seeds, dict(row.gains)["ce"].seeds) == (3, 1)
    environment = Environment(
        loader=PackageLoader("pipeline.report"), autoescape=True, undefined=StrictUndefined
    )
    html = environment.get_template("languages.html").render(
        languages=found, language_metrics=METRICS, language_variants=VARIANTS, signs=SIGNS
    )
    assert "te_mtg, 146 test sentences" in html
    assert "cross-entropy, over 1 seed<" in html
    assert "Runs of te_mtg are not all of one version" in html
