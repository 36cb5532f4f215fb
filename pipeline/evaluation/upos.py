"""Do sentences of one shape lie together? Nearest neighbours by UPOS sequence, and functional dissimilarity
(Liu et al. 2019, sections 4.1 and 4.2).

A group is the sentences with one and the same UPOS sequence, punctuation included. What the paper's text
leaves open is settled so:

- the gold neighbours of a sentence are all others of its group, so that 5-NN accuracy is the share of its
  five nearest that are among them (groups have six sentences at least);
- functional dissimilarity compares like with like: D, min-max-normalised cosine *distances*, with L,
  normalised Levenshtein *distances*. The paper prints "the complement" of the latter, a similarity, which
  would reward an embedding for placing like sentences far apart. ||L - D||_F / n is the root of the mean
  squared difference, from 0, the best, to 1.
"""

import sys
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.evaluation import metrics
from pipeline.evaluation.levenshtein import normalised_distances
from pipeline.evaluation.probes import bag_of_words
from pipeline.evaluation.records import Outcome, key
from pipeline.evaluation.task import Context
from pipeline.seeding import rank
from pipeline.sentences import HasTree

SMALLEST = 6  # sentences of a group
NEAREST = (1, 5)
_COMPARED = 500  # sentences between all of which edit distances are taken


def upos(context: Context) -> Outcome:
    """``accuracy_1nn``, ``accuracy_5nn``, ``chance``, ``functional_dissimilarity`` on held-out sentences."""
    return judge(context, "upos.test", [held.sentence for held in context.corpus.sentences])


def upos_benchmark(context: Context, task: str) -> Outcome:
    """The same on the sentences of a benchmark, whatever its split: nothing is trained."""
    texts = {text for each in context.benchmarks.examples(task) for text in (each.a, each.b) if text}
    seed = context.params.seed
    tagged = [context.benchmarks.trees[text] for text in texts if text in context.benchmarks.trees]
    if not tagged:
        raise SynsemError(f"{context.benchmarks.parsed / 'benchmarks'}: no tags for {task}; run parse")
    tagged.sort(key=lambda sentence: rank(seed, "upos", sentence.text))
    return judge(context, f"upos.{key(task)}", tagged)


def judge(context: Context, home: str, sentences: Sequence[HasTree]) -> Outcome:
    """Both measures of sentences in a seeded order; groups are taken until they hold ``probe_sentences``."""
    outcome = Outcome()
    sample = list(sentences[:_COMPARED])
    if len(sample) < 2:
        raise SynsemError(f"{home}: fewer than two sentences")
    edits = normalised_distances([sentence.upos for sentence in sample])
    for view, vectors in _views(context, sample).items():
        outcome.put(view, f"{home}.functional_dissimilarity", dissimilarity(edits, vectors), digits=4)
    members, groups = grouped(sentences, context.params.probe_sentences)
    if not members:
        print(
            f"{home}: no {SMALLEST} sentences share their tags, so there are no neighbours", file=sys.stderr
        )
        return outcome
    chosen = [sentences[i] for i in members]
    sizes = np.bincount(groups)
    for view, vectors in _views(context, chosen).items():
        for k, share in zip(NEAREST, neighbours(vectors, groups), strict=True):
            outcome.put(view, f"{home}.accuracy_{k}nn", 100 * share.mean())
            outcome.keep(view, home, f"accuracy_{k}nn", a=[s.text for s in chosen], score=share)
        outcome.put(view, f"{home}.chance", 100 * float((sizes[groups] - 1).mean()) / (len(groups) - 1))
        outcome.put(view, f"{home}.sentences", len(groups), digits=0)
        outcome.put(view, f"{home}.groups", len(sizes), digits=0)
    return outcome


def _views(context: Context, sentences: Sequence[HasTree]) -> dict[str, NDArray[np.float32]]:
    views = context.bank(sentences)
    if context.baselines:
        views = views | {"bag_of_words": bag_of_words([sentence.text for sentence in sentences])}
    return views


def grouped(sentences: Sequence[HasTree], limit: int) -> tuple[list[int], NDArray[np.int64]]:
    """Positions of sentences in groups of at least six, and the number of each one's group.

    Groups come by their first sentence, until ``limit`` sentences are reached; two groups at least, or none.
    """
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, sentence in enumerate(sentences):
        found[tuple(sentence.upos)].append(position)
    members: list[int] = []
    numbers: list[int] = []
    for positions in found.values():
        if len(positions) >= SMALLEST and len(members) < limit:
            numbers += [numbers[-1] + 1 if numbers else 0] * len(positions)
            members += positions
    return (members, np.array(numbers)) if numbers and numbers[-1] else ([], np.array([], dtype=np.int64))


def neighbours(vectors: NDArray[np.float32], groups: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """For each k of ``NEAREST``, the share of a sentence's k nearest that are of its group, float64 [n].

    By cosine; of equally near ones those of other groups come first, so that ties count against the model.
    """
    points = metrics.unit(vectors)
    similarity = points @ points.T
    np.fill_diagonal(similarity, -np.inf)
    same = groups[:, None] == groups[None]
    order = np.lexsort((same, -similarity), axis=1)[:, : max(NEAREST)]
    right = np.take_along_axis(same, order, axis=1)
    return [right[:, :k].mean(axis=1) for k in NEAREST]


def dissimilarity(edits: NDArray[np.floating], vectors: NDArray[np.float32]) -> float:
    """||L - D||_F / n of edit distances [n, n] and vectors [n, d]; 0 is best. See the module."""
    points = metrics.unit(vectors).astype(np.float64)
    distances = 1 - points @ points.T
    distances -= distances.min()
    distances /= max(1e-12, float(distances.max()))
    return float(np.linalg.norm(edits - distances) / len(edits))
