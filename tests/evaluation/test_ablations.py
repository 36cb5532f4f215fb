"""Ablations: what they change, what they call, and that nothing is done twice."""

from pathlib import Path

import pytest
import yaml

from pipeline.core import scratch
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE, SENTENCE, TRIPLET, VARIANT
from pipeline.core.store import ShardWriter, read_json, write_json, write_rows
from pipeline.evaluation.ablations import BACKBONE, Ablation, apply_changes, read_ablations, run_one, select

ROOT = Path(__file__).parents[2]
RAW = yaml.safe_load((ROOT / "params.yaml").read_text())


@pytest.mark.parametrize("ablation", read_ablations(ROOT / "ablations.yaml"), ids=lambda each: each.name)
def test_every_ablation_of_the_project_fits_its_parameters(ablation: Ablation) -> None:
    before = yaml.safe_dump(RAW)
    values = apply_changes(RAW, ablation.changes)
    assert yaml.safe_dump(RAW) == before
    assert (values != RAW) == bool(ablation.changes)
    trained = (ROOT / "pipeline" / "systems" / ablation.system / "model.py").exists()
    assert trained or ablation.system == BACKBONE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sscp.bais": "none"}, "sscp.bias"),
        ({"sscp.bias": "sideways"}, "sscp.bias"),
        ({"seeds.a": 1}, "seeds"),
        ({"train": {"tau": 0.5}}, "ablation: train: is a section; give dotted keys"),
    ],
)
def test_a_change_that_does_not_fit_is_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(SynsemError, match=message):
        apply_changes(RAW, changes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("true: {sscp.bias: none}", "the name True is no text; put it in quotes"),
        ("7: {sscp.bias: none}", "the name 7 is no text; put it in quotes"),
        ("a: {7: none}", "must map names to changes"),
        ("a: {}\nb: {}\na: {}", r"a: stands twice \(lines 1 and 3\); remove one"),
        ("../x: {}", "the name '../x' is no name of a file"),
        ("/x: {}", "the name '/x' is no name of a file"),
        (".x: {}", "the name '.x' is no name of a file"),
        ("{}", "has no ablation"),
    ],
)
def test_names_that_yaml_reads_as_no_text_or_in_silence_are_one_clear_line(
    tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "own.yaml").write_text(content)
    with pytest.raises(SynsemError, match=message):
        select(tmp_path / "own.yaml", ["*"])


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(SynsemError, match="no ablation 'no-bais'; choose from full, no-bias"):
        select(ROOT / "ablations.yaml", ["no-bais"])


class Stages:
    """Stands in for the stages: writes what they would, and remembers the calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, name: str, *arguments: object) -> None:
        options = dict(zip(map(str, arguments), arguments[1:], strict=False))
        self.calls.append(f"{name} {arguments[0]}")
        params = yaml.safe_load(Path(str(options["--params"])).read_text())
        out = Path(str(options["--out"]))
        if name == "treebank":
            write_json(out / "report.json", {})
        elif name == "mine":
            with ShardWriter(out, TRIPLET):
                pass
            write_json(out / "report.json", {})
        elif name == "pretrain":
            write_json(out / "training.json", {"bias": params["sscp"]["bias"]})
        else:
            system, seed = str(arguments[0]), str(arguments[1])
            if system == BACKBONE:
                assert not seed.isdigit(), "the evaluate stage refuses a seed of what is not trained"
                write_json(out / "metrics" / f"{system}.json", {"bias": "untouched"})
                return
            trained = read_json(Path(str(options["--models"])) / system / seed / "training.json")
            write_json(out / "metrics" / f"{system}-{seed}.json", trained)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(scratch, "ROOT", tmp_path / "scratch")
    with ShardWriter(tmp_path / "data" / "benchmarks", EXAMPLE):
        pass
    (tmp_path / "data" / "treebank").mkdir()
    return tmp_path / "data"


def test_ablations_share_examples_and_are_not_run_twice(data: Path, tmp_path: Path) -> None:
    stages, params, out = Stages(), tmp_path / "params.yaml", tmp_path / "out"
    params.write_text(yaml.safe_dump(RAW))
    plain, no_bias = Ablation("full", "sscp", {}), Ablation("no-bias", "sscp", {"sscp.bias": "none"})
    first = run_one(plain, 13, params, data, out, ["sts"], stages, "A part of the benchmark.")
    second = run_one(no_bias, 13, params, data, out, ["sts"], stages, origin="shipped")
    assert [read_json(file)["origin"] for file in (first, second)] == ["", "shipped"]
    assert stages.calls == [
        "mine sscp", "pretrain sscp", "evaluate sscp", "pretrain sscp", "evaluate sscp"
    ]  # fmt: skip
    assert read_json(first)["metrics"] == {"bias": "tree"}
    assert read_json(second)["metrics"] == {"bias": "none"}
    assert read_json(second)["changes"] == {"sscp.bias": "none"}
    run_one(plain, 13, params, data, out, ["sts"], stages)
    assert len(stages.calls) == 5
    params.write_text(yaml.safe_dump(apply_changes(RAW, {"train.tau": 0.1})))
    run_one(plain, 13, params, data, out, ["sts"], stages)
    assert stages.calls[5:] == ["pretrain sscp", "evaluate sscp"]
    run_one(plain, 13, params, data, out, ["sts", "pairs"], stages)
    assert stages.calls[7:] == ["pretrain sscp", "evaluate sscp"]


@pytest.mark.parametrize(
    ("key", "system"), [("encoder.model", "sscp"), ("upos.start", "upos"), ("cssl.treebank", "cssl")]
)
def test_an_own_file_that_changed_makes_the_run_again(
    data: Path, tmp_path: Path, key: str, system: str
) -> None:
    raw = apply_changes(RAW, {key: str(tmp_path / "own")})
    file = tmp_path / "own" / "deep" / "weights"
    file.parent.mkdir(parents=True)
    file.write_text("old")
    stages, params, out = Stages(), tmp_path / "params.yaml", tmp_path / "out"
    params.write_text(yaml.safe_dump(raw))
    for content, calls in (("old", True), ("old", False), ("new", True)):
        file.write_text(content)
        stages.calls.clear()
        run_one(Ablation("full", system, {}), 13, params, data, out, ["sts"], stages)
        assert bool(stages.calls) == calls


def test_runs_of_one_basis_have_data_tasks_and_unchanged_parameters_in_common(
    data: Path, tmp_path: Path
) -> None:
    params, out = tmp_path / "params.yaml", tmp_path / "out"

    def basis(name: str, changes: dict[str, object], raw: object = RAW, tasks: str = "sts") -> str:
        params.write_text(yaml.safe_dump(raw))
        found = run_one(Ablation(name, "sscp", changes), 13, params, data, out, [tasks], Stages())
        return str(read_json(found)["basis"])

    first = basis("full", {})
    assert basis("no-bias", {"sscp.bias": "none"}) == first
    # What names the runs of the pipeline itself and draws their report decides nothing of an ablation.
    others = {"seeds": [99], "systems": ["sscp"], "report.gallery": 1}
    for key, value in others.items():
        assert basis(f"other {key}", {}, apply_changes(RAW, {key: value})) == first
    assert basis("full", {}, apply_changes(RAW, {"train.tau": 0.2})) != first
    assert basis("full", {}, tasks="pairs") != first
    write_rows(data / "benchmarks" / "part-00001.arrow", [], EXAMPLE)
    assert basis("full", {}) != first


def test_a_result_that_is_kept_is_compared_with_those_of_the_parameters_of_now(
    data: Path, tmp_path: Path
) -> None:
    """The base changed where this ablation sets a value of its own: its result is what it was."""
    stages, params, out = Stages(), tmp_path / "params.yaml", tmp_path / "out"
    plain, no_bias = Ablation("full", "sscp", {}), Ablation("no-bias", "sscp", {"sscp.bias": "none"})
    found = []
    for base in (RAW, apply_changes(RAW, {"sscp.bias": "linear"})):
        params.write_text(yaml.safe_dump(base))
        stages.calls.clear()
        files = [
            run_one(each, 13, params, data, out, ["sts"], stages, "A note.") for each in (plain, no_bias)
        ]
        found.append([read_json(file) for file in files])
    assert stages.calls == ["pretrain sscp", "evaluate sscp"]  # of full alone
    before, after = found
    assert after[0]["basis"] == after[1]["basis"] != before[1]["basis"]
    assert after[1] == before[1] | {"basis": after[1]["basis"]}


@pytest.mark.parametrize("part", ["corpus", "augmented"])
def test_gold_trees_of_the_data_folder_that_changed_make_the_run_again(
    data: Path, tmp_path: Path, part: str
) -> None:
    """Where the parameters name no treebank, ``cssl`` learns from those that lie in the data folder."""
    schema = {"corpus": SENTENCE, "augmented": VARIANT}[part]
    stages, params, out = Stages(), tmp_path / "params.yaml", tmp_path / "out"
    params.write_text(yaml.safe_dump(RAW))
    found = []
    for number in range(2):
        write_rows(data / "treebank" / part / f"part-{number:05d}.arrow", [], schema)
        found.append(
            read_json(run_one(Ablation("full", "cssl", {}), 13, params, data, out, ["parsing"], stages))
        )
    assert [call.split()[0] for call in stages.calls] == ["mine", "pretrain", "evaluate"] * 2
    assert found[0]["basis"] != found[1]["basis"]


def test_data_without_a_folder_of_treebanks_are_read_with_an_empty_one(data: Path, tmp_path: Path) -> None:
    (data / "treebank").rmdir()
    stages, params = Stages(), tmp_path / "params.yaml"
    params.write_text(yaml.safe_dump(RAW))
    run_one(Ablation("full", "cssl", {}), 13, params, data, tmp_path / "out", ["parsing"], stages)
    assert [call.split()[0] for call in stages.calls] == ["treebank", "mine", "pretrain", "evaluate"]


def test_a_note_and_an_origin_are_told_of_a_result_that_is_kept(data: Path, tmp_path: Path) -> None:
    stages, params, out = Stages(), tmp_path / "params.yaml", tmp_path / "out"
    params.write_text(yaml.safe_dump(RAW))
    told = []
    for note, origin in (("", ""), ("Only 100 pairs.", ""), ("", "our lab"), ("", "")):
        file = run_one(Ablation("full", "sscp", {}), 13, params, data, out, ["sts"], stages, note, origin)
        told.append((read_json(file)["note"], read_json(file)["origin"]))
    noted, both = ("Only 100 pairs.", ""), ("Only 100 pairs.", "our lab")
    assert told == [("", ""), noted, both, both]  # what is left out stays
    assert stages.calls == ["mine sscp", "pretrain sscp", "evaluate sscp"]


def test_the_untouched_backbone_is_judged_and_not_trained(data: Path, tmp_path: Path) -> None:
    stages, params, out = Stages(), tmp_path / "params.yaml", tmp_path / "out"
    params.write_text(yaml.safe_dump(RAW))
    target = run_one(Ablation("plain", BACKBONE, {}), 13, params, data, out, ["sts"], stages)
    assert stages.calls == ["evaluate backbone"]
    assert read_json(target)["metrics"] == {"bias": "untouched"}


@pytest.mark.parametrize("key", ["augment.per_sentence", "parse.max_words", "simcse.views", "seeds"])
def test_a_change_that_no_stage_of_a_run_reads_is_refused(data: Path, tmp_path: Path, key: str) -> None:
    params = tmp_path / "params.yaml"
    params.write_text(yaml.safe_dump(RAW))
    with pytest.raises(SynsemError, match=rf"^few: {key} changes nothing .* --data$"):
        run_one(Ablation("few", "sscp", {key: 1}), 13, params, data, tmp_path / "out", ["sts"], Stages())


def test_a_grid_crosses_its_axes_and_later_axes_win(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(
        "all: {system: cssl, cssl.steps: 5}\n"
        "grid:\n"
        "  - {te: {cssl.treebank: te_mtg}, hu: {cssl.treebank: hu_szeged, cssl.steps: 7}}\n"
        "  - {ce: {cssl.contrast: 0.0}, long: {cssl.steps: 9}}\n"
    )
    found = {each.name: (each.system, dict(each.changes)) for each in read_ablations(file)}
    assert list(found) == ["te.ce", "te.long", "hu.ce", "hu.long"]
    assert found["hu.ce"] == (
        "cssl",
        {"cssl.steps": 7, "cssl.treebank": "hu_szeged", "cssl.contrast": 0.0},
    )
    assert found["hu.long"][1]["cssl.steps"] == 9
    assert [each.name for each in select(file, ["*.ce", "te.*"])] == ["te.ce", "hu.ce", "te.long"]


def test_every_point_of_the_languages_grid_fits_its_parameters() -> None:
    points = read_ablations(ROOT / "languages.yaml")
    for point in points:
        assert apply_changes(RAW, point.changes)["cssl"]["treebank"], point.name
    assert len({each.name for each in points}) == len(points)


@pytest.mark.parametrize("content", ["grid: [1]", "grid: [{a: 1}]", "grid: [{a: {}}]\nall: 3"])
def test_a_grid_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "grid.yaml").write_text(content)
    with pytest.raises(SynsemError, match="grid must list axes"):
        read_ablations(tmp_path / "grid.yaml")


def test_a_treebank_is_fetched_once_for_all_that_name_it(data: Path, tmp_path: Path) -> None:
    stages, params, out = Stages(), tmp_path / "params.yaml", tmp_path / "out"
    params.write_text(yaml.safe_dump(RAW))
    for name, contrast in (("te.ce", 0.0), ("te.cssl", 1.0)):
        changes = {"cssl.treebank": "te_mtg", "cssl.contrast": contrast}
        run_one(Ablation(name, "cssl", changes), 13, params, data, out, ["parsing"], stages)
    assert [call.split()[0] for call in stages.calls] == [
        *("treebank", "mine", "pretrain", "evaluate"),
        *("pretrain", "evaluate"),
    ]
    other = Ablation("hu.ce", "cssl", {"cssl.treebank": "hu_szeged"})
    run_one(other, 13, params, data, out, ["parsing"], stages)
    assert [call.split()[0] for call in stages.calls[6:]] == ["treebank", "mine", "pretrain", "evaluate"]
