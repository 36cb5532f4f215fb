"""Real text of any length: the documents of some sources, then the same again with other names.

A copy has the sentences of its original and their trees, nearly; the words of its names are others, each
by one that is about as frequent. So near copies and overlapping sentences are more common in it than in
text that nobody repeated.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_WORD = re.compile(r"[^\W\d_]+")
_EQUALLY_FREQUENT = 64  # names in a group, and so the most copies of which no two are the same

Document = dict[str, Any]  # title and text


def source_documents(sources: Sequence[str], mirror: str | None, folder: Path) -> list[Document]:
    """The cleaned documents of the sources in order, with near-duplicates; kept in ``folder``."""
    from pipeline.core.store import rows
    from pipeline.corpora.download import download
    from pipeline.params import load

    corpus = folder / "source"
    if not corpus.exists():
        changes = {"sources": list(sources), "documents": "all", "benchmarks": [], "near_duplicate": None}
        changes |= {"mirror": mirror} if mirror else {}
        section = load(ROOT / "params.yaml", "download").download
        download(section.model_copy(update=changes), corpus, folder / "no-benchmarks")
    return [{"title": row["title"], "text": row["text"]} for row in rows(corpus)]


def repeated(documents: Sequence[Document]) -> Iterator[Document]:
    """The documents, then copies of them with other names, as often as two copies differ."""
    yield from documents
    names = names_by_frequency(document["text"] for document in documents)
    for copy in range(1, _EQUALLY_FREQUENT):
        other = other_names(names, copy)
        for document in documents:
            # A document of a plain text file has no title.
            yield {key: value and renamed(value, other) for key, value in document.items()}


def names_by_frequency(texts: Iterator[str]) -> list[str]:
    """Words that are always capitalised, the most frequent first."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORD.findall(text))
    written_small = {word for word in counts if word.islower()}
    names = [word for word in counts if word.istitle() and word.lower() not in written_small]
    return sorted(names, key=lambda name: (-counts[name], name))


def other_names(names: Sequence[str], copy: int) -> dict[str, str]:
    """For each name the one that stands ``copy`` places after it in its group of equally frequent ones."""
    found: dict[str, str] = {}
    for start in range(0, len(names), _EQUALLY_FREQUENT):
        group = names[start : start + _EQUALLY_FREQUENT]
        found |= {name: group[(place + copy) % len(group)] for place, name in enumerate(group)}
    return found


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with every word that is a key of ``names`` replaced."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text)


def cut(documents: Sequence[Document], size: int, home: Path) -> int:
    """Write documents of ``size`` sentences or a few more: for download, and line by line for encode."""
    from pipeline.corpora.cleaning.text import split

    home.mkdir(parents=True, exist_ok=True)
    found = 0
    with (
        (home / "text.jsonl").open("w", encoding="utf-8") as lines,
        (home / "sentences.txt").open("w", encoding="utf-8") as sentences,
    ):
        for document in repeated(documents):
            lines.write(json.dumps(document, ensure_ascii=False) + "\n")
            own = [" ".join(sentence.split()) for sentence in split(document["text"])]
            sentences.writelines(f"{sentence}\n" for sentence in own)
            found += len(own)
            if found >= size:
                return found
    raise SystemExit(f"the source and its copies have {found:,} sentences; name a larger --source")
