"""The end of every builder: examples gated, capped, written, counted and measured."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.mining.caps import with_cap
from pipeline.mining.hardness import by_embedding
from pipeline.mining.held_out import uncontaminated
from pipeline.mining.inputs import Inputs, Row
from pipeline.mining.similarity import Similarity
from pipeline.mining.texts import Embed
from pipeline.output import replaced
from pipeline.params import Mine
from pipeline.progress import track
from pipeline.store import TRIPLET, ShardWriter, read, with_constituents, write_json


def write_examples(
    examples: Iterable[Row], inputs: Inputs, out: Path, params: Mine, embed: Embed, dropped: Counter[str]
) -> Counter[str]:
    """Write examples to ``out``, what was kept and dropped to ``report.json``, and ``similarity.json``.

    No text of ``inputs.benchmarks`` enters. With ``mine.examples`` set, that many training examples are kept,
    drawn by content; the development examples stay. Returns the counts of what was kept, by split and kind.
    All or nothing; raises SynsemError where no training example is left.
    """
    sources = read(inputs.corpus)["source"].unique().to_pylist()
    examples = uncontaminated(examples, inputs.benchmarks, params.contamination, dropped, sources)
    if params.examples is not None:
        examples = with_cap(examples, params.examples, params.seed, dropped)
    if params.hardness == "embedding":
        examples = by_embedding(examples, embed)
    similarity = Similarity(params.similarity_sample, params.seed)
    kept: Counter[str] = Counter()
    given = "constituents" in read(inputs.sentences).schema.names
    with replaced(out) as new:
        with ShardWriter(new, with_constituents(TRIPLET) if given else TRIPLET) as writer:
            for row in similarity.watched(track(examples, "mine")):
                writer.add(row)
                kept[row["split"]] += 1
                kept[f"positive: {row['positive_kind']}"] += 1
                kept.update(f"negative: {kind}" for kind in row["negative_kinds"] or ["none"])
        write_json(new / "report.json", {"kept": kept, "dropped": {k: n for k, n in dropped.items() if n}})
        if not kept["train"]:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in dropped.most_common(3) if count)
            raise SynsemError(
                f"{out}: no training example; take more text (download.documents) or longer sentences"
                + (f" (dropped: {reasons})" if reasons else "")
            )
        similarity.write(new, embed)
    return kept
