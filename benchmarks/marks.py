"""A page's measured part, between two marks, which a program replaces."""

from pathlib import Path

from pipeline.core.errors import SynsemError

BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def write_between(page: Path, text: str) -> None:
    """Put the text between the marks of a page; SynsemError where the page lacks one of them."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SynsemError(f"{page}: lacks the line {(END if begin else BEGIN).strip()}; add it")
    page.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{after}", encoding="utf-8")
