"""The stage ``download``: what it writes, that it writes the same again, and how it fails."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.params import Download
from pipeline.corpora.download import download

Run = Callable[..., tuple[list[dict], dict]]
SENTENCES = [f"The number {n} is written on the door of house {n * n}." for n in range(400)]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "my.txt"
    path.write_text("\n\n".join(SENTENCES), encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path: Path, params: Callable[..., Download]) -> Run:
    def stage(**changes: object) -> tuple[list[dict], dict]:
        corpus, benchmarks = tmp_path / "data/corpus", tmp_path / "data/benchmarks"
        download(params(**changes), corpus, benchmarks)
        assert store.read(benchmarks).schema.names == schemas.EXAMPLE.names
        return list(store.rows(corpus)), store.read_json(corpus / "report.json")

    return stage


def test_a_file_of_ones_own_is_one_line(run: Run, tmp_path: Path, own: Path) -> None:
    rows, report = run(sources=[str(own)])
    assert [row["text"] for row in rows] == SENTENCES
    assert report["read"] == report["kept"] == {"my": 400}
    assert report["splits"] == Counter(row["split"] for row in rows)
    assert store.read(tmp_path / "data/corpus").schema.metadata[b"licences"] == b'{"my": "your own"}'


def test_a_run_is_byte_identical(run: Run, tmp_path: Path, own: Path) -> None:
    sums = []
    for _ in range(2):
        run(sources=[str(own)], documents=50)
        sums.append(
            [store.sha256(path) for path in sorted((tmp_path / "data").rglob("*.*")) if path.is_file()]
        )
    assert sums[0] == sums[1]
    assert len(sums[0]) == 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sources": ["wikipedia-introduction-en"]}, "did you mean wikipedia-introductions-en?"),
        ({"sources": ["./nowhere.txt"]}, "'./nowhere.txt': no such file or folder"),
        ({"sources": ["stsb"]}, "stsb is for download.benchmarks"),
        ({"sources": ["wikisplit"], "benchmarks": ["wikisplit"]}, "wikisplit is for download.sources"),
        ({"profile": "ful"}, "did you mean full?"),
    ],
)
def test_a_wrong_key_is_named(run: Run, tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(SynsemError) as failure:
        run(**changes)
    assert message in str(failure.value)
    assert not list((tmp_path).glob("data/**/*.arrow"))


def test_a_text_and_a_benchmark_of_one_name_are_refused(run: Run, tmp_path: Path, own: Path) -> None:
    """Else the one would be read in place of the other."""
    (tmp_path / "tests").mkdir()
    other = tmp_path / "tests" / "my.csv"
    other.write_text("sentence1,sentence2,score\nA dog ran.,A cat sat.,3\n", encoding="utf-8")
    with pytest.raises(SynsemError, match=r"download.benchmarks: two sources are called my; rename one"):
        run(sources=[str(own)], benchmarks=[str(other)])


def test_text_in_another_language_is_said_to_be(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "my.txt"
    line = "Le chat numéro {} dort sur la vieille chaise pendant que la pluie tombe sur les toits de Paris."
    path.write_text("\n\n".join(line.format(n) for n in range(30)), encoding="utf-8")
    with pytest.raises(SynsemError, match=r"foreign_language: 30.*set download.language"):
        run(sources=[str(path)])
    assert len(run(sources=[str(path)], language="fr")[0]) == 30


def test_translations_stay_together(run: Run, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    rows = [f"The house number {n} is here.\tHaus Nummer {n} ist hier.\n" for n in range(200)]
    rows += [f"The house number {n} is here.\tHier ist Haus Nummer {n}.\n" for n in range(50)]
    pairs.write_text("".join(rows), encoding="utf-8")
    kept, report = run(sources=[f"pairs:{pairs}"], near_duplicate=0.8)
    assert report["read"] == {"pairs": 500}
    assert report["dropped"]["duplicate"] == 50  # the English of a second translation
    by_pair: dict[str, list[dict]] = {}
    for row in kept:
        by_pair.setdefault(row["pair_id"], []).append(row)
    assert all(len({row["split"] for row in rows}) == 1 for rows in by_pair.values())
    assert sum(len(rows) == 3 for rows in by_pair.values()) > 0
    drawn, _ = run(sources=[f"pairs:{pairs}"], documents=100)
    assert all(
        sum(row["pair_id"] == pair for row in drawn) >= 2 for pair in {row["pair_id"] for row in drawn}
    )


def test_the_sections_of_an_article_are_in_one_split(run: Run, tmp_path: Path) -> None:
    """They are documents of their own, but no article may be trained on and tested."""
    file = tmp_path / "articles"
    parts = "History.\nSentence {0} of all is here now.\nUse.\nSentence {0} of the second part.\n"
    articles = (
        f'<doc id="{n}" url="" title="Article {n}">\nArticle {n}\n\nSentence {n} opens it all.\n'
        f"{parts.format(n)}</doc>\n"
        for n in range(40)
    )
    file.write_text("".join(articles), encoding="utf-8")
    rows, report = run(sources=[str(file)])
    splits: dict[str, set[str]] = {}
    for row in rows:
        splits.setdefault(row["title"].partition(":")[0], set()).add(row["split"])
    assert len(rows) == 120
    assert all(len(found) == 1 for found in splits.values())
    assert set(report["splits"]) >= {"train", "test"}


def test_every_text_is_kept_or_counted(run: Run, tmp_path: Path, own: Path) -> None:
    odd = ["", "??? !!!", "Short.", SENTENCES[0], SENTENCES[1].upper()]
    odd += ["Der Zug fährt heute später ab, weil der Lokführer noch nicht da ist und keiner weiß, warum."]
    (tmp_path / "more.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in odd))
    (tmp_path / "test.tsv").write_text(f"text\tlabel\n{SENTENCES[2]}\t1\n", encoding="utf-8")
    _, report = run(
        sources=[str(own), str(tmp_path / "more.jsonl")],
        benchmarks=[str(tmp_path / "test.tsv")],
        documents=390,
        min_characters=10,
        near_duplicate=0.9,
    )
    assert report["read"] == {"my": 400, "more": 6}
    assert report["dropped_by_source"]["more"] == {
        "empty": 1,
        "no_words": 1,
        "too_short": 1,
        "duplicate": 1,
        "near_duplicate": 1,
        "foreign_language": 1,
    }
    assert report["dropped_by_source"]["my"]["contaminated"] >= 1
    for name, read in report["read"].items():
        assert report["kept"][name] + sum(report["dropped_by_source"][name].values()) == read


def test_what_is_not_drawn_is_not_cleaned(run: Run, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cleaned: list[str] = []
    monkeypatch.setattr("pipeline.corpora.documents.is_foreign", lambda text, _: bool(cleaned.append(text)))
    rows, report = run(sources=[str(own)], documents=50)
    assert (len(rows), len(cleaned)) == (50, 150)
    assert report["dropped"] == {"not_drawn": 350}
    own.write_text("\n\n".join(reversed(SENTENCES)), encoding="utf-8")
    again, _ = run(sources=[str(own)], documents=50)
    assert {row["text"] for row in again} == {row["text"] for row in rows}
    own.with_name("pairs.tsv").write_text("".join(f"{a}\t{a[:-1]} too.\n" for a in SENTENCES))
    _, report = run(sources=[f"pairs:{own.with_name('pairs.tsv')}"], documents=20)
    assert report["read"]["pairs"] == 2 * len(SENTENCES)  # texts, drawn or not


def test_a_line_that_a_benchmark_has_is_dropped_as_a_whole(run: Run, tmp_path: Path) -> None:
    """Texts that are one sentence each are not cut: the reader of pairs gives such."""
    pairs, bench = tmp_path / "pairs.tsv", tmp_path / "bench.tsv"
    pairs.write_text("".join(f"{a}\t{a[:-1]} too.\n" for a in SENTENCES[:40]), encoding="utf-8")
    bench.write_text("text\tlabel\n" + "".join(f"{a}\t1\n" for a in SENTENCES[5:8]), encoding="utf-8")
    rows, report = run(sources=[f"pairs:{pairs}"], benchmarks=[str(bench)])
    assert all(row["presplit"] for row in rows)
    assert not {row["text"] for row in rows} & set(SENTENCES[5:8])
    assert len(rows) == 77
    assert report["dropped"] == {"contaminated": 3}


@pytest.mark.mirror
def test_a_treebank_keeps_its_trees_and_splits(run: Run, tmp_path: Path, mirror: Path) -> None:
    rows, report = run(sources=["treebank:ud-telugu-mtg"], mirror=str(mirror), near_duplicate=0.8)
    assert report["splits"] == {"train": 1051, "dev": 131, "test": 146}
    assert report["dropped"] == {}
    assert rows[0]["lang"] == "te"
    assert rows[0]["text"].startswith("# sent_id")
    assert rows[0]["text"].endswith("\n\n")


@pytest.mark.mirror
def test_the_three_benchmarks_of_the_papers(run: Run, tmp_path: Path, own: Path, mirror: Path) -> None:
    run(sources=[str(own)], benchmarks=["stsb", "paws-wiki", "trec"], mirror=str(mirror))
    kept = json.loads((tmp_path / "data/benchmarks/report.json").read_text())["kept"]
    assert kept == {
        "stsb": {"train": 5749, "dev": 1500, "test": 1379},
        "paws-wiki": {"dev": 8000, "test": 8000},
        "trec": {"train": 5452, "test": 500},
    }
    rows = list(store.rows(tmp_path / "data/benchmarks"))
    assert rows[0] | {"score": round(rows[0]["score"], 3)} == {
        "task": "stsb",
        "subset": "main-captions",
        "split": "train",
        "a": "A plane is taking off.",
        "b": "An air plane is taking off.",
        "score": 5.0,
        "label": None,
    }
    assert {row["label"] for row in rows if row["task"] == "paws-wiki"} == {"0", "1"}


def test_a_corpus_without_a_document_to_train_on_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "few.txt"
    path.write_text("\n\n".join(SENTENCES[:2]), encoding="utf-8")
    with pytest.raises(SynsemError, match="no document is left to train on"):
        run(sources=[str(path)], dev_fraction=0.5, test_fraction=0.4999)
    assert not (tmp_path / "data" / "corpus").exists()


@pytest.mark.parametrize("missing", ["", "  "])
def test_half_a_pair_is_dropped_and_no_text_alone(run: Run, tmp_path: Path, own: Path, missing: str) -> None:
    """Else one such row would have a benchmark of pairs judged as single sentences by class."""
    table = tmp_path / "half.csv"
    table.write_text(f"sentence1,sentence2,label\nIt rains.,Rain falls.,1\nIt snows.,{missing},1\n")
    run(sources=[str(own)], benchmarks=[str(table)])
    report = json.loads((tmp_path / "data/benchmarks/report.json").read_text())
    assert report["kept"] == {"half": {"test": 1}}
    assert report["dropped"] == {"empty": 1}
