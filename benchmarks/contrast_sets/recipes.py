"""What the nine generated contrast sets are made of."""

from . import blind_1, blind_2, blind_3, blind_4, blind_5, blind_6, blind_7, blind_8, development
from .generate import Recipe

# The later blind sets by number: half of the phenomena of each were in sets before it, half are new.
_LATER = {3: blind_3, 4: blind_4, 5: blind_5, 6: blind_6, 7: blind_7, 8: blind_8}

# By the name of the file beside the task that reads it.
RECIPES = {
    "development_set": Recipe(development.FRAMES, development.LEXICON, items=12, seed=26),
    "blind_set": Recipe(blind_1.FRAMES, blind_1.LEXICON, items=18, seed=26),
    "blind_set_2": Recipe(blind_2.FRAMES, blind_2.LEXICON, items=18, seed=262),
} | {
    f"blind_set_{number}": Recipe(blind.KNOWN | blind.NEW, blind.LEXICON, items=12, seed=2620 + number)
    for number, blind in _LATER.items()
}

# The names of the phenomena of either half, by task.
PARTS = {
    f"contrast_blind_{number}": {"known": tuple(blind.KNOWN), "new": tuple(blind.NEW)}
    for number, blind in _LATER.items()
}
