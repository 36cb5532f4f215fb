"""CoNLL-U in and out, and round-trip through the conllu library."""

import dataclasses
import gzip
import re
from pathlib import Path
from types import SimpleNamespace

import conllu
import pytest

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.params import Parse
from pipeline.parsing import stanza
from pipeline.parsing.conllu import export_conllu, lines, read
from pipeline.parsing.run import parse_folders
from tests.parsing.conftest import document

pytestmark = pytest.mark.usefixtures("scratch")
TEXT = """\
# text = Don't go, Ann.
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VBP	Mood=Imp|VerbForm=Fin	3	aux	_	_
2	n't	not	PART	RB	_	3	advmod	_	_
3	go	go	VERB	VB	VerbForm=Inf	0	root	_	SpaceAfter=No
3.1	left	leave	VERB	VBN	_	_	_	3:conj	_
4	,	,	PUNCT	,	_	5	punct	_	_
5	Ann	Ann	PROPN	NNP	Number=Sing	3	vocative	_	SpaceAfter=No
6	.	.	PUNCT	.	_	3	punct	_	SpaceAfter=No

"""


def test_reading_keeps_words_spaces_and_arcs() -> None:
    (sentence,) = read(TEXT, "here")
    assert sentence.words == ("Do", "n't", "go", ",", "Ann", ".")
    assert sentence.text == "Don't go, Ann."
    assert sentence.heads == (3, 3, 0, 5, 3, 3)
    assert sentence.feats[0] == "Mood=Imp|VerbForm=Fin"


def test_a_word_without_a_lemma_has_its_form_for_one() -> None:
    """With one lemma for all of them every two words would count as the same."""
    (sentence,) = read(
        "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n", "here"
    )
    assert sentence.lemmas == ("Dogs", "bark")


FUSED = """\
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tva\taller\tVERB\t_\t_\t0\troot\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\tà\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tmarché\tmarché\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def test_the_space_after_a_token_of_two_words_is_what_the_token_says() -> None:
    (sentence,) = read(
        TEXT.replace("1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_", "1-2\tDon't" + "\t_" * 7 + "\tSpaceAfter=No"),
        "here",
    )
    assert sentence.text == "Don'tgo, Ann."


def test_a_word_without_a_tag_has_the_tag_x() -> None:
    (sentence,) = read("1\tzork\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "here")
    assert sentence.upos == ("X",)


def test_a_feature_without_a_value_is_its_name() -> None:
    """As in older treebanks: ``A3sg|Pos``."""
    (sentence,) = read(TEXT.replace("Number=Sing", "A3sg|Case=|Number=Sing"), "here")
    assert sentence.feats[4] == "A3sg|Case|Number=Sing"


def test_words_that_do_not_add_up_to_their_token_are_written_apart() -> None:
    (sentence,) = read(FUSED, "here")
    assert sentence.text == "Il va à le marché."
    (sentence,) = read(TEXT.replace("Don't", "DON'T"), "here")
    assert sentence.text == "Don't go, Ann."


def test_stanza_s_words_are_spaced_as_those_of_conllu() -> None:
    """On objects of its form, for no model is here."""
    words = [
        SimpleNamespace(text=form, lemma=form, upos="X", xpos="", feats="", head=head, deprel="dep")
        for form, head in (("va", 0), ("à", 4), ("le", 4), ("marché", 1), ("do", 1), ("n't", 5))
    ]
    tokens = [
        SimpleNamespace(text=text, words=words[start:stop], spaces_after=" ")
        for text, start, stop in (("va", 0, 1), ("au", 1, 3), ("marché", 3, 4), ("don't", 4, 6))
    ]
    parsed = SimpleNamespace(words=words, tokens=tokens)
    assert stanza._sentence(parsed).text == "va à le marché don't"


def test_gold_trees_pass_through_the_stage(data: Path, params: Parse) -> None:
    with store.ShardWriter(data / "gold", schemas.DOCUMENT) as corpus:
        corpus.add(document(0, TEXT + TEXT))
    with store.ShardWriter(data / "nothing", schemas.EXAMPLE):
        pass
    parse_folders(data / "gold", data / "nothing", data / "out", params, 1)
    rows = list(store.rows(data / "out" / "corpus"))
    assert [row["heads"] for row in rows] == [[3, 3, 0, 5, 3, 3]] * 2


def test_export_goes_round_through_the_conllu_library(data: Path, params: Parse) -> None:
    parse_folders(data / "corpus", data / "benchmarks", data / "out", params, 1)
    assert export_conllu(data / "out" / "corpus", data / "conllu") == len(
        list(store.rows(data / "out" / "corpus"))
    )
    written = "".join(path.read_text(encoding="utf-8") for path in sorted((data / "conllu").glob("*.conllu")))
    parsed = conllu.parse(written)
    assert "".join(sentence.serialize() for sentence in parsed) == written
    for sentence, row in zip(parsed, store.rows(data / "out" / "corpus"), strict=True):
        assert sentence.metadata == {"sent_id": row["sent_id"], "text": row["text"]}
        assert [token["head"] for token in sentence] == row["heads"]
        assert [token["deprel"] for token in sentence] == row["deprels"]
        assert [token["form"] for token in sentence] == row["words"]
        assert [token["upos"] for token in sentence] == row["upos"]
    again = read(written, "again")
    assert [sentence.text for sentence in again] == [
        row["text"] for row in store.rows(data / "out" / "corpus")
    ]


@pytest.mark.parametrize("ids", [["1", "1", "2"], ["2", "1"], ["0", "1"], ["1-9", "1", "2"], ["1-2"]])
def test_ids_must_be_positions(ids: list[str]) -> None:
    """Heads are IDs in the format and positions here, so both must be the same."""
    text = "".join(f"{each}\tword\tword\tX\t_\t_\t1\tdep\t_\t_\n" for each in ids)
    with pytest.raises(SynsemError, match="here: not valid CoNLL-U"):
        read(text + "\n", "here")


WRONG = {
    "column 6 (FEATS) has a feature twice": ("Number=Sing", "Number=Sing|Number"),
    "column 7 (HEAD) is '_', not a number": ("Inf\t0", "Inf\t_"),
    "column 8 (DEPREL) is '_', not a relation": ("vocative", "_"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_faulty_word_is_named_by_line_and_column(fault: str) -> None:
    old, new = WRONG[fault]
    text = TEXT.replace(old, new)
    (number,) = (
        n for n, (a, b) in enumerate(zip(TEXT.split("\n"), text.split("\n"), strict=True), 1) if a != b
    )
    with pytest.raises(SynsemError, match=re.escape(f"here: line {number}: {fault}; fix it")):
        read(text, "here")


@pytest.mark.mirror
def test_a_gold_treebank_survives_reading_and_writing(mirror: Path) -> None:
    path = next(
        mirror.glob(
            "raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/*/en_ewt-ud-dev.conllu.gz"
        )
    )
    gold = read(gzip.decompress(path.read_bytes()).decode("utf-8"), str(path))
    written = "\n".join(line for n, s in enumerate(gold) for line in lines(str(n), s.text, s)) + "\n"
    again = read(written, "again")
    for found, right in zip(again, gold, strict=True):  # what follows the last word is not written
        last = right.space_after[-1:]
        assert dataclasses.replace(found, space_after=found.space_after[:-1] + last) == right
