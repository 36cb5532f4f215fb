"""What ``synsem sources`` prints: all sources and readers, one source in full, and a check of each."""

import io
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from pipeline.core.errors import SynsemError
from pipeline.corpora.documents import records
from pipeline.corpora.fetching.cache import Access, address
from pipeline.corpora.fetching.fetch import fetch
from pipeline.corpora.readers import described
from pipeline.corpora.sources import Source, all_sources, find_sources, source_groups

_NO_TERMINAL = 200  # columns
_NARROW = 120  # columns below which a title and a licence have a few letters a line


def table(width: int | None = None) -> str:
    """A line for each source: name, use, language, size, whether verified, licence; groups, and readers.

    ``width`` in columns, None for the terminal's. Titles and licences are left out where it is narrow.
    """
    width = width or _columns()
    headings = ("source", "use", "lang", "kind", "MB", "verified", "title", "licence")
    shown = len(headings) if width >= _NARROW else headings.index("title")
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings[:shown]:
        grid.add_column(
            heading,
            justify="right" if heading == "MB" else "left",
            no_wrap=heading not in ("title", "licence"),
        )
    for source in all_sources():
        size = _megabytes(source)
        cells = (
            source.name,
            "+".join(source.use),
            source.lang,
            source.locations[-1].kind,
            f"{size:.1f}" if size else "?",
            "yes" if source.verified else "no",
            source.title,
            source.licence,
        )
        grid.add_row(*cells[:shown])
    more = "" if shown == len(headings) else "\n\n`synsem sources NAME` shows title and licence."
    groups = "\n".join(f"{name}: {', '.join(members)}" for name, members in source_groups().items())
    return (
        f"{_rendered(grid, width)}{more}\n\nGroups, which params.yaml can name too:\n{groups}"
        "\n\nReaders of your own files: PATH, read by its suffix, or READER:PATH (docs/own-text.md)\n"
        + _readers(width)
    )


def _readers(width: int) -> str:
    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("reader", no_wrap=True)
    grid.add_column("suffixes")
    grid.add_column("reads", ratio=1)
    for name, (suffixes, text) in described().items():
        grid.add_row(name, suffixes, text)
    return _rendered(grid, width)


def show(name: str) -> str:
    """One source (or each of a group) with licence, citation and every location.

    Raises SynsemError where no source has that name.
    """
    return "\n\n".join(_card(source) for source in find_sources(name))


def check(name: str | None, access: Access) -> Iterator[str]:
    """Fetch, verify and read a source, or all where ``name`` is None; yield a line each with its records.

    A source that cannot be fetched or read gives a line that says why.
    """
    for source in find_sources(name) if name else all_sources():
        try:
            (fetched,) = fetch([source], access)
            count = sum(1 for _ in records(fetched))
            state = "verified" if fetched.location.verified else "not verified"
            yield f"{source.name:28} {len(set(fetched.paths)):3} files  {count:9,} records  {state}"
        except SynsemError as error:
            yield f"{source.name:28} {error}"


def _card(source: Source) -> str:
    lines = [
        source.name,
        f"  title     {source.title}",
        f"  use       {', '.join(source.use)}",
        f"  language  {source.lang}",
        f"  licence   {source.licence}",
        f"  citation  {source.citation}",
    ]
    lines += [f"  home      {source.home}"] if source.home else []
    lines += [f"  note      {source.note}"] if source.note else []
    for location in source.locations:
        state = "verified" if location.verified else "not verified: no sha256 is known"
        lines.append(f"  from      {location.kind} {location.at} ({state}; reader {location.reader})")
        for file in location.files:
            known = (
                f"{file.bytes:,} bytes, sha256 {file.sha256}" if file.sha256 else "size and sha256 unknown"
            )
            part = " ".join(filter(None, (file.split, file.subset, file.role)))
            lines.append(f"              {address(location, file)}{f' [{part}]' if part else ''}: {known}")
    return "\n".join(lines)


def _megabytes(source: Source) -> float:
    files = {(file.path, file.bytes or 0) for file in source.locations[-1].files}
    return sum(size for _, size in files) / 1e6


def _columns() -> int:
    return Console().width if Console().is_terminal else _NO_TERMINAL


def _rendered(grid: Table, width: int) -> str:
    sink = io.StringIO()
    Console(file=sink, width=width).print(grid)
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines())
