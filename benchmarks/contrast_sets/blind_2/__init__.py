"""The second blind set."""

from .binding import BINDING
from .clauses import CLAUSES
from .lexicon import LEXICON
from .relations import RELATIONS
from .scope import SCOPE
from .verbs import VERBS

__all__ = ["FRAMES", "LEXICON"]

FRAMES = VERBS | RELATIONS | CLAUSES | BINDING | SCOPE
