"""Fetching from a server that breaks off, fails, sends wrong bytes and lacks files."""

import gzip
import hashlib
import multiprocessing
import resource
import shutil
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Site, serving

from pipeline.core.errors import SynsemError
from pipeline.corpora.documents import records
from pipeline.corpora.fetching import cache, transports
from pipeline.corpora.fetching.cache import Access, fetch_file
from pipeline.corpora.fetching.fetch import fetch
from pipeline.corpora.fetching.transports import UnavailableError
from pipeline.corpora.sources import File, Location, Source

BODY = b"".join(b"Sentence %d stands on a line of its own.\n" % n for n in range(30_000))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transports, "FIRST_PAUSE", 0.0)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(files={"/data/a.txt": BODY})) as up:
        yield up


def file(body: bytes = BODY, path: str = "a.txt") -> File:
    return File(path=path, bytes=len(body), sha256=hashlib.sha256(body).hexdigest())


def at(address: str, *files: File) -> Location:
    return Location(
        kind="https", at=f"{address}/data", verified=True, reader="text", files=list(files or [file()])
    )


def source(*locations: Location, name: str = "mine") -> Source:
    return Source(
        name=name, title="", use=["corpus"], lang="en", licence="", citation="", locations=list(locations)
    )


def leftovers(cache: Path) -> list[str]:
    return [path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_a_file_is_fetched_once_and_shared(site: Site, own_cache: Path) -> None:
    for _ in range(2):
        path = fetch_file(at(site.address), file(), Access(own_cache))
        assert path.read_bytes() == BODY
    assert len(site.requests) == 1
    offline = Access(own_cache, offline=True)
    assert fetch_file(at(site.address), file(), offline) == path


def test_a_broken_transfer_is_resumed(site: Site, own_cache: Path) -> None:
    site.cut_after["/data/a.txt"] = [400_000, 500_000]
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY
    asked = [start for _, start in site.requests]
    assert asked[0] is None
    assert len(asked) == 3
    assert all(start and int(start[6:-1]) > 0 for start in asked[1:])


def test_a_partial_of_a_killed_run_is_resumed(site: Site, own_cache: Path) -> None:
    target = own_cache / site.address.removeprefix("http://") / "data/a.txt.partial"
    target.parent.mkdir(parents=True)
    target.write_bytes(BODY[:123_456])
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY
    assert site.requests == [("/data/a.txt", "bytes=123456-")]


def test_a_partial_of_another_version_is_thrown_away(site: Site, own_cache: Path) -> None:
    target = own_cache / site.address.removeprefix("http://") / "data/a.txt.partial"
    target.parent.mkdir(parents=True)
    target.write_bytes(b"?" * 1000)
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY
    assert [start for _, start in site.requests] == ["bytes=1000-", None]


@pytest.mark.parametrize("careless", [False, True])
@pytest.mark.parametrize("name", ["ETag", "Last-Modified", "X-None"])
def test_of_a_file_without_sha256_no_two_versions_are_mixed(
    name: str, careless: bool, site: Site, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.careless = careless
    path = File(path="a.txt")

    def broken_off_then(version: str, body: bytes) -> bytes:
        shutil.rmtree(own_cache, ignore_errors=True)
        site.headers[name] = "1"
        site.files["/data/a.txt"] = BODY
        site.cut_after["/data/a.txt"] = [400_000]
        with monkeypatch.context() as patch, pytest.raises(UnavailableError):
            patch.setattr(transports, "ATTEMPTS", 1)
            fetch_file(at(site.address), path, Access(own_cache))
        site.headers[name] = version
        site.files["/data/a.txt"] = body
        got = fetch_file(at(site.address), path, Access(own_cache)).read_bytes()
        assert leftovers(own_cache) == ["a.txt"]
        return got

    assert broken_off_then("2", BODY.upper()) == BODY.upper()
    assert broken_off_then("1", BODY) == BODY
    # Where the server tells no version, the file is begun anew.
    assert (site.requests[-1][1] is None) == (name == "X-None")


def test_of_a_part_a_server_may_tell_less_than_of_the_whole(
    site: Site, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tag of the whole alone: that the part has none is no sign of a change."""
    site.careless = True
    path = File(path="a.txt")
    site.headers |= {"ETag": '"1"', "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}
    site.cut_after["/data/a.txt"] = [400_000]
    with monkeypatch.context() as patch, pytest.raises(UnavailableError):
        patch.setattr(transports, "ATTEMPTS", 1)
        fetch_file(at(site.address), path, Access(own_cache))
    del site.headers["ETag"]
    assert fetch_file(at(site.address), path, Access(own_cache)).read_bytes() == BODY
    assert site.requests[-1][1] is not None


def test_a_server_without_ranges_starts_afresh(site: Site, own_cache: Path) -> None:
    site.ranges = False
    site.cut_after["/data/a.txt"] = [400_000]
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY


@pytest.mark.parametrize("ranges", [True, False])
def test_every_byte_is_counted_once(ranges: bool, site: Site, own_cache: Path) -> None:
    """Whether a transfer goes on where it broke off or begins again: the bar shows no more than there is."""
    site.ranges = ranges
    site.cut_after["/data/a.txt"] = [400_000, 500_000]
    counted: list[int] = []
    fetch_file(at(site.address), file(), Access(own_cache), counted.append)
    assert sum(counted) == len(BODY)
    assert min(counted) > 0


def test_500_then_200(site: Site, own_cache: Path) -> None:
    site.failures["/data/a.txt"] = [500, 503]
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY
    assert len(site.requests) == 3


def test_a_lasting_500_is_one_line(site: Site, own_cache: Path) -> None:
    site.failures["/data/a.txt"] = [500] * 99
    with pytest.raises(SynsemError, match=r"/data/a\.txt: the server answered 500, 5 times; try again later"):
        fetch_file(at(site.address), file(), Access(own_cache))
    assert len(site.requests) == transports.ATTEMPTS


def test_404_is_not_retried(site: Site, own_cache: Path) -> None:
    with pytest.raises(UnavailableError, match="the server answered 404 Not Found"):
        fetch_file(at(site.address), file(path="b.txt"), Access(own_cache))
    assert len(site.requests) == 1
    assert leftovers(own_cache) == []


@pytest.mark.parametrize(
    ("body", "message"), [(BODY[:-1] + b"X", "its sha256 is"), (BODY[:-5], "has 1,308,885 bytes, not the")]
)
def test_wrong_bytes_are_not_kept(site: Site, own_cache: Path, body: bytes, message: str) -> None:
    site.files["/data/a.txt"] = body
    with pytest.raises(SynsemError, match=message):
        fetch_file(at(site.address), file(), Access(own_cache))
    assert leftovers(own_cache) == []


def test_a_damaged_file_of_the_cache_is_fetched_again(site: Site, own_cache: Path) -> None:
    path = fetch_file(at(site.address), file(), Access(own_cache))
    path.write_bytes(b"rot")
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY


def test_no_server_at_all(own_cache: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot be reached"):
        fetch_file(at("http://127.0.0.1:9"), file(), Access(own_cache))


def test_offline_says_so(site: Site, own_cache: Path) -> None:
    with pytest.raises(UnavailableError, match=r"download\.offline is true"):
        fetch_file(at(site.address), file(), Access(own_cache, offline=True))
    assert site.requests == []


def test_a_body_without_end_is_cut_off_at_the_known_size(site: Site, own_cache: Path) -> None:
    site.endless = 1600  # 100 MB
    with pytest.raises(SynsemError, match=r"more than the 1,308,890 bytes that sources\.yaml expects"):
        fetch_file(at(site.address), file(), Access(own_cache))
    assert len(site.requests) == 1
    assert site.sent < 16 * 2**20  # what the sockets hold of it
    assert leftovers(own_cache) == []


def test_a_body_without_end_of_unknown_size_is_cut_off_too(
    site: Site, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transports, "LARGEST", 2**20)
    site.endless = 1600
    with pytest.raises(SynsemError, match="more than 1,048,576 bytes; no source has a file so large"):
        fetch_file(at(site.address), File(path="a.txt"), Access(own_cache))
    assert site.sent < 16 * 2**20
    assert leftovers(own_cache) == []


@pytest.mark.parametrize("web", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_a_mirrors_bomb_is_not_unpacked(
    web: bool, known: bool, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = gzip.compress(bytes(64 * 2**20))
    monkeypatch.setattr(cache, "UNPACKED_FLOOR", 2**20)
    largest = []
    unlink = Path.unlink

    def measured(path: Path, missing_ok: bool = False) -> None:
        if path.exists():
            largest.append(path.stat().st_size)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", measured)
    wanted = file() if known else File(path="a.txt")
    message = "more than the 1,308,890 bytes" if known else "more than 200 times its size; do not trust"
    name = "example.org/data/a.txt.gz"
    (tmp_path / "mirror" / name).parent.mkdir(parents=True)
    (tmp_path / "mirror" / name).write_bytes(bomb)
    with serving(Site(files={f"/{name}": bomb})) as up, pytest.raises(SynsemError, match=message):
        mirror = up.address if web else str(tmp_path / "mirror")
        fetch_file(at("https://example.org"), wanted, Access(own_cache, mirror=mirror))
    assert leftovers(own_cache) == []
    assert max(largest) == (len(BODY) + 1 if known else 200 * len(bomb) + 1)


@pytest.mark.parametrize("known", [False, True])
def test_only_a_file_whose_bytes_are_known_may_come_from_another_host(
    known: bool, site: Site, own_cache: Path
) -> None:
    elsewhere = site.address.replace("127.0.0.1", "localhost")
    site.redirects["/data/moved.txt"] = f"{elsewhere}/data/a.txt"
    site.redirects["/data/renamed.txt"] = "/data/a.txt"
    if known:
        path = fetch_file(at(site.address), file(path="moved.txt"), Access(own_cache))
        assert path.read_bytes() == BODY
        return
    path = fetch_file(at(site.address), File(path="renamed.txt"), Access(own_cache))
    assert path.read_bytes() == BODY
    with pytest.raises(UnavailableError, match=r"moved\.txt: redirects to localhost:\d+"):
        fetch_file(at(site.address), File(path="moved.txt"), Access(own_cache))
    assert leftovers(own_cache) == [path.name]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("web", [False, True])
def test_a_mirror_as_folder_or_site(tmp_path: Path, own_cache: Path, packed: bool, web: bool) -> None:
    name = "example.org/data/a.txt" + ".gz" * packed
    body = gzip.compress(BODY) if packed else BODY
    place = at("https://example.org")
    if web:
        with serving(Site(files={f"/{name}": body})) as up:
            path = fetch_file(place, file(), Access(own_cache, mirror=up.address))
    else:
        (tmp_path / "mirror" / name).parent.mkdir(parents=True)
        (tmp_path / "mirror" / name).write_bytes(body)
        path = fetch_file(place, file(), Access(own_cache, mirror=str(tmp_path / "mirror"), offline=True))
    assert path.read_bytes() == BODY


def test_a_changed_mirror_is_refused(tmp_path: Path, own_cache: Path) -> None:
    held = tmp_path / "mirror/example.org/data/a.txt"
    held.parent.mkdir(parents=True)
    held.write_bytes(BODY[:-1] + b"X")
    with pytest.raises(SynsemError, match="its sha256 is"):
        fetch_file(at("https://example.org"), file(), Access(own_cache, mirror=str(tmp_path / "mirror")))
    held.unlink()
    held.with_name("a.txt.gz").write_bytes(gzip.compress(BODY)[:-100])
    with pytest.raises(SynsemError, match="damaged or cut short"):
        fetch_file(at("https://example.org"), file(), Access(own_cache, mirror=str(tmp_path / "mirror")))
    assert leftovers(own_cache) == []


def test_many_at_once_and_the_next_location(site: Site, own_cache: Path) -> None:
    bodies = {f"{n}.txt": b"text %d\n" % n * 1000 for n in range(20)}
    site.files |= {f"/data/{name}": body for name, body in bodies.items()}
    files = [file(body, name) for name, body in bodies.items()]
    gone = at(f"{site.address}/gone")
    first, second = fetch(
        [source(gone, at(site.address, *files), name="many"), source(at(site.address), name="one")],
        Access(own_cache),
    )
    assert [path.read_bytes() for path in first.paths] == list(bodies.values())
    assert first.location.at == f"{site.address}/data"
    assert second.paths[0].read_bytes() == BODY
    with pytest.raises(SynsemError, match="mine: none of its 2 locations has it"):
        fetch([source(gone, gone)], Access(own_cache))
    # While another source has a location left.
    with pytest.raises(SynsemError, match=r"few: .*/gone/"):
        fetch(
            [source(gone, name="few"), source(gone, at(site.address, *files), name="more")], Access(own_cache)
        )


def _fetch_with_little_room(
    address: str, cache: Path, limit: int, answer: "multiprocessing.Queue[str]"
) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        fetch_file(at(address), file(), Access(cache))
        answer.put("fetched")
    except SynsemError as error:
        answer.put(str(error))


def test_a_full_disk_is_one_line(site: Site, own_cache: Path) -> None:
    context = multiprocessing.get_context("fork")
    answer: multiprocessing.Queue[str] = context.Queue()
    process = context.Process(target=_fetch_with_little_room, args=(site.address, own_cache, 500_000, answer))
    process.start()
    message = answer.get(timeout=30)
    process.join()
    assert "could not be written (File too large); free space or set download.cache" in message
    assert not [name for name in leftovers(own_cache) if not name.endswith(".partial")]
    # With space again, the transfer goes on where it stopped.
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY
    assert site.requests[-1][1] is not None


WHEEL = {
    "tinytext/data.txt": "A sentence in a wheel.\n",
    "tinytext/__init__.py": "raise SystemExit('a wheel of data is never run')\n",
    "tinytext-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tinytext\nVersion: 1.0\n",
    "tinytext-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tinytext-1.0.dist-info/RECORD": "",
}


def test_a_wheel_is_verified(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "tinytext-1.0-py3-none-any.whl"
    (tmp_path / "index").mkdir()
    with zipfile.ZipFile(tmp_path / "index" / name, "w") as archive:
        for member, text in WHEEL.items():
            archive.writestr(member, text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    right = file((tmp_path / "index" / name).read_bytes(), name).model_copy(update={"member": "*/data.txt"})

    def place(wheel: File, requirement: str = "tinytext==1.0") -> Location:
        return Location(kind="wheel", at=requirement, verified=True, reader="text", files=[wheel])

    wrong = right.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(SynsemError, match=r"tinytext-1\.0-py3-none-any\.whl: its sha256 is"):
        fetch_file(place(wrong), wrong, Access(own_cache))
    assert leftovers(own_cache) == []
    (fetched,) = fetch([source(place(right))], Access(own_cache))
    assert [record.text for record in records(fetched)] == ["A sentence in a wheel."]
    absent = right.model_copy(update={"path": "tinytext-2.0-py3-none-any.whl"})
    with pytest.raises(UnavailableError, match=r"tinytext==2\.0: pip could not download it \(.*No matching"):
        fetch_file(place(absent, "tinytext==2.0"), absent, Access(own_cache))


def test_a_file_of_the_hub(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = "161ece9501cf0a11f3e48bd356eaa82de46d6a09"
    place = Location(
        kind="hf", at=f"owner/name@{revision}", verified=True, reader="text", files=[file(path="data/a.txt")]
    )
    headers = {"ETag": '"0123"', "X-Repo-Commit": revision}
    with serving(
        Site(files={f"/datasets/owner/name/resolve/{revision}/data/a.txt": BODY}, headers=headers)
    ) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        path = fetch_file(place, place.files[0], Access(own_cache))
        assert path == own_cache / f"hf/owner/name@{revision}/data/a.txt"
        assert path.read_bytes() == BODY
        assert leftovers(own_cache) == ["a.txt"]
        with pytest.raises(UnavailableError, match=r"owner/name@.*: the hub did not give b\.txt"):
            fetch_file(place, file(path="b.txt"), Access(own_cache))
