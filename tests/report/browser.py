"""Opens a page in headless Chromium, in a frame of a given width, and says what a reader would meet.

The frame holds a copy of the page, so that its width is not bound by the least width of a window. Axe-core is
looked for in ``$AXE_CORE`` (the path of ``axe.min.js``) and where ``npm install -g axe-core`` puts it.
"""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None
)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine's path")
_PLACES = ("/usr/local/lib/node_modules", "/usr/lib/node_modules", "/usr/share/nodejs")
_ERRORS = """<script>
window.complaints = [];
addEventListener("error", (event) => complaints.push(event.message));
addEventListener("unhandledrejection", (event) => complaints.push(String(event.reason)));
for (const level of ["error", "warn"]) console[level] = (...words) => complaints.push(words.join(" "));
</script>"""
_LOOK = """
const frame = document.querySelector("iframe");
const settled = () => new Promise((done) => setTimeout(done, 100));
frame.addEventListener("load", async () => {
  const page = frame.contentDocument, root = page.documentElement, window_ = frame.contentWindow;
  if (SCHEME) root.dataset.theme = SCHEME;
  await settled();
  const measured = () => ({ height: root.scrollHeight, width: root.scrollWidth });
  const result = { closed: measured(), axe: null };
  for (const details of page.querySelectorAll("details")) details.open = true;
  await settled();
  result.open = measured();
  const boxes = [...page.querySelectorAll(".scroll")];
  const faded = (box) => window_.getComputedStyle(box).maskImage !== "none";
  result.cut = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.ariaLabel);
  result.marked = boxes.filter(faded).map((box) => box.ariaLabel);
  for (const box of boxes) box.scrollLeft = box.scrollWidth;
  window_.dispatchEvent(new Event("scroll"));  // without a screen nothing else does
  await settled();
  result.markedAtEnd = boxes.filter(faded).length;
  result.complaints = window_.complaints;
  result.canvases = page.querySelectorAll("canvas").length;
  result.requests = window_.performance.getEntriesByType("resource").map((one) => one.name);
  result.letters = Math.min(99, ...[...page.querySelectorAll("svg text")].map((text) =>
    parseFloat(window_.getComputedStyle(text).fontSize) * text.getScreenCTM().a));
  if (window_.axe) {
    const found = await window_.axe.run(page, { resultTypes: ["violations"] });
    result.axe = found.violations.map((one) => ({ id: one.id, impact: one.impact, count: one.nodes.length,
      nodes: one.nodes.slice(0, 8).map((node) => node.html.slice(0, 160) + " | "
        + (node.any[0]?.message ?? "").slice(0, 200)) }));
  }
  const out = document.createElement("pre");
  out.id = "result";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
});
"""


def axe_core() -> Path | None:
    """``axe.min.js`` of this machine; None where there is none."""
    named = os.environ.get("AXE_CORE")
    places = [Path(named)] if named else [Path(place) / "axe-core" / "axe.min.js" for place in _PLACES]
    return next((place for place in places if place.is_file()), None)


def look(page: str, width: int, folder: Path, scheme: str = "", axe: bool = True) -> dict[str, Any]:
    """What the page is like in a frame of ``width`` pixels; ``scheme`` is light, dark or the system's.

    ``closed`` and ``open``: height and width that its content takes, in pixels, before anything is opened and
    with every part open; ``complaints``: the console's errors and warnings; ``letters``: the smallest letters
    of a drawing, in pixels of the screen; ``cut`` and ``marked``: names of the boxes that hold more than
    they show, and of those whose edge says so, ``markedAtEnd``: how many say so when all are scrolled to the
    end; ``canvases``: how many are drawn on; ``requests``: the addresses
    that were asked for, in vain or not; ``axe``: violations with every part open, None without axe-core.
    """
    script = axe_core() if axe else None
    code = f"<script>{script.read_text(encoding='utf-8')}</script>" if script else ""
    framed = page.replace("<head>", f"<head>{_ERRORS}{code}", 1)
    wrapper = folder / "frame.html"
    wrapper.write_text(
        f'<!doctype html><meta charset="utf-8"><title>frame</title><body style="margin:0">'
        f"<script>const SCHEME = {json.dumps(scheme)};</script>"
        f'<iframe title="page" style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(framed)}">'
        f"</iframe><script>{_LOOK}</script></body>",
        encoding="utf-8",
    )
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=60000", "--timeout=240000",
         "--dump-dom", wrapper.as_uri()],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    found = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert found, f"Chromium left no result: {done.stderr[-2000:]}"
    result: dict[str, Any] = json.loads(html.unescape(found[1]))
    return result
