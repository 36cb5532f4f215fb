"""Links of words for late interaction: each word's head and its successor in role order, as numbers.

Function words are skipped, conjuncts take the head of the first conjunct, and passives are read as active
(``pipeline.syntax.roles``), so that a rewording that keeps the meaning keeps the links.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.nn.tree_controls import TreeControl, control_heads, control_labels
from pipeline.syntax import roles
from pipeline.syntax.relations import relation_numbers, universal
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import HasTree, Side

NO_LINK = -1
COLUMNS = 4
CONTENT, HEAD, NEXT, ROLE = range(COLUMNS)


def links(sentence: HasTree) -> NDArray[np.int64]:
    """One row a word, int64 [words, 4], all 0-based.

    - CONTENT: 1 for a content word, 0 for a function word;
    - HEAD: the content word that it depends on, NO_LINK for the root and for function words;
    - NEXT: the content word after it in role order, NO_LINK where there is none;
    - ROLE: its relation to that head in the active voice, a number of ``relation_numbers``.

    Raises SynsemError where the tree has no relations or tags.
    """
    if not (len(sentence.deprels) == len(sentence.upos) == len(sentence.words)):
        raise SynsemError(
            f"{sentence.text[:60]!r}: the tree carries no relations or tags, which late interaction reads; "
            "parse it again, and mine again what was mined from it"
        )
    rows = np.full((len(sentence.words), COLUMNS), NO_LINK, dtype=np.int64)
    rows[:, CONTENT] = [universal(deprel) not in roles.FUNCTION for deprel in sentence.deprels]
    rows[:, ROLE] = 0
    words = np.flatnonzero(rows[:, CONTENT])
    lifted = [roles.lifted(sentence, word) for word in words.tolist()]
    rows[words, HEAD] = [roles.content(sentence, head) for head, _ in lifted]
    rows[words, ROLE] = relation_numbers([role for _, role in lifted])
    order = role_order(sentence)
    rows[order[:-1], NEXT] = order[1:]
    rows[order, CONTENT] = 1  # a negation is a function word that counts
    return rows


def link_rows(sentences: Sequence[HasTree], control: TreeControl | None = None) -> torch.Tensor:
    """The links of all words of all sentences, one after the other, int64 [sum of words, 4].

    With ``control`` those of other trees, as in ``SentenceTokenizer``.
    """
    blocks = [links(_controlled(sentence, control) if control else sentence) for sentence in sentences]
    return torch.from_numpy(np.concatenate([np.zeros((0, COLUMNS), dtype=np.int64), *blocks]))


def _controlled(sentence: HasTree, control: TreeControl) -> Side:
    return Side.of(sentence)._replace(
        heads=control_heads(sentence.heads, sentence.text, control),
        deprels=control_labels(sentence.deprels, sentence.text, control),
    )
