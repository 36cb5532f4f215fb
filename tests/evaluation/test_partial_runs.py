"""A run of some tasks loses nothing that is there: what is refused, what is kept and what is replaced."""

import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from small_world import PARAMS, BagOfHashes, Broken, context, example, folders, sentence

from pipeline.core.disk_cache import model_digest
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import EXAMPLE, SENTENCE, VARIANT
from pipeline.core.store import read_file, read_json, shard_path, write_json, write_rows, write_table
from pipeline.evaluation.data import Benchmarks
from pipeline.evaluation.plan import ALL_TASKS, demand_known, demand_there, steps
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.results import Folders, write
from pipeline.evaluation.run import EvaluationResult, ModelUnderTest, evaluate, vectors_until_done
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Views
from stages.cli import run as run_command
from stages.evaluate import main

MODEL = ModelUnderTest("test", BagOfHashes(), digest="abc")
FULL = PARAMS.model_copy(update={"tasks": ["retrieval", "stsb"]})


def graded() -> list[dict]:
    """Pairs of four words that share none, one, two or three."""
    words = [f"w{number}" for number in range(4)]
    return [
        example("stsb", "test", " ".join(words), " ".join([*words[:k], *"abcd"[k:]]), score=float(k))
        for k in range(4)
    ]


@pytest.fixture
def places(world: Path, tmp_path: Path) -> Folders:
    write_rows(shard_path(tmp_path / "benchmarks", 0), graded(), EXAMPLE)
    return folders(world, tmp_path / "reports", tmp_path / "benchmarks")


def run(
    places: Folders, tasks: Iterable[str] | None = None, model: ModelUnderTest = MODEL
) -> EvaluationResult:
    return evaluate(model, places, FULL, tasks)


def params_with(tasks: str) -> str:
    """The parameter file of the default run, with other tasks of ``evaluate``."""
    text = (Path(__file__).parents[2] / "params.yaml").read_text()
    return re.sub(r"(?m)^  tasks: .*$", f"  tasks: [{tasks}]", text)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def tasks_of(places: Folders) -> list[str]:
    return [row["task"] for row in read_file(places.evaluation("test") / "examples.arrow").to_pylist()]


def test_what_other_tasks_gave_stays(places: Folders) -> None:
    run(places)
    metrics, rows = read_json(places.metrics("test")), tasks_of(places)
    assert set(metrics["semantic"]) == {"retrieval", "stsb"}
    for _ in range(2):  # the second time replaces the first: no row is there twice
        run(places, ["stsb"])
        assert read_json(places.metrics("test")) == metrics
        assert sorted(tasks_of(places)) == sorted(rows)


def changed(world: Path, places: Folders, tmp_path: Path, what: str) -> tuple[Folders, list[str]]:
    """The places after a change of their data, and the tasks with results of what there was."""
    if what == "a benchmark":
        rows = [row | {"score": 3 - row["score"]} for row in graded()]
        write_rows(shard_path(places.benchmarks, 0), rows, EXAMPLE)
        return places, ["stsb"]
    part = {"sentences": "parsed/corpus", "variants": "augmented"}[what]
    shutil.copytree(world, tmp_path / "world")
    path = shard_path(tmp_path / "world" / part, 0)
    table = read_file(path)
    write_table(path, table.slice(0, len(table) - 1))
    home = tmp_path / "world"
    return replace(places, parsed=home / "parsed", augmented=home / "augmented"), ["retrieval"]


@pytest.mark.parametrize("what", ["a benchmark", "sentences", "variants"])
def test_results_of_other_data_are_left_alone(
    world: Path, places: Folders, tmp_path: Path, what: str
) -> None:
    """But for those of tasks that are run again: where these are all, nothing is left of what there was."""
    run(places)
    before = contents(places.out)
    places, old = changed(world, places, tmp_path, what)
    other = {"stsb": "retrieval", "retrieval": "stsb"}[old[0]]
    message = rf"metrics/test.json: {old[0]}: of other data .* without --tasks, .* with --out"
    with pytest.raises(SynsemError, match=message):
        run(places, [other], replace(MODEL, embedder=Unused()))
    assert contents(places.out) == before
    run(places, old)
    run(places, [other])
    whole = replace(places, out=tmp_path / "whole")
    run(whole)
    assert places.metrics("test").read_bytes() == whole.metrics("test").read_bytes()
    assert read_json(places.evaluation("test") / "data.json") == read_json(
        whole.evaluation("test") / "data.json"
    )


def test_nothing_stays_of_a_task_that_is_run_again_on_other_data(places: Folders) -> None:
    """Even where these have no metric of a kind that the former had."""
    labelled = [
        example("mine", split, f"w{k} a", f"w{k % 2} a", label=str(k % 2))
        for split in ("train", "dev", "test")
        for k in range(6)
    ]
    write_rows(shard_path(places.benchmarks, 0), [*graded(), *labelled], EXAMPLE)
    run(places, ["stsb", "mine"])
    before = read_json(places.metrics("test"))["semantic"]
    assert "accuracy_logistic" in before["mine"]["test"]
    tests = [row for row in labelled if row["split"] == "test"][:4]
    write_rows(shard_path(places.benchmarks, 0), [*graded(), *tests], EXAMPLE)
    run(places, ["mine"])
    after = read_json(places.metrics("test"))["semantic"]
    assert after["stsb"] == before["stsb"]
    assert not [name for name in after["mine"]["test"] if name.startswith("accuracy")]
    rows = read_file(places.evaluation("test") / "examples.arrow").to_pylist()
    assert {row["metric"] for row in rows if row["task"].startswith("mine")} == {"ap"}
    assert {row["metric"] for row in rows if row["task"].startswith("stsb")} == {"spearman"}


def chained_row(text: str) -> dict[str, object]:
    """A row of a parsed text in which each word is the head of the next."""
    words = text.split()
    labels = " ".join("root" if place == 0 else "dep" for place in range(len(words)))
    tree = sentence(text, " ".join("X" for _ in words), " ".join(map(str, range(len(words)))), labels)
    return {"sent_id": text, "doc_id": text, "lang": "en", "split": "test", **tree.row()}


def test_results_of_other_trees_are_left_alone_where_trees_are_read(
    world: Path, places: Folders, tmp_path: Path
) -> None:
    home = tmp_path / "world"
    shutil.copytree(world, home)
    texts = dict.fromkeys(text for row in graded() for text in (row["a"], row["b"]))
    chained = [chained_row(text) for text in texts]
    write_rows(shard_path(home / "parsed" / "benchmarks", 0), chained, SENTENCE)
    places = replace(places, parsed=home / "parsed", augmented=home / "augmented")
    reads = replace(MODEL, needs_trees=True)
    run(places, model=reads)
    run(places, ["retrieval"], reads)
    other = [row | {"heads": row["heads"][::-1]} for row in chained]
    write_rows(shard_path(home / "parsed" / "benchmarks", 0), other, SENTENCE)
    with pytest.raises(SynsemError, match=r"metrics/test.json: stsb: of other data"):
        run(places, ["retrieval"], reads)


OF_BENCHMARKS = {"paraphrasing", "stsb", "upos_benchmarks stsb"}
OF_TEST = {"alignment", "neighbours", "paraphrasing", "probes", "projection", "retrieval", "token_alignment"}


@pytest.mark.parametrize(
    ("changed", "tasks"),
    [
        ("a training sentence", {"upos"}),
        ("another tree of a test sentence", {"parsing", "upos", "word_order"}),
        ("a test sentence", OF_TEST | {"parsing", "upos", "word_order"}),
        ("trees of a benchmark", OF_BENCHMARKS),
        ("a benchmark", OF_BENCHMARKS),
    ],
)
def test_results_are_known_by_all_that_their_task_reads(
    world: Path, tmp_path: Path, changed: str, tasks: set[str]
) -> None:
    """Even by a model that reads no trees: their tags and the groups of sentences are of the trees."""
    home = tmp_path / "world"
    shutil.copytree(world, home)
    corpus, parsed, benchmarks = (
        shard_path(home / part, 0) for part in ("parsed/corpus", "parsed/benchmarks", "benchmarks")
    )
    sentences, pairs, trees = read_file(corpus).to_pylist(), graded(), [chained_row(graded()[0]["a"])]
    double = next(row for row in sentences if row["split"] == "test") | {"sent_id": "double"}

    def digests() -> dict[str, str]:
        write_rows(corpus, [*sentences, double], SENTENCE)
        write_rows(parsed, trees, SENTENCE)
        write_rows(benchmarks, pairs, EXAMPLE)
        given = context(home, BagOfHashes())
        return {step.name: step.data(given) for step in steps(ALL_TASKS, given.benchmarks)}

    before = digests()
    assert "" not in before.values()
    if changed == "a training sentence":
        sentences.remove(next(row for row in sentences if row["split"] == "train"))
    elif changed == "another tree of a test sentence":
        double["deprels"] = ["dep"] * len(double["deprels"])
    elif changed == "a test sentence":
        sentences.remove(next(row for row in reversed(sentences) if row["split"] == "test"))
    elif changed == "trees of a benchmark":
        trees[0]["upos"] = ["Y"] * len(trees[0]["upos"])
    else:
        pairs.pop()
    assert {name for name, digest in digests().items() if digest != before[name]} == tasks


@pytest.mark.parametrize("change", [{"seed": PARAMS.seed + 1}, {"bf16": True}])
def test_results_by_other_parameters_are_left_alone(places: Folders, change: dict[str, object]) -> None:
    run(places)
    before = contents(places.out)
    message = "metrics/test.json: retrieval: of other data or parameters .* without --tasks"
    with pytest.raises(SynsemError, match=message):
        evaluate(replace(MODEL, embedder=Unused()), places, FULL.model_copy(update=change), ["stsb"])
    assert contents(places.out) == before
    fewer = FULL.model_copy(update={"tasks": ["retrieval"]})  # which are run is no matter
    evaluate(MODEL, places, fewer, ["stsb"])


def test_results_stay_where_their_data_are_not_there_and_not_where_nothing_tells_of_them(
    places: Folders, tmp_path: Path
) -> None:
    run(places)
    metrics = read_json(places.metrics("test"))
    run(replace(places, benchmarks=tmp_path / "nowhere"), ["retrieval"])
    run(replace(places, parsed=tmp_path / "nowhere"), ["stsb"])
    assert read_json(places.metrics("test")) == metrics
    (places.evaluation("test") / "data.json").unlink()
    with pytest.raises(SynsemError, match=r"metrics/test.json: it is not known of which data .* with --out"):
        run(places, ["retrieval"])


class Unused:
    """Must not be asked."""

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        raise AssertionError("a task was run")


def test_where_a_foreign_file_would_be_deleted_no_task_is_run(places: Folders) -> None:
    places.evaluation("test").mkdir(parents=True)
    (places.evaluation("test") / "notes.txt").touch()
    with pytest.raises(SynsemError, match=r"holds other files, such as notes.txt"):
        run(places, None, replace(MODEL, embedder=Unused()))


def test_results_of_another_model_of_that_name_are_not_replaced_silently(
    places: Folders,
    tiny_backbone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Such as those of models/sscp/13 by a model in elsewhere/sscp/13."""
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text(params_with("retrieval"))
    told = []
    for home in ("one", "one", "other"):
        folder = tmp_path / home / "bert"
        shutil.copytree(tiny_backbone, folder, dirs_exist_ok=True)
        (folder / "notes.txt").write_text(home)
        main(
            model=str(folder), pooling="mean", out=tmp_path, cache=tmp_path / "cache",
            parsed=places.parsed, augmented=places.augmented,
        )  # fmt: skip
        told.append("bert-mean.json, which is of another model; --out" in capsys.readouterr().err)
    assert told == [False, False, True]


def test_what_the_tasks_gave_is_replaced(places: Folders) -> None:
    run(places)
    before = read_json(places.metrics("test"))["semantic"]
    rows = [row | {"score": 3 - row["score"]} for row in graded()]
    write_rows(shard_path(places.benchmarks, 0), rows, EXAMPLE)
    run(places, ["stsb"])
    after = read_json(places.metrics("test"))["semantic"]
    assert after["stsb"]["test"]["spearman"] == -before["stsb"]["test"]["spearman"]
    assert after["retrieval"] == before["retrieval"]


def test_a_run_by_parts_gives_what_one_run_gives(places: Folders, tmp_path: Path) -> None:
    run(places)
    parts = replace(places, out=tmp_path / "parts")
    run(parts, ["stsb"])
    run(parts, ["retrieval"])
    assert parts.metrics("test").read_bytes() == places.metrics("test").read_bytes()
    assert sorted(tasks_of(parts)) == sorted(tasks_of(places))


@pytest.mark.parametrize("case", ["another model", "no digest", "no rows", "other metrics", "unknown model"])
def test_results_of_another_model_are_left_alone(places: Folders, case: str) -> None:
    run(places)
    home, model = places.evaluation("test"), MODEL
    if case == "no digest":
        (home / "model.json").unlink()
    elif case == "no rows":  # as in a fresh clone, where Git has the metrics alone
        home.rename(places.out / "elsewhere")
    elif case == "other metrics":
        write_json(places.metrics("test"), {"semantic": {}})
    else:
        model = replace(MODEL, digest="def" if case == "another model" else "")
    before = contents(places.out)
    with pytest.raises(SynsemError, match=r"metrics/test.json: these results .* with --out"):
        run(places, ["stsb"], model)
    assert contents(places.out) == before
    run(places, None, model)  # a run of all tasks replaces what is there
    assert set(read_json(places.metrics("test"))["semantic"]) == {"retrieval", "stsb"}


@pytest.mark.parametrize("tasks", [["paws"], ["retrieval"]])
def test_where_every_task_fails_nothing_is_written(places: Folders, tasks: list[str]) -> None:
    run(places)
    before = contents(places.out)
    result = run(places, tasks, replace(MODEL, embedder=Broken()))
    with pytest.raises(SynsemError, match=r"tasks failed: .*; nothing was written"):
        result.demand_success()
    assert contents(places.out) == before


def test_nothing_stays_of_a_task_that_fails_when_it_is_run_again(
    world: Path, places: Folders, tmp_path: Path
) -> None:
    """Its number would be of other data than those of the tasks beside it."""
    run(places, ["alignment", "neighbours", "stsb"])
    before = read_json(places.metrics("test"))["semantic"]
    assert read_file(places.evaluation("test") / "similarities.arrow")
    write_rows(shard_path(tmp_path / "none", 0), [], VARIANT)
    result = run(replace(places, augmented=tmp_path / "none"), ["alignment", "neighbours"])
    assert set(result.failures) == {"alignment"}
    assert read_json(places.metrics("test"))["semantic"] == {"stsb": before["stsb"]}
    assert not read_file(places.evaluation("test") / "similarities.arrow")
    assert set(read_json(places.evaluation("test") / "data.json")) == {"neighbours", "stsb"}


def test_a_run_without_a_task_leaves_what_is_there(places: Folders, tmp_path: Path) -> None:
    run(places)
    before = contents(places.out)
    only = FULL.model_copy(update={"tasks": ["pairs", "contrast"]})
    message = (
        "evaluate.tasks: .*benchmarks has no benchmark for pairs, contrast; add one to download.benchmarks"
    )
    with pytest.raises(SynsemError, match=message):
        evaluate(replace(MODEL, embedder=Unused()), places, only)
    assert contents(places.out) == before


def test_a_name_is_refused_where_nothing_was_downloaded(tmp_path: Path) -> None:
    nowhere = Benchmarks(tmp_path / "none", tmp_path)
    demand_known(["sts", "paws", "probing", "alignment"], nowhere, "--tasks")
    with pytest.raises(SynsemError, match=r"try retrieval, or add it to download.benchmarks"):
        demand_known(["retreival"], nowhere, "--tasks")


def test_a_task_without_its_benchmark_is_refused_before_a_training(places: Folders) -> None:
    there = Benchmarks(places.benchmarks, places.parsed)
    demand_there(["retrieval", "alignment", "sts"], there, "--tasks")
    for absent in ("probing_files", "contrast_4"):
        with pytest.raises(SynsemError, match=f"--tasks: .* has no benchmark for {absent}; add one to down"):
            demand_there(["alignment", absent], there, "--tasks")
    with pytest.raises(SynsemError, match=r"try retrieval"):
        demand_there(["retreival"], there, "--tasks")


def test_a_digest_is_of_the_files_wherever_they_lie(tmp_path: Path) -> None:
    for name, text in (("a", "weights"), ("b", "weights"), ("c", "others")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").write_text(text)
    one, moved, other = (model_digest(tmp_path / name) for name in "abc")
    assert one == moved != other
    assert (
        len({one, model_digest(tmp_path / "a", "cls"), model_digest("an/id"), model_digest("an/other")}) == 4
    )


@pytest.mark.parametrize(
    ("tasks", "params", "message"),
    [
        ("nonsense", "stsb", "--tasks: 'nonsense' is neither a task nor a benchmark"),
        ("stsb, pears", "stsb", r"--tasks: 'pears' is neither a task.*try pairs"),
        ("stsc", "stsb", r"--tasks: 'stsc' is neither a task.*try .*stsb"),
        ("", "stsb", "--tasks: '' is neither a task"),
        (None, "retreival", r"evaluate.tasks: 'retreival' is neither a task.*did you mean retrieval"),
    ],
)
def test_an_unknown_task_is_refused_before_anything_is_done(
    places: Folders,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tasks: str | None,
    params: str,
    message: str,
) -> None:
    run(places)
    before = contents(places.out)
    file = tmp_path / "params.yaml"
    file.write_text(params_with(params).replace("  benchmarks: null", "  benchmarks: [stsb]"))
    command = ["evaluate", "--model", "no-such-model", "--params", str(file), "--out", str(places.out)]
    command += ["--benchmarks", str(places.benchmarks), "--parsed", str(places.parsed)]
    monkeypatch.setattr("sys.argv", [*command, *(["--tasks", tasks] if tasks is not None else [])])
    with pytest.raises(SystemExit) as stop:
        run_command(main)
    assert stop.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(message, line)  # and not that there is no such model
    assert contents(places.out) == before


def test_gold_trees_that_are_named_and_not_there_are_no_trees_of_the_corpus(
    places: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.evaluation.run.evaluate", None)
    given = {"parsed": places.parsed, "augmented": places.augmented, "benchmarks": places.benchmarks}
    with pytest.raises(SynsemError, match=r"typo/corpus: no part-\*.arrow file"):
        main("backbone", **given, treebank=tmp_path / "typo")


@pytest.mark.parametrize("tasks", ["retrieval", "retrieval, classification"])
def test_without_benchmarks_the_end_tells_of_the_tasks_that_failed_and_of_no_other_thing(
    tasks: str,
    places: Folders,
    tiny_backbone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text(params_with(tasks))
    given = {"model": str(tiny_backbone), "pooling": "mean", "out": tmp_path, "cache": tmp_path / "cache"}
    given |= {"parsed": places.parsed, "augmented": places.augmented}
    if tasks == "retrieval":
        main(**given)
    else:
        with pytest.raises(SynsemError, match="1 task failed: classification; the others are written"):
            main(**given)
    assert "texts embedded" in capsys.readouterr().out


@pytest.mark.parametrize("kept", [False, True])
def test_a_run_that_fails_leaves_its_vectors_or_no_folder(
    kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.core.scratch.ROOT", tmp_path)
    with pytest.raises(SynsemError, match="no such model"), vectors_until_done("sscp") as home:
        (home / "of-a-model").mkdir()
        if kept:
            (home / "of-a-model" / "part-0.arrow").write_bytes(b"vectors")
        raise SynsemError("no such model")
    assert (tmp_path / "evaluate").exists() == kept
    with vectors_until_done("sscp") as again:
        assert (again / "of-a-model" / "part-0.arrow").exists() == kept


def test_a_partial_run_replaces_the_rows_of_its_own_metrics_and_no_others(
    world: Path, tmp_path: Path
) -> None:
    """Such as a probe by another classifier: the rows of the first one stay beside their number."""
    places = folders(world, tmp_path)

    def outcome(**scores: float) -> Outcome:
        found = Outcome()
        for metric, score in scores.items():
            found.put("semantic", f"probe.depth.{metric}", score)
            found.keep("semantic", "probe.depth", metric, a=["one", "two"], score=[score, score])
        return found

    write(outcome(accuracy=0.25, accuracy_mlp=0.5), places, "run")
    write(outcome(accuracy_mlp=0.75), places, "run", merge=True)
    table = read_file(places.evaluation("run") / "examples.arrow").to_pylist()
    assert [(row["metric"], row["a"], row["score"]) for row in table] == [
        ("accuracy", "one", 0.25),
        ("accuracy", "two", 0.25),
        ("accuracy_mlp", "one", 0.75),
        ("accuracy_mlp", "two", 0.75),
    ]
    assert read_json(places.metrics("run")) == {
        "semantic": {"probe": {"depth": {"accuracy": 0.25, "accuracy_mlp": 0.75}}}
    }


def test_a_model_is_known_by_the_names_of_its_files_too(tmp_path: Path) -> None:
    digests = set()
    for name, files in (("one", "ab"), ("other", "ac"), ("deep", "a/b")):
        for file in files.split("/") if "/" in files else files:
            place = tmp_path / name / ("folder" if name == "deep" and file == "b" else "") / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("first" if file == "a" else "second")
        digests.add(model_digest(tmp_path / name))
    assert len(digests) == 3


@pytest.mark.parametrize("missing", ["parsed", "augmented"])
def test_without_a_corpus_tasks_of_benchmarks_are_run_and_the_picture_left_out(
    places: Folders, tmp_path: Path, capsys: pytest.CaptureFixture[str], missing: str
) -> None:
    places = replace(places, **{missing: tmp_path / "nowhere"})
    run(places, ["stsb"]).demand_success()
    assert set(read_json(places.metrics("test"))["semantic"]) == {"stsb"}
    assert not read_file(places.evaluation("test") / "projection.arrow")
    (line,) = [each for each in capsys.readouterr().err.splitlines() if "projection" in each]
    assert re.search(r"test: projection: left out, as .*nowhere.* is not there", line)
