"""The eighth blind set: half of its phenomena were in sets before it, half are new."""

from .known_clauses import KNOWN_CLAUSES
from .known_nouns import KNOWN_NOUNS
from .known_verbs import KNOWN_VERBS
from .lexicon import LEXICON
from .new_arguments import NEW_ARGUMENTS
from .new_clauses import NEW_CLAUSES
from .new_nouns import NEW_NOUNS

__all__ = ["KNOWN", "LEXICON", "NEW"]

KNOWN = KNOWN_VERBS | KNOWN_NOUNS | KNOWN_CLAUSES
NEW = NEW_ARGUMENTS | NEW_NOUNS | NEW_CLAUSES
