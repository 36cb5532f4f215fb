"""What the eight generated contrast sets are made of."""

from types import ModuleType

from . import blind_1, blind_2, blind_3, blind_4, blind_5, blind_6, blind_7, development
from .generate import Recipe


def _later(blind: ModuleType, seed: int) -> Recipe:
    return Recipe(blind.KNOWN | blind.NEW, blind.LEXICON, items=12, seed=seed)


# By the name of the file beside the task that reads it.
RECIPES = {
    "development_set": Recipe(development.FRAMES, development.LEXICON, items=12, seed=26),
    "blind_set": Recipe(blind_1.FRAMES, blind_1.LEXICON, items=18, seed=26),
    "blind_set_2": Recipe(blind_2.FRAMES, blind_2.LEXICON, items=18, seed=262),
    "blind_set_3": _later(blind_3, 2623),
    "blind_set_4": _later(blind_4, 2624),
    "blind_set_5": _later(blind_5, 2625),
    "blind_set_6": _later(blind_6, 2626),
    "blind_set_7": _later(blind_7, 2627),
}

# Of the later blind sets, by task: phenomena of the sets before, and phenomena that none of them has.
PARTS = {
    f"contrast_{blind.__name__.rpartition('.')[2]}": {"known": tuple(blind.KNOWN), "new": tuple(blind.NEW)}
    for blind in (blind_3, blind_4, blind_5, blind_6, blind_7)
}
