"""The server: for this machine, from its own page, one small decision at a time."""

import http.client
import json
import os
import re
import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from report_audits import numeric_audit

from marginboost.reports import audit_payload, serve_audit
from marginboost.reports import server as server_module
from marginboost.reports.server import MOST_BYTES


@pytest.fixture(scope="module")
def payload():
    return audit_payload(numeric_audit(), row_numbers=range(1, 241))


@pytest.fixture(scope="module")
def running(payload):
    saved = []
    server = serve_audit(payload, saved.append, kept_in="my decisions")
    server.saved = saved
    yield server
    server.stop()


@pytest.fixture
def server(running):
    running.saved.clear()
    running.decisions = {}
    return running


def ask(server, method="GET", path=None, body=None, **headers):
    """Status, headers and body of an answer; the request is what our page would send."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
    default = f"/{server.secret}/" if method == "GET" else f"/{server.secret}/decisions"
    names = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    connection.putrequest(method, path or default, skip_host="Host" in names or "Host" in headers)
    if body is not None and "Content-Length" not in names:
        names["Content-Length"] = str(len(body))
    for name, value in names.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


def decision(row=1, word="wrong"):
    return json.dumps({"row": row, "decision": word}).encode()


def test_bound_to_this_machine(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert server.url.startswith(f"http://127.0.0.1:{server.server_address[1]}/")
    assert len(server.secret) >= 20


def test_page(server):
    status, headers, page = ask(server)
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Server"] == "marginboost"
    assert f'"save":"/{server.secret}/decisions","kept_in":"my decisions"'.encode() in page
    assert not [name for name in headers if name.startswith("Access-Control")]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost"},
        {"Host": None},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_hosts_and_origins_are_refused(server, method, headers):
    body = decision() if method == "POST" else None
    status, _, text = ask(server, method, body=body, **headers)
    assert (status, text) == (403, b"")
    assert server.decisions == {}
    assert server.saved == []


def test_our_own_origin_is_welcome(server):
    status, _, _ = ask(
        server,
        "POST",
        body=decision(),
        Origin=f"http://{server.host}",
        Sec_Fetch_Site="same-origin",
    )
    assert status == 204
    assert server.saved == [{1: "wrong"}]


@pytest.mark.parametrize("secret", ["", "wrong", "%ff", "../" * 5, "é" * 22])
def test_wrong_secret(server, secret):
    path = f"/{secret}/".encode().decode("latin-1")
    raw = socket.create_connection(server.server_address, timeout=20)
    raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode("latin-1"))
    assert b" 404 " in raw.recv(1000).split(b"\r\n")[0]
    raw.close()
    status, _, _ = ask(server, "POST", f"/{'x' * 22}/decisions", body=decision())
    assert status == 404
    assert ask(server, path=f"/{server.secret}")[0] == 404
    assert ask(server, path=f"/{server.secret}/decisions")[0] == 404


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"not json",
        b"[]",
        b"3",
        b"{}",
        b"[" * 900,
        b'{"row": 1}',
        b'{"row": 1, "decision": "wrong", "more": 1}',
        b'{"row": "1", "decision": "wrong"}',
        b'{"row": 1.0, "decision": "wrong"}',
        b'{"row": true, "decision": "wrong"}',
        b'{"row": 0, "decision": "wrong"}',
        b'{"row": 1e99, "decision": "wrong"}',
        b'{"row": 1, "decision": "=cmd"}',
        b'{"row": 1, "decision": 5}',
        b'{"row": 1, "decision": ["wrong"]}',
        b'{"row": 1, "decision": {}}',
        decision() + b" " * MOST_BYTES,
    ],
)
def test_bodies_that_are_no_decision(server, body):
    assert ask(server, "POST", body=body)[0] == 400
    assert server.decisions == {}


def test_a_large_body_gets_its_answer(server):
    assert ask(server, "POST", body=b"x" * 1_000_000)[0] == 400


@pytest.mark.parametrize("length", ["-1", "1e3", "9" * 30, "²", "", None])
def test_lengths_that_are_none(server, length):
    status, _, _ = ask(server, "POST", body=decision(), Content_Length=length or "x")
    assert status == 400
    assert server.decisions == {}


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"])
def test_other_methods(server, method):
    assert ask(server, method, body=decision())[0] == 501


def test_decisions_are_kept_changed_and_taken_back(server):
    for row, word in ((3, "wrong"), (5, "right"), (3, "right"), (5, None)):
        assert ask(server, "POST", body=decision(row, word))[0] == 204
    assert server.saved == [
        {3: "wrong"},
        {3: "wrong", 5: "right"},
        {3: "right", 5: "right"},
        {3: "right"},
    ]
    assert b'"decisions":{"3":"right"}' in ask(server)[2]


def test_what_cannot_be_saved_is_not_kept(payload):
    def save(decisions):
        raise OSError("disk full")

    server = serve_audit(payload, save, decisions={2: "right"})
    status, _, text = ask(server, "POST", body=decision())
    assert (status, text) == (500, b"disk full")
    assert server.decisions == {2: "right"}
    server.stop()


def test_many_at_once(server):
    def send(row):
        assert ask(server, "POST", body=decision(row))[0] == 204

    threads = [threading.Thread(target=send, args=(row,)) for row in range(1, 41)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.decisions == dict.fromkeys(range(1, 41), "wrong")
    assert [len(saved) for saved in server.saved] == list(range(1, 41))


def test_a_browser_that_goes_away_is_no_news(server, capfd):
    half = socket.create_connection(server.server_address)
    half.sendall(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
    half.close()
    assert ask(server)[0] == 200
    assert capfd.readouterr() == ("", "")


# -- the way to the page ---------------------------------------------------------------------------


def path_of(address, server):
    assert address.startswith(f"http://{server.host}/open/")
    return address.removeprefix(f"http://{server.host}")


def test_a_ticket_leads_to_the_page_once(server):
    path = path_of(server.ticket(), server)
    assert server.secret not in path
    status, headers, page = ask(server, path=path, Sec_Fetch_Site="cross-site")
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert f'content="0; url=/{server.secret}/"'.encode() in page
    status, _, text = ask(server, path=path)
    assert (status, text) == (404, b"")


def test_tickets_differ_and_are_for_this_host_only(server):
    first, second = (path_of(server.ticket(), server) for _ in range(2))
    assert first != second
    assert ask(server, path=first, Host="evil.example")[0] == 403
    assert ask(server, path="/open/")[0] == ask(server, path=first + "x")[0] == 404
    assert ask(server, "POST", first, body=decision())[0] == 404
    assert ask(server, path=second)[0] == ask(server, path=first)[0] == 200


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_the_command_line_of_the_browser_tells_nobody_anything(payload, monkeypatch):
    opened = []
    monkeypatch.setattr(server_module.webbrowser, "open", lambda url: not opened.append(url))
    server = serve_audit(payload)
    try:
        assert server.open_in_browser()
        (url,) = opened
        assert url.startswith("file:")
        assert server.secret not in url
        file = Path(url2pathname(urlsplit(url).path))
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700
        text = file.read_text()
        assert server.secret not in text
        (address,) = set(re.findall(r"http://[^\s\"]*", text))
        assert ask(server, path=path_of(address, server))[0] == 200
        assert ask(server, path=path_of(address, server))[0] == 404
    finally:
        server.stop()
    assert not file.parent.exists()


def test_decisions_of_others_are_shown(payload):
    server = serve_audit(payload, lambda decisions: {**decisions, 7: "right"})
    try:
        assert ask(server, "POST", body=decision(1, "wrong"))[0] == 204
        assert server.decisions == {1: "wrong", 7: "right"}
    finally:
        server.stop()
