"""What a stage prints at its end: what it kept, what it dropped by reason, and which parameter keeps more."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

# Of each stage: how a reason begins, and what to do about it. The first that fits is printed; a reason that
# none fits needs nothing done.
Remedies = Sequence[tuple[str, str]]
DOWNLOAD: Remedies = (
    ("empty", "nothing is left of it after cleaning"),
    ("no_words", "it has no letter"),
    ("benchmark example", "a text of it is empty"),
    ("too_short", "lower download.min_characters"),
    ("too_long", "more than a million characters: cut it into documents"),
    ("foreign_language", "set download.language to its language, or download.language_confidence to null"),
    ("contaminated", "a benchmark has it; take that out of download.benchmarks"),
    ("duplicate", "its first copy is kept"),
    ("near_duplicate", "set download.near_duplicate to null to drop exact copies only"),
    ("not_drawn", "raise download.documents, or set it to all"),
)
PARSE: Remedies = (
    ("short", "lower parse.min_words"),
    ("long", "raise parse.max_words, or set parse.long_sentences to split"),
    ("endless word", "give text with spaces between its words"),
    ("document of", "see the reasons for its sentences"),
    ("empty", "the parser finds no word in it"),
)
AUGMENT: Remedies = (("no transformation applies", "report.json says of each rule why not"),)
MINE: Remedies = (
    ("longer than", "raise mine.max_words"),
    ("target longer than", "raise mine.max_words"),
    ("pair: longer than", "raise mine.max_words"),
    ("document without a sentence short enough", "raise mine.max_words"),
    ("document without title", "give the text titles"),
    ("duplicate sentence", "its first copy is kept"),
    (
        "no variant to learn from",
        "give more text, or set mine.identity to all; synsem learns from rewordings alone",
    ),
    ("beyond mine.examples", "raise mine.examples"),
    ("pair: beyond mine.pair_share", "raise mine.pair_share"),
    ("benchmark text", "take that benchmark out of download.benchmarks"),
    ("text of the test split", "a test document has it, too"),
    ("negative beyond mine.kind_share", "raise mine.kind_share"),
    ("negative beyond mine.hard_negatives", "raise mine.hard_negatives"),
    ("overlap: beyond mine.overlap_negatives", "raise mine.overlap_negatives"),
    ("language not in upos.sources", "add it to upos.sources"),
    ("no translation into upos.targets", "add languages to upos.targets"),
)
_MOST = 6  # reasons shown


def dropped_lines(dropped: Mapping[str, int], remedies: Remedies, report: Path) -> Iterator[str]:
    """A line for each of the largest counts: how many, why, and what to do; the rest is in ``report``."""
    ordered = sorted(
        ((n, reason) for reason, n in dropped.items() if n), key=lambda each: (-each[0], each[1])
    )
    shown = ordered[:_MOST]
    width = max((len(f"{n:,}") for n, _ in shown), default=0)
    for n, reason in shown:
        # A parameter's name, such as mine.kind_share, stays as it is written.
        words = (word if "." in word else word.replace("_", " ") for word in reason.split(" "))
        line = f"  dropped {n:>{width},}  {' '.join(words)}"
        remedy = next((text for begin, text in remedies if reason.startswith(begin)), "")
        yield f"{line}: {remedy}" if remedy else line
    if more := len(ordered) - len(shown):
        yield f"  and for {more} other reason{'s' * (more > 1)}: {report}"


def of_download(corpus: Path, benchmarks: Path) -> str:
    """What the stage ``download`` left in its two folders, from their report.json."""
    from pipeline.core.store import read_json

    report, tests = (read_json(folder / "report.json") for folder in (corpus, benchmarks))
    splits = ", ".join(f"{name} {report['splits'].get(name, 0):,}" for name in ("train", "dev", "test"))
    kept, read = sum(report["kept"].values()), sum(report["read"].values())
    examples = sum(n for counts in tests["kept"].values() for n in counts.values())
    lines = [
        f"download: {kept:,} of {read:,} texts kept as documents ({splits});"
        f" {examples:,} examples of {len(tests['kept'])} benchmark{'s' * (len(tests['kept']) != 1)}",
        *dropped_lines(
            report["dropped"] | {"benchmark example": sum(tests["dropped"].values())},
            DOWNLOAD,
            corpus / "report.json",
        ),
    ]
    if cut := sum(report["contaminated_sentences"].values()):
        lines.append(f"  cut {cut:,} sentences out of documents: a benchmark has them")
    return "\n".join(lines)


def of_parse(out: Path) -> str:
    """What the stage ``parse`` left in ``out``, with the parser of each language."""
    from pipeline.core.store import read_json

    report = read_json(out / "report.json")
    kept = report["kept"]
    lines = [
        f"parse: {kept.get('sentences', 0):,} sentences of {kept.get('documents', 0):,} documents,"
        f" {kept.get('benchmark texts', 0):,} texts of benchmarks",
        *dropped_lines(report["dropped"], PARSE, out / "report.json"),
        *(f"  parser of {version}" for version in report["parsers"]),
    ]
    return "\n".join(lines)


def of_augment(out: Path, order: Collection[str], tried: str) -> str:
    """What the stage ``augment`` left in ``out``.

    ``order`` are the rules for word order, of which a sentence keeps one variant whatever its limit.
    ``tried`` says which rules were tried on sentences in another language than English.
    """
    from pipeline.core.store import read_json

    report = read_json(out / "report.json")
    meanings = ", ".join(
        f"{name} {report['meaning'].get(name, 0):,}" for name in ("same", "different", "order")
    )
    kept = sum(report["kept"].values())
    places = {rule: n - report["kept"].get(rule, 0) for rule, n in report["applies"].items()}
    more = sum(n for rule, n in places.items() if rule not in order)
    lines = [
        f"augment: {kept:,} variants of {report['sentences_with_variants']:,} of {report['sentences']:,}"
        f" sentences (meaning: {meanings})",
        *dropped_lines(report["dropped"], AUGMENT, out / "report.json"),
    ]
    if more:
        lines.append(f"  {more:,} more rewrites found a place: raise augment.per_sentence")
    lines += [f"  {lang}: {n:,} sentences: {tried}" for lang, n in report.get("not_english", {}).items()]
    lines += [
        f"  {lang}: {n:,} sentences without Penn's tags, which most rules read: fill column XPOS of their "
        "CoNLL-U, or name conllu:PATH in download.sources to have them parsed"
        for lang, n in report.get("without_tags", {}).items()
    ]
    return "\n".join(lines)


def of_mine(system: str, out: Path, kept: Mapping[str, Any]) -> str:
    """What the stage ``mine`` kept and dropped for a system."""
    from pipeline.core.store import read_json

    report = out / "report.json"
    lines = [
        f"mine {system}: {kept['train']:,} training and {kept['dev']:,} development examples",
        *dropped_lines(read_json(report)["dropped"], MINE, report),
    ]
    return "\n".join(lines)
