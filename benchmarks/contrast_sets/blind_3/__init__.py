"""The third blind set: half of its phenomena were in sets before it, half are new."""

from .known_clauses import KNOWN_CLAUSES
from .known_verbs import KNOWN_VERBS
from .lexicon import LEXICON
from .new_arguments import NEW_ARGUMENTS
from .new_clauses import NEW_CLAUSES

__all__ = ["KNOWN", "LEXICON", "NEW"]

KNOWN = KNOWN_VERBS | KNOWN_CLAUSES
NEW = NEW_ARGUMENTS | NEW_CLAUSES
