"""A treebank as training data: its gold trees in the published splits, and variants that change order only.

The published test set stays whole: nothing is cleaned, deduplicated or left out for its length. Parses that
are no tree (cycles, no root or several, heads out of range) are repaired, unreadable ones are dropped; both
are counted.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.augment.base import Plan, transformations
from pipeline.augment.draft import Decline
from pipeline.augment.phrases import SourceTree
from pipeline.core.errors import SynsemError
from pipeline.core.schemas import SENTENCE, VARIANT
from pipeline.core.seeding import stable_hash
from pipeline.core.store import ShardWriter, write_json
from pipeline.corpora.documents import read_documents
from pipeline.corpora.fetch import Access, fetch
from pipeline.corpora.sources import Source, find_treebank
from pipeline.parsing.base import repair
from pipeline.parsing.conllu import read
from pipeline.syntax.sentence import MOST_WORDS, Sentence

ORDER = ("permutation", "rotation", "cropping")
_SHARE = 10  # a treebank without a dev or test split gets one from every tenth training sentence


def write_treebank(name: str | None, access: Access, out: Path) -> Counter[str]:
    """Write gold trees to ``out/corpus`` (schemas.SENTENCE), variants to ``out/augmented`` (schemas.VARIANT).

    Without a name both are empty. Returns counts of what was kept, repaired and dropped; ``out/report.json``
    has the same. Raises SynsemError if the treebank cannot be fetched or has no training tree.
    """
    counts: Counter[str] = Counter()
    with ShardWriter(out / "corpus", SENTENCE) as trees, ShardWriter(out / "augmented", VARIANT) as variants:
        for row, sentence in _trees(find_treebank(name), access, counts) if name else ():
            trees.add(row | sentence.row())
            for variant in order_variants(sentence):
                counts[f"variants.{variant['transformation']}"] += 1
                variants.add(variant | {"source_id": row["sent_id"], "split": row["split"]})
    write_json(out / "report.json", dict(counts) | {"treebank": name})
    if name and not counts["kept.train"]:
        raise SynsemError(
            f"cssl.treebank: {name!r} has no training trees; name another, or call a file train.conllu"
        )
    return counts


def _trees(source: Source, access: Access, counts: Counter[str]) -> Iterator[tuple[dict[str, Any], Sentence]]:
    (fetched,) = fetch([source], access)
    missing = {"dev", "test"} - {file.split for file in fetched.location.files}
    for number, record in enumerate(read_documents(fetched)):
        split, subset = record.split or "train", record.subset or ""
        try:
            (parsed,) = read(record.text, source.name)
        except (SynsemError, ValueError):
            counts["dropped.unreadable"] += 1
            continue
        if not 0 < len(parsed) <= MOST_WORDS:
            counts["dropped.too long" if len(parsed) else "dropped.no words"] += 1
            continue
        sentence, repaired = repair(parsed)
        sent_id = "-".join(filter(None, (source.name, split, subset, f"{number:06d}")))
        for other in sorted(missing) if split == "train" else ():
            split = other if stable_hash(0, other, sent_id) % _SHARE == 0 else split
        counts[f"kept.{split}"] += 1
        counts["mended.trees"] += repaired
        doc_id = f"{source.name}:{subset}" if subset else source.name
        yield {"sent_id": sent_id, "doc_id": doc_id, "lang": source.lang, "split": split}, sentence


def order_variants(sentence: Sentence) -> Iterator[dict[str, Any]]:
    """Yield one permutation, one rotation and every cropping of a sentence, if there are any.

    Commas out of place are left out (``realise``).
    """
    tree = SourceTree(sentence)
    for rule in transformations(ORDER):
        for plan in rule.plans(tree):
            if not isinstance(plan, Plan):
                continue
            try:
                variant = plan.realise()
            except Decline:
                continue
            # Spelt as in the treebank: in SLP1, where case distinguishes sounds, a capital is another word.
            words = tuple(sentence.words[place - 1] for place in variant.alignment)
            spelt = dataclasses.replace(
                variant.sentence, text="", words=words, space_after=(True,) * len(words)
            )
            yield spelt.row() | {
                "transformation": rule.name,
                "meaning": variant.meaning,
                "alignment": list(variant.alignment),
            }
