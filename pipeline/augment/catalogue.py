"""Every transformation there is, by name."""

from collections.abc import Iterable
from importlib import import_module

from pipeline.augment import paraphrase
from pipeline.augment.base import Transformation
from pipeline.errors import SynsemError

NAMES = (
    "passive",
    "active",
    "fronting",
    "coordination_swap",
    "argument_swap",
    "modifier_swap",
    "dative",
    "cleft",
    "pseudo_cleft",
    "topicalisation",
    "postposing",
    "clause_order",
    "particle_shift",
    "genitive",
    "adjunct_swap",
    "relative_form",
    "oblique_swap",
    "noun_swap",
    "attachment",
    "coordination_break",
    "negation",
    "quantity",
    "number",
    "source_goal",
    "comparative",
    "permutation",
    "rotation",
    "cropping",
)


def transformations(names: Iterable[str] = NAMES) -> list[Transformation]:
    """The named rules, in the order given; a SynsemError names one that does not exist."""
    return split_names(names)[0]


def split_names(names: Iterable[str]) -> tuple[list[Transformation], list[str]]:
    """The rules and the names of the paraphrase models; a SynsemError names what is neither."""
    rules, models = [], []
    for name in names:
        if name in paraphrase.NAMES:
            models.append(name)
        elif name in NAMES:
            rules.append(import_module(f"pipeline.augment.rewrites.{name}").TRANSFORMATION)
        else:
            known = ", ".join((*NAMES, *paraphrase.NAMES))
            raise SynsemError(f"augment.transformations: {name} is unknown; choose from {known}")
    return rules, models
