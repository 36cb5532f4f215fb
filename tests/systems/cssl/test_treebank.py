"""Gold trees as training data: what is kept, mended, dropped, and in which order words may stand."""

from collections import Counter
from pathlib import Path

import pytest

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.corpora.documents import read_documents
from pipeline.corpora.fetch import Access, fetch
from pipeline.corpora.sources import find_treebank
from pipeline.parsing.conllu import read
from pipeline.syntax.tree import is_tree
from pipeline.systems.cssl.treebank import order_variants, write_treebank
from stages.treebank import main as stage

SOUND = """\
1\tA\ta\tDET\t_\t_\t2\tdet\t_\t_
2\tdog\tdog\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tbit\tbite\tVERB\t_\t_\t0\troot\t_\t_
4\ta\ta\tDET\t_\t_\t5\tdet\t_\t_
5\tMan\tman\tNOUN\t_\t_\t3\tobj\t_\t_
6\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""
BROKEN = {
    "cycle": "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n",
    "two roots": "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    "no root": "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t2\tdep\t_\t_\n\n",
    "head out of range": "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t9\tdep\t_\t_\n\n",
}
UNREADABLE = {
    "no head": "1\ta\t_\tX\t_\t_\t_\tdep\t_\t_\n\n",
    "head is no number": "1\ta\t_\tX\t_\t_\tx\tdep\t_\t_\n\n",
}


def write(folder: Path, **files: str) -> Path:
    home = folder / "mine"
    home.mkdir()
    for name, text in files.items():
        (home / f"{name}.conllu").write_text(text, encoding="utf-8")
    return home


def trees(out: Path) -> list[dict[str, object]]:
    return list(store.rows(out / "corpus"))


def test_broken_trees_are_mended_unreadable_ones_dropped_and_both_counted(tmp_path: Path) -> None:
    comments = "# newdoc\n\n"  # they are no sentence
    home = write(tmp_path, train="".join([SOUND, comments, *BROKEN.values(), *UNREADABLE.values()]))
    counts = write_treebank(str(home), Access(tmp_path / "cache"), tmp_path / "out")
    kept = trees(tmp_path / "out")
    assert counts["mended.trees"] == len(BROKEN)
    assert counts["dropped.unreadable"] + counts["dropped.no words"] == len(UNREADABLE)
    assert sum(counts[f"kept.{split}"] for split in ("train", "dev", "test")) == len(kept) == 1 + len(BROKEN)
    assert all(is_tree(row["heads"]) for row in kept)
    report = store.read_json(tmp_path / "out" / "report.json")
    assert report == {**counts, "treebank": str(home)}


def test_a_treebank_in_one_file_is_divided(tmp_path: Path) -> None:
    counts = write_treebank(str(write(tmp_path, train=SOUND * 200)), Access(tmp_path / "c"), tmp_path / "out")
    shares = {split: counts[f"kept.{split}"] for split in ("train", "dev", "test")}
    assert sum(shares.values()) == 200
    assert 10 <= shares["dev"] <= 30
    assert 10 <= shares["test"] <= 30


def test_no_treebank_is_an_empty_folder(tmp_path: Path) -> None:
    assert write_treebank(None, Access(tmp_path), tmp_path / "out") == Counter()
    assert trees(tmp_path / "out") == []
    assert list(store.rows(tmp_path / "out" / "augmented")) == []


def test_the_sample_ships_with_the_project_and_is_read_only_for_cssl(tmp_path: Path) -> None:
    (fetched,) = fetch([find_treebank("en_ewt_sample")], Access(tmp_path / "cache"))
    splits = Counter(record.split for record in read_documents(fetched))
    assert splits == {"train": 1568, "dev": 501, "test": 1039}
    stage(tmp_path / "out", Path(__file__).parents[3] / "params.yaml")
    assert trees(tmp_path / "out") == []


def test_a_treebank_without_training_trees_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match="no training trees"):
        write_treebank(str(write(tmp_path, test=SOUND)), Access(tmp_path / "cache"), tmp_path / "out")


def test_a_clone_of_a_treebank_has_other_files_beside_its_trees(tmp_path: Path) -> None:
    home = write(tmp_path, **{"xx_own-ud-train": SOUND, "xx_own-ud-test": SOUND})
    for name in ("README.md", "LICENSE.txt", "stats.xml"):
        (home / name).write_text("Not a tree.\n")
    counts = write_treebank(str(home), Access(tmp_path / "cache"), tmp_path / "out")
    assert {name: counts[name] for name in ("kept.train", "kept.dev", "kept.test", "dropped.unreadable")} == {
        "kept.train": 1,
        "kept.dev": 0,
        "kept.test": 1,
        "dropped.unreadable": 0,
    }
    for file in home.glob("*.conllu"):
        file.unlink()
    with pytest.raises(SynsemError, match=r"^cssl\.treebank: .* holds no trees"):
        find_treebank(str(home))


def test_variants_keep_the_tree_and_the_spelling(tmp_path: Path) -> None:
    (sentence,) = read(SOUND, "test")
    found = list(order_variants(sentence))
    assert {row["transformation"] for row in found} >= {"permutation", "rotation"}
    for row in found:
        places = row["alignment"]
        assert is_tree(row["heads"])
        assert row["words"] == [sentence.words[place - 1] for place in places]
        for word, head in enumerate(row["heads"]):
            source = sentence.heads[places[word] - 1]
            assert (places[head - 1] if head else 0) == source
            assert row["deprels"][word] == sentence.deprels[places[word] - 1]


@pytest.mark.mirror
def test_prose_and_poetry_are_told_apart_and_broken_trees_do_no_harm(mirror: Path, tmp_path: Path) -> None:
    access = Access(tmp_path / "cache", str(mirror))
    counts = write_treebank("stbc-sanskrit", access, tmp_path / "out")
    kept = trees(tmp_path / "out")
    subsets = Counter(str(row["doc_id"]).partition(":")[2] for row in kept if row["split"] == "test")
    assert subsets == {"prose": 300, "poetry": 300}
    assert counts["mended.trees"] > 200
    assert all(is_tree(row["heads"]) for row in kept)


def test_the_published_test_trees_stay_where_training_trees_serve_for_development(tmp_path: Path) -> None:
    home = write(tmp_path, train=SOUND * 100, test=SOUND * 100)
    write_treebank(str(home), Access(tmp_path / "cache"), tmp_path / "out")
    splits = Counter(str(row["split"]) for row in trees(tmp_path / "out"))
    assert splits["test"] == 100
    assert splits["dev"] > 0
    assert splits["dev"] + splits["train"] == 100


def test_a_variant_is_counted_and_in_the_split_of_its_tree(tmp_path: Path) -> None:
    home = write(tmp_path, train=SOUND, dev=SOUND, test=SOUND)
    counts = write_treebank(str(home), Access(tmp_path / "cache"), tmp_path / "out")
    splits = {row["sent_id"]: row["split"] for row in trees(tmp_path / "out")}
    found = list(store.rows(tmp_path / "out" / "augmented"))
    assert {row["split"] for row in found} == {"train", "dev", "test"}
    assert all(row["split"] == splits[row["source_id"]] for row in found)
    by_rule = Counter(f"variants.{row['transformation']}" for row in found)
    assert by_rule == {name: number for name, number in counts.items() if name.startswith("variants.")}


def test_a_tree_of_too_many_words_is_left_out_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_more = SOUND.replace("6\t.", "6\tand\tand\tCCONJ\t_\t_\t3\tcc\t_\t_\n7\t.", 1)
    monkeypatch.setattr("pipeline.systems.cssl.treebank.MOST_WORDS", 6)
    home = write(tmp_path, train=SOUND + one_more)
    counts = write_treebank(str(home), Access(tmp_path / "cache"), tmp_path / "out")
    assert [row["words"] for row in trees(tmp_path / "out")] == [["A", "dog", "bit", "a", "Man", "."]]
    assert counts["dropped.too long"] == 1
