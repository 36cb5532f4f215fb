"""sources.yaml against the mirror's list of files; the profiles; a user's own paths."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core.errors import SynsemError
from pipeline.core.params import Download
from pipeline.corpora.documents import read_documents
from pipeline.corpora.download import plan
from pipeline.corpora.fetch import Access, fetch
from pipeline.corpora.readers import READERS
from pipeline.corpora.sources import Use, all_sources, find_sources, own_source
from tests.contrast import SETS, contrast_set
from tests.corpora.conftest import fetched

PROFILES = ("starter", "mirror", "full")


def test_every_source_is_complete() -> None:
    for name, source in all_sources().items():
        assert source.licence, name
        assert source.citation, name
        for location in source.locations:
            assert location.reader in READERS, name
            known = [file.sha256 is not None for file in location.files]
            assert all(known) == any(known) == location.verified, name


@pytest.mark.mirror
def test_every_file_of_the_mirror_that_is_registered_has_its_hash(mirror: Path) -> None:
    registered = {
        location.address(file): file.sha256
        for source in all_sources().values()
        for location in source.locations
        for file in location.files
        if location.verified
    }
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = {row["raw_url"]: row["sha256"] for row in rows if row["raw_url"] in registered}
    assert len(found) > 150
    assert all(registered[url] == expected for url, expected in found.items())


# Rows as counted by the mirror's makers; where a reader leaves some out, what is left.
COUNTS = {
    "stsb": 5749 + 1500 + 1379,
    "sts16": 1186,  # of 9183 pairs the others were never scored
    "trec": 5452 + 500,
    "lcqmc": 8802 + 12_500,
    "stsb-zh": 5231 + 1458 + 1361,
    "ud-telugu-mtg": 1051 + 131 + 146,
    "stbc-sanskrit": 2802 + 1001 + 300 + 300,
    "asset": 11 * (2000 + 359),
}


@pytest.mark.mirror
@pytest.mark.parametrize("name", COUNTS)
def test_rows_through_the_mirror(name: str, mirror: Path, own_cache: Path) -> None:
    (got,) = fetch(find_sources(name), Access(own_cache, str(mirror)))
    assert got.location.verified
    assert sum(1 for _ in read_documents(got)) == COUNTS[name]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_names_what_exists_and_no_blind_contrast_set(
    profile: str, params: Callable[..., Download]
) -> None:
    chosen = plan(params(profile=profile, sources=None, benchmarks=None, documents=None))
    assert chosen.corpus
    named = [source.name for source in chosen.benchmarks]
    assert {name for name in named if name.startswith("contrast")} <= {"contrast", "contrast_dev"}


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
    for nothing in ("", "lines:"):  # the path "" is the working directory
        with pytest.raises(SynsemError, match="no such file or folder"):
            own_source(nothing, "corpus", "en")
    with pytest.raises(SynsemError, match=r"did you mean .*b\.txt"):
        own_source(str(tmp_path / "mine/bb.txt"), "corpus", "en")


def test_a_name_that_is_not_there_is_told_apart(tmp_path: Path) -> None:
    """A link to nothing, in a folder too, and a name in another form of Unicode."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/link.txt").symlink_to("gone.txt")
    for path in ("own", "own/link.txt"):
        with pytest.raises(SynsemError, match=r"link\.txt: a link to gone\.txt"):
            own_source(str(tmp_path / path), "corpus", "en")
    (tmp_path / "Cafe\u0301.txt").write_text("x")
    with pytest.raises(SynsemError, match="NFC"):
        own_source(str(tmp_path / "Caf\u00e9.txt"), "corpus", "en")


@pytest.mark.parametrize("task", SETS)
def test_the_contrast_sets_are_found_from_any_folder(
    task: str, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (got,) = fetch(find_sources(task), Access(own_cache))
    read = [(each.subset, each.label, each.text, each.b) for each in read_documents(got)]
    pairs = contrast_set(task)
    assert read == [(pair.phenomenon, str(int(pair.meaning == "same")), pair.a, pair.b) for pair in pairs]


def test_own_files_that_belong_together(tmp_path: Path) -> None:
    folder = tmp_path / "STS13"
    folder.mkdir()
    for name, text in (
        ("STS.input.FNWN.txt", "a b\tc d\n"),
        ("STS.gs.FNWN.txt", "4.0\n"),
        ("LICENSE.txt", "x"),
    ):
        (folder / name).write_text(text)
    got = fetched(f"senteval_sts:{folder}", "benchmark")
    assert [(each.text, each.score, each.subset) for each in read_documents(got)] == [("a b", 4.0, "FNWN")]
    folder = tmp_path / "multi"
    folder.mkdir()
    for name, text in (
        ("train.en", "dog\n"),
        ("train.de", "Hund\n"),
        ("val.en", "cat\n"),
        ("val.de", "Katze\n"),
    ):
        (folder / name).write_text(text)
    got = fetched(f"aligned:{folder}", "corpus")
    assert [(record.text, record.b, record.lang) for record in read_documents(got)] == [
        ("Hund", "dog", "de"),
        ("Katze", "cat", "de"),
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


def test_conllu_of_ones_own_keeps_its_trees_in_a_corpus(tmp_path: Path, own_cache: Path) -> None:
    tree = "# text = Go!\n1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    (tmp_path / "x.conllu").write_text(tree)

    def text(name: str, use: Use) -> list[str]:
        return [record.text for record in read_documents(fetched(name, use))]

    path = str(tmp_path / "x.conllu")
    assert text(path, "corpus") == text(f"treebank:{path}", "corpus") == [tree]
    assert text(path, "benchmark") == text(f"conllu:{path}", "corpus") == ["Go!"]
    (tmp_path / "x.conllu").write_text(f"# newdoc\n\n{tree}{tree.replace('root', '_')}")
    for name in (path, f"treebank:{path}"):
        with pytest.raises(SynsemError, match=r"x\.conllu: line 8: column 8 \(DEPREL\) is '_'"):
            text(name, "corpus")
    assert text(f"conllu:{path}", "corpus") == ["Go!", "Go!"]
