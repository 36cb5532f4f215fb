"""Tasks ``upos`` and ``upos_benchmarks``: do sentences with the same UPOS sequence lie together?

Nearest neighbours by UPOS sequence, and functional dissimilarity (Liu et al. 2019, sections 4.1 and 4.2).

A group is the sentences of one language with the same UPOS sequence, punctuation included. Two sets are
judged:

- ``test``, the sentences of held-out documents;
- ``unseen``, as in the paper: whole groups that are kept out of training, drawn at random among all UPOS
  sequences of the corpus whatever the documents' split (``pipeline.syntax.tag_sequences``). Only the system
  ``upos`` is trained without them; another may have read their sentences.

The paper leaves two things open:

- The gold neighbours of a sentence are all others of its group. So 5-NN accuracy is the share of its five
  nearest that are in its group (groups have at least six sentences).
- Functional dissimilarity compares distances with distances: D, min-max-normalised cosine distances, with L,
  normalised Levenshtein distances. The paper prints "the complement" of the latter, which would be a
  similarity and reward an embedding for placing like sentences far apart. ||L - D||_F / n is the root of the
  mean squared difference, from 0 (best) to 1.

The largest distance, one pair's, decides the scale of D. Two more metrics do not depend on it:
``distance_correlation``, Spearman's between L and D over all pairs, and ``likeness_1nn``, 1 - L of a sentence
and its nearest, for corpora without groups.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import stable_hash
from pipeline.core.store import to_values
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.sampling import Sample, batches, rows_at
from pipeline.evaluation.tasks.probes import bag_of_words
from pipeline.params import metric_key
from pipeline.syntax.sentence import HasTree, Sentence
from pipeline.syntax.tag_sequences import held_out, normalised_distances

SMALLEST = 6  # sentences of a group
GROUPS = 160  # judged at most: as many as the paper's in English
NEAREST = (1, 5)
_TEST, _UNSEEN = 1, 2  # bits that mark a sentence of either set
_COMPARED = 500  # sentences between all of which edit distances are taken


def upos(context: Context) -> Outcome:
    """For each language ``upos.LANG.test``, and ``upos.LANG.unseen`` where it has two groups."""
    outcome = Outcome()
    corpus = context.corpus.parsed / "corpus"
    for lang, sample in _by_language(corpus, context.params.seed).items():
        test, unseen = (
            [Sentence.from_row(row) for row in rows_at(corpus, sample.lowest(mark))]
            for mark in (_TEST, _UNSEEN)
        )
        if len(test) > 1:
            outcome.merge(upos_metrics(context, f"upos.{lang}.test", test))
        outcome.merge(neighbourhoods(context, f"upos.{lang}.unseen", unseen))
    if not outcome.metrics:
        raise SynsemError(f"{context.corpus.parsed / 'corpus'}: fewer than two test sentences; add documents")
    return outcome


def upos_benchmark(context: Context, task: str) -> Outcome:
    """The same metrics on the sentences of a benchmark, of all its splits: nothing is trained."""
    texts = {text for each in context.benchmarks.examples(task) for text in (each.a, each.b) if text}
    tagged = [context.benchmarks.trees[text] for text in texts if text in context.benchmarks.trees]
    if len(tagged) < 2:
        raise SynsemError(f"{context.benchmarks.parsed / 'benchmarks'}: no tags for {task}; run parse")
    return upos_metrics(context, f"upos.{metric_key(task)}", _ordered(tagged, context.params.seed))


def upos_metrics(context: Context, section: str, sentences: Sequence[HasTree]) -> Outcome:
    """``distances`` and ``neighbourhoods``."""
    outcome = neighbourhoods(context, section, sentences)
    if not outcome.metrics:
        print(
            f"{section}: no {SMALLEST} sentences of two groups share their tags, so no 1-NN", file=sys.stderr
        )
    outcome.merge(distances(context, section, sentences))
    return outcome


def distances(context: Context, section: str, sentences: Sequence[HasTree]) -> Outcome:
    """``functional_dissimilarity``, ``distance_correlation`` and ``likeness_1nn`` of the first sentences.

    ``likeness_best`` is what an embedding would reach whose nearest sentences are those of fewest edits.
    """
    outcome = Outcome()
    sample = list(sentences[:_COMPARED])
    edits = normalised_distances([sentence.upos for sentence in sample])
    for view, vectors in _views(context, sample).items():
        apart = cosine_distances(vectors)
        outcome.put(view, f"{section}.functional_dissimilarity", dissimilarity(edits, apart), digits=4)
        outcome.put(view, f"{section}.distance_correlation", correlation(edits, apart))
        nearest, best = likeness(edits, apart)
        outcome.put(view, f"{section}.likeness_1nn", 100 * nearest)
        outcome.put(view, f"{section}.likeness_best", 100 * best)
    return outcome


def neighbourhoods(context: Context, section: str, sentences: Sequence[HasTree]) -> Outcome:
    """``accuracy_1nn``, ``accuracy_5nn`` and ``chance`` on the groups among the sentences; empty if none."""
    outcome = Outcome()
    members, groups = grouped(sentences, context.params.seed)
    if not members:
        return outcome
    chosen = [sentences[i] for i in members]
    sizes = np.bincount(groups)
    for view, vectors in _views(context, chosen).items():
        for k, share in zip(NEAREST, neighbours(vectors, groups), strict=True):
            outcome.put(view, f"{section}.accuracy_{k}nn", 100 * share.mean())
            outcome.keep(view, section, f"accuracy_{k}nn", a=[s.text for s in chosen], score=share)
        outcome.put(view, f"{section}.chance", 100 * float((sizes[groups] - 1).mean()) / (len(groups) - 1))
        outcome.put(view, f"{section}.sentences", len(groups), digits=0)
        outcome.put(view, f"{section}.groups", len(sizes), digits=0)
    return outcome


def _views(context: Context, sentences: Sequence[HasTree]) -> dict[str, NDArray[np.float32]]:
    views = context.embeddings(sentences)
    if context.baselines:
        views = views | {"bag_of_words": bag_of_words([sentence.text for sentence in sentences])}
    return views


def _by_language(corpus: Path, seed: int) -> dict[str, Sample]:
    """The parsed sentences that are judged, by language, marked ``_TEST``, ``_UNSEEN`` or both."""
    found: dict[str, Sample] = defaultdict(Sample)
    for start, batch in batches(corpus):
        columns = (to_values(batch.column(name)) for name in ("lang", "text", "split", "upos"))
        for number, (lang, text, split, tags) in enumerate(zip(*columns, strict=True), start):
            if mark := _TEST * (split == "test") + _UNSEEN * held_out(tags):
                found[lang].add(number, _rank(text, seed), stable_hash(0, text), mark)
    return {lang: found[lang] for lang in sorted(found)}


def _rank(text: str, seed: int) -> int:
    return stable_hash(seed, "upos", text)


def _ordered(sentences: Iterable[HasTree], seed: int) -> list[HasTree]:
    return sorted(sentences, key=lambda sentence: _rank(sentence.text, seed))


def grouped(
    sentences: Sequence[HasTree], seed: int, most: int = GROUPS
) -> tuple[list[int], NDArray[np.int64]]:
    """Positions of the sentences of at most ``most`` groups, and the number of each one's group.

    The groups are drawn at random among those of six or more, whatever their size. With fewer than two, the
    result is empty.
    """
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, sentence in enumerate(sentences):
        found[tuple(sentence.upos)].append(position)
    large = [shape for shape, positions in found.items() if len(positions) >= SMALLEST]
    drawn = sorted(large, key=lambda shape: stable_hash(seed, "group", *shape))[:most]
    if len(drawn) < 2:
        return [], np.array([], dtype=np.int64)
    members = [position for shape in drawn for position in found[shape]]
    return members, np.repeat(np.arange(len(drawn)), [len(found[shape]) for shape in drawn])


def neighbours(vectors: NDArray[np.float32], groups: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """For each k of ``NEAREST``, the share of a sentence's k nearest that are of its group, float64 [n].

    By cosine. Of equally near ones those of other groups come first, so that ties count against the model.
    """
    points = metrics.unit(vectors).astype(np.float64)
    # Equal vectors must tie although the product rounds them otherwise.
    similarity = np.round(points @ points.T, metrics.COSINE_DIGITS)
    np.fill_diagonal(similarity, -np.inf)
    same = groups[:, None] == groups[None]
    order = np.lexsort((same, -similarity), axis=1)[:, : max(NEAREST)]
    right = np.take_along_axis(same, order, axis=1)
    return [right[:, :k].mean(axis=1) for k in NEAREST]


def cosine_distances(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """1 - cosine between all vectors [n, d], to 12 digits; float64 [n, n], zero on the diagonal.

    A matrix product gives equal pairs of vectors values that differ in the last bits; rounded they are ties.
    """
    points = metrics.unit(vectors).astype(np.float64)
    apart = np.round(1 - points @ points.T, 12)
    np.fill_diagonal(apart, 0)
    return apart


def dissimilarity(edits: NDArray[np.floating], apart: NDArray[np.float64]) -> float:
    """||L - D||_F / n of edit and cosine distances [n, n]; 0 is best. See the module."""
    lowest = apart.min()
    scaled = (apart - lowest) / max(1e-12, float(apart.max() - lowest))
    return float(np.linalg.norm(edits - scaled) / len(edits))


def correlation(edits: NDArray[np.floating], apart: NDArray[np.float64]) -> float:
    """Spearman's, in points, of the two kinds of distance over all pairs; 0 where one never varies."""
    pairs = np.triu_indices(len(edits), k=1)
    constant = min(np.ptp(edits[pairs]), np.ptp(apart[pairs])) == 0
    return 0.0 if constant else metrics.spearman(edits[pairs], apart[pairs])


def likeness(edits: NDArray[np.floating], apart: NDArray[np.float64]) -> tuple[float, float]:
    """Mean of 1 - edit distance to the nearest by cosine, and to the nearest by edits; of ties the worst."""
    others = ~np.eye(len(edits), dtype=bool)
    closest = np.where(others, apart, np.inf).min(axis=1, keepdims=True)
    nearest = np.where(others & (apart <= closest), edits, 0).max(axis=1)
    return float(1 - nearest.mean()), float(1 - np.where(others, edits, np.inf).min(axis=1).mean())
