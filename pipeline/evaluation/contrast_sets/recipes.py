"""What the two generated contrast sets are made of."""

from pipeline.evaluation.contrast_sets.blind_binding import BINDING
from pipeline.evaluation.contrast_sets.blind_clauses import CLAUSES
from pipeline.evaluation.contrast_sets.blind_lexicon import LEXICON as BLIND_LEXICON
from pipeline.evaluation.contrast_sets.blind_relations import RELATIONS
from pipeline.evaluation.contrast_sets.blind_verbs import VERBS
from pipeline.evaluation.contrast_sets.development_frames import DEVELOPMENT
from pipeline.evaluation.contrast_sets.development_lexicon import LEXICON as DEVELOPMENT_LEXICON
from pipeline.evaluation.contrast_sets.generate import Recipe

# By the name of the file beside the task that reads it.
RECIPES = {
    "development_set": Recipe(DEVELOPMENT, DEVELOPMENT_LEXICON, items=12, seed=26),
    "blind_set": Recipe({**VERBS, **RELATIONS, **CLAUSES, **BINDING}, BLIND_LEXICON, items=18, seed=26),
}
