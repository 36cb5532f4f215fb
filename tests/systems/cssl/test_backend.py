"""The trained parser as a parse backend: words by rules, trees that are trees, the same bytes everywhere."""

from pathlib import Path

import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder, Parse, load_all
from pipeline.parsing import base as parsers
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import is_tree
from pipeline.systems.base import registry
from pipeline.systems.cssl.backend import BiaffineBackend, register

pytestmark = pytest.mark.slow
DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
register()
TREE = Sentence(
    "Dogs bark .", ["Dogs", "bark", "."], [2, 0, 2], ["nsubj", "root", "punct"], ["NOUN", "VERB", "PUNCT"]
)
TEXT = "Dr. Smith didn't bark. The dogs  (two) ran\taway!"


@pytest.fixture(scope="module")
def model(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved parser with random weights."""
    torch.manual_seed(0)
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    system = registry.create("cssl", encoder, DEFAULTS.train, DEFAULTS.cssl)
    system.prepare([TREE])
    for parameter in system.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    folder = tmp_path_factory.mktemp("parser")
    registry.save(system, folder)
    return folder


@pytest.fixture
def params(model: Path) -> Parse:
    changed = {"backend": "biaffine", "models": {"en": str(model), "te": str(model)}}
    return DEFAULTS.parse.model_copy(update=changed)


def test_raw_text_becomes_sentences_words_and_trees(params: Parse) -> None:
    first, second = next(parsers.load(params, "en").parse([TEXT]))
    assert first.words == ("Dr.", "Smith", "did", "n't", "bark", ".")
    assert second.words == ("The", "dogs", "(", "two", ")", "ran", "away", "!")
    assert first.text == "Dr. Smith didn't bark."
    assert second.text == "The dogs (two) ran away!"
    for sentence in (first, second):
        assert is_tree(sentence.heads)
        assert set(sentence.deprels) <= {"nsubj", "root", "punct"}
        assert set(sentence.upos) <= {"NOUN", "VERB", "PUNCT"}
        assert all(sentence.lemmas)
        assert len(sentence.xpos) == len(sentence.feats) == len(sentence)


def test_a_text_known_to_be_one_sentence_stays_one(params: Parse) -> None:
    backend = parsers.load(params, "en")
    passages = [
        Sentence("Stop! He ran."),
        Sentence(" \n "),
        Sentence("a b", ("a", "b")),
    ]
    one, none, given = backend.parse(passages)
    assert [sentence.words for sentence in one] == [("Stop", "!", "He", "ran", ".")]
    assert none == []
    assert given[0].words == ("a", "b")


def test_the_size_of_batches_changes_nothing(params: Parse) -> None:
    passages = [f"{TEXT} Number {n} ran." + " word" * (n % 7 * 20) for n in range(12)]
    together = list(parsers.load(params, "en").parse(passages))
    alone = [next(parsers.load(params, "en").parse([passage])) for passage in passages]
    assert together == alone


def test_another_systems_folder_is_refused(model: Path, tiny_backbone: Path, tmp_path: Path) -> None:
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    registry.save(registry.create("simcse", encoder, DEFAULTS.train, DEFAULTS.simcse), tmp_path)
    params = DEFAULTS.parse.model_copy(update={"backend": "biaffine", "models": {"en": str(tmp_path)}})
    with pytest.raises(SynsemError, match="does not parse"):
        parsers.load(params, "en")


def test_the_version_is_that_of_the_weights(params: Parse, model: Path) -> None:
    before = parsers.version(params, "en")
    assert before == parsers.version(params, "en")
    weights = model / "model.safetensors"
    kept = weights.read_bytes()
    weights.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    assert parsers.version(params, "en") != before
    weights.write_bytes(kept)


class Tagger:
    """Gives the words of a sentence these tags, and hangs all on the first."""

    def __init__(self, *tags: str) -> None:
        self.tags = tags

    def parse(self, sides: list[Sentence]) -> list[Sentence]:
        """The tagged trees."""
        heads = [0, *[1] * (len(self.tags) - 1)]
        return [Sentence(each.text, each.words, heads, ["dep"] * len(heads), self.tags) for each in sides]


def test_lemmas_are_lower_case_except_those_of_names_and_given_words_have_spaces_between() -> None:
    words = ("Paris", "Mice", "Zorbling", "The")
    backend = BiaffineBackend(Tagger("PROPN", "NOUN", "VERB", "DET"), "en")
    [[sentence]] = backend.parse([Sentence(" ".join(words), words)])
    assert sentence.lemmas == ("Paris", "mouse", "zorbling", "the")
    assert sentence.text == "Paris Mice Zorbling The"
