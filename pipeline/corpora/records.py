"""What a reader yields: one text, or two that belong together, with all that its source says of them."""

from typing import NamedTuple


class Record(NamedTuple):
    """One row of a source, before cleaning.

    ``b`` is the second text of a pair, ``None`` for a single text. ``pair_id`` is shared by texts of several
    records that translate or paraphrase each other (captions of one image); the two sides of one record
    belong together without it. It is unique within its source, or ``shared:...`` where several sources tie
    their texts by it. ``score`` is graded similarity, ``label`` a class; a record has at most one.
    """

    text: str
    b: str | None = None
    title: str | None = None
    lang: str | None = None  # of text; None means the source's language
    b_lang: str | None = None
    presplit: bool = False  # the text is one sentence already
    pair_id: str | None = None
    split: str | None = None  # None means the split of the file it was read from
    subset: str | None = None
    score: float | None = None
    label: str | None = None
    gold: bool = False  # the text holds trees (CoNLL-U, brackets): kept to the letter, and in its own split
