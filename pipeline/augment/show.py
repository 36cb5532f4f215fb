"""Variants on the terminal: each with its transformation, meaning and tree."""

from collections import Counter

from pipeline.augment.base import Decline, Variant
from pipeline.augment.catalogue import split_names
from pipeline.augment.run import Counts, plan_all
from pipeline.params import Augment
from pipeline.sentences import Sentence
from pipeline.trees import children


def all_variants(sentence: Sentence, names: list[str]) -> tuple[list[Variant], Counts]:
    """Every rule's variants of a sentence, unsampled, and the reasons of the rules that declined it."""
    counts: Counts = Counter()
    variants = []
    for plan in plan_all(sentence, split_names(names)[0], counts):
        try:
            variants.append(plan.realise())
        except Decline as reason:
            counts["declined", plan.transformation, str(reason)] += 1
    return variants, counts


def describe(sentence: Sentence, params: Augment) -> str:
    """The sentence, all its variants with their trees, and why the other transformations declined."""
    variants, counts = all_variants(sentence, params.transformations)
    blocks = [f"{sentence.text}\n{draw(sentence)}"]
    blocks += [
        f"{variant.transformation} ({variant.meaning}): {variant.sentence.text}\n{draw(variant.sentence)}"
        for variant in variants
    ]
    declined = [names[1:] for names in counts if names[0] == "declined"]
    if declined:
        blocks.append("declined:\n" + "\n".join(f"  {name}: {reason}" for name, reason in declined))
    return "\n\n".join(blocks)


def draw(sentence: Sentence) -> str:
    """A dependency tree as indented text: number, word and relation, dependents below their head."""
    kids = children(sentence.heads)
    lines = []
    stack = [(sentence.heads.index(0), 1)]
    while stack:
        word, depth = stack.pop()
        lines.append(f"{'  ' * depth}{word + 1} {sentence.words[word]}  {sentence.deprels[word]}")
        stack += [(kid, depth + 1) for kid in reversed(kids[word])]
    return "\n".join(lines)
