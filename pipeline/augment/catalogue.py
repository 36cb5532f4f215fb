"""Every transformation by name."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import get_args

from pipeline.augment.base import Meaning, Transformation
from pipeline.core.errors import SynsemError, unknown

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
    """The named transformations, in the order given.

    Raises SynsemError for a name that does not exist, for a file that ``NAMES`` lacks or that defines no
    rule, and for a rule whose name is not its file's or whose meaning is none.
    """
    chosen = []
    for name in names:
        file = f"pipeline/augment/rewrites/{name}.py"
        if name not in NAMES:
            if not (Path(__file__).parent / "rewrites" / f"{name}.py").is_file():
                raise unknown("augment.transformations", name, NAMES)
            raise SynsemError(
                f"{file}: is not in the catalogue; add {name!r} to NAMES in pipeline/augment/catalogue.py"
            )
        rule = getattr(import_module(f"pipeline.augment.rewrites.{name}"), "TRANSFORMATION", None)
        if rule is None:
            raise SynsemError(f"{file}: defines no TRANSFORMATION; end it with one, as the other files do")
        if rule.name != name or rule.meaning not in get_args(Meaning):
            raise SynsemError(
                f"{file}: TRANSFORMATION has the name {rule.name!r}"
                f" and the meaning {rule.meaning!r}; it needs {name!r} and one of"
                f" {', '.join(get_args(Meaning))}"
            )
        chosen.append(rule)
    return chosen


def rules_of(rules: Iterable[Transformation], lang: str) -> list[Transformation]:
    """Those of the rules that are for a language: all for English, else those for any text (word order)."""
    return [rule for rule in rules if rule.any_text or lang == "en"]


def tried_elsewhere(rules: Sequence[Transformation]) -> str:
    """In words, which of the rules are tried in another language than English."""
    names = [rule.name for rule in rules_of(rules, "")]
    tried = f"only {', '.join(names)} tried" if names else "no rule tried"
    return f"{tried}; the other {len(rules) - len(names)} rules are for English"
