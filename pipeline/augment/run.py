"""The augment stage: write variants of every parsed sentence; or show all that can be made of a typed one."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.augment.base import Plan, Transformation, rules_of, transformations
from pipeline.augment.draft import Decline
from pipeline.augment.phrases import SourceTree
from pipeline.core.parallel import join, map_shards, scratch_key
from pipeline.core.params import Augment
from pipeline.core.schemas import SENTENCE, VARIANT
from pipeline.core.seeding import SEED, seeded_random
from pipeline.core.store import Slice, atomic_folder, require_rows, shards, slices, to_rows, write_json
from pipeline.syntax.sentence import Sentence, Variant
from pipeline.syntax.tree import DependencyTree

# Keys: the kind of count, a transformation or meaning, a reason, as in ("declined", "passive", "title").
Counts = Counter[tuple[str, ...]]

# Sentences per shard. It decides the shards; the number of workers does not.
_ROWS_PER_SHARD = 2_000
_MEANINGS = ("same", "different", "order")


def augment_folder(parsed: Path, out: Path, params: Augment, workers: int | None) -> Counter[str]:
    """Rewrite the sentences of ``parsed`` into ``out`` (schemas.VARIANT and report.json); return the counts.

    Sentences in languages other than English get only the rules for any text (word order); ``not_english``
    in report.json counts them by language, and ``without_tags`` English sentences without Penn's tags. Raises
    SynsemError for a transformation that does not exist, for a folder without sentences, and if ``out`` holds
    what this stage has not written.
    """
    transformations(params.transformations)  # an unknown name is an error before any work
    require_rows(parsed, SENTENCE)
    tasks = slices(parsed, _ROWS_PER_SHARD)
    key = scratch_key(shards(parsed), params)
    with (
        map_shards(partial(_work, params=params), tasks, key=key, workers=workers, label="augment") as made,
        atomic_folder(out, "part-*.arrow", "report.json") as new,
    ):
        counts = join(made, new)
        write_json(new / "report.json", _report(counts))
    return counts


def _work(part: Slice, params: Augment) -> tuple[pa.Table, Counter[str]]:
    rules = transformations(params.transformations)
    counts: Counts = Counter()
    used: Counter[str] = Counter()
    rows = []
    for row in to_rows(part.read()):
        sentence = Sentence.from_row(row)
        chosen = rules_of(rules, row["lang"])
        if len(chosen) < len(rules):
            counts["not_english", row["lang"]] += 1
        elif not any(sentence.xpos) and len(chosen) > len(rules_of(rules, "")):
            counts["without_tags", row["lang"]] += 1
        plans = plan_all(sentence, chosen, counts, row["lang"])
        kept = sample(plans, params.per_sentence, used, SEED, sentence.text, counts)
        counts["sentences",] += 1
        counts["sentences_with_variants",] += bool(kept)
        for variant in kept:
            counts["kept", variant.transformation] += 1
            counts["meaning", variant.meaning] += 1
            rows.append(_row(row, variant))
    table = pa.Table.from_pylist(rows, schema=VARIANT)
    return table, Counter({"\t".join(names): number for names, number in counts.items()})


def plan_all(
    sentence: Sentence, chosen: list[Transformation], counts: Counts, lang: str = "en"
) -> list[Plan]:
    """Every plan of the chosen transformations; ``counts`` gains which apply, and why others decline."""
    tree = SourceTree(sentence, lang)
    made: list[Plan] = []
    for transformation in chosen:
        answers = transformation.plans(tree)
        plans = [answer for answer in answers if isinstance(answer, Plan)]
        made += plans
        if plans:
            counts["applies", transformation.name] += 1
        else:
            counts["declined", transformation.name, str(answers[-1])] += 1
    return made


def sample(
    plans: Sequence[Plan], count: int, used: Counter[str], seed: int, text: str, counts: Counts
) -> list[Variant]:
    """Draw at most ``count`` variants of a sentence of the same and of another meaning, one of another order.

    No two share a transformation or a text. ``same`` and ``different`` meanings take turns. Within a meaning
    the transformation with the fewest uses in ``used`` comes first; random numbers seeded by ``text`` break
    ties. ``used`` is updated, so rare transformations keep up with common ones over a shard. A transformation
    whose plans all decline as they are spelt out moves in ``counts`` from those that apply to those that
    decline.
    """
    rng = seeded_random(seed, text)
    ranked = sorted(plans, key=lambda plan: (used[plan.transformation], rng.random()))
    same, different, order = ([plan for plan in ranked if plan.meaning == each] for each in _MEANINGS)
    kept: list[Variant] = []
    late: dict[str, list[str]] = {}  # reasons of the plans that decline only now, by transformation
    for _ in range(count):
        for waiting in (same, different):
            _keep_next(waiting, kept, text, late)
    _keep_next(order, kept, text, late)
    used.update(variant.transformation for variant in kept)
    planned = Counter(plan.transformation for plan in plans)
    for name, reasons in late.items():
        if len(reasons) == planned[name]:
            counts["applies", name] -= 1
            counts["declined", name, reasons[-1]] += 1
    return kept


def _keep_next(waiting: list[Plan], kept: list[Variant], text: str, late: dict[str, list[str]]) -> None:
    """Take plans from ``waiting`` until one gives a variant of a new transformation with a new text."""
    names = {variant.transformation for variant in kept}
    texts = {text, *(variant.sentence.text for variant in kept)}
    while waiting:
        plan = waiting.pop(0)
        if plan.transformation in names:
            continue
        try:
            variant = plan.realise()
        except Decline as reason:
            late.setdefault(plan.transformation, []).append(str(reason))
            continue
        if variant.sentence.text not in texts:
            kept.append(variant)
            return


def _row(source: dict[str, Any], variant: Variant) -> dict[str, Any]:
    return variant.sentence.row() | {
        "source_id": source["sent_id"],
        "split": source["split"],
        "transformation": variant.transformation,
        "meaning": variant.meaning,
        "alignment": list(variant.alignment),
    }


def _report(counts: Counter[str]) -> dict[str, Any]:
    report: dict[str, Any] = {kind: {} for kind in ("kept", "applies", "declined", "meaning", "dropped")}
    report["sentences"] = counts["sentences"]
    report["sentences_with_variants"] = counts["sentences_with_variants"]
    for key, number in counts.items():
        kind, *names = key.split("\t")
        if kind == "declined":
            report[kind].setdefault(names[0], {})[names[1]] = number
        elif names:  # some kinds appear only if needed: ``not_english``, ``without_tags``
            report.setdefault(kind, {})[names[0]] = number
    report["dropped"]["no transformation applies"] = counts["sentences"] - counts["sentences_with_variants"]
    return report


def all_variants(sentence: Sentence, names: list[str], lang: str = "en") -> tuple[list[Variant], Counts]:
    """Every variant of a sentence, without sampling, and the reasons of the transformations that declined.

    Languages other than English get only the rules for any text.
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
    tried = [rule.name for rule in rules_of(rules, lang)]
    if len(tried) < len(rules):
        which = f"only {', '.join(tried)} tried" if tried else "no rule tried"
        blocks.append(f"{lang}: {which}; the other {len(rules) - len(tried)} rules are for English")
    return "\n\n".join(blocks)
