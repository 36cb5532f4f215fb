"""The pages as a site (``make docs``): README.md comes first, and links out of docs/ hold.

MkDocs calls these hooks. It knows the files below docs/ alone, so every file that a page links to is added
under ``repository/``, a folder as a page that lists its files, and the links are rewritten to where things
lie in the site.
"""

import posixpath
import re
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_ELSEWHERE = "repository"
# The target of a Markdown link, or of a picture in HTML.
_LINK = re.compile(r"""(?<=\]\()[^)\s]+(?=\))|(?<=src=")[^"]+(?=")""")


def in_site(path: str) -> str:
    """Where a file of the repository lies among the sources of the site; a folder is its list."""
    if path == "README.md":
        return "index.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if (ROOT / path).is_dir():
        return f"{_ELSEWHERE}/{path}/index.md"
    # A name without an ending, such as LICENSE, would be no file that a browser shows.
    return f"{_ELSEWHERE}/{path}" if PurePosixPath(path).suffix else f"{_ELSEWHERE}/{path}.txt"


def targets(path: str, text: str) -> dict[str, str]:
    """The links of a page to files of the repository: as written -> the file's path from the root."""
    found = {}
    for link in _LINK.findall(text):
        place = link.partition("#")[0]
        if place and ":" not in place and not place.startswith("/"):
            found[link] = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
    return found


def rewritten(path: str, text: str) -> str:
    """A page of the repository with its links as they hold in the site."""
    here = posixpath.dirname(in_site(path)) or "."

    def moved(match: re.Match[str]) -> str:
        link = match[0]
        if link not in known:
            return link
        _, sign, anchor = link.partition("#")
        return posixpath.relpath(in_site(known[link]), here) + sign + anchor

    known = targets(path, text)
    return _LINK.sub(moved, text)


def reachable() -> dict[str, str]:
    """All that README.md and docs/ lead to: path from the root -> the text of a page, "" of another file."""
    waiting = ["README.md", *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))]
    found: dict[str, str] = {}
    while waiting:
        path = waiting.pop()
        if path in found or not (ROOT / path).exists():  # MkDocs warns of a link to nothing
            continue
        found[path] = _text(path)
        waiting += targets(path, found[path]).values()
    return found


def _text(path: str) -> str:
    place = ROOT / path
    if place.is_dir():
        names = sorted(each.name for each in place.iterdir() if each.is_file())
        listed = "\n".join(f"- [{name}]({PurePosixPath(path).name}/{name})" for name in names)
        return f"# {path}\n\n{listed}\n"
    return place.read_text(encoding="utf-8") if place.suffix == ".md" else ""


def on_files(files: Any, config: Any) -> Any:
    """Add what the pages lead to beyond docs/."""
    from mkdocs.structure.files import File

    for path, text in sorted(reachable().items()):
        if path.startswith("docs/"):
            continue
        source = in_site(path)
        if source.endswith(".md"):
            files.append(File.generated(config, source, content=rewritten(path, text)))
        else:
            files.append(File.generated(config, source, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the links of a page of docs/; the others are rewritten when they are added."""
    source = page.file.src_uri
    added = source == "index.md" or source.startswith(f"{_ELSEWHERE}/")
    return markdown if added else rewritten(f"docs/{source}", markdown)
