"""The parse stage: corpus and benchmarks to trees; and parsed shards as CoNLL-U files, for other tools."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from pipeline.core import schemas, scratch, store
from pipeline.core.atomic import atomic_folder, atomic_path
from pipeline.core.errors import SynsemError
from pipeline.core.parallel import join, map_shards
from pipeline.core.store import read_file, shards
from pipeline.params import Parse
from pipeline.parsing import registry
from pipeline.parsing.conllu import is_conllu, lines
from pipeline.parsing.shards import LONGEST_WORD, ParseShard, Texts, demand_parsable
from pipeline.syntax.sentence import Sentence

_TEXTS_PER_SHARD = 5_000


def parse_folders(corpus: Path, benchmarks: Path, out: Path, params: Parse, workers: int | None) -> None:
    """Parse ``corpus`` (schemas.DOCUMENT) and the unique texts of ``benchmarks`` (schemas.EXAMPLE).

    Writes ``out/corpus`` and ``out/benchmarks`` (schemas.SENTENCE) and ``out/report.json`` with what was kept
    and dropped; ``out`` appears whole or not at all. Raises SynsemError where the corpus holds no sentence
    that can be used, and where ``out`` holds what this stage has not written.
    """
    store.require_rows(corpus, schemas.DOCUMENT)
    store.require_rows(benchmarks, schemas.EXAMPLE)
    documents = store.slices(corpus, params.documents_per_shard)
    texts = unique_texts(benchmarks)
    batches = [
        Texts(start, tuple(texts[start : start + _TEXTS_PER_SHARD]))
        for start in range(0, max(1, len(texts)), _TEXTS_PER_SHARD)
    ]
    languages, gold = _languages(documents)
    if texts:
        languages.add(params.benchmark_language)
    versions = [registry.version(params, lang) for lang in sorted(languages)]
    versions += [f"{lang}: gold trees in CoNLL-U" for lang in sorted(gold)]
    tasks: list[store.Slice | Texts] = [*documents, *batches]
    with (
        map_shards(
            ParseShard(params),
            tasks,
            key=scratch.key([*store.shards(corpus), *store.shards(benchmarks)], params, *versions),
            label="parse",
            workers=workers,
            gpus=registry.gpus(params, languages),
            libraries=registry.libraries(params, languages),
        ) as made,
        atomic_folder(out, "corpus", "benchmarks", "report.json") as new,
    ):
        counts = join(made[: len(documents)], new / "corpus")
        if not counts["kept.sentences"]:
            raise _nothing_kept(corpus, counts)
        counts += join(made[len(documents) :], new / "benchmarks")
        store.write_json(new / "report.json", _nested(counts) | {"parsers": versions})


def _nothing_kept(corpus: Path, counts: Counter[str]) -> SynsemError:
    endless = counts["dropped.endless word"]
    if endless and not counts["dropped.short"] + counts["dropped.long"]:
        return SynsemError(
            f"{corpus}: no sentence can be used; {endless:,} has a word above {LONGEST_WORD} characters"
            "; give text with spaces between its words"
        )
    return SynsemError(
        f"{corpus}: no sentence between parse.min_words and parse.max_words; add text or widen them"
    )


def _languages(documents: Iterable[store.Slice]) -> tuple[set[str], set[str]]:
    """The languages of the documents to be parsed, and those of documents in CoNLL-U."""
    plain, gold = set[str](), set[str]()
    for part in documents:
        table = part.read()
        tabbed = pc.match_substring(table["text"], "\t")  # few or none: the others are not looked at
        plain.update(table.filter(pc.invert(tabbed))["lang"].unique().to_pylist())
        for row in table.filter(tabbed).select(["lang", "text"]).to_pylist():
            (gold if is_conllu(row["text"]) else plain).add(row["lang"])
    return plain, gold


def unique_texts(benchmarks: Path) -> list[str]:
    """Every text of the examples once, in order of first appearance; SynsemError for one that is too long."""
    texts: dict[str, None] = {}
    for path in store.shards(benchmarks):
        table = store.read_file(path)
        columns = (table[name].to_pylist() for name in ("task", "a", "b"))
        for task, *pair in zip(*columns, strict=True):
            for text in pair:
                if text is not None:
                    demand_parsable(text, f"benchmark {task}")
                    texts[text] = None
    return list(texts)


def _nested(counts: Counter[str]) -> dict[str, Any]:
    """``{"kept.words": 3}`` as ``{"kept": {"words": 3}}``."""
    nested: dict[str, dict[str, int]] = {"kept": {}, "dropped": {}}
    for name, count in sorted(counts.items()):
        kind, reason = name.split(".", 1)
        if count:
            nested.setdefault(kind, {})[reason] = count
    return nested


def export_conllu(parsed: Path, out: Path) -> int:
    """Write ``out/part-00000.conllu`` for each ``part-00000.arrow``; returns the sentences written.

    Files of that form which an earlier, larger export has left there are then removed. Raises SynsemError
    where the folder has no shard or the disk is full.
    """
    written = 0
    targets = set[Path]()
    for path in shards(parsed):
        target = out / f"{path.stem}.conllu"
        targets.add(target)
        with (
            atomic_path(target) as partial,
            partial.open("w", encoding="utf-8", newline="\n") as stream,
        ):
            for batch in read_file(path).to_batches(max_chunksize=1024):
                for row in batch.to_pylist():
                    sentence = Sentence.from_row(row)
                    stream.writelines(line + "\n" for line in lines(row["sent_id"], row["text"], sentence))
                    written += 1
    for old in set(out.glob("part-[0-9][0-9][0-9][0-9][0-9].conllu")) - targets:
        old.unlink()
    return written
