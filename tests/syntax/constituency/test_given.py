"""Trees that come with a corpus or from Stanza travel from the parse to the training example."""

import dataclasses
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import stages.tools
from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.params import load
from pipeline.mining.build import write
from pipeline.mining.filter import Example
from pipeline.parsing.conllu import lines
from pipeline.parsing.conllu import read as read_conllu
from pipeline.parsing.run import parse_folders
from pipeline.parsing.stanza import StanzaBackend
from pipeline.syntax.constituency import constituents_and_kind, read, template, tokens
from pipeline.syntax.constituency.brackets import bracketed_words, marked, packed
from pipeline.syntax.sentence import Sentence
from pipeline.training.batches import Examples

PARAMS = Path(__file__).parents[3] / "params.yaml"
GOLD = (
    "(ROOT (S (NP-SBJ (DT The) (NN boy)) (VP (VBD saw) "
    "(NP (NP (NNS dogs)) (PRN (-LRB- -LRB-) (CD 2) (-RRB- -RRB-))))))"
)
ROWS = [
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_",
    "2\tboy\tboy\tNOUN\tNN\t_\t3\tnsubj\t_\t_",
    "3\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\t_",
    "4\tdogs\tdog\tNOUN\tNNS\t_\t3\tobj\t_\t_",
    "5\t(\t(\tPUNCT\t-LRB-\t_\t6\tpunct\t_\tSpaceAfter=No",
    "6\t2\t2\tNUM\tCD\t_\t4\tappos\t_\tSpaceAfter=No",
    "7\t)\t)\tPUNCT\t-RRB-\t_\t6\tpunct\t_\t_",
]
BLOCK = "\n".join([f"# constituency = {GOLD}", *ROWS]) + "\n\n"
PLAIN = "\n".join(ROWS).replace("boy", "girl") + "\n\n"
TEMPLATE = tokens(read(GOLD))


def write_corpus(folder: Path, texts: list[str]) -> None:
    """A document of each text, and no benchmark."""
    same = {
        "source": "own",
        "lang": "en",
        "split": "train",
        "title": None,
        "presplit": False,
        "pair_id": None,
    }
    rows = [{"doc_id": f"d{place}", "text": text} | same for place, text in enumerate(texts)]
    store.write_rows(store.shard_path(folder / "corpus", 0), rows, schemas.DOCUMENT)
    store.write_rows(store.shard_path(folder / "benchmarks", 0), [], schemas.EXAMPLE)


def test_a_comment_of_conllu_is_the_tree_and_is_written_back() -> None:
    given, plain = read_conllu(BLOCK + PLAIN, "here")
    assert constituents_and_kind(given)[1] == "gold"
    assert template(given) == TEMPLATE
    assert constituents_and_kind(plain)[1] == "derived"
    again = read_conllu("\n".join(lines("1", given.text, given)) + "\n", "again")
    assert again == [given]
    with pytest.raises(SynsemError, match="here"):
        read_conllu(BLOCK.replace(")))\n", "))\n"), "here")


def test_a_bracket_within_a_word_hides_no_tree() -> None:
    """As Stanza writes it: ``(NFP :--LRB-)``."""
    smiley = BLOCK.replace("(NNS dogs)", "(NFP :--LRB-)").replace("dogs", ":-(")
    (given,) = read_conllu(smiley, "here")
    assert given.words[3] == ":-("
    assert constituents_and_kind(given)[1] == "gold"


def test_a_tree_over_other_words_is_not_taken() -> None:
    (given,) = read_conllu(BLOCK, "here")
    changed = dataclasses.replace(given, words=("The", "man", *given.words[2:]))
    assert constituents_and_kind(changed)[1] == "derived"
    with pytest.raises(SynsemError, match="damaged"):
        template(dataclasses.replace(given, constituents="gold (S (NP)"))


def test_given_trees_reach_the_training_examples(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, benchmarks, parsed, out = (tmp_path / name for name in ("corpus", "benchmarks", "parsed", "out"))
    write_corpus(tmp_path, [PLAIN, BLOCK])
    params = load(PARAMS, "parse", "mine")
    settings = params.parse
    monkeypatch.setattr("pipeline.parsing.run.DOCUMENTS_PER_SHARD", 1)
    monkeypatch.setattr("pipeline.core.parallel.FILE_BYTES", 1)
    parse_folders(corpus, benchmarks, parsed, settings, workers=1)
    first, second = store.shards(parsed / "corpus")
    assert store.read_file(first).schema == schemas.SENTENCE  # without trees there is no column
    assert store.read_file(second).schema.names == [*schemas.SENTENCE.names, "constituents"]
    assert store.read_json(parsed / "report.json")["constituents"] == {"gold": 1}
    plain, given = store.rows(parsed / "corpus")
    monkeypatch.undo()
    parse_folders(corpus, benchmarks, tmp_path / "one", settings, workers=1)
    assert len(store.shards(tmp_path / "one" / "corpus")) == 1  # now the column is null in the first
    assert list(store.rows(tmp_path / "one" / "corpus")) == [plain | {"constituents": None}, given]
    assert template(Sentence.from_row(given)) == TEMPLATE

    made = [Example(given, plain, "pair")]
    write(made, out, params.mine, Counter())
    batch = Examples(out, "train").batch([0])
    assert template(batch.anchors[0]) == TEMPLATE
    assert [constituents_and_kind(side)[1] for side in (batch.anchors[0], batch.positives[0])] == [
        "gold",
        "derived",
    ]


class Recorded:
    """In place of a Stanza pipeline: documents whose sentences carry a tree of Stanza's own class."""

    def __call__(self, sentences: list[list[str]]) -> Any:
        return SimpleNamespace(sentences=[self.sentence(words) for words in sentences])

    def sentence(self, words: list[str]) -> Any:
        trees = pytest.importorskip("stanza.models.constituency.tree_reader")
        (tree,) = trees.read_trees("(ROOT (S (NP (DT The) (NN boy)) (VP (VBD left) (. .))))")
        made = [
            SimpleNamespace(text=word, lemma=word, upos="X", xpos="XX", feats=None, head=place, deprel="dep")
            for place, word in enumerate(words)
        ]
        tokens_ = [SimpleNamespace(text=word.text, words=[word], spaces_after=" ") for word in made]
        return SimpleNamespace(words=made, tokens=tokens_, constituency=tree.replace_words(words))


def test_stanzas_trees_are_taken_along() -> None:
    backend = StanzaBackend("default+constituency", "en")
    backend._pipelines["words"] = Recorded()
    words = ("The", "boy", "left", ".")
    ((sentence,),) = backend.parse([Sentence("The boy left.", words)])
    tree, kind = constituents_and_kind(sentence)
    assert kind == "stanza"
    assert str(tree) == "(S (NP (DT The) (NN boy)) (VP (VBD left) (. .)))"


@pytest.mark.parametrize("spaced", ["10 000", "10\u00a0000"])
def test_a_word_with_a_space_in_it_keeps_its_place_in_stanzas_tree(spaced: str) -> None:
    backend = StanzaBackend("default+constituency", "en")
    backend._pipelines["words"] = Recorded()
    words = ("The", spaced, "left", ".")
    ((sentence,),) = backend.parse([Sentence(" ".join(words), words)])
    tree, kind = constituents_and_kind(sentence)
    assert sentence.words == words
    assert (kind, str(tree)) == ("stanza", "(S (NP (DT The) (NN 10_000)) (VP (VBD left) (. .)))")


def test_packing_checks_the_brackets() -> None:
    assert packed("gold", "(S\n  (NN a))") == "gold (S (NN a))"
    with pytest.raises(SynsemError):
        packed("gold", "(S (NN a)")


def test_a_document_in_brackets_is_parsed_by_its_words_and_keeps_its_tree(
    tmp_path: Path, scratch: Path
) -> None:
    corpus, benchmarks, parsed = (tmp_path / name for name in ("corpus", "benchmarks", "parsed"))
    write_corpus(tmp_path, [marked(GOLD), "(Oslo) The boy saw (two) dogs."])
    parse_folders(corpus, benchmarks, parsed, load(PARAMS, "parse").parse, workers=1)
    first, *others = map(Sentence.from_row, store.rows(parsed / "corpus"))
    assert list(first.words) == ["The", "boy", "saw", "dogs", "(", "2", ")"]
    assert constituents_and_kind(first)[1] == "gold"
    assert template(first) == TEMPLATE
    assert {constituents_and_kind(sentence)[1] for sentence in others} == {"derived"}


@pytest.mark.parametrize(
    "text", ["(AP)", "(Oslo Norway)", "(Oslo) is big", "The (S (NN a))", "(S (NP) (VP))", ""]
)
def test_other_texts_are_no_trees(text: str) -> None:
    assert bracketed_words(text) is None


def test_the_command_shows_the_tree_its_kind_and_its_template() -> None:
    app = typer.Typer()
    app.command()(stages.tools.tree)
    shown = CliRunner().invoke(app, ["The boy chased the dog.", "--constituents", "--params", str(PARAMS)])
    assert shown.output.splitlines() == [
        "(S (NP (DT The) (NN boy)) (VP (VBD chased) (NP (DT the) (NN dog))) (. .))",
        "derived; as a template:",
        "(S (NP (DT) (NN)) (VP (VBD) (NP (DT) (NN))) (.))",
    ]
