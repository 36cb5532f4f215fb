"""Another sentence beside one of training: in a text of several, each is to be read by itself.

Corpus and frames give one sentence at a time. A reader that met nothing else links the words of one sentence
to those of the next.
"""

from functools import cache
from itertools import islice

from pipeline.core.seeding import seeded_random
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems.synsem.alternations.drawn import drawn_sides

_COUNT = 400  # sentences to choose from
_LONGEST = 10  # words of one; longer texts cost time, and what follows a sentence need not be long


def in_context(sentence: HasTree, anchor: str, draw: int, share: float) -> tuple[HasTree, ...]:
    """The sentence, for that share of all anchors with another before or after it.

    All sides of an example are read beside the same other sentence: which, and where, is a pure function of
    the text of its anchor and ``draw``.
    """
    chance = seeded_random(draw, "context", anchor)
    if chance.random() >= share:
        return (sentence,)
    other = chance.choice(contexts())
    return (other, sentence) if chance.random() < 0.5 else (sentence, other)


@cache
def contexts() -> tuple[Side, ...]:
    """Sentences made of frames that know the order of their words, always the same."""
    sides = (Side.from_row(drawn.anchor) for drawn in drawn_sides(seed=0))
    fitting = (side for side in sides if side.heads and len(side.words) <= _LONGEST)
    return tuple(islice(fitting, _COUNT))
