"""A page's measured part, between two marks, which a program replaces."""

from pathlib import Path

BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def write_between(page: Path, text: str) -> None:
    """Put the text between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n\n{END}{after}", encoding="utf-8")
