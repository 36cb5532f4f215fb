"""The stage: every parsed sentence to its variants, shard by shard, with counts of what was made and
declined.
"""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pipeline import scratch
from pipeline.augment.base import Plan, Transformation, Variant
from pipeline.augment.catalogue import split_names
from pipeline.augment.gate import parse_texts, reparse, roles_found
from pipeline.augment.paraphrase import Paraphrase, paraphrase
from pipeline.augment.sampling import sample
from pipeline.augment.tree import Tree
from pipeline.params import Augment, Parse
from pipeline.sentences import Sentence
from pipeline.store import VARIANT, Slice, shards, slices, write_json, write_rows
from pipeline.workers import map_shards

# How often a transformation applied, was kept, was declined for a reason: names and how many.
Counts = Counter[tuple[str, ...]]

_ROWS_PER_SHARD = 2_000  # of sentences: decides the shards, never the number of workers


@dataclass(frozen=True)
class _Task:
    rows: Slice
    params: Augment
    parse: Parse


def augment_folder(
    parsed: Path, out: Path, params: Augment, parse: Parse, workers: int | None
) -> Counter[str]:
    """Rewrite the sentences of ``parsed`` into ``out`` (store.VARIANT and report.json); returns the counts.

    ``parse`` is the parser of the re-parse gate and of the paraphrase models. Raises SynsemError for a
    transformation that does not exist and for a folder without sentences.
    """
    split_names(params.transformations)  # complain before any work
    tasks = [_Task(rows, params, parse) for rows in slices(parsed, _ROWS_PER_SHARD)]
    key = scratch.key(shards(parsed), params, parse)
    counts = map_shards(_work, tasks, out, key=key, workers=workers, label="augment")
    write_json(out / "report.json", _report(counts))
    return counts


def _work(task: _Task, path: Path) -> Counter[str]:
    params = task.params
    rules, models = split_names(params.transformations)
    counts: Counts = Counter()
    used: Counter[str] = Counter()
    source = task.rows.read().to_pylist()
    sentences = [Sentence.from_row(row) for row in source]
    paraphrases = [_paraphrases(name, source, sentences, task, counts) for name in models]
    drawn: list[tuple[dict[str, Any], Variant]] = []
    for number, (row, sentence) in enumerate(zip(source, sentences, strict=True)):
        chosen = [rule for rule in rules if rule.any_text or row["lang"] == "en"]
        plans: list[Plan | Paraphrase] = [*plan_all(sentence, chosen, counts)]
        plans += [made for column in paraphrases if (made := column[number]) is not None]
        kept = sample(plans, params.per_sentence, used, params.seed, sentence.text)
        counts["sentences",] += 1
        counts["sentences_with_variants",] += bool(kept)
        drawn += [(row, variant) for variant in kept]
    if params.reparse is not None:
        drawn = _pass_gate(drawn, params.reparse, task.parse, counts)
    for _, variant in drawn:
        counts["kept", variant.transformation] += 1
        counts["meaning", variant.meaning] += 1
    write_rows(path, [_row(row, variant) for row, variant in drawn], VARIANT)
    return Counter({"\t".join(names): number for names, number in counts.items()})


def _paraphrases(
    name: str, source: list[dict[str, Any]], sentences: list[Sentence], task: _Task, counts: Counts
) -> list[Paraphrase | None]:
    """A column of paraphrases, one a sentence; None where there is none or the text is not English."""
    english = [i for i, row in enumerate(source) if row["lang"] == "en"]
    made = paraphrase(
        name, [sentences[i] for i in english], task.params.neural, partial(parse_texts, params=task.parse)
    )
    column: list[Paraphrase | None] = [None] * len(source)
    for i, candidate in zip(english, made, strict=True):
        column[i] = candidate
    counts["applies", name] += sum(candidate is not None for candidate in column)
    counts["declined", name, "same text or none"] += sum(candidate is None for candidate in column)
    return column


def _pass_gate(
    drawn: list[tuple[dict[str, Any], Variant]], least: float, parse: Parse, counts: Counts
) -> list[tuple[dict[str, Any], Variant]]:
    """The variants whose core roles the parser finds again; order-only ones are no English and are not
    asked.
    """
    asked = [pair for pair in drawn if pair[1].meaning != "order"]
    again = iter(reparse([variant.sentence for _, variant in asked], parse))
    kept = []
    for row, variant in drawn:
        if variant.meaning != "order":
            tree = next(again)
            found = tree is not None and roles_found(variant.sentence, tree) >= least
            counts["reparse_found" if found else "reparse_lost", variant.transformation] += 1
            if not found:
                continue
        kept.append((row, variant))
    return kept


def plan_all(sentence: Sentence, chosen: list[Transformation], counts: Counts) -> list[Plan]:
    """Every plan of the chosen transformations; what was possible and declined goes into ``counts``."""
    tree = Tree(sentence)
    made: list[Plan] = []
    for transformation in chosen:
        if reason := transformation.barred(tree):  # no site: the common case, kept cheap
            counts["declined", transformation.name, reason] += 1
            continue
        answers = transformation.plans(tree)
        plans = [answer for answer in answers if isinstance(answer, Plan)]
        made += plans
        if plans:
            counts["applies", transformation.name] += 1
        else:
            counts["declined", transformation.name, str(answers[-1])] += 1
    return made


def _row(source: dict[str, Any], variant: Variant) -> dict[str, Any]:
    return variant.sentence.row() | {
        "source_id": source["sent_id"],
        "split": source["split"],
        "transformation": variant.transformation,
        "meaning": variant.meaning,
        "alignment": list(variant.alignment),
    }


def _report(counts: Counter[str]) -> dict[str, Any]:
    kinds = ("kept", "applies", "declined", "meaning", "dropped", "reparse_found", "reparse_lost")
    report: dict[str, Any] = {kind: {} for kind in kinds}
    report["sentences"] = counts["sentences"]
    report["sentences_with_variants"] = counts["sentences_with_variants"]
    for key, number in counts.items():
        kind, *names = key.split("\t")
        if kind == "declined":
            report[kind].setdefault(names[0], {})[names[1]] = number
        elif names:
            report[kind][names[0]] = number
    report["dropped"]["re-parse found other roles"] = sum(report["reparse_lost"].values())
    report["dropped"]["no transformation applies"] = counts["sentences"] - counts["sentences_with_variants"]
    return report
