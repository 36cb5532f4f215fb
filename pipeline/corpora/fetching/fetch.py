"""All files of several sources at once, each source from the first of its locations that has it."""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.core.errors import SynsemError
from pipeline.corpora.fetching.cache import Access, address, fetch_file
from pipeline.corpora.fetching.transports import Advance, UnavailableError
from pipeline.corpora.sources import File, Location, Source

if TYPE_CHECKING:
    from rich.progress import Progress

TRANSFERS = 4  # at once


@dataclass(frozen=True)
class Fetched:
    """A source, the location that was used, and where its files lie, in the location's order."""

    source: Source
    location: Location
    paths: tuple[Path, ...]

    def files(self) -> list[tuple[File, Path]]:
        """The files of sources.yaml with their paths."""
        return list(zip(self.location.files, self.paths, strict=True))


def fetch(sources: Sequence[Source], access: Access) -> list[Fetched]:
    """Fetch every source; the result is in the order of ``sources``.

    Locations whose bytes are known are tried before others; where one is unavailable the source's next one is
    tried. Raises SynsemError where a source has no location left, or where bytes are not the expected ones.
    """
    done: dict[str, Fetched] = {}
    refusals: dict[str, list[str]] = {source.name: [] for source in sources}
    waiting = {source.name: source for source in sources}
    places = {source.name: by_trust(source) for source in sources}
    while waiting:
        for name, source in waiting.items():
            if len(refusals[name]) == len(places[name]):
                raise _nowhere(source, refusals[name])
        tried = {name: places[name][len(refusals[name])] for name in waiting}
        for name, outcome in _round(tried, access).items():
            if isinstance(outcome, UnavailableError):
                refusals[name].append(str(outcome))
            else:
                done[name] = Fetched(waiting.pop(name), tried[name], tuple(outcome))
    return [done[source.name] for source in sources]


def by_trust(source: Source) -> list[Location]:
    """Its locations, those with a sha256 for every file first, else in their order of preference."""
    return sorted(source.locations, key=lambda location: not location.verified)


def _round(locations: dict[str, Location], access: Access) -> dict[str, list[Path] | UnavailableError]:
    """The files of one location of each source: their paths, or why one is unavailable."""
    paths: dict[tuple[str, int], Path] = {}
    failed: dict[str, UnavailableError] = {}
    with _bars() as bars, ThreadPoolExecutor(TRANSFERS) as pool:
        jobs = {
            pool.submit(
                fetch_file, location, file, access, _bar(bars, address(location, file), file.bytes)
            ): (name, position)
            for name, location in locations.items()
            for position, file in enumerate(location.files)
        }
        try:
            for job in as_completed(jobs):
                name, position = jobs[job]
                try:
                    paths[name, position] = job.result()
                except UnavailableError as refusal:
                    failed.setdefault(name, refusal)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return {
        name: failed.get(name) or [paths[name, position] for position in range(len(location.files))]
        for name, location in locations.items()
    }


def _nowhere(source: Source, refusals: list[str]) -> SynsemError:
    if len(refusals) == 1:
        return SynsemError(f"{source.name}: {refusals[0]}")
    return SynsemError(f"{source.name}: none of its {len(refusals)} locations has it: {' | '.join(refusals)}")


def _bars() -> "Progress":
    """A bar a file on a terminal, nothing in a log; thread-safe."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def _bar(bars: "Progress", name: str, total: int | None) -> Advance:
    """A function to call with the number of new bytes; the bar shows from the first call on."""
    task = bars.add_task(name.rpartition("/")[2], total=total, visible=False)
    return lambda count: bars.update(task, advance=count, visible=True)
