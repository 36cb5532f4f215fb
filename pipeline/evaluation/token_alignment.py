"""Task ``token_alignment``: which words of two sentences a system that reads pairs matches with each other,
for a picture in the report; beside it, what the untouched backbone's states give (EBSIM 2024, section 4.6).
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeGuard

from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.evaluation.records import Outcome
from pipeline.evaluation.task import Context
from pipeline.sentences import HasTree, Side

TRAINED, UNTOUCHED = "trained", "backbone"
PAIR = ("How do I quit smoking?", "How do I give up on cigarette smoking?")  # the paper's case
_DRAWN = 4  # held-out sentences with a variant that are shown beside it
_WORDS = 10  # of such a sentence at most, so that the picture can be read


class Alignment(Protocol):
    """A matrix of weights over the tokens of two sentences."""

    first: list[str]
    second: list[str]
    weights: NDArray[Any]  # float32 [first, second], rows sum to 1


class Aligner(Protocol):
    """A system that aligns the tokens of a pair."""

    def aligned(self, a: HasTree, b: HasTree) -> Alignment:
        """How the tokens of ``a`` are matched with those of ``b``."""
        ...

    def untouched(self) -> "Aligner":
        """The same with the weights of the backbone; SynsemError where these are out of reach."""
        ...


def aligns(embedder: object) -> TypeGuard[Aligner]:
    """Whether it has ``aligned`` and ``untouched``."""
    return all(callable(getattr(embedder, name, None)) for name in ("aligned", "untouched"))


def token_alignment(context: Context) -> Outcome:
    """Rows of ``records.ALIGNMENT``, no metric: the paper's pair, and held-out sentences with a variant each.

    The backbone's are left out where it cannot be loaded, as for a model trained elsewhere.
    """
    system = context.bank.embedder
    if not aligns(system):
        raise SynsemError("the model aligns no pairs; choose one that does, such as ebsim")
    models: dict[str, Aligner] = {TRAINED: system}
    with contextlib.suppress(SynsemError):
        models[UNTOUCHED] = system.untouched()
    outcome = Outcome()
    for kind, a, b in _pairs(context):
        for view, model in models.items():
            found = model.aligned(a, b)
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
    """What each pair is, and its sentences: first those whose meaning stays, one transformation each."""
    yield ("", _side(PAIR[0]), _side(PAIR[1]))
    shown: set[str] = set()
    for meaning in ("same", "different"):
        count = 0
        for held in context.corpus.sentences:
            variants = context.corpus.variants.get(held.sent_id, [])
            wanted = (v for v in variants if v.meaning == meaning and v.transformation not in shown)
            variant = next(wanted, None)
            if variant is not None and _short(held.sentence.words) and count < _DRAWN // 2:
                shown.add(variant.transformation)
                count += 1
                yield (variant.transformation, held.sentence, variant.side)


def _short(words: Sequence[str]) -> bool:
    return len(words) <= _WORDS


def _side(text: str) -> Side:
    return Side(text, (), ())
