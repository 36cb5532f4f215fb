"""No text to be tested on enters an example: by this filter alone, and from raw text to examples."""

import json
from collections import Counter
from pathlib import Path

import pytest
from small_corpus import Doc, bag_of_words, dropped, no_vectors, params, write

from pipeline.core import schemas, store
from pipeline.corpora.download import download
from pipeline.corpora.duplicates import Contamination
from pipeline.mining import variants
from pipeline.mining.held_out_texts import without_held_out_texts
from pipeline.mining.inputs import Inputs

SECRET = "the clever fox finds a quiet river"


def texts(out: Path) -> set[str]:
    return {
        side["text"]
        for row in store.rows(out)
        for side in (row["anchor"], row["positive"], *row["negatives"])
    }


def test_a_benchmark_text_is_refused_as_anchor_positive_and_negative(tmp_path: Path) -> None:
    documents = [
        Doc([SECRET.upper()], variants=[("same", "fronting", "a quiet river the clever fox finds")]),
        Doc(["a river was found by the fox"], variants=[("same", "passive", SECRET)]),
        Doc(["the quiet fox finds a clever river"], variants=[("different", "modifier_swap", SECRET)]),
        Doc(["one more sentence without any stain"], variants=[("same", "fronting", "stain without any")]),
    ]
    inputs = write(tmp_path, documents, benchmark=[SECRET])
    variants.mine(inputs, tmp_path / "out", params(identity="all", contamination=None), no_vectors)
    found = texts(tmp_path / "out")
    assert not any(text.casefold() == SECRET for text in found)
    assert "the quiet fox finds a clever river" in found
    counts = dropped(tmp_path / "out")
    assert counts["benchmark text: anchor or positive"] == 2
    assert counts["benchmark text: negative"] == 1


def test_a_sentence_of_the_test_split_is_refused_in_training(tmp_path: Path) -> None:
    """Another document may have it, and a rewriting may turn into it; short ones occur everywhere."""
    documents = [
        Doc([SECRET.capitalize(), "who is it"], "test"),
        Doc([SECRET], variants=[("same", "fronting", "a quiet river the clever fox finds")]),
        Doc(["a river was found by the fox"], "dev", variants=[("same", "passive", SECRET + " ")]),
        Doc(["the quiet fox finds a clever river"], variants=[("different", "modifier_swap", SECRET)]),
        Doc(["who is it"], variants=[("same", "fronting", "it is who")]),
        Doc(["one more sentence without any stain"], variants=[("same", "fronting", "stain without any")]),
    ]
    inputs = write(tmp_path, documents)
    variants.mine(inputs, tmp_path / "out", params(identity="all", contamination=None), no_vectors)
    found = texts(tmp_path / "out")
    assert not any(text.casefold().strip() == SECRET for text in found)
    assert {"the quiet fox finds a clever river", "who is it", "one more sentence without any stain"} <= found
    counts = dropped(tmp_path / "out")
    assert counts["text of the test split: anchor or positive"] == 2
    assert counts["text of the test split: negative"] == 1


def test_a_treebank_keeps_its_published_splits(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc([SECRET], "test"), Doc([SECRET])])
    row = {"anchor": {"text": SECRET}, "positive": {"text": SECRET}, "negatives": []}
    assert not list(without_held_out_texts([dict(row)], inputs, None, Counter()))
    gold = inputs._replace(treebank=inputs.parsed)
    assert list(without_held_out_texts([dict(row)], gold, None, Counter())) == [row]


def test_five_words_of_the_test_split_are_enough_and_those_of_dev_are_none(tmp_path: Path) -> None:
    texts = {
        "test": ["Foxes find  a quiet river", "foxes find quiet rivers"],
        "dev": ["one two three four five"],
    }
    documents = [Doc([text], split) for split, own in texts.items() for text in own]
    inputs = write(tmp_path, [*documents, Doc(["plain"])])
    left = []
    for text in ("foxes find a quiet river .", "foxes find a quiet river", *texts["test"][1:], *texts["dev"]):
        row = {"anchor": {"text": text}, "positive": {"text": "another one"}, "negatives": []}
        left += list(without_held_out_texts([row], inputs, None, Counter()))
    assert [row["anchor"]["text"] for row in left] == [
        "foxes find a quiet river .", "foxes find quiet rivers", "one two three four five"
    ]  # fmt: skip


def test_with_a_negative_its_kind_and_hardness_go(tmp_path: Path) -> None:
    """Rows from a generator, as mining gives them: the columns of the negatives stay as long as they are."""
    inputs = write(tmp_path, [Doc(["plain"])], benchmark=[SECRET])
    row = {
        "anchor": {"text": "one sentence"}, "positive": {"text": "another one"},
        "negatives": [{"text": "first left"}, {"text": SECRET}, {"text": "second left"}],
        "negative_kinds": ["a", "b", "c"], "negative_hardness": [0.1, 0.2, 0.3],
    }  # fmt: skip
    (found,) = without_held_out_texts([row], inputs, None, Counter())
    assert [side["text"] for side in found["negatives"]] == ["first left", "second left"]
    assert (found["negative_kinds"], found["negative_hardness"]) == (["a", "c"], [0.1, 0.3])


def test_nearly_a_benchmark_text_is_refused_where_a_likeness_is_given(tmp_path: Path) -> None:
    long = (
        "on a cold day in the year of the great frost " + SECRET + " under the old stone bridge by the mill"
    )
    documents = [Doc([long + " there"]), Doc(["one more sentence without any stain"])]
    for name, contamination, left in (("exact", None, 2), ("near", 0.8, 1)):
        inputs = write(tmp_path / name, documents, benchmark=[long])
        variants.mine(
            inputs, tmp_path / name / "out", params(identity="all", contamination=contamination), no_vectors
        )
        assert len(texts(tmp_path / name / "out")) == left


def test_short_texts_are_everybodys(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc(["what is it ?"])], benchmark=["what is it ?"])
    assert variants.mine(inputs, tmp_path / "out", params(identity="all"), no_vectors)["train"] == 1


def test_from_raw_text_to_examples_no_benchmark_sentence_comes_through(tmp_path: Path) -> None:
    """Download cleans the corpus, mining refuses what the rewrites make of it."""
    import yaml

    from pipeline.params import parse as parse_params

    secrets = [f"The {n} wise kings of the east gave gifts to child number {n}" for n in range(20)]
    plain = [f"In the town of number {n} people sell {n} kinds of bread each day" for n in range(40)]
    (tmp_path / "text.txt").write_text(
        "\n\n".join(f"{a}. {b}." for a, b in zip(plain, secrets * 2, strict=True))
    )
    (tmp_path / "bench.tsv").write_text(
        "a\tb\tscore\n" + "".join(f"{text}\t{text[::-1]}\t1.0\n" for text in secrets)
    )
    raw = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())
    raw["download"] |= {
        "sources": [str(tmp_path / "text.txt")], "benchmarks": [str(tmp_path / "bench.tsv")],
        "documents": "all", "language_confidence": None, "near_duplicate": None,
        "dev_fraction": 0.0, "test_fraction": 0.0,
    }  # fmt: skip
    corpus, benchmarks = tmp_path / "corpus", tmp_path / "benchmarks"
    download(parse_params(raw).download, corpus, benchmarks)
    documents = [
        Doc(
            [sentence + "." for sentence in row["text"].rstrip(".").split(". ")],
            name=row["doc_id"],
            # Rewrites that happen to say what a benchmark says: of every second the only positive.
            variants=[(("same", "different")[number % 2], "rule", secrets[number % 20])],
        )
        for number, row in enumerate(store.rows(corpus))
    ]
    assert documents
    inputs: Inputs = write(tmp_path / "parsed", documents)._replace(corpus=corpus, benchmarks=benchmarks)
    variants.mine(inputs, tmp_path / "out", params(identity="all", contamination=0.8), bag_of_words)
    index = Contamination(secrets, 0.8)
    assert len(texts(tmp_path / "out")) == len(documents) / 2
    assert [text for text in texts(tmp_path / "out") if index.holds(text)] == []
    report = json.loads((tmp_path / "corpus" / "report.json").read_text())
    assert sum(report["contaminated_sentences"].values()) > 0
    counts = dropped(tmp_path / "out")
    assert counts["benchmark text: anchor or positive"] == counts["benchmark text: negative"] == 20


@pytest.mark.parametrize("threshold", [None, 0.8])
def test_no_benchmark_at_all_refuses_nothing(tmp_path: Path, threshold: float | None) -> None:
    inputs = write(tmp_path, [Doc([SECRET])])
    kept = variants.mine(
        inputs, tmp_path / "out", params(identity="all", contamination=threshold), no_vectors
    )
    assert kept["train"] == 1


def test_the_second_text_of_a_benchmark_pair_is_refused_as_the_first(tmp_path: Path) -> None:
    inputs = write(tmp_path, [Doc(["plain"])])
    pair = {"task": "t", "subset": "", "split": "test", "a": "another text of some five words", "b": SECRET}
    store.write_rows(
        store.shard_path(inputs.benchmarks, 0), [pair | {"score": 1.0, "label": None}], schemas.EXAMPLE
    )
    for threshold in (None, 0.8):
        counts: Counter[str] = Counter()
        row = {"anchor": {"text": SECRET}, "positive": {"text": "something else"}, "negatives": []}
        assert not list(without_held_out_texts([row], inputs, threshold, counts))
        assert counts == {"benchmark text: anchor or positive": 1}


def test_of_a_benchmark_that_was_not_asked_for_no_split_may_be_learnt_from(tmp_path: Path) -> None:
    """Nor, of one whose training part is a source, the others."""
    inputs = write(tmp_path, [Doc(["plain"])])
    for split, sources, left in (
        ("train", (), 0), ("dev", (), 0), ("test", (), 0),
        ("train", ("t-train",), 1), ("dev", ("t-train",), 0), ("test", ("t-train",), 0), ("train", ("t",), 0),
    ):  # fmt: skip
        pair = {
            "task": "t",
            "subset": "",
            "split": split,
            "a": SECRET,
            "b": None,
            "score": 1.0,
            "label": None,
        }
        store.write_rows(store.shard_path(inputs.benchmarks, 0), [pair], schemas.EXAMPLE)
        row = {"anchor": {"text": SECRET}, "positive": {"text": "something else"}, "negatives": []}
        assert len(list(without_held_out_texts([row], inputs, None, Counter(), sources))) == left


def test_a_corpus_made_of_a_benchmarks_training_part_is_learnt_from(tmp_path: Path) -> None:
    pair = {"task": "t", "subset": "", "split": "train", "a": SECRET, "b": None, "score": 1.0, "label": None}
    for source, kept in (("t-train", 2), ("own", 1)):
        documents = [Doc([SECRET], source=source), Doc(["one more sentence without any stain"])]
        inputs = write(tmp_path / source, documents)
        store.write_rows(store.shard_path(inputs.benchmarks, 0), [pair], schemas.EXAMPLE)
        found = variants.mine(inputs, tmp_path / source / "out", params(identity="all"), no_vectors)
        assert found["train"] == kept
