"""Training examples of ``synsem``: sentences with their rewordings, paraphrases, and minimal pairs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from pipeline.core.seeding import SEED
from pipeline.mining.build import contrastive
from pipeline.mining.filter import Example, clean
from pipeline.mining.inputs import Inputs
from pipeline.systems.synsem.templates import KIND, drawn_sides


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield ``contrastive`` examples and a share of pairs made from templates (``synsem.templates``).

    Sentences without a rewording, which would be their own positives, are left out.
    """
    corpus = contrastive(inputs, params.mine, dropped, identity=False)
    return with_templates(corpus, params.synsem.templates, SEED, lambda made: clean(made, inputs, dropped))


def with_templates(
    examples: Iterable[Example],
    share: float,
    seed: int,
    checked: Callable[[Iterable[Example]], Iterable[Example]] = iter,
) -> Iterator[Example]:
    """Yield the ``examples``, with so many from templates that these are ``share`` of each split."""
    drawn = template_examples(seed)
    owed: dict[str, float] = defaultdict(float)
    for example in examples:
        yield example
        split = example.anchor["split"]
        owed[split] += share / (1 - share)
        made = islice(drawn, int(owed[split]))
        owed[split] %= 1
        yield from checked(each._replace(anchor=each.anchor | {"split": split}) for each in made)


def template_examples(seed: int) -> Iterator[Example]:
    """Yield an example of each that ``drawn_sides`` gives for the ``seed``."""
    for name, anchor, same, different in drawn_sides(seed):
        source = anchor.row() | {"sent_id": f"{KIND}:{name}", "split": "train"}
        yield Example(source, same.row(), KIND, [(different.row(), KIND)])
