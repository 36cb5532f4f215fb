"""Fetching from a server that breaks off, fails, sends wrong bytes and lacks files."""

import gzip
import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.core.errors import SynsemError
from pipeline.corpora import fetch as fetching
from pipeline.corpora.documents import read_documents
from pipeline.corpora.fetch import Access, UnavailableError, fetch, fetch_file
from pipeline.corpora.sources import File, Location, Source
from tests.corpora.loopback import Site, serving

BODY = b"".join(b"Sentence %d stands on a line of its own.\n" % n for n in range(30_000))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_PAUSE", 0.0)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(files={"/data/a.txt": BODY})) as up:
        yield up


def file(body: bytes = BODY, path: str = "a.txt") -> File:
    return File(path=path, sha256=hashlib.sha256(body).hexdigest())


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
    path.write_bytes(b"rot")
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY


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


def test_500_then_200(site: Site, own_cache: Path) -> None:
    site.failures["/data/a.txt"] = [500, 503]
    assert fetch_file(at(site.address), file(), Access(own_cache)).read_bytes() == BODY
    assert len(site.requests) == 3


def test_404_is_not_retried(site: Site, own_cache: Path) -> None:
    with pytest.raises(UnavailableError, match="the server answered 404 Not Found"):
        fetch_file(at(site.address), file(path="b.txt"), Access(own_cache))
    assert len(site.requests) == 1
    assert leftovers(own_cache) == []


@pytest.mark.parametrize("body", [BODY[:-1] + b"X", BODY[:-5]])
def test_wrong_bytes_are_not_kept(site: Site, own_cache: Path, body: bytes) -> None:
    site.files["/data/a.txt"] = body
    with pytest.raises(SynsemError, match="its sha256 is"):
        fetch_file(at(site.address), file(), Access(own_cache))
    assert leftovers(own_cache) == []


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
        path = fetch_file(place, file(), Access(own_cache, mirror=str(tmp_path / "mirror")))
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
    assert [path.read_bytes() for _, path in first.files] == list(bodies.values())
    assert first.location.at == f"{site.address}/data"
    assert second.files[0][1].read_bytes() == BODY
    with pytest.raises(SynsemError, match=r"mine: .* \| "):
        fetch([source(gone, gone)], Access(own_cache))


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
    assert [record.text for record in read_documents(fetched)] == ["A sentence in a wheel."]
    absent = right.model_copy(update={"path": "tinytext-2.0-py3-none-any.whl"})
    with pytest.raises(UnavailableError, match=r"tinytext==2\.0: pip could not download it \(.*No matching"):
        fetch_file(place(absent, "tinytext==2.0"), absent, Access(own_cache))
