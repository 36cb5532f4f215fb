"""The section on embeddings freed of syntax: means, the published rows, which order ours stand in."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from pipeline.core import store
from pipeline.report.sections.ablations import effects, family, read_ablations
from pipeline.report.sections.published import published_entries, published_tables
from pipeline.report.sections.without_syntax import COLUMNS, PROBED, ROWS, STS, without_syntax

PROBES = ("bigram_shift", "tree_depth", "top_constituents")


def ran(folder: Path, name: str, seed: int, sts: Mapping[str, float], probes: Mapping[str, float]) -> None:
    metrics = {
        "stsb": {"test": {"pearson": sts["stsb"]}, "dev": {"pearson": 99.0}},
        "sts12": {"test": {"pearson_mean": sts["sts12"], "pearson_all": 1.0}},
        "probe": {
            probe: {"accuracy_mlp": value, "accuracy": 0.0}
            for probe, value in probes.items()
            if probe != "tree_depth"
        },
        # A file of its own is preferred to the corpus's sentences.
        "xprobe-tree_depth": {"held_out": {"accuracy_mlp": probes["tree_depth"]}},
    }
    run = {
        "ablation": name,
        "system": "parabart",
        "changes": {},
        "seed": seed,
        "metrics": {"semantic": metrics},
    }
    store.write_json(folder / f"{name}-{seed}.json", {**run, "key": "k"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for seed in (1, 2):
        for better, name in enumerate(ROWS):
            sts = {"stsb": 80.0 - better + seed / 10, "sts12": 60.0 - better}
            probes = {"bigram_shift": 60.0 + better, "tree_depth": 30.0 - better, "top_constituents": 50.0}
            ran(tmp_path, name, seed, sts, probes)
    return tmp_path


def test_means_are_over_the_sets_there_are_and_differences_from_the_full_system(folder: Path) -> None:
    section = without_syntax(read_ablations(folder))
    assert section is not None
    assert section.sets == ("STS-B", "STS12")
    names = [column.metric for column in section.table.columns]
    rows = {each.name: row for each, row in section.table.rows}
    full, none = rows["parabart"], rows["parabart-no-adversary-no-guidance"]
    assert [name for name, _ in section.cited][1:] == list(ROWS.values())
    mean = {name: effect.mean for name, effect in zip(names, full, strict=True) if effect}
    assert mean[STS] == pytest.approx((80.15 + 60.0) / 2)
    assert mean[PROBED] == pytest.approx((60 + 30 + 50) / 3)
    difference = {name: effect.difference for name, effect in zip(names, none, strict=True) if effect}
    assert difference[STS] == pytest.approx(-2.0)
    assert difference["syntax.bigram_shift.accuracy_mlp"] == pytest.approx(2.0)


def test_the_published_order_is_told_column_by_column(folder: Path) -> None:
    section = without_syntax(read_ablations(folder))
    assert section is not None
    told = {
        column.metric: same for column, same in zip(section.table.columns, section.same_order, strict=True)
    }
    assert told[STS] is True
    assert told["syntax.bigram_shift.accuracy_mlp"] is True
    assert told["syntax.tree_depth.accuracy_mlp"] is False  # ours run the other way
    assert told["syntax.top_constituents.accuracy_mlp"] is False  # ties are no order
    for path in folder.glob("parabart-no-adversary-1*"):
        path.unlink()
    (folder / "parabart-no-adversary-2.json").unlink()
    fewer = without_syntax(read_ablations(folder))
    assert fewer is not None
    assert set(fewer.same_order) == {None}


def test_the_family_stands_apart_from_the_other_ablations(folder: Path) -> None:
    found = read_ablations(folder)
    assert effects(found) == []
    assert published_tables([], [run for each in found for run in each.runs]) == []
    assert without_syntax([]) is None
    assert [family(name) for name in ("full", "parabarts", "parabart", "parabart-x")] == [
        None, None, "parabart", "parabart"
    ]  # fmt: skip


def test_the_published_means_are_those_of_the_published_tables() -> None:
    entry = next(entry for entry in published_entries() if entry.get("of") == "parabart")
    known = {column.metric for column in COLUMNS}
    assert set(entry["columns"]) <= known
    tables = {
        entry["table"].split(",")[0]: entry["rows"]
        for entry in published_entries()
        if "ParaBART" in entry["paper"]
    }
    for name, (sts, *probes, mean, easy, hard) in entry["rows"].items():
        assert mean == pytest.approx(sum(probes) / 3, abs=0.01)
        assert sts == pytest.approx(sum(tables["Table 1"][name]) / 6, abs=0.06)
        assert probes == tables["Table 2"][name]
        assert [easy, hard] == tables["Table 4"][name]
