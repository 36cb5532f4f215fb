"""spaCy's network on a CPU, in a third less time: the same weights in the same layers, and the same trees.

The network takes two thirds of the parsing time, its matrix products most of that. thinc gives these to BLIS,
which on processors with AVX-512 runs at a third of the speed of numpy's OpenBLAS. The two add in another
order, so scores differ in the sixth digit. The trees of 5,000 sentences did not.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from spacy.language import Language

# Layers that compute each row from that row alone (in inference, when dropout does nothing).
_ROW_BY_ROW = frozenset({"ints-getitem", "hashembed", "maxout", "layernorm", "dropout"})
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit of a column is lost


def speed_up(nlp: "Language") -> None:
    """Multiply by OpenBLAS, and embed each distinct word of a batch once; changes ``nlp`` in place.

    Networks on a GPU or with other operations (Apple's) stay as they are.
    """
    from thinc.api import Model, NumpyOps

    operations = NumpyOps(use_blis=False)
    for _, component in nlp.pipeline:
        model = getattr(component, "model", None)
        if not isinstance(model, Model):
            continue
        for node in list(model.walk()):
            _embed_distinct(node)
        for node in model.walk():
            if type(node.ops) is NumpyOps:
                node.ops = operations


def _embed_distinct(parent: Any) -> None:
    """Where two children make vectors of words from their features alone, put one in their place."""
    for first, second in pairwise(list(parent.layers)):
        below, above = _leaves(first), _leaves(second)
        if "hashembed" in below and above and below | above <= _ROW_BY_ROW:
            place = parent.layers.index(first)
            parent.layers[place : place + 2] = [_on_distinct_rows(first, second)]


def _leaves(model: Any) -> set[str]:
    """The names of the layers below ``with_array`` without layers of their own; none for another model."""
    if not model.name.startswith("with_array("):
        return set()
    return {node.name for node in model.walk() if not node.layers}


def _on_distinct_rows(first: Any, second: Any) -> Any:
    """Both models, one after the other, for the distinct rows of a Ragged of integers [N, F]."""
    from thinc import api

    thinc: Any = api  # its types know neither arrays of numpy nor what a layer takes
    both = thinc.chain(first, second)

    def forward(model: Any, words: Any, is_train: bool) -> Any:
        if is_train or type(model.ops) is not thinc.NumpyOps:
            return both(words, is_train)
        rows = np.asarray(words.dataXd)
        some, places = distinct_rows(rows)
        found = both.predict(thinc.Ragged(rows[some], np.array([len(some)], dtype=np.int32)))
        return thinc.Ragged(found.dataXd[places], words.lengths), lambda gradient: None

    return thinc.Model("distinct_rows", forward, layers=[both], ops=first.ops)


def distinct_rows(rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the distinct rows of [N, F], int64 [M], and for each row the place of its like, [N]."""
    keys = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        keys = (keys ^ column.astype(np.uint64)) * _MULTIPLIER
        keys ^= keys >> np.uint64(32)
    _, some, places = np.unique(keys, return_index=True, return_inverse=True)
    if not np.array_equal(rows[some][places], rows):  # two rows share a key
        some = places = np.arange(len(rows))
    return some, places
