"""Fetched files -> documents with split and subset -> cleaned documents, or the reason why not."""

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipeline.core.errors import SynsemError
from pipeline.core.params import Download
from pipeline.core.seeding import SEED, stable_hash
from pipeline.corpora.clean import detokenise, has_gap, is_foreign, regular, without_templates
from pipeline.corpora.duplicates import Contamination
from pipeline.corpora.fetch import Fetched
from pipeline.corpora.files import SPLITS, Document, Input, Part
from pipeline.corpora.readers import reader
from pipeline.corpora.readers.trees import contracted_text
from pipeline.corpora.sources import File
from pipeline.syntax.words import without

_LONGEST = 1_000_000  # characters; longer texts are dropped
_SURPLUS = 3  # rows cleaned for each document wanted, because cleaning drops some


def read_documents(fetched: Fetched) -> Iterator[Document]:
    """Yield every document of a source; the file gives its split and subset if the reader does not.

    Raises SynsemError if a file cannot be read, or if the source has none at all.
    """
    location = fetched.location
    options = dict(location.options)
    encoding, errors = options.pop("encoding", "utf-8"), options.pop("errors", "strict")
    count = 0
    # Files with roles are read together, by split and subset; every other file is read by itself.
    groups: dict[tuple[str, str, str | int], list[tuple[File, Path]]] = defaultdict(list)
    for position, (file, path) in enumerate(fetched.files):
        groups[file.split, file.subset, "" if file.role else position].append((file, path))
    for (split, subset, _), group in groups.items():
        inputs = {
            file.role: Input(path, location.address(file), file.member, encoding, errors)
            for file, path in group
        }
        first = group[0][0]
        folder = "".join(first.path.rpartition("/")[:2]) if location.kind == "file" else ""
        for row in reader(location.reader)(Part(inputs, options, folder)):
            count += 1
            if row.split not in (None, *SPLITS.values()) and "benchmark" in fetched.source.use:
                raise SynsemError(
                    f"{location.address(first)}: split {row.split!r} is none of train, dev, test;"
                    " correct or drop the column"
                )
            own = split if row.split is None else row.split
            yield row._replace(split=own, subset=row.subset or subset)
    if count == 0:
        places = sorted({location.address(file) for file in location.files})[:3]
        raise SynsemError(f"{fetched.source.name}: its files hold no text; check {', '.join(places)}")


class Cleaner:
    """Cleans the documents of a source by the rules of the download section.

    ``removed`` counts, by source, the sentences that were removed because a benchmark has them, and ``gaps``
    those that lack words, for example because a formula was removed.
    """

    def __init__(self, params: Download, contamination: Contamination) -> None:
        self._params, self._contamination = params, contamination
        self.removed: Counter[str] = Counter()
        self.gaps: Counter[str] = Counter()

    def documents(self, fetched: Fetched, most: int | None = None) -> Iterator[Document | str]:
        """Yield each text of a source by itself, or the reason why it is dropped.

        If only ``most`` are wanted, ``_SURPLUS`` times as many rows are cleaned, drawn from the long enough.
        """
        source, tied = fetched.source, _tied(fetched)

        def pair_of(row: Document, text: str) -> str | None:
            return (tied and tied.get(_key(text))) or _pair(row, source.name)

        def rank(row: Document) -> int:  # one for all translations and paraphrases of each other
            return stable_hash(SEED, "row", pair_of(row, row.text) or row.text)

        shortest = self._params.min_characters
        long = (rank(row) for row in read_documents(fetched) if len(row.text) >= shortest)
        last = most and max(heapq.nsmallest(_SURPLUS * most, long), default=None)
        for row in read_documents(fetched):
            if last is not None and rank(row) > last:
                yield from ("not_drawn",) * (1 if row.b is None else 2)
                continue
            lang = row.lang or source.lang
            if row.gold:
                # Mining compares the text that the words of a tree give, which here need not be its own.
                if self._contamination.holds(contracted_text(row.text)):
                    yield "contaminated"
                    continue
                doc_id = f"{source.name}:{_digest(row.text)}"
                yield row._replace(source=source.name, lang=lang, split=row.split or None, doc_id=doc_id)
                continue
            spelt = detokenise if source.tokenised else str
            title = row.title and spelt(regular(row.title, one_line=True))
            # Two texts of a row stay in one split even if they are not paraphrases (PAWS, label 0).
            work = row.work or (_key(row.text) if row.b else None)
            clean = row._replace(source=source.name, title=title, work=work, split=None, b=None)
            for raw, language in ((row.text, lang), (row.b, row.b_lang or lang)):
                if raw is not None:
                    text = spelt(regular(without_templates(raw), one_line=row.presplit))
                    text, reason = self._cleaned(text, language, row.presplit, source.name)
                    doc_id = f"{source.name}:{_digest(title or '', text)}"
                    pair = pair_of(row, raw)
                    yield reason or clean._replace(doc_id=doc_id, lang=language, text=text, pair_id=pair)

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
            reason = "contaminated" if self._contamination.holds(text) else None
            return text, "gap" if has_gap(text) else reason
        text, gaps = without(text, lambda sentence: has_gap(sentence, text))
        self.gaps[source] += gaps
        if gaps and len(text) < self._params.min_characters:
            return text, "gap"
        text, removed = self._contamination.cleaned(text)
        if removed and len(text) < self._params.min_characters:
            return text, "contaminated"
        self.removed[source] += removed
        return text, None


def _tied(fetched: Fetched) -> dict[str, str]:
    """Return the pair_id of each text of a source's paraphrases, by ``_key``: one for pairs that share texts.

    A text that is in several rows, such as a question with several duplicates, is kept only once.
    """
    name = fetched.source.name
    pairs = [
        (_key(row.text), _key(row.b))
        for row in read_documents(fetched)
        if row.pair_id is None and row.b and row.b_lang in (None, row.lang) and _pair(row, name)
    ]
    if not pairs:
        return {}
    from scipy.cluster.hierarchy import DisjointSet

    tied = DisjointSet(text for pair in pairs for text in pair)
    for first, second in pairs:
        tied.merge(first, second)
    return {key: f"{name}:{tied[key]}" for key in tied}


def _pair(row: Document, source: str) -> str | None:
    """The reader's own pair_id, under the source's name unless it spans sources; or one of the first text.

    Two texts with a score are not a pair, nor are those with a label other than 1. Rows with the same first
    text (a sentence with several translations) share a pair_id, so that the first text, which is kept once,
    stays with all of them. For translations that holds across sources, so that one sentence in several
    languages is in one split.
    """
    if row.pair_id is not None:
        return row.pair_id if row.pair_id.startswith("shared:") else f"{source}:{row.pair_id}"
    if row.b is None or row.score is not None or row.label not in (None, "1"):
        return None
    home = "shared" if row.b_lang and row.b_lang != row.lang else source
    return f"{home}:{_key(row.text)}"


def _key(text: str) -> str:
    """A text without its spacing and what cleaning takes out, or its copies would be in several splits."""
    return _digest(regular(text, one_line=True))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()[:16]
