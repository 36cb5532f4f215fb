"""Fetched files -> records with split and subset -> cleaned documents, or the reason why not."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.core.params import Download
from pipeline.core.schemas import DOCUMENT
from pipeline.corpora.clean import detokenise, is_foreign, regular
from pipeline.corpora.duplicates import Contamination
from pipeline.corpora.fetch import Fetched
from pipeline.corpora.files import SPLITS, Input, Part, Record
from pipeline.corpora.readers import reader
from pipeline.corpora.readers.trees import contracted_text
from pipeline.corpora.sources import File
from pipeline.syntax.constituency.brackets import marked
from pipeline.syntax.words import words

_LONGEST = 1_000_000  # characters; longer texts are dropped


def records(fetched: Fetched) -> Iterator[Record]:
    """Yield every record of a source; the file gives its split and subset if the reader does not.

    Raises SynsemError if a file cannot be read, or if the source has no record at all.
    """
    location = fetched.location
    options = dict(location.options)
    encoding, errors = options.pop("encoding", "utf-8"), options.pop("errors", "strict")
    labelled = options.pop("labelled", None)  # only records of that label, such as the paraphrases of a set
    count = 0
    # Files with roles are read together, by split and subset; every other file is read by itself.
    groups: dict[tuple[object, ...], list[tuple[File, Path]]] = defaultdict(list)
    for position, (file, path) in enumerate(fetched.files()):
        groups[file.split, file.subset, "" if file.role else position].append((file, path))
    for group in groups.values():
        first = group[0][0]
        inputs = {
            file.role: Input(path, location.address(file), file.member, encoding, errors)
            for file, path in group
        }
        folder = "".join(first.path.rpartition("/")[:2]) if location.kind == "file" else ""
        for record in reader(location.reader)(Part(inputs, options, folder)):
            count += 1
            if record.split not in (None, *SPLITS.values()) and "benchmark" in fetched.source.use:
                raise SynsemError(
                    f"{location.address(first)}: split {record.split!r} is none of train, dev, test;"
                    " correct or drop the column"
                )
            if labelled is None or record.label == labelled:
                split = first.split if record.split is None else record.split
                yield record._replace(split=split, subset=record.subset or first.subset)
    if count == 0:
        places = sorted({location.address(file) for file in location.files})[:3]
        raise SynsemError(f"{fetched.source.name}: its files hold no text; check {', '.join(places)}")


@dataclass(frozen=True, slots=True)
class Document:
    """A row of ``schemas.DOCUMENT``; ``split`` is None if a hash of ``whole`` is to decide.

    ``work`` is what the text is a part of, such as an article of which it is a section. A ``gold`` document
    is a tree, in CoNLL-U or in brackets. It is kept unchanged, even if it is like another.
    """

    doc_id: str
    source: str
    lang: str
    text: str
    title: str | None = None
    presplit: bool = False
    pair_id: str | None = None
    split: str | None = None
    gold: bool = False
    work: str | None = None

    @property
    def whole(self) -> str:
        """What is in one split: the pair, else the parts of one work, else the document alone."""
        return self.pair_id or (f"{self.source}:{self.work}" if self.work else self.doc_id)

    @property
    def unit(self) -> str:
        """The unit of sampling: translations and paraphrases of each other stay together."""
        return self.pair_id or self.doc_id

    @property
    def words(self) -> list[str]:
        """What near-duplicates are compared by; a gold tree is compared with nothing."""
        return [self.doc_id] if self.gold else words(self.text)

    def row(self) -> dict[str, Any]:
        """Return the Arrow row."""
        return {name: getattr(self, name) for name in DOCUMENT.names}


class Cleaner:
    """Turns the texts of records into documents by the rules of the download section.

    ``removed`` counts, by source, the sentences that were removed because a benchmark has them.
    """

    def __init__(self, params: Download, contamination: Contamination) -> None:
        self._params, self._contamination = params, contamination
        self.removed: Counter[str] = Counter()

    def documents(self, fetched: Fetched) -> Iterator[Document | str]:
        """Yield each text of a source as a document, or the reason why it is dropped."""
        source = fetched.source
        for record in records(fetched):
            if record.gold:
                # Mining compares the text that the words of a tree give, which here need not be its own.
                if self._contamination.holds(contracted_text(record.text)):
                    yield "contaminated"
                    continue
                yield Document(
                    doc_id=f"{source.name}:{_digest(record.text)}",
                    source=source.name,
                    lang=record.lang or source.lang,
                    text=record.text if "\t" in record.text else marked(record.text),  # CoNLL-U has tabs
                    split=record.split or None,
                    gold=True,
                )
                continue
            pair = _pair(record, source.name, fetched.location.options.get("labelled"))
            spelt = detokenise if source.tokenised else str
            title = record.title and spelt(regular(record.title, one_line=True))
            lang = record.lang or source.lang
            for raw, language in ((record.text, lang), (record.b, record.b_lang or lang)):
                if raw is None:
                    continue
                text = spelt(regular(raw, one_line=record.presplit))
                text, reason = self._cleaned(text, language, record.presplit, source.name)
                yield reason or Document(
                    doc_id=f"{source.name}:{_digest(title or '', text)}",
                    source=source.name,
                    lang=language,
                    title=title,
                    text=text,
                    presplit=record.presplit,
                    pair_id=pair,
                    # Two texts that are no pair, such as PAWS's pairs of other meaning, stay in one split.
                    work=record.work or (_digest(record.text) if record.b and not pair else None),
                )

    def _cleaned(self, text: str, language: str, presplit: bool, source: str) -> tuple[str, str | None]:
        """The cleaned text, and the reason why it is dropped, or None."""
        if not text:
            return text, "empty"
        if not any(character.isalpha() for character in text):
            return text, "no_words"
        if len(text) < self._params.min_characters:
            return text, "too_short"
        if len(text) > _LONGEST:
            return text, "too_long"
        if is_foreign(text, language):
            return text, "foreign_language"
        if presplit:
            return text, "contaminated" if self._contamination.holds(text) else None
        text, removed = self._contamination.cleaned(text)
        if removed and len(text) < self._params.min_characters:
            return text, "contaminated"
        self.removed[source] += removed
        return text, None


def _pair(record: Record, source: str, labelled: str | None = None) -> str | None:
    """The reader's own pair_id, under the source's name unless it spans sources; or one of the first text.

    Two texts with a score are not a pair, nor are those with a label other than 1 or ``labelled``, which is
    the only one that the source keeps. Records with the same first text (a sentence with several
    translations) share a pair_id, so that the first text, which is kept once, stays with all of them. For
    translations that holds across sources, so that one sentence in several languages is in one split.
    """
    if record.pair_id is not None:
        return record.pair_id if record.pair_id.startswith("shared:") else f"{source}:{record.pair_id}"
    if record.b is None or record.score is not None or record.label not in (None, "1", labelled):
        return None
    home = "shared" if record.b_lang and record.b_lang != record.lang else source
    # Without its spacing and what cleaning takes out, or copies of one text would be in several splits.
    return f"{home}:{_digest(regular(record.text, one_line=True))}"


def _digest(*texts: str) -> str:
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()[:16]
