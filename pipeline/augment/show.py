"""What the transformations make of a sentence, as text for the terminal."""

from collections import Counter

from pipeline.augment.base import Variant
from pipeline.augment.catalogue import transformations
from pipeline.augment.run import Counts, plan_all
from pipeline.augment.source_tree import Decline
from pipeline.params import Augment
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree


def all_variants(sentence: Sentence, names: list[str]) -> tuple[list[Variant], Counts]:
    """Every variant of a sentence, without sampling, and the reasons of the transformations that declined."""
    counts: Counts = Counter()
    variants = []
    for plan in plan_all(sentence, transformations(names), counts):
        try:
            variants.append(plan.realise())
        except Decline as reason:
            counts["declined", plan.transformation, str(reason)] += 1
    return variants, counts


def describe(sentence: Sentence, params: Augment) -> str:
    """The sentence, all its variants with their trees, and why the other transformations declined."""
    variants, counts = all_variants(sentence, params.transformations)
    titles = [f"{variant.transformation} ({variant.meaning}): " for variant in variants]
    sentences = [sentence, *(variant.sentence for variant in variants)]
    blocks = [
        f"{title}{each.text}\n{DependencyTree.of(each).drawn()}"
        for title, each in zip(["", *titles], sentences, strict=True)
    ]
    declined = [names[1:] for names in counts if names[0] == "declined"]
    if declined:
        blocks.append("declined:\n" + "\n".join(f"  {name}: {reason}" for name, reason in declined))
    return "\n\n".join(blocks)
