"""Which variants of a sentence are kept: a few, of each meaning in turn, rare transformations first."""

from collections import Counter
from collections.abc import Sequence

from pipeline.augment.base import Decline, Plan, Variant
from pipeline.augment.chance import generator
from pipeline.augment.paraphrase import Paraphrase

_TURNS = ("same", "different", "order")
_ORDER_AT_MOST = 1  # an order-only variant is always to be had: it must not crowd a sentence's few places


def sample(
    plans: Sequence[Plan | Paraphrase], count: int, used: Counter[str], seed: int, text: str
) -> list[Variant]:
    """At most ``count`` variants, no two of one transformation or with one text.

    The meanings take turns (same, different, order, the last at most once); within a meaning the
    transformation ``used`` least so far comes first, and lots drawn by the text decide ties. ``used`` is
    updated: it balances the transformations over a shard.
    """
    rng = generator(seed, text)
    lots = [rng.random() for _ in plans]
    order = sorted(range(len(plans)), key=lambda i: (used[plans[i].transformation], lots[i]))
    ranked = [plans[i] for i in order]
    waiting = {turn: [plan for plan in ranked if plan.meaning == turn] for turn in _TURNS}
    kept: list[Variant] = []
    texts, names = {text}, set()
    ordered = 0
    while len(kept) < count and any(waiting.values()):
        for turn in _TURNS:
            if len(kept) == count:
                break
            while waiting[turn]:
                plan = waiting[turn].pop(0)
                if plan.transformation in names:
                    continue
                try:
                    variant = plan.realise()
                except Decline:
                    continue
                if variant.sentence.text in texts:
                    continue
                kept.append(variant)
                names.add(plan.transformation)
                texts.add(variant.sentence.text)
                used[plan.transformation] += 1
                if turn == "order":
                    ordered += 1
                    if ordered == _ORDER_AT_MOST:
                        waiting[turn] = []
                break
    return kept
