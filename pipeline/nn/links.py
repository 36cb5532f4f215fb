"""What each word of a sentence attaches to, below the surface: its head and its successor, as numbers.

Function words are skipped, conjuncts take the head of the first conjunct, and voice is undone
(``pipeline.roles``, ``pipeline.canonical``), so that a rewording that keeps the meaning keeps the links.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline import roles
from pipeline.canonical import canonical_order
from pipeline.errors import SynsemError
from pipeline.nn.relations import relation_numbers
from pipeline.nn.tokens import renaming, shuffle
from pipeline.sentences import HasTree, Side

NO_LINK = -1
COLUMNS = 4
CONTENT, HEAD, NEXT, ROLE = range(COLUMNS)


def links(sentence: HasTree) -> NDArray[np.int64]:
    """One row a word, int64 [words, 4], all 0-based.

    - CONTENT: whether it is no function word, 0 or 1;
    - HEAD: the content word that it depends on, NO_LINK at the root and for function words;
    - NEXT: the content word after it in canonical order, NO_LINK where there is none;
    - ROLE: its relation to that head in the active voice, a number of ``nn.relations``.

    Raises SynsemError where the tree carries no relations or tags.
    """
    if not (len(sentence.deprels) == len(sentence.upos) == len(sentence.words)):
        raise SynsemError(
            f"{sentence.text[:60]!r}: the tree carries no relations or tags, which late interaction reads; "
            "parse it again, and mine again what was mined from it"
        )
    rows = np.full((len(sentence.words), COLUMNS), NO_LINK, dtype=np.int64)
    rows[:, CONTENT] = [roles.base(deprel) not in roles.FUNCTION for deprel in sentence.deprels]
    rows[:, ROLE] = 0
    for word in np.flatnonzero(rows[:, CONTENT]).tolist():
        head, role = roles.lifted(sentence, word)
        rows[word, HEAD] = roles.content(sentence, head)
        rows[word, ROLE] = relation_numbers([role])[0]
    order = canonical_order(sentence)
    rows[order[:-1], NEXT] = order[1:]
    rows[order, CONTENT] = 1  # a negation is a function word that counts
    return rows


def link_rows(sentences: Sequence[HasTree], shuffled: bool = False) -> torch.Tensor:
    """The links of all words of all sentences, one after the other, int64 [sum of words, 4].

    With ``shuffled`` those of trees over randomly renamed words: a control, as in ``Tokeniser``.
    """
    blocks = [links(_renamed(sentence) if shuffled else sentence) for sentence in sentences]
    return torch.from_numpy(np.concatenate([np.zeros((0, COLUMNS), dtype=np.int64), *blocks]))


def _renamed(sentence: HasTree) -> Side:
    names = renaming(len(sentence.heads), sentence.text)
    old = np.argsort(names)
    deprels = [sentence.deprels[word] for word in old]
    return Side(
        sentence.text,
        sentence.words,
        shuffle(sentence.heads, sentence.text),
        deprels,
        sentence.upos,
        lemmas=sentence.lemmas,
    )
