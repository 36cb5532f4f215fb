"""Documents of several sources become one corpus: its shards, splits and licences, and what to do if none."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.corpus import split_of, write_corpus
from pipeline.corpora.fetching.cache import Access
from pipeline.corpora.fetching.fetch import fetch
from pipeline.corpora.sources import Use, own_source
from pipeline.params import Download

Write = Callable[..., tuple[list[dict], dict]]


@pytest.fixture
def written(tmp_path: Path, own_cache: Path, params: Callable[..., Download]) -> Write:
    """The rows of a corpus of these sources, and its counts; keywords change the parameters."""

    def write(names: Sequence[str], use: Use = "corpus", **changes: object) -> tuple[list[dict], dict]:
        sources = [source for name in names for source in own_source(name, use, "en")]
        got = fetch(sources, Access(own_cache))
        out = tmp_path / "out"
        section = params(**{"dev_fraction": 0.0, "test_fraction": 0.0} | changes)
        counts = write_corpus(got, None, section, Contamination([], None), out)
        return list(store.rows(out)), counts

    return write


def test_a_shard_ends_with_the_document_that_makes_its_text_large(
    written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.corpora.corpus._SHARD_TEXT", 100)
    sizes = [40, 60, 99, 1, 150, 30, 30]
    texts = [str(number) + "x" * (size - 1) for number, size in enumerate(sizes)]
    texts[3] = "y"
    copies = [texts[0], *texts[:2], texts[1], *texts[2:5], texts[0], *texts[5:], texts[6]]
    (tmp_path / "text.txt").write_text("\n\n".join(copies))  # what is dropped counts for no shard
    rows, _ = written([str(tmp_path / "text.txt")])
    assert [row["text"] for row in rows] == texts
    found = [
        [len(text) for text in store.read_file(path)["text"].to_pylist()]
        for path in store.shards(tmp_path / "out")
    ]
    assert found == [[40, 60], [99, 1], [150], [30, 30]]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        f"part-{number:05d}.arrow" for number in range(4)
    ]


def test_the_licence_of_every_source_is_beside_the_rows_in_the_order_of_names(
    written: Write, tmp_path: Path
) -> None:
    for name in ("ä", "b"):
        (tmp_path / f"{name}.txt").write_text(f"A text of {name}.\n", encoding="utf-8")
    written([str(tmp_path / "ä.txt"), str(tmp_path / "b.txt")])
    metadata = store.read(tmp_path / "out").schema.metadata
    assert metadata[b"licences"].decode() == '{"b": "your own", "ä": "your own"}'


def test_a_text_without_a_split_of_its_own_gets_one_by_its_hash(
    params: Callable[..., Download],
) -> None:
    """As many to dev and test as the two fractions say, whatever else is in the corpus."""
    section = params(dev_fraction=0.1, test_fraction=0.2)
    found = [split_of(f"text {number}", section) for number in range(2_000)]
    assert found.count("test") == pytest.approx(400, abs=60)
    assert found.count("dev") == pytest.approx(200, abs=50)
    more = params(dev_fraction=0.3, test_fraction=0.2)
    again = [split_of(f"text {number}", more) for number in range(2_000)]
    # More to validate on takes from training alone.
    changes = set(zip(found, again, strict=True))
    assert changes == {("test", "test"), ("dev", "dev"), ("train", "dev"), ("train", "train")}
    assert {
        split_of(f"text {number}", params(dev_fraction=0.0, test_fraction=0.0)) for number in range(99)
    } == {"train"}


def test_trees_stay_in_the_split_of_their_file(written: Write, tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    for number, split in enumerate(("train", "dev", "test")):
        trees = (f"# n = {number}-{tree}\n1\tGo\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for tree in range(5))
        (folder / f"x-ud-{split}.conllu").write_text("".join(trees))
    rows, counts = written([f"treebank:{folder}"], "benchmark")
    assert [(row["text"][6], row["split"]) for row in rows] == [
        (number, split) for number, split in (("1", "dev"), ("2", "test"), ("0", "train")) for _ in range(5)
    ]
    assert counts["splits"] == {"train": 5, "dev": 5, "test": 5}


@pytest.mark.parametrize(("foreign", "said"), [(2, "name other sources or lower"), (3, "3 of 5 texts were")])
def test_where_nothing_is_left_the_language_is_blamed_for_more_than_half(
    written: Write, tmp_path: Path, foreign: int, said: str
) -> None:
    line = "Le chat numéro {} dort sur la vieille chaise pendant que la pluie tombe sur les toits de Paris."
    texts = [*map(line.format, range(foreign)), "Short.", "So short."]
    (tmp_path / "text.txt").write_text("\n\n".join(texts), encoding="utf-8")
    with pytest.raises(SynsemError, match=said):
        written([str(tmp_path / "text.txt")], language_confidence=0.95, min_characters=20)


def test_the_counts_of_each_source_name_only_what_happened(written: Write, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("A text.\n\n...\n\nA text.\n")
    (tmp_path / "two.txt").write_text("Another text.\n\n...\n")
    _, counts = written([str(tmp_path / "one.txt"), str(tmp_path / "two.txt")])
    assert counts == {
        "read": {"one": 3, "two": 2},
        "kept": {"one": 1, "two": 1},
        "dropped": {"no_words": 2, "duplicate": 1},
        "dropped_by_source": {"one": {"no_words": 1, "duplicate": 1}, "two": {"no_words": 1}},
        "contaminated_sentences": {},
        "splits": {"train": 2},
    }
