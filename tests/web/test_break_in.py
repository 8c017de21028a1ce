"""Attempts to break into the real server of a campaign, with requests as no browser sends them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.served_campaign import Served, make_campaign, read_reply


class Scene(NamedTuple):
    """A server and the tokens of its assessors."""

    server: Served
    tokens: dict[str, str]

    def event(self, **change: object) -> dict[str, object]:
        """An event that would be stored."""
        return {"id": "e", "topic": "1", "document": "A", "base": 0, "kind": "note", "note": "x", **change}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One server for all attempts."""
    folder = make_campaign(tmp_path_factory.mktemp("scene"))
    with Served(folder) as server:
        yield Scene(server, server.add("ann", "bob"))


def test_the_door_is_open_to_who_has_a_token(scene: Scene) -> None:
    """A valid token gives access, or the other tests would prove nothing."""
    assert scene.server.ask("/api/pool", scene.tokens["ann"]).json["assessor"] == "ann"
    assert scene.server.ask("/api/status", scene.server.organiser).status == 200


@pytest.mark.parametrize(
    "target",
    [
        *(
            "/api/pool",
            "/%61pi/pool",
            "//api/pool",
            "/api//pool",
            "/api/./pool",
            "/x/../api/pool",
            "/api/pool/",
        ),
        *("/%2e%2e/api/pool", "/api/pool%00", "/api%2fpool", "/API/POOL", "/api/pool?token=x", "/api/pool#x"),
        *("http://127.0.0.1/api/pool", "http://evil.test/api/pool", "/api/status", "/api/export", "*"),
        *("/campaign.toml", "/../campaign.toml", "/..%2fjudgments.sqlite", "/journal.jsonl", "/.%2e/x"),
    ],
)
def test_no_address_leads_past_the_token(scene: Scene, target: str) -> None:
    """No spelling of an address avoids the token."""
    reply = scene.server.ask(target)
    assert reply.status in {400, 401, 404}
    assert b"assessor" not in reply.body.replace(b"assessor's", b"")
    assert "location:" not in reply.head.lower()


@pytest.mark.parametrize(
    "head",
    [
        "GET /api/pool HTTP/1.1\r\n",  # no Host
        "GET /api/pool HTTP/1.1\r\nHost: evil.test\r\n",
        "GET /api/pool HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.test\r\n",
        "GET /api/pool HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: 127.0.0.1\r\n",
        "GET /api/pool HTTP/1.1\r\nHost: evil.test\r\nForwarded: host=127.0.0.1\r\n",
        "GET http://127.0.0.1/api/pool HTTP/1.1\r\nHost: evil.test\r\n",
        "GET /api/pool HTTP/1.1\r\n Host: 127.0.0.1\r\n",
        "GET  /api/pool HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
        "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n",
        "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked, odd\r\n",
        "GET /api/pool HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\x00b\r\n",
    ],
)
def test_requests_that_two_readers_would_read_differently(scene: Scene, head: str) -> None:
    """Refused with the right token, too."""
    token = scene.tokens["ann"]
    reply = scene.server.send(f"{head}Authorization: Bearer {token}\r\n\r\n".encode("latin-1"))
    assert reply.status in {0, 400, 405, 413, 501, 505}


def test_a_request_inside_another_is_not_answered(scene: Scene) -> None:
    """With both kinds of length the longer reading would hide a second request (smuggling)."""
    inner = f"GET /api/pool HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {scene.tokens['ann']}\r\n\r\n"
    outer = "POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n"
    outer += "\r\n0\r\n\r\n"
    with scene.server.connect() as connection:
        connection.sendall((outer + inner).encode())
        reply = read_reply(connection)
    assert reply.status in {400, 403}
    assert b"topics" not in reply.body


@pytest.mark.parametrize("size", [2_000_000, 100_000_000])
def test_large_bodies_are_refused_and_the_sender_is_told(scene: Scene, size: int) -> None:
    """Also who sends all of it before looking for an answer."""
    head = f"POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {scene.tokens['ann']}\r\n"
    block = b"x" * 1_000_000
    with scene.server.connect() as connection:
        connection.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode())
        for _ in range(size // len(block)):
            connection.sendall(block)
        reply = read_reply(connection)
    assert (reply.status, "at most 1000000 bytes" in reply.json["error"]) == (413, True)


def test_bodies_that_do_not_say_how_long_they_are(scene: Scene) -> None:
    """Bodies without a length are counted while they are read."""
    head = f"POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {scene.tokens['ann']}\r\n"
    chunk = b"186a0\r\n" + b" " * 100_000 + b"\r\n"
    with scene.server.connect() as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(20):
            connection.sendall(chunk)
        connection.sendall(b"0\r\n\r\n")
        reply = read_reply(connection)
    assert reply.status == 413


def test_who_sends_slowly_keeps_nobody_waiting(scene: Scene) -> None:
    """Hundreds of slow requests do not block others."""
    head = f"POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {scene.tokens['ann']}\r\n"
    slow: list[socket.socket] = []
    try:
        for number in range(200):
            connection = scene.server.connect()
            connection.sendall(
                head.encode() + (b"Content-Length: 900\r\n\r\n{" if number % 2 else b"X-Long: ")
            )
            slow.append(connection)
        assert scene.server.ask("/api/pool", scene.tokens["bob"]).status == 200
        event = scene.event(id="meanwhile", document="C")
        assert scene.server.ask("/api/events", scene.tokens["bob"], event).status == 200
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://localhost"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Cookie": "a=b"},
    ],
)
def test_another_site_cannot_judge(scene: Scene, headers: dict[str, str]) -> None:
    """A page of another site is rejected even with a token."""
    assert scene.server.ask("/api/events", scene.tokens["ann"], scene.event(), **headers).status == 403


def test_a_socket_is_not_opened(scene: Scene) -> None:
    """Websockets are not accepted."""
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    reply = scene.server.ask("/api/pool", "", None, **upgrade, Sec_WebSocket_Key="x" * 22 + "==")
    assert reply.status == 401


@pytest.mark.parametrize(
    "change",
    [
        {"assessor": "bob"},
        {"base": "0"},
        {"base": True},
        {"base": -1},
        {"base": 1 << 80},
        {"base": 0.5},
        {"base": None},
        {"id": ""},
        {"id": 7},
        {"id": "x" * 101},
        {"id": ["x"]},
        {"topic": "9"},
        {"topic": {"a": 1}},
        {"topic": None},
        {"document": "../A"},
        {"document": ["A"]},
        {"document": "\x00"},
        {"document": "\ud800"},
        {"kind": "drop"},
        {"kind": None},
        {"kind": ["note"]},
        {"note": "x" * 10_001},
        {"note": 5},
        {"note": "\ud800"},
        {"kind": "highlight"},
        {"kind": "highlight", "start": 0, "end": 5},
        {"kind": "highlight", "start": 0, "end": 5, "quote": "Alphb"},
        {"kind": "highlight", "start": 0, "end": 0, "quote": ""},
        {"kind": "highlight", "start": -1, "end": 5, "quote": "Alpha"},
        {"kind": "highlight", "start": 0, "end": 1 << 70, "quote": "Alpha"},
        {"kind": "highlight", "start": "0", "end": 5, "quote": "Alpha"},
        {"kind": "highlight", "start": 0.0, "end": 5, "quote": "Alpha"},
        {"kind": "highlight", "start": False, "end": 5, "quote": "Alpha"},
        {"kind": "highlight", "start": 0, "end": 5, "quote": {"a": "Alpha"}},
        {"kind": "highlight", "start": 0, "end": 5, "quote": "Alpha", "suggestion": 99},
        {"kind": "grade", "path": "/a", "grade": 2},
        {"kind": "label", "start": 0, "end": 5, "quote": "Alpha", "label": "x"},
        {"kind": "bep", "start": 10**9},
        {"kind": "bep"},
        {"kind": "undo"},
        {"kind": "reject", "suggestion": 1},
    ],
)
def test_events_that_are_none_change_nothing(scene: Scene, change: dict[str, object]) -> None:
    """Invalid events get a status of 400 to 499, and the version stays."""
    reply = scene.server.ask("/api/events", scene.tokens["ann"], scene.event(**change))
    assert 400 <= reply.status < 500
    assert isinstance(reply.json["error"], str)
    assert "\n" not in reply.json["error"]
    found = scene.server.ask("/api/document?topic=1&document=A", scene.tokens["ann"]).json
    assert found["state"]["version"] == 0


@pytest.mark.parametrize("seconds", [-1, 1e308, "5", None, True, [1], 10**30])
def test_work_that_is_none(scene: Scene, seconds: object) -> None:
    """Invalid working times are rejected."""
    work = {"topic": "1", "document": "A", "seconds": seconds}
    assert scene.server.ask("/api/work", scene.tokens["ann"], work).status == 422


def test_assessors_do_not_see_each_other(scene: Scene) -> None:
    """No answer to ann contains a highlight of bob."""
    mark = "only-bob-knows-this"
    event = scene.event(id="of-bob", document="B", note=mark)
    assert scene.server.ask("/api/events", scene.tokens["bob"], event).status == 200
    for target in (
        "/api/pool",
        "/api/document?topic=1&document=B",
        "/api/document?topic=1&document=B&show=runs",
    ):
        reply = scene.server.ask(target, scene.tokens["ann"])
        assert reply.status == 200
        assert mark.encode() not in reply.body
        assert b"bob" not in reply.body
    stolen = scene.server.ask("/api/events", scene.tokens["ann"], event)
    assert stolen.status in {409, 422}
    assert mark.encode() not in stolen.body


def test_who_is_removed_is_out_while_it_serves(scene: Scene) -> None:
    """A removal by another process rejects the next request."""
    from support.served_campaign import excerpt

    token = scene.server.add("carol")["carol"]
    assert scene.server.ask("/api/pool", token).status == 200
    assert excerpt("assess", "people", scene.server.folder, "remove", "carol").returncode == 0
    assert scene.server.ask("/api/pool", token).status == 401
    again = scene.server.add("carol")["carol"]
    assert scene.server.ask("/api/pool", token).status == 401
    assert scene.server.ask("/api/pool", again).status == 200


def test_pages_are_closed_to_all_but_their_own_script(scene: Scene) -> None:
    """Pages of both roles have a policy and cannot be framed."""
    for token in (scene.tokens["ann"], scene.server.organiser, ""):
        cookie = {"Cookie": scene.server.cookie(token)} if token else {}
        reply = scene.server.ask("/", **cookie)
        assert reply.status == (200 if token else 401)
        policy = next(line for line in reply.head.split("\r\n") if line.startswith("content-security-policy"))
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert scene.tokens["ann"].encode() not in reply.body


def test_one_event_from_many_at_once_is_one_event(scene: Scene) -> None:
    """All get the same answer; of several events on one version one is stored."""
    token = scene.tokens["bob"]

    def send(event: dict[str, object]) -> tuple[int, bytes]:
        reply = scene.server.ask("/api/events", token, event)
        return reply.status, reply.body

    with ThreadPoolExecutor(8) as together:
        same = scene.event(id="same", topic="2")
        assert len(set(together.map(send, [same] * 16))) == 1
        others = [scene.event(id=f"other-{number}", topic="2", base=1) for number in range(16)]
        statuses = sorted(status for status, _ in together.map(send, others))
    assert statuses == [200] + [409] * 15
    state = scene.server.ask("/api/document?topic=2&document=A", token).json["state"]
    assert state["version"] == 2


def test_nothing_of_this_was_told_in_the_terminal(scene: Scene) -> None:
    """The server printed no traceback."""
    assert scene.server.process.poll() is None
    status, said = scene.server.end()
    assert status == 0
    assert "Traceback" not in said
    assert "Error" not in said


def test_what_is_given_to_one_is_closed_to_others(tmp_path: Path) -> None:
    """An assigned document cannot be read, judged or listed by others."""
    with Served(make_campaign(tmp_path, "--double", "0")) as server:
        tokens = server.add("ann", "bob")
        own = {name: _pairs(server.ask("/api/pool", token).json) for name, token in tokens.items()}
        assert own["ann"] | own["bob"] == {(topic, document) for topic in "12" for document in "ABC"}
        assert own["ann"] & own["bob"] == set()
        for name, other in (("ann", "bob"), ("bob", "ann")):
            for topic, document in own[other]:
                event = {"id": f"{name} {topic} {document}", "topic": topic, "document": document, "base": 0}
                event |= {"kind": "note", "note": "x"}
                work = {"topic": topic, "document": document, "seconds": 1}
                target = f"/api/document?topic={topic}&document={document}"
                assert server.ask(target, tokens[name]).status == 403
                assert server.ask("/api/events", tokens[name], event).status == 403
                assert server.ask("/api/events", tokens[name], [event]).status == 403
                assert server.ask("/api/work", tokens[name], work).status == 403
                assert server.ask("/api/events", tokens[other], event).status == 200


def _pairs(pool: dict[str, list[dict[str, Any]]]) -> set[tuple[str, str]]:
    return {(topic["id"], item["id"]) for topic in pool["topics"] for item in topic["documents"]}


def test_the_other_loopback_address_works_as_well(tmp_path: Path) -> None:
    """IPv6 works, with brackets in links and hosts."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with Served(make_campaign(tmp_path), "--host", "::1") as server:
        assert server.link.startswith(f"http://[::1]:{server.port}/login#token=")
        with socket.create_connection(("::1", server.port), timeout=10) as connection:
            head = f"GET /api/status HTTP/1.1\r\nHost: [::1]:{server.port}\r\n"
            connection.sendall(f"{head}Authorization: Bearer {server.organiser}\r\n\r\n".encode())
            assert read_reply(connection).status == 200
