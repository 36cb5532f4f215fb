"""The work of one worker process: a shard of documents or benchmark texts, parsed."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import SENTENCE, with_constituents
from pipeline.core.store import Slice
from pipeline.params import Parse
from pipeline.parsing import registry
from pipeline.parsing.conllu import ConlluBackend, is_conllu
from pipeline.parsing.registry import Backend, Passage
from pipeline.parsing.repair import repair
from pipeline.parsing.splitting import split_at_clauses, split_long_text
from pipeline.syntax.constituency.brackets import GOLD, marked_words, packed
from pipeline.syntax.sentence import Sentence

LONGEST_WORD = 200  # characters; a longer "word" is no word of a language
LONGEST_TEXT = 1_000_000  # characters of one that is not split: spaCy takes no more


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
    backends: dict[str, Backend] = field(default_factory=registry.registered)

    def __call__(self, task: Slice | Texts) -> tuple[pa.Table, Counter[str]]:
        """The sentences as rows (``schemas.SENTENCE``), and what was kept and dropped, by reason."""
        registry.register_all(self.backends)
        counts: Counter[str] = Counter()
        if isinstance(task, Texts):
            rows = list(self._rows_of_texts(task, counts))
        else:
            rows = list(self._rows_of_documents(task.read().to_pylist(), counts))
        given = any("constituents" in row for row in rows)
        schema = with_constituents(SENTENCE) if given else SENTENCE
        return pa.Table.from_pylist(rows, schema=schema), counts

    def _rows_of_documents(
        self, documents: list[dict[str, Any]], counts: Counter[str]
    ) -> Iterator[dict[str, Any]]:
        numbers: list[int] = []  # of the document that each passage is from
        passages: list[Passage] = []
        for number, document in enumerate(documents):
            if gold := marked_words(document["text"]):
                numbers.append(number)
                passages.append(Passage(" ".join(gold), document["lang"], single=True, words=gold))
                continue
            for passage in _passages(document):
                numbers.append(number)
                passages.append(passage)
        seen: Counter[int] = Counter()
        kept: set[int] = set()
        for number, passage, sentences in zip(numbers, passages, _parse(self.params, passages), strict=True):
            document = documents[number]
            for sentence in sentences:
                if marked_words(document["text"]):
                    sentence = replace(sentence, constituents=packed(GOLD, document["text"]))
                seen[number] += 1  # a sentence keeps its number whatever is dropped before it
                sent_id = f"{document['doc_id']}-{seen[number]}"
                for name, part in self._parts(sent_id, sentence, passage, counts):
                    if reason := self._unfit(part):
                        counts[f"dropped.{reason}"] += 1
                        continue
                    whole, repaired = repair(part)
                    kept.add(number)
                    counts["kept.sentences"] += 1
                    counts["kept.words"] += len(whole)
                    counts["mended.trees"] += repaired
                    counts.update(_constituents(whole))
                    yield {
                        "sent_id": name,
                        "doc_id": document["doc_id"],
                        "lang": document["lang"],
                        "split": document["split"],
                    } | whole.row()
        counts["kept.documents"] += len(kept)
        counts["dropped.document of dropped sentences"] += len(seen) - len(kept)
        counts["dropped.empty document"] += len(documents) - len(seen)

    def _parts(
        self, sent_id: str, sentence: Sentence, passage: Passage, counts: Counter[str]
    ) -> Iterator[tuple[str, Sentence]]:
        """The sentence under its id; where it is long and to be split, its parts, parsed again.

        A gold tree is never split, for its parts would not be gold.
        """
        split = self.params.long_sentences == "split" and not passage.gold
        if len(sentence) <= self.params.max_words or not split:
            yield sent_id, sentence
            return
        counts["split.long sentences"] += 1
        parts = list(split_at_clauses(sentence, passage.lang, self.params.max_words))
        for number, parsed in enumerate(_parse(self.params, parts), 1):
            for part in parsed:
                yield f"{sent_id}.{number}", part

    def _unfit(self, sentence: Sentence) -> str | None:
        if len(sentence) < self.params.min_words:
            return "short"
        if len(sentence) > self.params.max_words:
            return "long"
        if max(map(len, sentence.words)) > LONGEST_WORD:
            return "endless word"
        return None

    def _rows_of_texts(self, task: Texts, counts: Counter[str]) -> Iterator[dict[str, Any]]:
        lang = self.params.benchmark_language
        passages = [Passage(text, lang, single=True) for text in task.texts]
        for number, sentences in enumerate(_parse(self.params, passages)):
            if not sentences:
                counts["dropped.empty benchmark text"] += 1
                continue
            whole, repaired = repair(sentences[0])
            counts["kept.benchmark texts"] += 1
            counts["mended.trees"] += repaired
            counts.update(_constituents(whole))
            # The text is the benchmark's own, to the character: the tree is looked up by it.
            yield (
                {"sent_id": f"benchmark-{task.first + number}", "doc_id": "", "lang": lang, "split": "test"}
                | whole.row()
                | {"text": task.texts[number]}
            )


def _constituents(sentence: Sentence) -> list[str]:
    """What to count of a sentence's given constituents: the name of their origin."""
    return [f"constituents.{sentence.constituents.partition(' ')[0]}"] if sentence.constituents else []


def _parse(params: Parse, passages: list[Passage]) -> Iterator[list[Sentence]]:
    """The sentences of each passage, in order; each language has its own parser, and gold trees are read."""
    groups: dict[tuple[str, bool], list[Passage]] = {}
    for passage in passages:
        groups.setdefault((passage.lang, passage.gold), []).append(passage)
    streams = {
        (lang, gold): (ConlluBackend() if gold else registry.load(params, lang)).parse(group)
        for (lang, gold), group in groups.items()
    }
    for passage in passages:
        yield next(streams[passage.lang, passage.gold])


def demand_parsable(text: str, origin: str) -> None:
    """Raise SynsemError where a text that is not split is too long for a parser."""
    if len(text) > LONGEST_TEXT:
        raise SynsemError(
            f"{origin}: {text[:40]!r}... has {len(text):,} characters; a text may have {LONGEST_TEXT:,}: "
            "shorten it or take it out"
        )


def _passages(document: dict[str, Any]) -> Iterable[Passage]:
    text, lang = document["text"], document["lang"]
    if is_conllu(text):
        yield Passage(text, lang, gold=True, document=document["doc_id"])
        return
    if document["presplit"]:
        demand_parsable(text, document["doc_id"])
        yield Passage(text, lang, single=True)
        return
    for paragraph in filter(str.strip, text.split("\n")):  # a line end ends a paragraph, so a sentence
        for stretch in split_long_text(paragraph):
            yield Passage(stretch, lang)
