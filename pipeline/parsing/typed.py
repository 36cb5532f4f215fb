"""A text that a user typed, parsed."""

from pipeline.errors import SynsemError
from pipeline.params import Parse
from pipeline.parsing import registry
from pipeline.parsing.base import Passage
from pipeline.parsing.wellformed import mend
from pipeline.sentences import Sentence


def parsed(text: str, lang: str, params: Parse) -> list[Sentence]:
    """The sentences of a text, their trees mended; SynsemError where it has no words."""
    if not text.strip():
        raise SynsemError("the text is empty; give a sentence, in quotes")
    return [mend(sentence)[0] for sentence in next(registry.load(params, lang).parse([Passage(text, lang)]))]
