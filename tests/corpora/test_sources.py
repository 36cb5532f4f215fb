"""sources.yaml against the mirror's list of files; the profiles; a user's own paths; what is printed."""

import csv
import errno
import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from pipeline.core.errors import SynsemError
from pipeline.corpora import listing
from pipeline.corpora.documents import records
from pipeline.corpora.download import PROFILES, plan
from pipeline.corpora.fetching.cache import Access, address
from pipeline.corpora.fetching.fetch import fetch
from pipeline.corpora.readers import READERS
from pipeline.corpora.sources import Use, all_sources, find_sources, own_source, source_groups
from pipeline.params import Download
from tests.contrast import SETS, contrast_set


def test_every_source_is_complete() -> None:
    for source in all_sources():
        assert source.licence, source.name
        assert source.citation, source.name
        unseen = {"mrpc", "sick", "paws-wiki-train", "qqp-train"}  # no copy could be read
        assert source.verified == (source.name not in unseen), source.name
        for location in source.locations:
            assert location.reader in READERS, source.name
            known = [file.bytes is not None and file.sha256 is not None for file in location.files]
            assert all(known) == any(known) == location.verified, source.name
    for members in source_groups().values():
        assert all(find_sources(member) for member in members)


@pytest.mark.mirror
def test_every_file_of_the_mirror_is_registered_with_its_hash(mirror: Path) -> None:
    registered = {
        address(location, file): (file.bytes, file.sha256)
        for source in all_sources()
        for location in source.locations
        for file in location.files
        if location.verified
    }
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) > 200
    for row in rows:
        assert registered[row["raw_url"]] == (int(row["bytes"]), row["sha256"]), row["path"]


# Rows as counted by the mirror's makers; where a reader leaves some out, what is left.
COUNTS = {
    "stsb": 5749 + 1500 + 1379,
    "sts12": 750 + 750 + 459 + 750 + 399,
    "sts14": 3750,
    "sts16": 1186,  # of 9183 pairs the others were never scored
    "paws-wiki": 16_000,
    "paws-x-zh": 4_000,
    "qqp": 20_000,
    "trec": 5452 + 500,
    "xprobe-tree_depth": 10_000,
    "snli": 9842 + 9824,
    "lcqmc": 8802 + 12_500,
    "bq": 20_000,
    "stsb-zh": 5231 + 1458 + 1361,
    "ud-telugu-mtg": 1051 + 131 + 146,
    "stbc-sanskrit": 2802 + 1001 + 300 + 300,
    "ptb-sample-dependencies": 3914,
    "asset": 11 * (2000 + 359),
    "flickr8k": 40_460,
    "tatoeba-nl": 52_652,
    "laser-tatoeba-tr": 1000,
    "multi30k": 4 * (29_000 + 1014 + 1000),
    "brown": 500,
}


@pytest.mark.mirror
@pytest.mark.parametrize("name", COUNTS)
def test_rows_through_the_mirror(name: str, mirrored: Access) -> None:
    (fetched,) = fetch(find_sources(name), mirrored)
    assert fetched.location.verified
    assert sum(1 for _ in records(fetched)) == COUNTS[name]


def test_profiles_name_what_exists(params) -> None:
    profiles = yaml.safe_load(PROFILES.read_text(encoding="utf-8"))
    assert list(profiles) == ["starter", "mirror", "full"]
    for name, profile in profiles.items():
        chosen = plan(params(profile=name, sources=None, benchmarks=None, documents=None))
        assert chosen.corpus
        assert bool(chosen.benchmarks) == bool(profile["benchmarks"])
        assert chosen.documents == (None if profile["documents"] == "all" else profile["documents"])
    own = plan(params(profile="full", sources=["abc"], benchmarks=["paws-x"], documents=7))
    assert [source.name for source in own.corpus] == ["abc"]
    assert len(own.benchmarks) == 5
    assert own.documents == 7


def test_own_paths(tmp_path: Path) -> None:
    for name in ("b.txt", "a/c.jsonl", "a.txt", ".hidden", "a/.git/x"):
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text("x")
    (source,) = own_source(str(tmp_path / "mine"), "corpus", "de")
    assert [file.path for file in source.locations[0].files] == ["a.txt", "a/c.jsonl", "b.txt"]
    assert (source.name, source.lang, source.locations[0].reader) == ("mine", "de", "auto")
    (source,) = own_source(f"trec:{tmp_path / 'mine/b.txt'}", "benchmark", "en")
    assert (source.name, source.locations[0].reader, source.locations[0].files[0].split) == (
        "b",
        "trec",
        "test",
    )
    assert own_source("stsb", "benchmark", "en") == []
    assert own_source("no-such-name", "corpus", "en") == []
    with pytest.raises(SynsemError, match="holds no file to read"):
        (tmp_path / "empty").mkdir()
        own_source(str(tmp_path / "empty"), "corpus", "en")
    with pytest.raises(SynsemError, match="no reader is called 'sentences'; `synsem sources` lists them"):
        own_source(f"sentences:{tmp_path / 'mine/b.txt'}", "corpus", "en")
    for nothing in ("", "lines:"):  # the path "" is the working directory
        with pytest.raises(SynsemError, match=f"'{nothing}' names no file; check download.sources"):
            own_source(nothing, "corpus", "en")
    with pytest.raises(SynsemError, match=r"b\.txt' is a file or folder of yours"):
        listing.show(str(tmp_path / "mine/b.txt"))


@pytest.mark.parametrize("profile", yaml.safe_load(PROFILES.read_text(encoding="utf-8")))
def test_a_profile_has_no_blind_contrast_set(profile: str, params: Callable[..., Download]) -> None:
    named = [source.name for source in plan(params(profile=profile, benchmarks=None)).benchmarks]
    assert [name for name in named if name.startswith("contrast")] == ["contrast", "contrast_dev"]


@pytest.mark.parametrize("task", SETS)
def test_the_contrast_sets_are_found_from_any_folder(
    task: str, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (fetched,) = fetch(find_sources(task), Access(own_cache))
    read = [(each.subset, each.label, each.text, each.b) for each in records(fetched)]
    pairs = contrast_set(task)
    assert read == [(pair.phenomenon, str(int(pair.meaning == "same")), pair.a, pair.b) for pair in pairs]


def test_own_files_that_belong_together(tmp_path: Path, own_cache: Path) -> None:
    folder = tmp_path / "STS13"
    folder.mkdir()
    for name, text in (
        ("STS.input.FNWN.txt", "a b\tc d\n"),
        ("STS.gs.FNWN.txt", "4.0\n"),
        ("LICENSE.txt", "x"),
    ):
        (folder / name).write_text(text)
    (got,) = fetch(own_source(f"senteval_sts:{folder}", "benchmark", "en"), Access(own_cache))
    assert [(record.text, record.score, record.subset) for record in records(got)] == [("a b", 4.0, "FNWN")]
    folder = tmp_path / "multi"
    folder.mkdir()
    for name, text in (
        ("train.en", "dog\n"),
        ("train.de", "Hund\n"),
        ("val.en", "cat\n"),
        ("val.de", "Katze\n"),
    ):
        (folder / name).write_text(text)
    (got,) = fetch(own_source(f"aligned:{folder}", "corpus", "en"), Access(own_cache))
    assert [(record.text, record.b, record.lang) for record in records(got)] == [
        ("Hund", "dog", "de"),
        ("Katze", "cat", "de"),
    ]
    (folder / "val.de.gz").write_bytes(gzip.compress(b"Katze\n"))
    (got,) = fetch(own_source(f"aligned:{folder}", "corpus", "en"), Access(own_cache))
    with pytest.raises(SynsemError, match=r"val\.de\.gz: has the part of .*val\.de; take one of the two"):
        list(records(got))


def test_subsets_of_one_name_in_two_folders_are_apart(tmp_path: Path, own_cache: Path) -> None:
    for year, score in (("14", b"1"), ("16", b"2")):
        (tmp_path / "STS" / year).mkdir(parents=True)
        (tmp_path / "STS" / year / "STS.input.headlines.txt").write_text(f"a {year}\tb {year}\n")
        (tmp_path / "STS" / year / "STS.gs.headlines.txt.gz").write_bytes(gzip.compress(score))
    (got,) = fetch(own_source(f"senteval_sts:{tmp_path / 'STS'}", "benchmark", "en"), Access(own_cache))
    assert [(record.text, record.b, record.score, record.subset) for record in records(got)] == [
        ("a 14", "b 14", 1.0, "14/headlines"),
        ("a 16", "b 16", 2.0, "16/headlines"),
    ]


def test_a_link_is_called_by_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As DVC links data to its cache, whose files are named by their hashes."""
    (tmp_path / "own").mkdir()
    (tmp_path / "cdef0123").write_text("x")
    (tmp_path / "own/notes.txt").symlink_to(tmp_path / "cdef0123")
    (source,) = own_source(str(tmp_path / "own/notes.txt"), "corpus", "en")
    assert source.name == "notes"
    monkeypatch.chdir(tmp_path / "own")
    assert [own_source(name, "corpus", "en")[0].name for name in (".", "notes.txt")] == ["own", "notes"]


def test_a_linked_folder_is_read_and_a_circle_of_links_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("data/own/letters/a.txt", "other/b.txt", "other/.hidden/c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)
    letters = Path("data/own/letters")
    (letters / "sub").symlink_to(tmp_path / "other")
    (letters / "gone").symlink_to("nowhere")
    (tmp_path / "other/back").symlink_to(letters.absolute())
    (tmp_path / "other/again").symlink_to(".")
    (source,) = own_source(str(letters), "corpus", "de")
    assert [file.path for file in source.locations[0].files] == ["a.txt", "sub/b.txt"]


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    iterdir = Path.iterdir

    def denied(folder: Path) -> Iterator[Path]:
        if folder.name == "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        return iterdir(folder)

    monkeypatch.setattr(Path, "iterdir", denied)
    with pytest.raises(SynsemError, match=r"closed: cannot be read \(Permission denied\); change its"):
        own_source(str(tmp_path), "corpus", "de")


@pytest.mark.parametrize("reader", ["aligned", "wikisplit"])
def test_files_of_one_name_in_two_folders_are_apart(tmp_path: Path, own_cache: Path, reader: str) -> None:
    for folder in ("all/a", "all/b", "one"):
        (tmp_path / folder).mkdir(parents=True)
        for language in ("de", "en", "fr"):
            file = tmp_path / folder / f"train.{language}"
            file.write_text(f"{folder} {language}\n" if reader == "aligned" else "A, B.\tA. <::::> B.\n")

    def pairs(path: str) -> dict[str, set[str | None]]:
        (got,) = fetch(own_source(f"{reader}:{tmp_path / path}", "corpus", "en"), Access(own_cache))
        found: dict[str, set[str | None]] = {}
        for record in records(got):
            found.setdefault(record.text.strip(), set()).add(record.pair_id)
        return found

    if reader == "aligned":
        found = pairs("all")
        assert len({pair for text in found for pair in found[text]}) == 2
        assert found["all/a de"] == found["all/a en"] == found["all/a fr"] != found["all/b de"]
        assert pairs("one")["one de"] == {"train.de.1"}
    else:
        assert len(pairs("all")["A."]) == 6
        assert pairs("one")["A."] == {"train.de:1", "train.en:1", "train.fr:1"}


def test_the_table_and_the_cards() -> None:
    table = listing.table()
    assert all(source.name in table for source in all_sources())
    card = listing.show("paws-wiki")
    assert "PAWS licence" in card
    assert "sha256 70fd05a7" in card
    assert card.index("storage.googleapis.com") < card.index("raw.githubusercontent.com")
    assert listing.show("paws-x").count("  licence ") == 5
    noted = {source.name: bool(source.note) for source in all_sources()}
    assert set(noted.values()) == {True, False}
    assert all(("  note  " in listing.show(name)) == has_note for name, has_note in noted.items())
    assert "(not verified: no sha256 is known; reader " in listing.show(
        next(source.name for source in all_sources() if not all(place.verified for place in source.locations))
    )
    with pytest.raises(SynsemError, match="did you mean wikipedia-introductions-en"):
        listing.show("wikipedia")
    with pytest.raises(SynsemError, match="did you mean paws-wiki"):
        listing.show("paws-wikki")


def test_a_narrow_terminal_shows_a_line_a_source_and_where_the_rest_is() -> None:
    narrow, wide = (listing.table(width).partition("Groups,")[0] for width in (80, 200))
    lines = {line.split()[0]: line for line in narrow.splitlines() if line}
    assert len(lines) == len(narrow.strip().splitlines()) - 1  # the blank line before the last
    assert all(source.name in lines for source in all_sources())
    assert all(len(line) <= 80 and "…" not in line for line in lines.values())
    assert "`synsem sources NAME` shows title and licence." in narrow
    assert "PAWS licence" in wide
    assert "synsem sources NAME" not in wide


def test_a_check_gives_records_or_the_reason(own_cache: Path) -> None:
    (line,) = listing.check("trec", Access(own_cache, offline=True))
    assert line.startswith("trec ")
    assert "download.offline is true" in line


def test_the_list_shows_every_reader_with_what_it_reads() -> None:
    _, _, readers = listing.table().partition("Readers of your own files")
    shown = {line.split()[0]: line for line in readers.splitlines()[2:] if not line.startswith(" ")}
    assert shown.keys() == READERS.keys()
    assert all(len(line.split()) > 3 for line in shown.values())
    for name, suffixes in (("text", ".md, .text, .txt"), ("treebank", ".conllu"), ("table", ".csv, .tsv")):
        assert suffixes in shown[name]


def test_the_paraphrases_alone_of_a_labelled_set(tmp_path: Path, own_cache: Path) -> None:
    """What ``paws-wiki-train`` and ``qqp-train`` ask of their readers, each on lines of its form."""
    ids = "1\t2\t3\ta b\tb a\t0\n2\t4\t5\tc d\td c\t1\n"
    forms = {
        "paws-wiki-train": "id\tsentence1\tsentence2\tlabel\n1\ta b\tb a\t0\n2\tc d\td c\t1\n",
        "qqp-train": "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n" + ids,
    }
    for name, text in forms.items():
        (tmp_path / f"{name}.tsv").write_text(text)
        (registered,) = find_sources(name)
        location = registered.locations[0]
        (own,) = own_source(f"{location.reader}:{tmp_path / name}.tsv", "corpus", "en")
        asked = own.locations[0].model_copy(update={"options": location.options})
        (got,) = fetch([own.model_copy(update={"locations": [asked]})], Access(own_cache))
        assert [(record.text, record.b, record.label) for record in records(got)] == [("c d", "d c", "1")]


def test_conllu_of_ones_own_keeps_its_trees_in_a_corpus(tmp_path: Path, own_cache: Path) -> None:
    tree = "# text = Go!\n1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    (tmp_path / "x.conllu").write_text(tree)

    def text(name: str, use: Use) -> list[str]:
        (fetched,) = fetch(own_source(name, use, "en"), Access(own_cache))
        return [record.text for record in records(fetched)]

    path = str(tmp_path / "x.conllu")
    assert text(path, "corpus") == text(f"treebank:{path}", "corpus") == [tree]
    assert text(path, "benchmark") == text(f"conllu:{path}", "corpus") == ["Go!"]


def test_sources_are_listed_where_no_corpus_can_be_read() -> None:
    """As after ``pip install '.[vectors]'``; the front page sends such users here for licences."""
    script = """
import sys
lacking = "conllu nltk datasketch defusedxml duckdb lemminflect requests spacy"
sys.modules |= dict.fromkeys(lacking.split())
from pipeline.corpora import listing
print(listing.show("stsb"))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "licence" in done.stdout.lower()
