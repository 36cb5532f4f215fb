"""Records -> cleaned documents, or the reason why not."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.cleaning.detokenise import detokenise
from pipeline.corpora.cleaning.language import is_foreign
from pipeline.corpora.cleaning.text import regular
from pipeline.corpora.cleaning.words import words
from pipeline.corpora.fetching.fetch import Fetched
from pipeline.corpora.parts import records
from pipeline.corpora.records import Record
from pipeline.corpora.registry import Source
from pipeline.params import Download
from pipeline.store import DOCUMENT


@dataclass(frozen=True, slots=True)
class Document:
    """A row of ``store.DOCUMENT``; ``split`` is None where a hash of the id is to decide.

    A ``gold`` document is CoNLL-U with its trees. It is kept to the letter, and however like another.
    """

    doc_id: str
    source: str
    lang: str
    title: str | None
    text: str
    presplit: bool
    pair_id: str | None
    split: str | None = None
    gold: bool = False

    @property
    def unit(self) -> str:
        """What is drawn and split as a whole: translations and paraphrases of each other stay together."""
        return self.pair_id or self.doc_id

    @property
    def words(self) -> list[str]:
        """What near-duplicates are told by."""
        return [self.doc_id] if self.gold else words(self.text)

    def row(self) -> dict[str, Any]:
        """The Arrow row."""
        return {name: getattr(self, name) for name in DOCUMENT.names}


class Cleaner:
    """Turns the texts of records into documents by the rules of the download section.

    ``removed`` counts, by source, the sentences that were cut out of documents because a benchmark has them.
    """

    def __init__(self, params: Download, contamination: Contamination) -> None:
        self._params, self._contamination = params, contamination
        self.removed: Counter[str] = Counter()

    def documents(self, fetched: Fetched) -> Iterator[Document | str]:
        """Yield each text of a source as a document, or the reason for which it is dropped."""
        source = fetched.source
        for record in records(fetched):
            if record.gold:
                yield _gold(record, source)
                continue
            pair = _pair(record, source.name)
            title = record.title and regular(record.title, one_line=True)
            lang = record.lang or source.lang
            sides = [(record.text, lang)]
            if record.b is not None:
                sides.append((record.b, record.b_lang or lang))
            for raw, language in sides:
                text = regular(raw, one_line=record.presplit)
                if source.tokenised:
                    text = detokenise(text)
                text, reason = self._cleaned(text, language, record.presplit, source.name)
                yield reason or Document(
                    doc_id=f"{source.name}:{_digest(title or '', text)}",
                    source=source.name,
                    lang=language,
                    title=title,
                    text=text,
                    presplit=record.presplit,
                    pair_id=pair,
                )

    def _cleaned(self, text: str, language: str, presplit: bool, source: str) -> tuple[str, str | None]:
        """The text as it is kept, and the reason why it is not."""
        if not text:
            return text, "empty"
        if not any(character.isalpha() for character in text):
            return text, "no_words"
        if len(text) < self._params.min_characters:
            return text, "too_short"
        if len(text) > self._params.max_characters:
            return text, "too_long"
        confidence = self._params.language_confidence
        if confidence is not None and is_foreign(text, language, confidence):
            return text, "foreign_language"
        if presplit:
            return text, "contaminated" if self._contamination.holds(text) else None
        text, removed = self._contamination.cleaned(text)
        if removed and len(text) < self._params.min_characters:
            return text, "contaminated"
        self.removed[source] += removed
        return text, None


def _gold(record: Record, source: Source) -> Document:
    return Document(
        doc_id=f"{source.name}:{_digest(record.text)}",
        source=source.name,
        lang=record.lang or source.lang,
        title=None,
        text=record.text,
        presplit=False,
        pair_id=None,
        split=record.split or None,
        gold=True,
    )


def _pair(record: Record, source: str) -> str | None:
    """The reader's own pair_id, under the source's name unless it spans sources; or that of the first text.

    Records of one first text (a sentence with several translations) are one pair, so that the first text,
    which is kept once, stays tied to all of them; of translations those of all sources, so that one sentence
    in several languages is whole, and in one split.
    """
    if record.pair_id is not None:
        return record.pair_id if record.pair_id.startswith("shared:") else f"{source}:{record.pair_id}"
    home = "shared" if record.b_lang and record.b_lang != record.lang else source
    return None if record.b is None else f"{home}:{_digest(record.text)}"


def _digest(*texts: str) -> str:
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()[:16]
