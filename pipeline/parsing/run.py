"""The parse stage: the sentences of the corpus and of the benchmarks become trees, shard by shard."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core import schemas, store
from pipeline.core.errors import SynsemError
from pipeline.core.parallel import join, map_shards, scratch_key
from pipeline.core.params import Parse
from pipeline.core.store import atomic_folder
from pipeline.parsing import base
from pipeline.parsing.base import Backend, repair
from pipeline.parsing.conllu import is_conllu, read
from pipeline.syntax.sentence import ENDS, Sentence

DOCUMENTS_PER_SHARD = 250  # a unit of work, which a kill may lose
_TEXTS_PER_SHARD = 5_000  # of the benchmarks
_LONGEST_TEXT = 20_000  # characters parsed at once; the memory of parsers grows with the length of a text
_LONGEST_WORD = 200  # characters; a longer "word" is not a word of any language


def parse_folders(corpus: Path, benchmarks: Path, out: Path, params: Parse, workers: int | None) -> None:
    """Parse ``corpus`` (schemas.DOCUMENT) and the unique texts of ``benchmarks`` (schemas.EXAMPLE).

    Writes ``out/corpus`` and ``out/benchmarks`` (schemas.SENTENCE) and ``out/report.json`` with what was kept
    and dropped; ``out`` appears whole or not at all. Raises SynsemError if the corpus holds no sentence that
    can be used.
    """
    store.require_rows(corpus, schemas.DOCUMENT)
    store.require_rows(benchmarks, schemas.EXAMPLE)
    documents = store.slices(corpus, DOCUMENTS_PER_SHARD)
    texts = unique_texts(benchmarks)
    batches = [
        Texts(start, tuple(texts[start : start + _TEXTS_PER_SHARD]))
        for start in range(0, max(1, len(texts)), _TEXTS_PER_SHARD)
    ]
    languages, gold = _languages(documents)
    if texts:
        languages.add(params.benchmark_language)
    versions = [base.version(params, lang) for lang in sorted(languages)]
    versions += [f"{lang}: gold trees in CoNLL-U" for lang in sorted(gold)]
    tasks: list[store.Slice | Texts] = [*documents, *batches]
    with (
        map_shards(
            ParseShard(params),
            tasks,
            key=scratch_key([*store.shards(corpus), *store.shards(benchmarks)], params, *versions),
            label="parse",
            workers=workers,
            gpus=base.gpus(params, languages),
        ) as made,
        atomic_folder(out, "corpus", "benchmarks", "report.json") as new,
    ):
        counts = join(made[: len(documents)], new / "corpus")
        if not counts["kept.sentences"]:
            raise SynsemError(
                f"{corpus}: no sentence between parse.min_words and parse.max_words, of words up to"
                f" {_LONGEST_WORD} characters; add text or widen them"
            )
        counts += join(made[len(documents) :], new / "benchmarks")
        store.write_json(new / "report.json", _nested(counts) | {"parsers": versions})


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
    """Return every text of the examples once, in order of first appearance."""
    texts = (text for row in store.rows(benchmarks, "a", "b") for text in (row["a"], row["b"]))
    return list(dict.fromkeys(text for text in texts if text is not None))


def _nested(counts: Counter[str]) -> dict[str, Any]:
    """``{"kept.words": 3}`` as ``{"kept": {"words": 3}}``."""
    nested: dict[str, dict[str, int]] = {"kept": {}, "dropped": {}}
    for name, count in sorted(counts.items()):
        kind, reason = name.split(".", 1)
        if count:
            nested.setdefault(kind, {})[reason] = count
    return nested


@dataclass(frozen=True)
class Texts:
    """Some of the texts of all benchmarks."""

    first: int  # number of the first of them
    texts: tuple[str, ...]


@dataclass(frozen=True)
class ParseShard:
    """Parse some documents of the corpus, given as a slice of its rows, or some texts of the benchmarks.

    A text is one row and one tree, and none is dropped for its length.
    """

    params: Parse
    backends: dict[str, Backend | str] = field(default_factory=base.BACKENDS.copy)

    def __call__(self, task: store.Slice | Texts) -> tuple[pa.Table, Counter[str]]:
        """Return the sentences as rows (``schemas.SENTENCE``), and what was kept and dropped, by reason."""
        base.BACKENDS.update(self.backends)  # of a worker process
        counts: Counter[str] = Counter()
        if isinstance(task, Texts):
            rows = list(self._rows_of_texts(task, counts))
        else:
            rows = list(self._rows_of_documents(store.to_rows(task.read()), counts))
        return pa.Table.from_pylist(rows, schema=schemas.SENTENCE), counts

    def _rows_of_documents(
        self, documents: Sequence[dict[str, Any]], counts: Counter[str]
    ) -> Iterator[dict[str, Any]]:
        texts = [list(_texts(document)) for document in documents]
        parsed = _parse(self.params, [text for some in texts for text in some])
        for document, own in zip(documents, texts, strict=True):
            doc_id, text = document["doc_id"], document["text"]
            if is_conllu(text):
                sentences = read(text, doc_id)
            else:
                sentences = [sentence for _ in own for sentence in next(parsed)]
            kept = 0
            for number, sentence in enumerate(sentences, 1):  # it keeps its number whatever is dropped
                if reason := self._unfit(sentence):
                    counts[f"dropped.{reason}"] += 1
                    continue
                kept += 1
                counts["kept.sentences"] += 1
                counts["kept.words"] += len(sentence)
                source = {"doc_id": doc_id, "lang": document["lang"], "split": document["split"]}
                yield {"sent_id": f"{doc_id}-{number}"} | source | _mended(sentence, counts)
            counts["kept.documents"] += kept > 0
            counts["dropped.document of dropped sentences"] += not kept and bool(sentences)
            counts["dropped.empty document"] += not sentences

    def _unfit(self, sentence: Sentence) -> str | None:
        if len(sentence) < self.params.min_words:
            return "short"
        if len(sentence) > self.params.max_words:
            return "long"
        if max(map(len, sentence.words)) > _LONGEST_WORD:
            return "endless word"
        return None

    def _rows_of_texts(self, task: Texts, counts: Counter[str]) -> Iterator[dict[str, Any]]:
        lang = self.params.benchmark_language
        parsed = _parse(self.params, [(lang, Sentence(text)) for text in task.texts])
        for number, (text, sentences) in enumerate(zip(task.texts, parsed, strict=True), task.first):
            if not sentences:
                counts["dropped.empty benchmark text"] += 1
                continue
            counts["kept.benchmark texts"] += 1
            source = {"sent_id": f"benchmark-{number}", "doc_id": "", "lang": lang, "split": "test"}
            # The text is the benchmark's own, to the character: the tree is looked up by it.
            yield source | _mended(sentences[0], counts) | {"text": text}


def _mended(sentence: Sentence, counts: Counter[str]) -> dict[str, Any]:
    """The columns of a sentence with a well-formed tree; ``counts`` gains the trees that had to be mended."""
    whole, repaired = repair(sentence)
    counts["mended.trees"] += repaired
    return whole.row()


def _parse(params: Parse, texts: Sequence[tuple[str, str | Sentence]]) -> Iterator[list[Sentence]]:
    """The sentences of each text, given with its language, in order; each language has its own parser."""
    languages: dict[str, list[str | Sentence]] = {}
    for lang, text in texts:
        languages.setdefault(lang, []).append(text)
    streams = {lang: base.load(params, lang).parse(some) for lang, some in languages.items()}
    for lang, _ in texts:
        yield next(streams[lang])


def _texts(document: dict[str, Any]) -> Iterator[tuple[str, str | Sentence]]:
    """What is to be parsed of a document, with its language; nothing if it is trees in CoNLL-U."""
    text, lang = document["text"], document["lang"]
    if is_conllu(text):
        return
    elif document["presplit"]:
        yield lang, Sentence(text)
    else:
        for paragraph in filter(str.strip, text.split("\n")):  # a line end ends a sentence
            yield from ((lang, stretch) for stretch in split_long_text(paragraph))


def split_long_text(text: str) -> Iterator[str]:
    """Split a very long text after a sentence, otherwise at white space, otherwise anywhere."""
    while len(text) > _LONGEST_TEXT:
        head = text[:_LONGEST_TEXT]
        cut = _LONGEST_TEXT
        for end in (rf"[.!?…]\s|[{ENDS}]\s?", r"\s"):
            if found := [match.end() for match in re.finditer(end, head)]:
                cut = found[-1]
                break
        yield text[:cut]
        text = text[cut:]
    yield text
