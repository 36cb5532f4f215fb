"""Task ``structural_probe``: how much of the tree lies in the states of the words (Hewitt & Manning 2019).

Documents are dealt into five parts: three train the map, one chooses when to stop, one is tested.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline import trees
from pipeline.errors import SynsemError
from pipeline.evaluation import structural
from pipeline.evaluation.probes import deal
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.structural import Case
from pipeline.evaluation.task import Context
from pipeline.evaluation.word_states import States, word_states
from pipeline.nn.tokens import shuffle
from pipeline.seeding import generator
from pipeline.sentences import Sentence

TASK = "structural_probe.test"
WORD_TYPES = "word_types"
_WIDTH = 256  # of the vectors that stand for words in the control
_FEWEST = 3  # words, without punctuation


def structural_probe(context: Context) -> Outcome:
    """``uuas`` (share of the tree's edges, punctuation left out, that the minimum spanning tree of the mapped
    distances has), ``uuas_mean`` (the same a sentence) and ``spearman``, for every view.

    They are of the layer that is best on the development part, ``layer``; every layer's are under
    ``structural_probe.layer_1`` and so on, and there the last is the one that embeddings are pooled from.
    Controls: ``uuas_chain`` and ``spearman_chain``, neighbouring words being linked; ``uuas_random_trees``, a
    probe fitted to and tested on trees whose words have changed places, which is what its capacity yields;
    and with baselines the view ``word_types``, a random vector a word whatever its sentence.
    """
    held = context.corpus.sentences[: context.params.probe_sentences]
    sentences = [each.sentence for each in held]
    folds = deal(held, context.params.seed)
    views = word_states(context.bank.embedder, sentences)
    if context.baselines:
        views = views | {WORD_TYPES: [_word_types(sentences)]}
    outcome = Outcome()
    for view, layers in views.items():
        whole = np.array([bool(np.isfinite(matrix).all()) for matrix in layers[-1]])
        wordy = np.array([len(_words(sentence)) >= _FEWEST for sentence in sentences])
        usable = np.flatnonzero(whole & wordy)
        parts = [usable[np.isin(folds[usable], part)] for part in ((0, 1, 2), (3,), (4,))]
        if min(map(len, parts)) == 0:
            raise SynsemError(f"{len(usable)} usable sentences are too few to hold some out")
        _view(outcome, view, sentences, layers, parts, context.params.seed)
    return outcome


class _Fitted(NamedTuple):
    """A probe's distances between the words of the tested sentences, and its edges among the true ones."""

    predicted: Sequence[NDArray[np.floating]]
    right: NDArray[np.int64]
    total: NDArray[np.int64]
    dev: float  # UUAS on the development part


def _view(
    outcome: Outcome,
    view: str,
    sentences: Sequence[Sentence],
    layers: Sequence[States],
    parts: Sequence[NDArray[np.int64]],
    seed: int,
) -> None:
    tested = [sentences[i] for i in parts[2]]
    true = [trees.distances(sentence.heads) for sentence in tested]
    fitted = [_fit(sentences, states, parts, seed) for states in layers]
    for number, each in enumerate(fitted, 1):
        home = f"structural_probe.layer_{number}"
        outcome.put(view, f"{home}.uuas", 100 * each.right.sum() / each.total.sum())
        outcome.put(
            view, f"{home}.spearman", structural.spearman(list(zip(each.predicted, true, strict=True)))
        )
    best = max(range(len(fitted)), key=lambda number: fitted[number].dev)
    found = fitted[best]
    chain = [np.abs(np.subtract.outer(np.arange(len(s)), np.arange(len(s)))) for s in tested]
    linked, _ = _edges_found(tested, true, chain)
    random = _fit(sentences, layers[best], parts, seed, mixed=True)
    points = {
        "uuas": 100 * found.right.sum() / found.total.sum(),
        "uuas_mean": 100 * (found.right / found.total).mean(),
        "uuas_chain": 100 * linked.sum() / found.total.sum(),
        "uuas_random_trees": 100 * random.right.sum() / random.total.sum(),
        "spearman": structural.spearman(list(zip(found.predicted, true, strict=True))),
        "spearman_chain": structural.spearman(list(zip(chain, true, strict=True))),
    }
    for name, value in points.items():
        outcome.put(view, f"{TASK}.{name}", value)
    outcome.put(view, f"{TASK}.layer", best + 1, digits=0)
    outcome.put(view, f"{TASK}.sentences", len(tested), digits=0)
    score = found.right / found.total
    outcome.keep(view, TASK, "uuas_mean", a=[sentence.text for sentence in tested], score=score)


def _fit(
    sentences: Sequence[Sentence],
    states: States,
    parts: Sequence[NDArray[np.int64]],
    seed: int,
    mixed: bool = False,
) -> _Fitted:
    train, dev, test = ([_case(sentences[i], states[i], mixed) for i in part] for part in parts)
    projection = structural.fit(train, dev, seed)
    counts, predicted = [], []
    for part, cases in zip(parts[1:], (dev, test), strict=True):
        predicted = [structural.predict(case, projection) for case in cases]
        true = [case.distances for case in cases]
        counts.append(_edges_found([sentences[i] for i in part], true, predicted))
    (dev_right, dev_total), (right, total) = counts
    return _Fitted(predicted, right, total, dev_right.sum() / dev_total.sum())


def _case(sentence: Sentence, states: NDArray[np.floating], mixed: bool) -> Case:
    heads = shuffle(sentence.heads, sentence.text) if mixed else sentence.heads
    return Case(states, trees.distances(heads))


def _words(sentence: Sentence) -> NDArray[np.int64]:
    return np.array([word for word, tag in enumerate(sentence.upos) if tag != "PUNCT"], dtype=np.int64)


def _edges_found(
    sentences: Sequence[Sentence],
    true: Sequence[NDArray[np.int64]],
    predicted: Sequence[NDArray[np.floating]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A sentence's tree edges between words that are no punctuation: how many are found, and all of them."""
    counts = []
    for sentence, edges, distances in zip(sentences, true, predicted, strict=True):
        words = _words(sentence)
        among = set(words.tolist())
        gold = {(i, j) for i, j in np.argwhere(np.triu(edges == 1)).tolist() if {i, j} <= among}
        counts.append((len(gold & structural.edges(distances, words)), max(1, len(gold))))
    found = np.array(counts)
    return found[:, 0], found[:, 1]


def _word_types(sentences: Sequence[Sentence]) -> States:
    known: dict[str, NDArray[np.float32]] = {}
    for sentence in sentences:
        for word in sentence.words:
            if word.lower() not in known:
                drawn = generator(0, "word type", word.lower()).normal(size=_WIDTH)
                known[word.lower()] = drawn.astype(np.float32)
    return [np.stack([known[word.lower()] for word in sentence.words]) for sentence in sentences]
