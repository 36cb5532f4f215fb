"""Records become documents: what each takes from its row, which are dropped and why, which go together."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core.params import Download
from pipeline.corpora.documents import Cleaner, _pair
from pipeline.corpora.duplicates import Contamination
from pipeline.corpora.files import Document
from tests.corpora.conftest import fetched

HELD = "The clever fox finds a quiet river."


@pytest.fixture
def cleaned(tmp_path: Path, params: Callable[..., Download]) -> Callable[..., list]:
    """The documents of rows, or why each is dropped; ``held`` are the texts of a benchmark."""

    def clean(*rows: dict, held: tuple[str, ...] = (), **changes: object) -> list[Document | str]:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        cleaner = Cleaner(params(**changes), Contamination(held, None))
        return list(cleaner.documents(fetched(str(path))))

    return clean


def test_a_document_has_the_text_title_and_language_of_its_row(cleaned: Callable[..., list]) -> None:
    first, second = cleaned(
        {"text": "  Rain fell.\n\n It  snowed. ", "title": " The\n weather "},
        {"text": "Es schneit.", "lang": "de"},
    )
    assert (first.text, first.title, first.lang) == ("Rain fell.\nIt snowed.", "The weather", "en")
    assert (second.text, second.title, second.lang) == ("Es schneit.", None, "de")
    assert not first.presplit
    assert {first.source, second.source} == {"rows"}


def test_pairs_of_one_text_go_together_however_it_is_spaced_or_coded(cleaned: Callable[..., list]) -> None:
    copies = ("Café noir.", " Cafe\u0301  noir.\n", "Café\ud800 noir.", "Café\nnoir.")
    found = cleaned(*({"text": text, "b": f"Copy {n}."} for n, text in enumerate(copies)))
    assert len({each.pair_id for each in found}) == 1
    assert [each.text for each in found[::2]] == ["Café noir."] * 3 + ["Café\nnoir."]


def test_a_text_of_several_pairs_ties_them(cleaned: Callable[..., list]) -> None:
    """As duplicate questions do: the first copy of a text is kept, and no pair is lost with the others."""
    rows = [("Who?", "Why?", "0"), ("Why?", "Why so?", "1"), ("How come?", "Why so?", "1"), ("A", "B", "1")]
    found = cleaned(*({"text": a, "b": b, "label": label} for a, b, label in rows))
    who, *why, first, second = (each.pair_id for each in found)
    assert (who, len({*why}), None in why) == (None, 1, False)
    assert first == second not in {None, *why}


def test_what_a_benchmark_leaves_of_a_text_may_be_too_little(
    tmp_path: Path, params: Callable[..., Download]
) -> None:
    """Removed sentences are counted of the texts that stay; a text that goes is counted as one."""
    path = tmp_path / "text.txt"
    path.write_text(f"Rain. {HELD}\n\nRains. {HELD} {HELD} {HELD}\n\n{HELD}\n\nIt rained.\n")
    cleaner = Cleaner(params(min_characters=6), Contamination([HELD], None))
    found = list(cleaner.documents(fetched(str(path))))
    assert [each if isinstance(each, str) else each.text for each in found] == [
        "contaminated",
        "Rains.",
        "contaminated",
        "It rained.",
    ]
    assert cleaner.removed == {"text": 3}


def test_sentences_that_lack_words_are_dropped_and_counted(
    tmp_path: Path, params: Callable[..., Download]
) -> None:
    path = tmp_path / "text.txt"
    path.write_text("It is {{convert|9|km}} long. It is {{x}} wide.\n\nIt is {{x}} wide.\n")
    cleaner = Cleaner(params(min_characters=6), Contamination([], None))
    first, second = cleaner.documents(fetched(str(path)))
    assert (first.text, second) == ("It is 9 km long.", "gap")
    assert cleaner.gaps == {"text": 2}


def document(source: str = "s", **changes: object) -> Document:
    given = {
        "doc_id": "s:1", "lang": "en", "title": None, "text": "Rain fell.", "presplit": False,
        "pair_id": None,
    }  # fmt: skip
    return Document(**{"source": source, **given, **changes})


def test_trees_stay_as_they_are_whatever_they_are_like(
    tmp_path: Path, params: Callable[..., Download]
) -> None:
    words = "".join(
        f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\t{'dep' if n > 1 else 'root'}\t_\t_\n"
        for n, word in enumerate(HELD.split(), 1)
    )
    trees = [f"# sent_id = {n}\n{words}\n" for n in range(2)]
    path = tmp_path / "gold.conllu"
    path.write_text("".join(trees))
    cleaner = Cleaner(params(min_characters=10**6), Contamination([HELD], None))
    found = list(cleaner.documents(fetched(str(path))))
    assert [each.text for each in found] == trees
    assert [each.split for each in found] == [None, None]


# Parsing spells a tree's text by its words, here "à le" and "do n't"; mining would not know the benchmark's.
APART = """1\tElle\t_\tX\t_\t_\t2\tdep\t_\t_
2\tva\t_\tX\t_\t_\t0\troot\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\t_\tX\t_\t_\t2\tdep\t_\t_
4\tle\t_\tX\t_\t_\t2\tdep\t_\t_
5\tmarché\t_\tX\t_\t_\t2\tdep\t_\t_
6\tce\t_\tX\t_\t_\t2\tdep\t_\t_
7\tmatin\t_\tX\t_\t_\t2\tdep\t_\tSpaceAfter=No
8\t.\t_\tX\t_\t_\t2\tdep\t_\t_

"""


@pytest.mark.parametrize(
    "tree",
    [APART, "# text = Elle va au marché ce matin.\n" + APART.replace("\tau", "\t_")],
    ids=["tokens", "comment"],
)
def test_a_tree_whose_words_do_not_spell_its_text_is_kept_unless_a_benchmark_has_that_text(
    tmp_path: Path, params: Callable[..., Download], tree: str
) -> None:
    (tmp_path / "gold.conllu").write_text(tree)
    source = fetched(str(tmp_path / "gold.conllu"))

    def documents(*texts: str) -> list[Document | str]:
        return list(Cleaner(params(), Contamination(texts, None)).documents(source))

    assert documents("Elle va au marché ce matin.") == ["contaminated"]
    assert [each.gold for each in documents("Elle va à la maison ce matin.")] == [True]


def test_translations_are_one_pair_across_sources_and_paraphrases_are_not() -> None:
    french, spanish = (
        Document("Rain fell.", b, b_lang=lang) for b, lang in (("Il a plu.", "fr"), ("Llovió.", "es"))
    )
    assert _pair(french, "tatoeba-fr") == _pair(spanish, "tatoeba-es")
    record = Document("Rain fell.", "It rained.")
    assert _pair(record, "a") != _pair(record, "b")
    assert _pair(Document("Rain fell."), "a") is None
    verse = Document("In the beginning.", pair_id="shared:genesis-1-1")
    assert _pair(verse, "bible-a") == _pair(verse, "bible-b") == "shared:genesis-1-1"


def test_of_labelled_pairs_only_paraphrases_are_pairs() -> None:
    record = Document("Rain fell.", "It rained.", label="entailment")
    assert _pair(record, "a") is None
    assert _pair(record._replace(label="1"), "a") is not None
    assert _pair(record._replace(label=None, score=0.0), "a") is None
