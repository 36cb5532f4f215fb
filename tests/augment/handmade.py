"""Sentences from a short notation, one word a line.

Columns:
form lemma upos xpos head deprel, `_` before a form glued to the last.
"""

from pipeline.syntax.sentence import Sentence


def sentence(notation: str) -> Sentence:
    """A Sentence from lines of six columns; a form written ``_.`` has no space in front of it."""
    rows = [line.split() for line in notation.strip().splitlines()]
    glued = [row[0].startswith("_") and len(row[0]) > 1 for row in rows] + [True]
    return Sentence(
        words=tuple(row[0].removeprefix("_") for row in rows),
        space_after=tuple(not after for after in glued[1:]),
        lemmas=tuple(row[1] for row in rows),
        upos=tuple(row[2] for row in rows),
        xpos=tuple(row[3] for row in rows),
        feats=tuple("" for _ in rows),
        heads=tuple(int(row[4]) for row in rows),
        deprels=tuple(row[5] for row in rows),
    )


COMMITTEE = sentence(
    """
    The the DET DT 2 det
    committee committee NOUN NN 6 nsubj
    has have AUX VBZ 6 aux
    not not PART RB 6 advmod
    yet yet ADV RB 6 advmod
    approved approve VERB VBN 0 root
    the the DET DT 8 det
    plans plan NOUN NNS 6 obj
    _. . PUNCT . 6 punct
    """
)
APPROVED = sentence(
    """
    The the DET DT 2 det
    plans plan NOUN NNS 4 nsubj:pass
    were be AUX VBD 4 aux:pass
    approved approve VERB VBN 0 root
    by by ADP IN 7 case
    the the DET DT 7 det
    committee committee NOUN NN 4 obl:agent
    on on ADP IN 9 case
    Monday Monday PROPN NNP 4 obl
    _. . PUNCT . 4 punct
    """
)
DOGS = sentence(
    """
    Alice Alice PROPN NNP 4 nsubj
    and and CCONJ CC 3 cc
    Bob Bob PROPN NNP 1 conj
    fed feed VERB VBD 0 root
    an a DET DT 7 det
    old old ADJ JJ 7 amod
    dog dog NOUN NN 4 obj
    near near ADP IN 11 case
    a a DET DT 11 det
    white white ADJ JJ 11 amod
    house house NOUN NN 4 obl
    yesterday yesterday ADV RB 4 advmod
    _. . PUNCT . 4 punct
    """
)
