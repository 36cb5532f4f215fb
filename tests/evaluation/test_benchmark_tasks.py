"""Benchmark protocols on hand-made rows, with a model whose similarities are known."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import average_precision_score
from small_world import PARAMS, BagOfHashes, Broken, example, folders, sentence

from pipeline.core.errors import SynsemError
from pipeline.core.linked import word_key
from pipeline.core.schemas import EXAMPLE, SENTENCE
from pipeline.core.store import read_file, read_json, shard_path, write_rows
from pipeline.evaluation.data import Example
from pipeline.evaluation.plan import shape, steps
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.run import EvaluationResult, ModelUnderTest, evaluate
from pipeline.evaluation.tasks.pairs import FIRST_UNREAD, Judged, put_ranking, unread_parts
from pipeline.evaluation.transfer import Splits, split_rows
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Embedder, Views

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def graded(task: str, split: str, subset: str = "") -> list[dict]:
    """Pairs that share k of 8 words, with score k: a bag of words ranks them nearly right."""
    rows = []
    for number in range(24):
        shared = number % 9
        a = [f"w{number}x{i}" for i in range(8)]
        b = a[:shared] + [f"v{number}x{i}" for i in range(8 - shared)]
        rows.append(example(task, split, " ".join(a), " ".join(b), score=float(shared), subset=subset))
    return rows


def paired(task: str, split: str, count: int = 40) -> list[dict]:
    """Label 1 where all but one word are shared, 0 where one word is."""
    rows = []
    for number in range(count):
        a = [f"{split}{number}x{i}" for i in range(6)]
        keep = 5 if number % 2 else 1
        b = a[:keep] + [f"other{split}{number}x{i}" for i in range(6 - keep)]
        rows.append(example(task, split, " ".join(a), " ".join(b), label=str(number % 2)))
    return rows


def questions(split: str, count: int = 60) -> list[dict]:
    rows = []
    for number in range(count):
        label = ("HUM:ind", "LOC:city", "NUM:count")[number % 3]
        word = ("who", "where", "how many")[number % 3]
        rows.append(example("trec", split, f"{word} is {WORDS[number % 10]} {split} {number}", label=label))
    return rows


def run(
    world: Path, out: Path, rows: list[dict], tasks: list[str], embedder: Embedder | None = None
) -> EvaluationResult:
    write_rows(shard_path(out / "benchmarks", 0), rows, EXAMPLE)
    model = ModelUnderTest("test", embedder or BagOfHashes())
    return evaluate(model, folders(world, out, out / "benchmarks"), PARAMS, tasks)


def test_sts_is_the_correlation_of_cosine_with_the_scores(world: Path, tmp_path: Path) -> None:
    rows = graded("stsb", "dev") + graded("stsb", "test") + graded("stsb", "train")
    result = run(world, tmp_path, rows, ["sts"])
    found = result.outcome.metrics["semantic"]["stsb"]
    assert set(found) == {"dev", "test"}
    kept = [row for row in result.outcome.examples if row["task"] == "stsb.test"]
    reference = spearmanr([row["gold"] for row in kept], [row["score"] for row in kept]).statistic
    assert found["test"]["spearman"] == pytest.approx(100 * reference, abs=0.01)
    assert found["test"]["spearman"] > 90


class TwoViews(BagOfHashes):
    """A bag of words, and a view that is zero for every sentence, as a structural one is for single words."""

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        views = super().embed(sentences)
        return views | {"structural": np.zeros_like(views["semantic"])}


@pytest.mark.parametrize("task", ["stsb", "sts12"])
def test_a_view_or_a_split_without_a_correlation_costs_no_other_one(
    task: str, world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alike = [row | {"score": 1.0} for row in graded(task, "dev")]
    rows = [*graded(task, "test"), *alike]
    result = run(world, tmp_path, rows, [task], TwoViews())
    assert result.failures == {}
    found = result.outcome.metrics
    assert list(found) == ["semantic"]
    assert list(found["semantic"][task]) == ["test"]
    expected = run(world, tmp_path / "alone", graded(task, "test"), [task]).outcome.metrics["semantic"]
    assert found["semantic"] == expected
    assert {(row["view"], row["task"]) for row in result.outcome.examples} == {("semantic", f"{task}.test")}
    told = capsys.readouterr().err
    for part in ("test, view structural", "dev, view semantic", "dev, view structural"):
        assert f"{task}: {part}: all gold scores or all similarities are equal" in told

    neither = run(world, tmp_path / "neither", alike, [task])
    assert neither.failures[task].startswith("all gold scores or all similarities are equal")


def test_pairs_without_a_score_are_counted(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = graded("stsb", "test")
    result = run(
        world, tmp_path, [*rows, *(row | {"score": None, "label": "1"} for row in rows[:7])], ["sts"]
    )
    assert "stsb: 7 pairs left out, which have no score" in capsys.readouterr().err
    kept = [row for row in result.outcome.examples if row["metric"] == "spearman"]
    assert len(kept) == len(rows)


def test_a_semeval_year_has_a_pooled_and_a_mean_correlation(world: Path, tmp_path: Path) -> None:
    one, two = graded("sts12", "test", "one"), graded("sts12", "test", "two")
    for row in two:  # the same order at scores that lie higher: pooling costs, the mean does not
        row["score"] += 20
        row["a"], row["b"] = f"z{row['a']}", f"z{row['b']}"
    result = run(world, tmp_path, one + two[:18], ["sts12"])
    found = result.outcome.metrics["semantic"]["sts12"]["test"]
    kept = result.outcome.examples
    gold, score = (np.array([row[name] for row in kept], dtype=float) for name in ("gold", "score"))
    parts = [gold < 20, gold >= 20]
    for name, correlate in (("spearman", spearmanr), ("pearson", pearsonr)):
        pooled = 100 * correlate(gold, score).statistic
        mean = np.mean([100 * correlate(gold[part], score[part]).statistic for part in parts])
        assert mean > pooled + 20
        assert found.pop(f"{name}_all") == pytest.approx(pooled, abs=0.01)
        assert found.pop(f"{name}_mean") == pytest.approx(mean, abs=0.01)
    assert not found


def test_pair_protocols_on_separable_pairs(world: Path, tmp_path: Path) -> None:
    rows = paired("paws-wiki", "dev") + paired("paws-wiki", "test")
    result = run(world, tmp_path, rows, ["paws"])
    found = result.outcome.metrics["semantic"]["paws"]["test"]
    assert found["ap"] == 100
    assert found["accuracy_dev_threshold"] == 100
    assert found["accuracy_logistic"] > 80


def test_test_pairs_that_no_decision_saw_have_a_figure_of_their_own(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FIRST_UNREAD, "paws-wiki", 20)
    rows = paired("paws-wiki", "dev") + paired("paws-wiki", "test", 60)
    for row in rows[-40:]:  # from the 21st test pair on the labels are the other way round
        row["label"] = str(1 - int(row["label"]))
    found = run(world, tmp_path, rows, ["paws-wiki"]).outcome.metrics["semantic"]["paws"]
    last = 100 * average_precision_score([0] * 20 + [1] * 20, range(40, 0, -1))  # every positive ranked last
    assert found["test_unread"] == {"ap": pytest.approx(last, abs=0.01)}
    assert found["test"]["ap"] > last + 5
    other = run(world, tmp_path / "other", paired("mrpc", "dev") + paired("mrpc", "test", 60), ["mrpc"])
    assert set(other.outcome.metrics["semantic"]["mrpc"]) == {"test"}


def test_pairs_of_a_sentence_that_was_seen_are_not_apart(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PAWS makes several pairs of a sentence: three in four of the unread ones share one with those seen."""
    monkeypatch.setitem(FIRST_UNREAD, "paws-wiki", 20)
    rows = paired("paws-wiki", "dev") + paired("paws-wiki", "test", 60)
    for row in rows[-40:]:
        row["label"] = str(1 - int(row["label"]))
    whole = run(world, tmp_path, rows, ["paws-wiki"]).outcome.metrics["semantic"]["paws"]
    assert whole["test_apart"] == whole["test_unread"]
    negatives = [row for row in rows[-40:] if row["label"] == "0"]
    for row, seen in zip(negatives, rows[-60:-40], strict=True):  # a text of a seen pair, turned round
        row["a"] = " ".join(reversed(seen["b"].split())).upper()
    found = run(world, tmp_path / "shared", rows, ["paws-wiki"]).outcome.metrics["semantic"]["paws"]
    assert "test_unread" in found
    assert "test_apart" not in found  # what is left has one class


def test_pairs_without_a_test_split_are_tested_on_a_part_of_the_rest(world: Path, tmp_path: Path) -> None:
    """As PAWS-X, of which only the development part can be verified."""
    result = run(world, tmp_path, paired("paws-x-en", "dev", 100), ["pairs"])
    (split, found), *others = result.outcome.metrics["semantic"]["paws-x-en"].items()
    assert (split, others) == ("held_out", [])
    assert set(found) == {"ap", "accuracy_dev_threshold", "accuracy_logistic"}
    assert found["ap"] == found["accuracy_dev_threshold"] == 100
    assert found["accuracy_logistic"] > 80
    kept = [row for row in result.outcome.examples if row["metric"] == "ap"]
    assert {row["task"] for row in kept} == {"paws-x-en.held_out"}
    assert 10 < len(kept) < 30  # about a fifth


def test_pairs_of_a_test_split_alone_are_ranked(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of one's own is tested as a whole, unless its name or a column says otherwise."""
    result = run(world, tmp_path, paired("mine", "test"), ["mine"])
    assert result.failures == {}
    assert result.outcome.metrics["semantic"] == {"mine": {"test": {"ap": 100.0}}}
    assert "mine: no train or dev split, so no accuracy beside the ap" in capsys.readouterr().err


def test_the_threshold_comes_from_development_pairs_alone(world: Path, tmp_path: Path) -> None:
    wrong = paired("qqp", "dev")
    for row in wrong:
        row["label"] = "0" if row["label"] == "1" else "1"
    found = run(world, tmp_path, wrong + paired("qqp", "test"), ["qqp"]).outcome.metrics["semantic"]
    assert found["qqp"]["test"]["ap"] == 100
    # The development labels are upside down: no threshold beats calling all pairs alike.
    assert found["qqp"]["test"]["accuracy_dev_threshold"] == 50


def run_parsed(world: Path, out: Path, rows: list[dict], parsed: Sequence[str]) -> EvaluationResult:
    """The task ``qqp`` on texts of six words, of which some have a tree, for a model that reads none."""
    tags = "NOUN " * 6, "0 1 1 1 1 1", "root obj obj obj obj obj"
    trees = [
        {"sent_id": text, "doc_id": "", "lang": "en", "split": "test", **sentence(text, *tags).row()}
        for text in parsed
    ]
    write_rows(shard_path(out / "parsed" / "benchmarks", 0), trees, SENTENCE)
    (out / "parsed" / "corpus").symlink_to(world / "parsed" / "corpus")
    write_rows(shard_path(out / "benchmarks", 0), rows, EXAMPLE)
    places = replace(folders(world, out, out / "benchmarks"), parsed=out / "parsed")
    return evaluate(ModelUnderTest("bag", BagOfHashes(), baselines=True), places, PARAMS, ["qqp"])


@pytest.mark.parametrize("parsed", ["none", "one of the texts", "all texts"])
def test_agreement_of_trees_is_judged_where_every_text_has_one(
    world: Path, tmp_path: Path, parsed: str
) -> None:
    """A benchmark that was added and not parsed yet had no metric at all, though the model reads no tree."""
    rows = paired("qqp", "dev") + paired("qqp", "test")
    texts = sorted({text for row in rows for text in (row["a"], row["b"])})
    kept = {"none": [], "one of the texts": texts[:1], "all texts": texts}[parsed]
    result = run_parsed(world, tmp_path, rows, kept)
    assert result.failures == {}
    found = result.outcome.metrics
    assert set(found["semantic"]["qqp"]["test"]) == {"ap", "accuracy_dev_threshold", "accuracy_logistic"}
    assert ("structural_agreement" in found) == (parsed == "all texts")


def test_the_combined_classifier_of_words_reads_nothing_of_the_trees(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = paired("qqp", "dev", 80) + paired("qqp", "test", 80)
    for number, row in enumerate(rows):  # words in common tell nothing of these labels
        row["label"] = str(number // 2 % 2)
    gold = np.array([[float(row["label"])] for row in rows])
    monkeypatch.setattr("pipeline.evaluation.tasks.pairs.tree_similarities", lambda *_: gold)
    texts = sorted({text for row in rows for text in (row["a"], row["b"])})
    found = run_parsed(world, tmp_path, rows, texts).outcome.metrics["combined"]["qqp"]["test"]
    assert found["accuracy_logistic"] == 100
    assert found["accuracy_logistic_words"] < 70


def test_held_out_pairs_choose_no_threshold_though_they_are_of_the_development_split() -> None:
    """Where there is no test split, they are a part of it."""
    pairs = [Example("own", "", "dev", f"a{number}", f"b{number}", None, None) for number in range(8)]
    gold, score = np.array([0, 0, 1, 1, 0, 1, 0, 1]), np.array([0.1, 0.1, 0.9, 0.9, 0.6, 0.7, 0.6, 0.7])
    test, outcome = np.arange(8) >= 4, Outcome()
    judged = Judged("own", pairs, gold, Splits(~test, ~test, test, "held_out"), {})
    put_ranking(outcome, "semantic", judged, score)
    assert outcome.metrics["semantic"]["own"]["held_out"]["accuracy_dev_threshold"] == 50


def test_development_pairs_of_one_class_choose_no_threshold(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The best one calls every pair the same, and its accuracy was the share of that class."""
    alike = [row for row in paired("qqp", "dev") if row["label"] == "1"]
    rows = paired("qqp", "train") + alike + paired("qqp", "test")
    result = run(world, tmp_path, rows, ["pairs", "stress"])
    assert result.failures == {}
    assert set(result.outcome.metrics["semantic"]["qqp"]["test"]) == {"ap", "accuracy_logistic"}
    line = "qqp: the development pairs are of one class, so no threshold is chosen"
    assert capsys.readouterr().err.splitlines().count(line) == 1
    assert {row["metric"] for row in result.outcome.examples} == {"ap", "accuracy_logistic"}


def test_training_pairs_of_one_class_train_no_classifier_and_cost_no_other_number(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as a corpus of paraphrases beside pairs of either kind."""
    alike = [row for row in paired("own", "train") if row["label"] == "1"]
    rows = alike + paired("own", "dev") + paired("own", "test")
    result = run(world, tmp_path, rows, ["pairs"])
    assert result.failures == {}
    assert result.outcome.metrics["semantic"]["own"]["test"] == {"ap": 100, "accuracy_dev_threshold": 100}
    line = "own: the training pairs are of one class, so no classifier is trained"
    assert capsys.readouterr().err.splitlines().count(line) == 1


def test_question_types_by_their_coarse_part(world: Path, tmp_path: Path) -> None:
    rows = questions("train", 120) + questions("test")
    found = run(world, tmp_path, rows, ["classification"]).outcome.metrics["semantic"]["trec"]["test"]
    assert found["accuracy"] > 95
    assert found["f1_macro"] > 95


def test_labels_of_other_benchmarks_are_whole(world: Path, tmp_path: Path) -> None:
    rows = questions("train") + questions("dev") + questions("test")
    own = [row | {"task": "own", "label": f"topic:{row['label'][:3]}"} for row in rows]
    found = run(world, tmp_path, own, ["own"]).outcome.metrics["semantic"]["own"]["test"]
    assert found["accuracy"] == 100


def test_pairs_with_another_label_are_left_out_and_counted(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = paired("own", "dev") + paired("own", "test")
    whole = run(world, tmp_path / "whole", rows, ["pairs"]).outcome.metrics
    assert "left out" not in capsys.readouterr().err
    odd = [
        row | {"a": f"{row['a']} odd", "label": label} for row, label in zip(rows, ("-1", None), strict=False)
    ]
    found = run(world, tmp_path / "odd", rows + odd, ["pairs"]).outcome.metrics
    assert found == whole
    assert "own: 2 pairs left out, whose label is neither 0 nor 1" in capsys.readouterr().err


@pytest.mark.parametrize("labels", [("yes", "no"), (None,), tuple("abcdefg")])
def test_pairs_with_other_labels_alone_are_one_clear_line(
    world: Path, tmp_path: Path, labels: tuple[str | None, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row | {"label": labels[number % len(labels)]} for number, row in enumerate(paired("own", "test"))]
    assert run(world, tmp_path, rows, ["own"]).failures
    told = {
        "yes": "benchmarks: the pairs of own have the labels 'no', 'yes'; write 1 for the same meaning and 0",
        "a": "the labels 'a', 'b', 'c', 'd', 'e', ...; write 1",
        None: "benchmarks: the rows of own have neither a score nor a label; add one",
    }
    assert told[labels[0]] in capsys.readouterr().err


def test_one_failing_task_leaves_the_others_and_the_exit_tells(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = graded("stsb", "test") + [
        row | {"label": "1"} for row in paired("qqp", "dev") + paired("qqp", "test")
    ]
    result = run(world, tmp_path, rows, ["stsb", "qqp", "sts99"])
    assert set(result.failures) == {"qqp", "sts99"}
    assert "stsb" in result.outcome.metrics["semantic"]
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("evaluate test: ")]
    assert "qqp: only one class" in lines[0]
    assert "no such task, nor benchmark of that name" in lines[1]
    with pytest.raises(SynsemError, match="2 tasks failed: qqp, sts99"):
        result.demand_success()


def test_nan_embeddings_fail_the_tasks_that_meet_them(world: Path, tmp_path: Path) -> None:
    result = run(world, tmp_path, graded("stsb", "test"), ["stsb", "alignment"], Broken())
    assert "NaN" in result.failures["alignment"]
    assert "stsb" in result.outcome.metrics["semantic"]


def test_the_files_hold_what_the_outcome_holds_and_are_the_same_twice(world: Path, tmp_path: Path) -> None:
    rows = graded("stsb", "test") + paired("qqp", "dev") + paired("qqp", "test")
    for home in ("one", "two"):
        run(world, tmp_path / home, rows, PARAMS.tasks)
    one, two = tmp_path / "one", tmp_path / "two"
    files = sorted(p.relative_to(one) for p in one.rglob("*") if p.is_file())
    assert {p.name for p in files} >= {
        "test.json",
        "examples.arrow",
        "similarities.arrow",
        "projection.arrow",
    }
    for name in files:
        assert (one / name).read_bytes() == (two / name).read_bytes(), name
    metrics = read_json(one / "metrics" / "test.json")["semantic"]
    assert set(metrics) == {"alignment", "retrieval", "probe", "stsb", "qqp"}
    table = read_file(one / "evaluation" / "test" / "examples.arrow").to_pylist()
    right = [row["score"] for row in table if row["metric"] == "accuracy_logistic"]
    assert 100 * np.mean(right) == pytest.approx(metrics["qqp"]["test"]["accuracy_logistic"], abs=0.01)


def test_steps_by_name_group_and_alias(world: Path, tmp_path: Path) -> None:
    from pipeline.evaluation.data import Benchmarks

    rows = graded("stsb", "test") + graded("sts12", "test") + paired("paws-wiki", "test") + questions("test")
    write_rows(shard_path(tmp_path, 0), rows, EXAMPLE)
    benchmarks = Benchmarks(tmp_path, world / "parsed", needs_trees=False)
    assert [step.name for step in steps(["sts", "paws", "probing", "stsb"], benchmarks)] == [
        "sts12",
        "stsb",
        "paws-wiki",
        "probes",
        "projection",
    ]
    assert {task: shape(found) for task, found in benchmarks.by_task.items()} == {
        "stsb": "sts",
        "sts12": "sts",
        "paws-wiki": "pairs",
        "trec": "classification",
    }


def test_a_model_that_reads_trees_refuses_texts_without(world: Path, tmp_path: Path) -> None:
    write_rows(shard_path(tmp_path / "benchmarks", 0), graded("stsb", "test"), EXAMPLE)
    model = ModelUnderTest("test", BagOfHashes(), needs_trees=True)
    result = evaluate(model, folders(world, tmp_path, tmp_path / "benchmarks"), PARAMS, ["stsb"])
    assert "no tree for 24 of 24 texts" in result.failures["stsb"]


def test_texts_that_differ_in_capitals_or_spaces_alone_have_each_its_own_tree(tmp_path: Path) -> None:
    """ "Polish the table" is an order, and "polish" there a verb: to lower case both would be one text."""
    from pipeline.evaluation.data import Benchmarks

    texts = {"Polish chairs": "2 0", "polish chairs": "0 1", "polish  chairs": "2 0"}
    rows = [
        {"sent_id": text, "doc_id": "", "lang": "en", "split": "test"}
        | sentence(text, "X X", heads, "dep dep").row()
        | {"text": text}
        for text, heads in texts.items()
    ]
    write_rows(shard_path(tmp_path / "benchmarks", 0), rows, SENTENCE)
    benchmarks = Benchmarks(tmp_path / "nowhere", tmp_path)
    found = benchmarks.sentences([*texts, *reversed(texts)])
    expected = [[int(head) for head in heads.split()] for heads in texts.values()]
    assert [list(each.heads) for each in found] == [*expected, *reversed(expected)]
    with pytest.raises(SynsemError, match="no tree for 1 of 2 texts, first 'POLISH chairs'"):
        benchmarks.sentences(["Polish chairs", "POLISH chairs"])


def test_a_model_that_reads_text_alone_gets_the_text_of_the_benchmark(tmp_path: Path) -> None:
    """The tree of a contraction has the words that it stands for; a model that reads trees gets these."""
    from pipeline.evaluation.data import Benchmarks

    text, words = "Il va au marché.", "Il va à le marché ."
    tree = sentence(words, "X X X X X X", "2 0 5 5 2 2", "dep dep dep dep dep dep")
    row = {"sent_id": "1", "doc_id": "", "lang": "fr", "split": "test"} | tree.row() | {"text": text}
    write_rows(shard_path(tmp_path / "benchmarks", 0), [row], SENTENCE)
    given = [
        Benchmarks(tmp_path / "nowhere", tmp_path, needs_trees).sentences([text])[0]
        for needs_trees in (False, True)
    ]
    assert [each.text for each in given] == [text, tree.text]
    assert [each.words for each in given] == [tree.words] * 2
    assert repr(given[0]) == repr(given[1])  # digests of the data are made of it


def test_missing_benchmarks_fail_their_tasks_alone(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = folders(world, tmp_path, tmp_path / "nowhere")
    result = evaluate(ModelUnderTest("test", BagOfHashes()), places, PARAMS, ["retrieval", "sts", "paws"])
    assert set(result.failures) == {"sts", "paws-wiki"}
    assert "nowhere: no part-*.arrow file" in result.failures["sts"]
    assert "retrieval" in result.outcome.metrics["semantic"]
    assert len([line for line in capsys.readouterr().err.splitlines() if "nowhere" in line]) == 2


def test_a_missing_corpus_fails_its_tasks_alone(world: Path, tmp_path: Path) -> None:
    write_rows(shard_path(tmp_path / "benchmarks", 0), graded("stsb", "test"), EXAMPLE)
    places = folders(tmp_path / "nowhere", tmp_path, tmp_path / "benchmarks")
    result = evaluate(
        ModelUnderTest("test", BagOfHashes()), places, PARAMS, ["stsb", "probes", "alignment", "upos"]
    )
    assert set(result.failures) == {"probes", "alignment", "upos", "projection"}
    assert "no part-*.arrow file" in result.failures["probes"]
    assert "stsb" in result.outcome.metrics["semantic"]


@pytest.mark.parametrize("task", ["trec", "xprobe-depth"])
def test_one_class_alone_is_one_clear_line(world: Path, tmp_path: Path, task: str) -> None:
    rows = [row | {"task": task, "label": "HUM:ind"} for row in questions("train") + questions("test")]
    result = run(world, tmp_path, rows, [task])
    (reason,) = result.failures.values()
    assert reason == "only one class among the training labels, so there is nothing to classify"


def test_a_reason_names_its_benchmark_once(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run(world, tmp_path, questions("test"), ["trec"])
    assert result.failures["trec"].startswith("no train or dev split")
    assert "trec: trec" not in capsys.readouterr().err


def test_too_few_rows_to_test_any_are_one_clear_line() -> None:
    """The accuracy of no row at all would be NaN."""
    rows = [Example("own", "", "train", f"text {number}", None, None, str(number % 2)) for number in range(4)]
    with pytest.raises(SynsemError, match="own: no test split, and too few rows to hold some out; give it"):
        split_rows(rows, 13, "own")


def test_no_text_is_on_two_sides_in_any_order_of_its_words() -> None:
    """PAWS makes several pairs of a sentence: else half of those held out are of one that was trained on."""
    texts = [f"word{number} and so on" for number in range(300)]
    rows = [
        Example("own", "", "dev", text, " ".join(reversed(texts[number + 1 - number % 3 // 2 * 3].split())),
                None, "0")
        for number, text in enumerate(texts[:-1])
    ]  # fmt: skip
    splits = split_rows(rows, 13, "own")
    sides = [
        {
            word_key(text)
            for each, use in zip(rows, part, strict=True)
            if use
            for text in (each.a, each.b or "")
        }
        for part in (splits.train, splits.tune, splits.test)
    ]
    assert min(map(len, sides)) > 20
    assert sides[0].isdisjoint(sides[1])
    assert sides[0].isdisjoint(sides[2])
    assert sides[1].isdisjoint(sides[2])


class Widening(BagOfHashes):
    """Gives vectors of another width at every call, like a model that was changed on disk."""

    width = 64

    def embed(self, sentences):  # type: ignore[no-untyped-def]
        self.width += 1
        return {"semantic": np.pad(super().embed(sentences)["semantic"], ((0, 0), (0, self.width - 64)))}


def test_a_model_of_another_dimension_fails_what_meets_it(world: Path, tmp_path: Path) -> None:
    rows = graded("sts12", "test") + [row | {"a": f"more {row['a']}"} for row in graded("stsb", "test")]
    result = run(world, tmp_path, rows, ["sts12", "stsb"], Widening())
    assert "sts12" not in result.failures  # one call for both sides of its pairs
    assert "widths changed between two calls" in result.failures["stsb"]
    with pytest.raises(SynsemError, match="2 tasks failed: stsb, projection"):
        result.demand_success()


def test_the_exit_code_tells_of_a_failed_task(
    world: Path,
    tmp_path: Path,
    tiny_backbone: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from stages.cli import run as run_command
    from stages.evaluate import main

    write_rows(shard_path(tmp_path / "benchmarks", 0), graded("stsb", "test"), EXAMPLE)
    command = ["evaluate", "--model", str(tiny_backbone), "--pooling", "mean"]
    command += ["--parsed", str(world / "parsed"), "--augmented", str(world / "augmented")]
    command += ["--benchmarks", str(tmp_path / "benchmarks"), "--out", str(tmp_path)]
    command += [
        "--params",
        str(Path(__file__).parents[2] / "params.yaml"),
        "--cache",
        str(tmp_path / "cache"),
    ]
    codes = []
    for tasks in ("stsb,paws", "stsb"):
        monkeypatch.setattr("sys.argv", [*command, "--tasks", tasks])
        with pytest.raises(SystemExit) as stop:
            run_command(main)
        codes.append(stop.value.code)
    assert codes == [1, 0]
    said = capsys.readouterr()
    assert [line for line in said.err.splitlines() if line.startswith("synsem:")] == [
        "synsem: 1 task failed: paws-wiki; the others are written"
    ]
    assert " 0 texts embedded" in said.out.splitlines()[-1]  # the second time all came from the cache
    (found,) = (tmp_path / "metrics").glob("*-mean.json")
    assert "spearman" in read_json(found)["semantic"]["stsb"]["test"]


def test_a_probing_file_has_every_classifier_and_its_controls(world: Path, tmp_path: Path) -> None:
    rows = [row | {"task": "xprobe-question"} for row in questions("train", 300) + questions("test", 300)]
    write_rows(shard_path(tmp_path / "benchmarks", 0), rows, EXAMPLE)
    params = PARAMS.model_copy(update={"probe_classifiers": ["logistic", "mlp"]})
    places = folders(world, tmp_path, tmp_path / "benchmarks")
    result = evaluate(ModelUnderTest("test", BagOfHashes()), places, params, ["probing_files"])
    found = result.outcome.metrics["semantic"]["xprobe-question"]["test"]
    assert set(found) == {"accuracy", "accuracy_mlp", "majority", "random_labels"}
    assert min(found["accuracy"], found["accuracy_mlp"]) > 95
    assert found["majority"] == pytest.approx(100 / 3, abs=0.01)
    assert found["random_labels"] < 50


def test_of_a_large_probing_file_so_many_of_each_split_are_drawn_whatever_their_order(
    world: Path, tmp_path: Path
) -> None:
    whole = [row | {"task": "xprobe-question"} for row in questions("train", 90) + questions("test", 90)]
    params = PARAMS.model_copy(update={"probe_sentences": 40})
    drawn = []
    for name, rows in (("as they are", whole), ("reversed", whole[::-1])):
        home = tmp_path / name
        write_rows(shard_path(home / "benchmarks", 0), rows, EXAMPLE)
        model = BagOfHashes()
        places = folders(world, home, home / "benchmarks")
        evaluate(ModelUnderTest("test", model), places, params, ["probing_files"])
        drawn.append({text for text in model.seen if text.split()[-2] in ("train", "test")})
    assert drawn[0] == drawn[1]
    assert [sum(f" {split} " in text for text in drawn[0]) for split in ("train", "test")] == [40, 40]


def test_few_sentences_of_a_probing_file_are_classified_too(world: Path, tmp_path: Path) -> None:
    rows = [
        example("ptb-sample", split, f"{word} {split} {number}", label=label)
        for split in ("train", "test")
        for label, word in [
            ("NP VP .", "alpha"),
            ("S : S .", "beta"),
            *((f"X{n}", f"w{n}") for n in range(25)),
        ]
        for number in range(3)
    ]
    write_rows(shard_path(tmp_path / "benchmarks", 0), rows, EXAMPLE)
    params = PARAMS.model_copy(update={"probe_sentences": 6})
    places = folders(world, tmp_path, tmp_path / "benchmarks")
    result = evaluate(ModelUnderTest("test", BagOfHashes()), places, params, ["probing_files"])
    assert result.failures == {}
    assert "accuracy" in result.outcome.metrics["semantic"]["ptb-sample"]["test"]


def test_a_gold_file_of_open_labels_is_closed_balanced_and_parted(world: Path, tmp_path: Path) -> None:
    common = [("NP VP .", "alpha"), ("S : S .", "beta"), ("PP , NP VP .", "gamma")]
    rows = [
        example("ptb-sample", "test", f"{word} {word} {number}", label=label)
        for label, word in common
        for number in range(400 if word == "alpha" else 100)
    ]
    rows += [
        example("ptb-sample", "test", f"delta {number} delta", label=f"X{number}") for number in range(50)
    ]
    write_rows(shard_path(tmp_path / "benchmarks", 0), rows, EXAMPLE)
    params = PARAMS.model_copy(update={"probe_sentences": 1000})
    places = folders(world, tmp_path, tmp_path / "benchmarks")
    result = evaluate(ModelUnderTest("test", BagOfHashes()), places, params, ["probing_files"])
    assert result.failures == {}
    found = result.outcome.metrics["semantic"]["ptb-sample"]["held_out"]
    assert found["accuracy"] > 85  # all but a few of the rarest, of one row each
    assert found["majority"] < 50  # of 400 alike, a tenth of 1000 rows are left
    kept = read_file(places.out / "evaluation" / "test" / "examples.arrow").to_pylist()
    assert 50 < len({row["a"] for row in kept}) < 100  # a fifth of 100 + 100 + 100 + 50


def test_a_pair_is_apart_if_neither_of_its_texts_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FIRST_UNREAD, "paws-wiki", 1)
    texts = [("not", "tested"), ("a b", "c d"), ("x y", "D C"), ("p q", "r s"), ("B A", "m n")]
    found = unread_parts("paws-wiki", texts, np.array([1, 2, 3, 4]))
    assert {name: rows.tolist() for name, rows in found.items()} == {"unread": [2, 3, 4], "apart": [3]}


def test_the_most_frequent_training_class_is_judged_on_the_test_rows(world: Path, tmp_path: Path) -> None:
    def rows(split: str, *counts: int) -> list[dict]:
        return [
            example("xprobe-x", split, f"{word} {split} {number}", label=word)
            for word, count in zip(("one", "two"), counts, strict=True)
            for number in range(count)
        ]

    write_rows(shard_path(tmp_path / "benchmarks", 0), rows("train", 60, 40) + rows("test", 10, 40), EXAMPLE)
    places = folders(world, tmp_path, tmp_path / "benchmarks")
    result = evaluate(ModelUnderTest("test", BagOfHashes()), places, PARAMS, ["probing_files"])
    assert result.outcome.metrics["semantic"]["xprobe-x"]["test"]["majority"] == 20
