"""How files get damaged: cut short, bytes flipped, parts repeated, removed or overwritten."""

from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from pipeline.core.errors import SynsemError

# Of every fuzz test; a test with a folder of its own (tmp_path) uses that one for all its examples.
FUZZ = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
NASTY = (
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\t", b"\t\t", b'"', b"<", b">",
    b"&", b"(", b")", b"{", b"}", b"[", b"\\", b"-1", b"99999999999999999999", b"NaN", b"\xe2\x80\xa8",
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, body: bytes) -> bytes:
    """``body`` after one to four damages."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(0, len(body) - 1)))
        stop = start + draw(st.integers(1, 12))
        match draw(st.sampled_from(("cut", "flip", "remove", "repeat", "insert", "overwrite"))):
            case "cut":
                body = body[:start]
            case "flip" if body:
                flipped = body[start] ^ (1 << draw(st.integers(0, 7)))
                body = body[:start] + bytes([flipped]) + body[start + 1 :]
            case "remove":
                body = body[:start] + body[stop:]
            case "repeat":
                body = body[:stop] + body[start:]
            case "insert":
                body = body[:start] + draw(st.sampled_from(NASTY)) + body[start:]
            case "overwrite":
                body = body[:start] + draw(st.binary(min_size=1, max_size=8)) + body[stop:]
    return body


def refusal(work: Callable[[], object]) -> str | None:
    """The message of the SynsemError that ``work`` raises, or None; no other exception is caught."""
    try:
        work()
    except SynsemError as error:
        return str(error)
    return None
