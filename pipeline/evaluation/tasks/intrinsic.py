"""Tasks ``alignment`` and ``retrieval`` on held-out sentences and their variants, and the projection."""

import numpy as np

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import generator
from pipeline.evaluation.data import HeldOutSentence, Variant
from pipeline.evaluation.records import Context, Outcome
from pipeline.syntax.sentence import HasTree, Side

_TIE = 1e-6  # cosines of float32 vectors that differ by less are equal
Drawn = list[tuple[HeldOutSentence, list[Variant]]]
Owned = list[tuple[int, Side]]  # variants, each with the place of its sentence among the drawn ones


def _drawn(context: Context, limit: int) -> Drawn:
    """At most ``limit`` held-out sentences with their variants; those with a ``same`` variant come first."""
    variants = context.corpus.variants
    pairs = [(held, variants.get(held.sent_id, [])) for held in context.corpus.sentences]
    pairs.sort(key=lambda pair: not _of(pair[1], "same"))  # stable: keeps the seeded order
    if not pairs:
        raise SynsemError(
            f"{context.corpus.parsed}: no sentence of the test split; raise download.test_fraction"
        )
    return pairs[:limit]


def _of(variants: list[Variant], meaning: str) -> list[Variant]:
    return [variant for variant in variants if variant.meaning == meaning]


def _same_and_different(context: Context, drawn: Drawn) -> tuple[Owned, Owned]:
    """The ``same`` and the ``different`` variants; SynsemError where there is none of the former."""
    same, different = (
        [(index, v.side) for index, (_, own) in enumerate(drawn) for v in _of(own, meaning)]
        for meaning in ("same", "different")
    )
    if not same:
        raise SynsemError(
            f"{context.corpus.augmented}: no variant of meaning same in the test split; take more documents, "
            "or, of text that is not English, leave the task out of evaluate.tasks"
        )
    return same, different


def alignment(context: Context) -> Outcome:
    """Alignment of sentences with their ``same`` variants, uniformity of the sentences (Wang & Isola 2020).

    Also keeps the cosines of same, different and random pairs for a histogram.
    """
    drawn = _drawn(context, context.params.retrieval_sentences)
    sentences = [held.sentence for held, _ in drawn]
    same, different = _same_and_different(context, drawn)
    # A random partner: each sentence with the one after it in a shuffled ring, never itself.
    ring = generator(context.params.seed, "random pairs").permutation(len(sentences))
    pairs = {
        "same": [(sentences[index], side) for index, side in same],
        "different": [(sentences[index], side) for index, side in different],
        "random": [(sentences[i], sentences[j]) for i, j in zip(ring, np.roll(ring, 1), strict=True)],
    }
    outcome = Outcome()
    points = context.embeddings(sentences)
    for kind, sides in pairs.items():
        if not sides:
            continue
        firsts, seconds = (context.embeddings(side) for side in zip(*sides, strict=True))
        for view in firsts:
            similarity = metrics.cosines(firsts[view], seconds[view])
            outcome.similarities += [
                {"view": view, "kind": kind, "similarity": float(value)} for value in similarity
            ]
            outcome.put(view, f"alignment.test.cosine_{kind}", 100 * similarity.mean())
            if kind == "same":
                outcome.put(view, "alignment.test.alignment", metrics.alignment(similarity), digits=4)
    for view, matrix in points.items():
        outcome.put(view, "alignment.test.uniformity", metrics.uniformity(matrix), digits=4)
    return outcome


def retrieval(context: Context) -> Outcome:
    """Find a sentence's ``same`` variant among its ``different`` variants and all other held-out sentences.

    ``accuracy``: share of ``same`` variants ranked first; ``mrr``: mean reciprocal rank;
    ``accuracy_triplet``: share closer than every ``different`` variant of the sentence, where it has any.
    Ties count against the model.
    """
    drawn = _drawn(context, context.params.retrieval_sentences)
    sentences = [held.sentence for held, _ in drawn]
    golds, different = _same_and_different(context, drawn)
    owner_gold = np.array([index for index, _ in golds])
    owner_different = np.array([index for index, _ in different], dtype=int)
    anchors = context.embeddings(sentences)
    gold_vectors = context.embeddings([side for _, side in golds])
    different_vectors = context.embeddings([side for _, side in different])
    outcome = Outcome()
    for view in anchors:
        points = metrics.unit(anchors[view])
        gold = metrics.cosines(points[owner_gold], gold_vectors[view])
        among = points[owner_gold] @ points.T
        among[np.arange(len(golds)), owner_gold] = -np.inf
        # A product of matrices rounds otherwise than the cosine of a pair: equal vectors must still tie.
        better = (among >= gold[:, None] - _TIE).sum(axis=1)
        hard = np.zeros(len(golds), dtype=int)
        has_different = np.zeros(len(golds), dtype=bool)
        if len(different):
            own = owner_gold[:, None] == owner_different[None, :]
            similarity = metrics.cosines(points[owner_different], different_vectors[view])
            hard = (own & (similarity[None, :] >= gold[:, None])).sum(axis=1)
            has_different = own.any(axis=1)
        reciprocal = 1.0 / (1 + better + hard)
        outcome.put(view, "retrieval.test.accuracy", 100 * np.mean(reciprocal == 1))
        outcome.put(view, "retrieval.test.mrr", 100 * reciprocal.mean())
        kept = [("mrr", np.arange(len(golds)), reciprocal)]
        if has_different.any():
            outcome.put(view, "retrieval.test.accuracy_triplet", 100 * np.mean(hard[has_different] == 0))
            kept.append(("accuracy_triplet", np.flatnonzero(has_different), (hard == 0).astype(float)))
        for metric, rows, score in kept:
            outcome.keep(
                view,
                "retrieval.test",
                metric,
                a=[sentences[golds[row][0]].text for row in rows],
                b=[golds[row][1].text for row in rows],
                score=score[rows],
            )
    return outcome


def projection(context: Context) -> Outcome:
    """Embeddings of a few sentences with one variant of each meaning, for the report's 2-D picture."""
    variants = context.corpus.variants
    both = [
        (held, _of(variants.get(held.sent_id, []), "same"), _of(variants.get(held.sent_id, []), "different"))
        for held in context.corpus.sentences
    ]
    both.sort(key=lambda item: -(bool(item[1]) + bool(item[2])))  # stable
    outcome = Outcome()
    for held, same, different in both[: context.params.projection_sentences]:
        cast: list[tuple[str, str, HasTree]] = [("anchor", "", held.sentence)]
        cast += [("variant", v.transformation, v.side) for v in same[:1]]
        cast += [("negative", v.transformation, v.side) for v in different[:1]]
        vectors = context.embeddings([sentence for _, _, sentence in cast])
        outcome.projection += [
            {
                "view": view,
                "role": role,
                "source_id": held.sent_id,
                "transformation": transformation,
                "text": sentence.text,
                "embedding": matrix[position].tolist(),
            }
            for view, matrix in vectors.items()
            for position, (role, transformation, sentence) in enumerate(cast)
        ]
    return outcome
