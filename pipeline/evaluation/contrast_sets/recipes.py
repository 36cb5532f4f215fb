"""What the eight generated contrast sets are made of."""

from pipeline.evaluation.contrast_sets.blind_2_binding import BINDING as BINDING_2
from pipeline.evaluation.contrast_sets.blind_2_clauses import CLAUSES as CLAUSES_2
from pipeline.evaluation.contrast_sets.blind_2_lexicon import LEXICON as BLIND_2_LEXICON
from pipeline.evaluation.contrast_sets.blind_2_relations import RELATIONS as RELATIONS_2
from pipeline.evaluation.contrast_sets.blind_2_scope import SCOPE as SCOPE_2
from pipeline.evaluation.contrast_sets.blind_2_verbs import VERBS as VERBS_2
from pipeline.evaluation.contrast_sets.blind_3_known_clauses import KNOWN_CLAUSES
from pipeline.evaluation.contrast_sets.blind_3_known_verbs import KNOWN_VERBS
from pipeline.evaluation.contrast_sets.blind_3_lexicon import LEXICON as BLIND_3_LEXICON
from pipeline.evaluation.contrast_sets.blind_3_new_arguments import NEW_ARGUMENTS
from pipeline.evaluation.contrast_sets.blind_3_new_clauses import NEW_CLAUSES
from pipeline.evaluation.contrast_sets.blind_4_known_clauses import KNOWN_CLAUSES as KNOWN_CLAUSES_4
from pipeline.evaluation.contrast_sets.blind_4_known_nouns import KNOWN_NOUNS as KNOWN_NOUNS_4
from pipeline.evaluation.contrast_sets.blind_4_known_verbs import KNOWN_VERBS as KNOWN_VERBS_4
from pipeline.evaluation.contrast_sets.blind_4_lexicon import LEXICON as BLIND_4_LEXICON
from pipeline.evaluation.contrast_sets.blind_4_new_arguments import NEW_ARGUMENTS as NEW_ARGUMENTS_4
from pipeline.evaluation.contrast_sets.blind_4_new_clauses import NEW_CLAUSES as NEW_CLAUSES_4
from pipeline.evaluation.contrast_sets.blind_4_new_nouns import NEW_NOUNS as NEW_NOUNS_4
from pipeline.evaluation.contrast_sets.blind_5_known_clauses import KNOWN_CLAUSES as KNOWN_CLAUSES_5
from pipeline.evaluation.contrast_sets.blind_5_known_nouns import KNOWN_NOUNS as KNOWN_NOUNS_5
from pipeline.evaluation.contrast_sets.blind_5_known_verbs import KNOWN_VERBS as KNOWN_VERBS_5
from pipeline.evaluation.contrast_sets.blind_5_lexicon import LEXICON as BLIND_5_LEXICON
from pipeline.evaluation.contrast_sets.blind_5_new_arguments import NEW_ARGUMENTS as NEW_ARGUMENTS_5
from pipeline.evaluation.contrast_sets.blind_5_new_clauses import NEW_CLAUSES as NEW_CLAUSES_5
from pipeline.evaluation.contrast_sets.blind_5_new_nouns import NEW_NOUNS as NEW_NOUNS_5
from pipeline.evaluation.contrast_sets.blind_6_known_clauses import KNOWN_CLAUSES as KNOWN_CLAUSES_6
from pipeline.evaluation.contrast_sets.blind_6_known_nouns import KNOWN_NOUNS as KNOWN_NOUNS_6
from pipeline.evaluation.contrast_sets.blind_6_known_verbs import KNOWN_VERBS as KNOWN_VERBS_6
from pipeline.evaluation.contrast_sets.blind_6_lexicon import LEXICON as BLIND_6_LEXICON
from pipeline.evaluation.contrast_sets.blind_6_new_arguments import NEW_ARGUMENTS as NEW_ARGUMENTS_6
from pipeline.evaluation.contrast_sets.blind_6_new_clauses import NEW_CLAUSES as NEW_CLAUSES_6
from pipeline.evaluation.contrast_sets.blind_6_new_nouns import NEW_NOUNS as NEW_NOUNS_6
from pipeline.evaluation.contrast_sets.blind_7_known_clauses import KNOWN_CLAUSES as KNOWN_CLAUSES_7
from pipeline.evaluation.contrast_sets.blind_7_known_nouns import KNOWN_NOUNS as KNOWN_NOUNS_7
from pipeline.evaluation.contrast_sets.blind_7_known_verbs import KNOWN_VERBS as KNOWN_VERBS_7
from pipeline.evaluation.contrast_sets.blind_7_lexicon import LEXICON as BLIND_7_LEXICON
from pipeline.evaluation.contrast_sets.blind_7_new_arguments import NEW_ARGUMENTS as NEW_ARGUMENTS_7
from pipeline.evaluation.contrast_sets.blind_7_new_clauses import NEW_CLAUSES as NEW_CLAUSES_7
from pipeline.evaluation.contrast_sets.blind_7_new_nouns import NEW_NOUNS as NEW_NOUNS_7
from pipeline.evaluation.contrast_sets.blind_binding import BINDING
from pipeline.evaluation.contrast_sets.blind_clauses import CLAUSES
from pipeline.evaluation.contrast_sets.blind_lexicon import LEXICON as BLIND_LEXICON
from pipeline.evaluation.contrast_sets.blind_relations import RELATIONS
from pipeline.evaluation.contrast_sets.blind_verbs import VERBS
from pipeline.evaluation.contrast_sets.development_frames import DEVELOPMENT
from pipeline.evaluation.contrast_sets.development_lexicon import LEXICON as DEVELOPMENT_LEXICON
from pipeline.evaluation.contrast_sets.generate import Recipe

# The two parts of the third blind set: phenomena of the first two, and phenomena that no set before has.
BLIND_3_PARTS = {"known": (*KNOWN_VERBS, *KNOWN_CLAUSES), "new": (*NEW_ARGUMENTS, *NEW_CLAUSES)}
# Those of the fourth: phenomena of the first three, and phenomena that no set before has.
BLIND_4_PARTS = {
    "known": (*KNOWN_VERBS_4, *KNOWN_NOUNS_4, *KNOWN_CLAUSES_4),
    "new": (*NEW_ARGUMENTS_4, *NEW_NOUNS_4, *NEW_CLAUSES_4),
}
# Those of the fifth: phenomena of the first four, and phenomena that no set before has.
BLIND_5_PARTS = {
    "known": (*KNOWN_VERBS_5, *KNOWN_NOUNS_5, *KNOWN_CLAUSES_5),
    "new": (*NEW_ARGUMENTS_5, *NEW_NOUNS_5, *NEW_CLAUSES_5),
}
# Those of the sixth: phenomena of the first five, and phenomena that no set before has.
BLIND_6_PARTS = {
    "known": (*KNOWN_VERBS_6, *KNOWN_NOUNS_6, *KNOWN_CLAUSES_6),
    "new": (*NEW_ARGUMENTS_6, *NEW_NOUNS_6, *NEW_CLAUSES_6),
}
# Those of the seventh: phenomena of the first six, and phenomena that no set before has.
BLIND_7_PARTS = {
    "known": (*KNOWN_VERBS_7, *KNOWN_NOUNS_7, *KNOWN_CLAUSES_7),
    "new": (*NEW_ARGUMENTS_7, *NEW_NOUNS_7, *NEW_CLAUSES_7),
}

# By the name of the file beside the task that reads it.
RECIPES = {
    "development_set": Recipe(DEVELOPMENT, DEVELOPMENT_LEXICON, items=12, seed=26),
    "blind_set": Recipe({**VERBS, **RELATIONS, **CLAUSES, **BINDING}, BLIND_LEXICON, items=18, seed=26),
    "blind_set_2": Recipe(
        {**VERBS_2, **RELATIONS_2, **CLAUSES_2, **BINDING_2, **SCOPE_2}, BLIND_2_LEXICON, items=18, seed=262
    ),
    "blind_set_3": Recipe(
        {**KNOWN_VERBS, **KNOWN_CLAUSES, **NEW_ARGUMENTS, **NEW_CLAUSES},
        BLIND_3_LEXICON,
        items=12,
        seed=2623,
    ),
    "blind_set_4": Recipe(
        {
            **KNOWN_VERBS_4,
            **KNOWN_NOUNS_4,
            **KNOWN_CLAUSES_4,
            **NEW_ARGUMENTS_4,
            **NEW_NOUNS_4,
            **NEW_CLAUSES_4,
        },
        BLIND_4_LEXICON,
        items=12,
        seed=2624,
    ),
    "blind_set_5": Recipe(
        {
            **KNOWN_VERBS_5,
            **KNOWN_NOUNS_5,
            **KNOWN_CLAUSES_5,
            **NEW_ARGUMENTS_5,
            **NEW_NOUNS_5,
            **NEW_CLAUSES_5,
        },
        BLIND_5_LEXICON,
        items=12,
        seed=2625,
    ),
    "blind_set_6": Recipe(
        {
            **KNOWN_VERBS_6,
            **KNOWN_NOUNS_6,
            **KNOWN_CLAUSES_6,
            **NEW_ARGUMENTS_6,
            **NEW_NOUNS_6,
            **NEW_CLAUSES_6,
        },
        BLIND_6_LEXICON,
        items=12,
        seed=2626,
    ),
    "blind_set_7": Recipe(
        {
            **KNOWN_VERBS_7,
            **KNOWN_NOUNS_7,
            **KNOWN_CLAUSES_7,
            **NEW_ARGUMENTS_7,
            **NEW_NOUNS_7,
            **NEW_CLAUSES_7,
        },
        BLIND_7_LEXICON,
        items=12,
        seed=2627,
    ),
}
