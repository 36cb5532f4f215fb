"""What the transformations make of a sentence, as text for the terminal."""

from collections import Counter

from pipeline.augment.base import Variant
from pipeline.augment.base import rules_of, transformations, tried_elsewhere
from pipeline.augment.run import Counts, plan_all
from pipeline.augment.source_tree import Decline
from pipeline.params import Augment
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree


def all_variants(sentence: Sentence, names: list[str], lang: str = "en") -> tuple[list[Variant], Counts]:
    """Every variant of a sentence, without sampling, and the reasons of the transformations that declined.

    In another language than English only the rules for any text are tried.
    """
    counts: Counts = Counter()
    variants = []
    for plan in plan_all(sentence, rules_of(transformations(names), lang), counts, lang):
        try:
            variants.append(plan.realise())
        except Decline as reason:
            counts["declined", plan.transformation, str(reason)] += 1
    return variants, counts


def describe(sentence: Sentence, params: Augment, lang: str = "en") -> str:
    """The sentence, all its variants with their trees, and why the other transformations declined."""
    variants, counts = all_variants(sentence, params.transformations, lang)
    titles = [f"{variant.transformation} ({variant.meaning}): " for variant in variants]
    sentences = [sentence, *(variant.sentence for variant in variants)]
    blocks = [
        f"{title}{each.text}\n{DependencyTree.of(each).drawn()}"
        for title, each in zip(["", *titles], sentences, strict=True)
    ]
    declined = [names[1:] for names in counts if names[0] == "declined"]
    if declined:
        blocks.append("declined:\n" + "\n".join(f"  {name}: {reason}" for name, reason in declined))
    rules = transformations(params.transformations)
    if len(rules_of(rules, lang)) < len(rules):
        blocks.append(f"{lang}: {tried_elsewhere(rules)}")
    return "\n\n".join(blocks)
