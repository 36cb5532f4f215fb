"""A CoNLL-U file beside plain text, from download to trees: its trees are kept, the rest is parsed."""

from pathlib import Path

import pytest

from pipeline.core import store
from pipeline.core.params import Download, Parse
from pipeline.corpora.download import download
from pipeline.parsing.conllu import is_conllu
from pipeline.parsing.run import parse_folders

pytestmark = pytest.mark.usefixtures("scratch")

# Attachments that no parser gives, so that a tree which was read is told from one which was parsed.
SENTENCES = [
    [("The", 4), ("boy", 4), ("runs", 4), ("home", 0), (".", 4)],
    [("She", 3), ("reads", 3), ("books", 0), (".", 1)],
    [("They", 2), ("left", 4), ("the", 4), ("town", 5), (".", 0)],
]
HEADS = [[head for _, head in sentence] for sentence in SENTENCES]
TEXTS = ["The dog chased the cat through the garden.", "Nobody knew where the old man had gone."]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    blocks = [
        "".join(
            f"{number}\t{word}\t_\tX\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n"
            for number, (word, head) in enumerate(sentence, 1)
        )
        for sentence in SENTENCES
    ]
    (tmp_path / "gold.conllu").write_text("\n".join(["# newdoc\n" + blocks[0], *blocks[1:]]))
    (tmp_path / "plain.txt").write_text("\n\n".join(TEXTS))
    (tmp_path / "pairs.tsv").write_text("a\tb\nA dog barked.\tA cat slept.\n")
    return tmp_path


def stages(
    folder: Path, parse: Parse, sources: list[str], language: str = "en", benchmarks: list[str] | None = None
) -> dict[str, list[dict]]:
    """The rows of the parsed corpus by source, after download and parse, beside a benchmark of one pair."""
    if benchmarks is None:
        benchmarks = [str(folder / "pairs.tsv")]
    section = Download(
        profile="starter", sources=[placed(folder, name) for name in sources], documents="all",
        benchmarks=benchmarks, mirror=None, language=language, min_characters=1,
        near_duplicate=0.8, dev_fraction=0.1, test_fraction=0.1,
    )  # fmt: skip
    corpus, tests, parsed = folder / "corpus", folder / "benchmarks", folder / "parsed"
    download(section, corpus, tests)
    parse_folders(corpus, tests, parsed, parse, 1)
    found: dict[str, list[dict]] = {}
    for row in store.rows(parsed / "corpus"):
        found.setdefault(row["doc_id"].partition(":")[0], []).append(row)
    return found


def placed(folder: Path, name: str) -> str:
    reader, colon, file = name.rpartition(":")
    return f"{reader}{colon}{folder / file}"


def heads(rows: list[dict]) -> list[list[int]]:
    return [row["heads"] for row in rows]


def test_a_treebank_stands_beside_text_and_a_benchmark(own: Path, params: Parse) -> None:
    found = stages(own, params, ["gold.conllu", "plain.txt"])
    assert heads(found["gold"]) == HEADS
    assert [row["text"] for row in found["plain"]] == TEXTS
    assert all(row["heads"].count(0) == 1 and "nsubj" in row["deprels"] for row in found["plain"])
    report = store.read_json(own / "parsed" / "report.json")
    assert report["kept"]["documents"] == 5
    assert report["kept"]["benchmark texts"] == 2 * len((own / "pairs.tsv").read_text().splitlines()[1:])
    assert report["parsers"][1] == "en: gold trees in CoNLL-U"


def test_trees_need_no_parser_of_their_language(own: Path, params: Parse) -> None:
    found = stages(own, params, ["gold.conllu"], language="fo")
    assert heads(found["gold"]) == HEADS


def test_trees_are_read_whatever_the_parser(own: Path, params: Parse) -> None:
    parse = params.model_copy(update={"models": {"de": "none"}})
    assert heads(stages(own, parse, ["gold.conllu"], benchmarks=[])["gold"]) == HEADS


def test_a_long_gold_tree_is_dropped(own: Path, params: Parse) -> None:
    parse = params.model_copy(update={"max_words": 4})
    assert heads(stages(own, parse, ["gold.conllu"], benchmarks=[])["gold"]) == HEADS[1:2]
    # Each of the two trees is a document of its own.
    dropped = store.read_json(own / "parsed" / "report.json")["dropped"]
    assert dropped == {"long": 2, "document of dropped sentences": 2}


def test_what_is_conllu() -> None:
    row = "\t".join("1234567890")
    assert is_conllu(f"# a comment\n\n{row}\n")
    assert not any(map(is_conllu, ("", "# a comment", "Plain text.", f"Plain text.\n{row}", "a\tb")))
