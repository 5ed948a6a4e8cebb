"""The same page on this machine only, where decisions are kept.

Bound to the loopback address. A request must name this very host and port, carry the secret of this
run in its address, and, if a page made it, come from our own page: no other site that is open in
the browser can read the data or change a decision. The command line of a browser can be read by
everybody on the machine, so the secret is not on it: the browser opens a file that only its user
can read, which leads to a ticket that is good for once, which leads to the page.
"""

from __future__ import annotations

import json
import secrets
import shutil
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from .page import audit_page

MOST_BYTES = 1_000
"""Largest body of a request: one decision."""
PATIENCE = 20.0
"""Seconds that a silent connection is kept open."""
WORDS = ("wrong", "right")
HTML = "text/html; charset=utf-8"

Save = Callable[[dict[int, str]], dict[int, str] | None]


class AuditServer(ThreadingHTTPServer):
    """Serves the page of one audit.

    Parameters
    ----------
    payload : dict
        What the page shows.
    save : callable, optional
        Called with all decisions, row number to "wrong" or "right", after each change. It may
        return the decisions that are kept now, if others make some too. What it raises is shown on
        the page, and the change is taken back.
    port : int
        Port; 0 takes a free one.
    decisions : dict, optional
        Decisions made before.
    kept_in : str
        Where decisions are kept, in words.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        payload: dict[str, Any],
        save: Save | None = None,
        port: int = 0,
        *,
        decisions: dict[int, str] | None = None,
        kept_in: str = "memory",
    ) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.secret = secrets.token_urlsafe(16)
        self.decisions = dict(decisions or {})
        self.rows = {suspect["row"] for suspect in payload["suspects"]}
        self._payload = {**payload, "save": f"/{self.secret}/decisions", "kept_in": kept_in}
        self._save, self._lock = save, threading.Lock()
        self._tickets: set[str] = set()
        self._folders: list[Path] = []

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{self.host}/{self.secret}/"

    def ticket(self) -> str:
        """Address that leads to the page, once."""
        ticket = f"/open/{secrets.token_urlsafe(16)}"
        with self._lock:
            self._tickets.add(ticket)
        return f"http://{self.host}{ticket}"

    def redeem(self, path: str) -> bool:
        """Whether the path of a request is that of a ticket; it is none afterwards."""
        with self._lock:
            if path not in self._tickets:
                return False
            self._tickets.remove(path)
            return True

    def open_in_browser(self) -> bool:
        """Open the page; nobody else can see its address meanwhile."""
        folder = Path(tempfile.mkdtemp(prefix="marginboost-"))  # for this user only
        self._folders.append(folder)
        file = folder / "open.html"
        file.touch(mode=0o600)
        file.write_bytes(_leads_to(self.ticket()))
        return webbrowser.open(file.as_uri())

    def page(self) -> bytes:
        """The page with the decisions so far."""
        with self._lock:
            return audit_page({**self._payload, "decisions": self.decisions}).encode()

    def decide(self, row: int, decision: str | None) -> None:
        """Keep a decision, or take one back."""
        with self._lock:
            changed = {**self.decisions, row: decision}
            kept = {row: word for row, word in changed.items() if word is not None}
            merged = None if self._save is None else self._save(dict(kept))
            self.decisions = kept if merged is None else merged

    def start(self) -> None:
        """Answer requests in the background."""
        threading.Thread(target=self.serve_forever, name="marginboost-page", daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong, unless the browser merely went away."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """Answer no more."""
        self.shutdown()
        self.server_close()
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)


class _Handler(BaseHTTPRequestHandler):
    server: AuditServer
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Send the page, or the way to it."""
        if self.headers.get("Host") == self.server.host and self.server.redeem(self.path):
            # A browser that comes from a file says that it comes from another site. The next step
            # has to be one of our own pages, not a redirect, which would still count as the file's.
            self._send(HTTPStatus.OK, _leads_to(f"/{self.server.secret}/"), HTML)
            return
        if self._refused("/"):
            return
        self._send(HTTPStatus.OK, self.server.page(), HTML)

    def do_POST(self) -> None:
        """Take a decision."""
        body = self._body()
        if self._refused("/decisions"):
            return
        decision = _decision(body, self.server.rows)
        if decision is None:
            self._send(HTTPStatus.BAD_REQUEST, b"not a decision on a row that is listed")
            return
        try:
            self.server.decide(*decision)
        except Exception as error:  # whatever it is, the page must not believe that it was saved
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, str(error).encode("utf-8", "replace"))
            return
        self._send(HTTPStatus.NO_CONTENT)

    def _body(self) -> bytes:
        """Body of a request that says its length, and says that it is small; else nothing."""
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit()) or len(size) > 9 or int(size) > MOST_BYTES:
            return b""
        return self.rfile.read(int(size))

    def _refused(self, path: str) -> bool:
        """Whether the request is not for us or not from us; answers it then."""
        origin = self.headers.get("Origin")
        ours = origin is None or origin == f"http://{self.server.host}"
        site = self.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        if self.headers.get("Host") != self.server.host or not (ours and site):
            self._send(HTTPStatus.FORBIDDEN)
            return True
        expected = f"/{self.server.secret}{path}"
        if not secrets.compare_digest(self.path.encode(), expected.encode()):
            self._send(HTTPStatus.NOT_FOUND)
            return True
        return False

    def _send(self, status: HTTPStatus, body: bytes = b"", kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        self.wfile.write(body)

    def finish(self) -> None:
        """Read what is left of a refused request: closing on it could lose our answer."""
        super().finish()
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1.0)
            for _ in range(100):
                if not self.connection.recv(1 << 16):
                    break

    def version_string(self) -> str:
        """Name of the server; no versions."""
        return "marginboost"

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""


def _leads_to(address: str) -> bytes:
    """Page that goes to another at once."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Label audit</title>'
        '<meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={address}"></head>'
        f'<body><a href="{address}">Label audit</a></body></html>'
    ).encode()


def _decision(body: bytes, rows: set[int]) -> tuple[int, str | None] | None:
    """Row and decision of a request; None if it is anything else."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or set(found) != {"row", "decision"}:
        return None
    row, word = found["row"], found["decision"]
    if type(row) is not int or row not in rows:
        return None
    if not (word is None or (isinstance(word, str) and word in WORDS)):
        return None
    return row, word


def serve_audit(
    payload: dict[str, Any], save: Save | None = None, port: int = 0, **settings: Any
) -> AuditServer:
    """Start serving in the background; ``stop()`` ends it."""
    server = AuditServer(payload, save, port, **settings)
    server.start()
    return server
