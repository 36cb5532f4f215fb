"""Task ``token_alignment``: which tokens of two sentences a cross-encoder matches (EBSIM 2024, section 4.6).

For a picture in the report, beside what the states of the untouched backbone give. There is no metric.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Protocol, TypeGuard

from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.evaluation.records import Context, Outcome
from pipeline.syntax.sentence import HasTree, Side

TRAINED, UNTOUCHED = "trained", "backbone"
PAIR = ("How do I quit smoking?", "How do I give up on cigarette smoking?")  # the paper's example
_DRAWN = 4  # held-out sentences with a variant that are shown beside it
_WORDS = 10  # of such a sentence at most, so that the picture can be read


class TokenAlignment(Protocol):
    """A matrix of weights over the tokens of two sentences."""

    first: list[str]
    second: list[str]
    weights: NDArray[Any]  # float32 [first, second], rows sum to 1


class Aligner(Protocol):
    """A system that aligns the tokens of a pair."""

    def align_tokens(self, a: HasTree, b: HasTree) -> TokenAlignment:
        """How the tokens of ``a`` are matched with those of ``b``."""
        ...

    def untouched(self) -> "Aligner":
        """The same with the weights of the backbone; SynsemError where these cannot be loaded."""
        ...


def aligns(embedder: object) -> TypeGuard[Aligner]:
    """Whether a model has ``align_tokens`` and ``untouched``."""
    return all(callable(getattr(embedder, name, None)) for name in ("align_tokens", "untouched"))


def token_alignment(context: Context) -> Outcome:
    """Rows of ``records.ALIGNMENT``, no metric: the paper's pair, and held-out sentences with a variant each.

    The backbone's are left out where it cannot be loaded, as for a model trained elsewhere.
    """
    system = context.embeddings.embedder
    if not aligns(system):
        raise SynsemError("the model aligns no pairs; choose one that does, such as ebsim")
    models: dict[str, Aligner] = {TRAINED: system}
    with contextlib.suppress(SynsemError):
        models[UNTOUCHED] = system.untouched()
    outcome = Outcome()
    for kind, a, b in _pairs(context):
        for view, model in models.items():
            found = model.align_tokens(a, b)
            outcome.alignments.append(
                {
                    "view": view,
                    "kind": kind,
                    "a": a.text,
                    "b": b.text,
                    "first": list(found.first),
                    "second": list(found.second),
                    "weights": found.weights.ravel().tolist(),
                }
            )
    return outcome


def _pairs(context: Context) -> Iterator[tuple[str, HasTree, HasTree]]:
    """The kind of each pair and its sentences: the paper's, then one a transformation, same meaning first."""
    yield ("", Side(PAIR[0], (), ()), Side(PAIR[1], (), ()))
    shown: set[str] = set()
    for meaning in ("same", "different"):
        count = 0
        for held in context.corpus.sentences:
            variants = context.corpus.variants.get(held.sent_id, [])
            wanted = (v for v in variants if v.meaning == meaning and v.transformation not in shown)
            variant = next(wanted, None)
            short = len(held.sentence.words) <= _WORDS
            if variant is not None and short and count < _DRAWN // 2:
                shown.add(variant.transformation)
                count += 1
                yield (variant.transformation, held.sentence, variant.side)
