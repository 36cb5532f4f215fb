"""The Arrow schemas of the data: what one row of each stage's files holds."""

import pyarrow as pa

LABEL = pa.dictionary(pa.int16(), pa.string())
MOST_LABELS = 2**15  # of a column of a file: they are numbered in 16 bits
LABELS = pa.list_(LABEL)
WORDS = pa.list_(pa.string())
HEADS = pa.list_(pa.int16())

DOCUMENT = pa.schema(
    [
        ("doc_id", pa.string()),
        ("source", LABEL),
        ("lang", LABEL),
        ("split", LABEL),  # train, dev or test, by a hash: whole documents and articles are held out
        ("title", pa.string()),  # null if the source has none
        ("text", pa.string()),
        ("presplit", pa.bool_()),  # the text is one sentence already
        ("pair_id", pa.string()),  # null, or the same for translations or paraphrases of each other
    ]
)
OTHER_PARTS = ":other"  # ends the pair_id of a sentence that was split, but not into two
EXAMPLE = pa.schema(
    [
        ("task", LABEL),
        ("subset", LABEL),  # e.g. the SemEval year's genre; "" if a task has one part
        ("split", LABEL),
        ("a", pa.string()),
        ("b", pa.string()),  # null for a single-sentence task
        ("score", pa.float32()),  # graded similarity, null if the task has classes
        ("label", LABEL),  # class, null if the task is graded
    ]
)
PARSE = [
    ("text", pa.string()),
    ("words", WORDS),
    ("space_after", pa.list_(pa.bool_())),
    ("lemmas", WORDS),
    ("upos", LABELS),
    ("xpos", LABELS),
    ("feats", LABELS),
    ("heads", HEADS),
    ("deprels", LABELS),
]
SENTENCE = pa.schema(
    [("sent_id", pa.string()), ("doc_id", pa.string()), ("lang", LABEL), ("split", LABEL), *PARSE]
)
VARIANT = pa.schema(
    [
        ("source_id", pa.string()),  # sent_id of the sentence it was made from
        ("split", LABEL),
        ("transformation", LABEL),
        ("meaning", LABEL),  # same, different or order
        *PARSE,
        ("alignment", HEADS),  # 1-based source position of each word, 0 for a word that was added
    ]
)
SIDE = pa.struct(
    [
        ("text", pa.string()),
        ("words", WORDS),
        ("heads", HEADS),
        ("deprels", WORDS),  # plain strings: Arrow cannot unify dictionaries nested so deep
        ("upos", WORDS),
        ("xpos", WORDS),
        ("lemmas", WORDS),
    ]
)
TRIPLET = pa.schema(
    [
        ("source_id", pa.string()),
        ("split", LABEL),
        ("anchor", SIDE),
        ("positive", SIDE),
        ("positive_kind", LABEL),
        ("negatives", pa.list_(SIDE)),
        ("negative_kinds", LABELS),
    ]
)
