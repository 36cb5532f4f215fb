"""An HTTP server on the loopback that can be told to fail, for the tests of fetching."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """The files of the server, how it behaves, and which requests it got."""

    files: dict[str, bytes] = field(default_factory=dict)
    failures: dict[str, list[int]] = field(default_factory=dict)  # statuses to answer with, once each, first
    cut_after: dict[str, list[int]] = field(default_factory=dict)  # bytes after which the transfer breaks off
    requests: list[tuple[str, str | None]] = field(default_factory=list)  # (path, Range)
    address: str = ""


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            site.requests.append((self.path, asked))
            if site.failures.get(self.path):
                self.send_error(site.failures[self.path].pop(0))
                return
            if self.path not in site.files:
                self.send_error(404)
                return
            body, start = site.files[self.path], 0
            if asked:
                start = int(asked.removeprefix("bytes=").rstrip("-"))
                if start >= len(body):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(body)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            else:
                self.send_response(200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            if site.cut_after.get(self.path):
                self.wfile.write(body[start : start + site.cut_after[self.path].pop(0)])
                self.wfile.flush()
                self.connection.close()
                return
            self.wfile.write(body[start:])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
