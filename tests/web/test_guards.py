"""Tests of the guards: tables of headers with their status, and attacks."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from support.asgi import call, session_of

from excerpt.errors import ExcerptError
from excerpt.web import guards
from excerpt.web.app import ServedPage, guarded
from excerpt.web.campaign_routes import User, Users
from excerpt.web.guards import (
    AccessTokens,
    Sessions,
    SizeGuard,
    compressed,
    error_response,
    host_of,
    new_token,
)

HOST = "127.0.0.1:8000"
OWN, FOREIGN = f"http://{HOST}", "http://evil.test"
BEARER, COOKIE = "Bearer good", "excerpt-8000=session-of:good"
MOST = 100
VIEW = ServedPage("", "")


async def _echo(request: Request) -> Response:
    return PlainTextResponse(f"{request.state.user} {len(await request.body())}")


@pytest.fixture
def small() -> ASGIApp:
    """A minimal application behind all guards; the token is `good`."""
    routes = [Route(path, _echo, methods=["GET", "POST", "DELETE"]) for path in ("/api/echo", "/page")]
    people = AccessTokens()
    people.add("good", "ann")
    return guarded(list(routes), lambda _: VIEW, people, port=8000, most=MOST)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8000", 200),
        ("127.0.0.1:9", 200),  # through a tunnel from another port
        ("[::1]", 200),
        ("[::1]:8000", 200),
        ("localhost:8000", 200),
        ("LOCALHOST", 200),
        ("127.1.2.3", 200),
        ("evil.test", 400),
        ("evil.test:8000", 400),
        ("127.0.0.1.evil.test", 400),
        ("localhost.evil.test", 400),
        ("192.168.1.7:8000", 400),
        ("0.0.0.0:8000", 400),
        ("[::]:8000", 400),
        ("[::1]evil.test", 400),
        ("[::1]:evil", 400),
        ("127.0.0.1:80@evil.test", 400),
        ("user@127.0.0.1", 400),
        ("127.0.0.1%00", 400),
        ("127.0.0.1%00:8000", 400),
        ("127.0.0.1%eth0", 400),
        ("127.0.0.1%2eevil.test", 400),
        ("[::1%00]", 400),
        ("127.0.0.1\x00", 400),
        ("127.0.0.1\t", 400),
        ("localhost%00", 400),
        ("localhost/", 400),
        ("2130706433", 400),
        ("127.0.0.1, evil.test", 400),
        ("127.0.0.1 ", 400),
        ("[127.0.0.1", 400),
        ("", 400),
    ],
)
def test_only_this_machine_is_a_host(small: ASGIApp, host: str, status: int) -> None:
    """Foreign names that point to this machine are rejected."""
    answer = call(small, "/api/echo", headers={"host": host, "authorization": BEARER})
    assert answer.status == status
    assert status == 200 or "host name" in answer.json["error"]


def test_two_hosts_are_refused(small: ASGIApp) -> None:
    """Requests with two Host headers are rejected."""
    headers = [("host", HOST), ("host", "evil.test"), ("authorization", BEARER)]
    assert call(small, "/api/echo", headers=headers).status == 400


@pytest.mark.parametrize(
    ("reached", "host", "status"),
    [
        ("192.0.2.7", "192.0.2.7:8000", 200),
        ("192.0.2.7", "192.0.2.8:8000", 400),
        ("192.0.2.7", "127.0.0.1:8000", 200),  # a proxy that passes on another Host
        ("::ffff:192.0.2.7", "192.0.2.7", 200),
        ("2001:db8::7", "[2001:DB8::7]:8000", 200),
        ("2001:db8::7", "[2001:db8::8]:8000", 400),
        ("0.0.0.0", "192.0.2.7", 400),
        ("192.0.2.7", "evil.test", 400),
    ],
)
def test_the_address_that_a_request_came_to_is_a_host(
    small: ASGIApp, reached: str, host: str, status: int
) -> None:
    """The server's own address is accepted without a list."""

    async def elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
        await small({**scope, "server": (reached, 8000)}, receive, send)

    assert call(elsewhere, "/page", headers={"host": host}).status == status


def test_a_name_in_the_list_is_a_host() -> None:
    """Names are compared without case, with any port."""
    names = ["Assess.Example.org"]
    app = guarded([Route("/page", _echo)], lambda _: VIEW, AccessTokens(), port=80, most=1, names=names)
    for host, status in {
        "assess.example.org:443": 200,
        "x.assess.example.org": 400,
        "localhost": 400,
    }.items():
        assert call(app, "/page", headers={"host": host}).status == status


@pytest.mark.parametrize(
    ("origin", "site", "authorization", "cookie", "status"),
    [
        # A page of our own, by cookie.
        (OWN, "same-origin", "", COOKIE, 200),
        (OWN, "", "", COOKIE, 200),
        (OWN.upper().replace("HTTP", "http"), "", "", COOKIE, 200),
        ("", "same-origin", "", COOKIE, 200),
        # Without either header, by cookie: nobody knows who sent it.
        ("", "", "", COOKIE, 403),
        ("", "none", "", COOKIE, 403),
        ("", "same-site", "", COOKIE, 403),
        ("", "cross-site", "", COOKIE, 403),
        # Pages of others, whatever they carry.
        (FOREIGN, "cross-site", "", COOKIE, 403),
        (FOREIGN, "", "", COOKIE, 403),
        (FOREIGN, "same-origin", "", COOKIE, 403),
        (FOREIGN, "", BEARER, "", 403),
        (OWN, "cross-site", "", COOKIE, 403),
        ("null", "", BEARER, "", 403),
        ("http://127.0.0.1:9000", "same-site", "", COOKIE, 403),
        ("http://localhost:8000", "", "", COOKIE, 403),
        ("https://127.0.0.1:8000", "", "", COOKIE, 403),
        (OWN + ".evil.test", "", "", COOKIE, 403),
        # Programs.
        ("", "", BEARER, "", 200),
        (OWN, "", BEARER, "", 200),
        ("", "", BEARER, COOKIE, 403),
        ("", "", BEARER, "theme=dark", 403),
        ("", "cross-site", BEARER, "", 403),
        # Strangers.
        ("", "", "Bearer wrong", "", 401),
        ("", "", "Bearer", "", 401),
        ("", "", "Basic good", "", 401),
        ("", "", "", "", 401),
        ("", "", "", "theme=dark", 401),
        ("", "", "", "excerpt-8000=wrong", 401),
        ("", "", "Bearer wrong", COOKIE, 401),
        (FOREIGN, "", "", "", 403),
        (FOREIGN, "", "Bearer wrong", "", 403),
        ("", "cross-site", "", "", 403),
        (OWN, "", "", "", 401),
        (OWN, "", "", "excerpt-8000=wrong", 401),
        (OWN, "", "", "excerpt-9000=good", 401),
        (OWN, "", "Bearer wrong", COOKIE, 401),
    ],
)
def test_who_may_post(
    small: ASGIApp, origin: str, site: str, authorization: str, cookie: str, status: int
) -> None:
    """Changes come from the server's pages, or from a program with a token and no cookie."""
    headers = {"origin": origin, "sec-fetch-site": site, "authorization": authorization, "cookie": cookie}
    for method in ("POST", "DELETE"):
        answer = call(small, "/api/echo", method, headers={"host": HOST, **headers})
        assert answer.status == status
        assert status == 200 or list(answer.json) == ["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 403), ({"origin": OWN}, 200), ({"sec-fetch-site": "same-origin"}, 200), ({"origin": FOREIGN}, 403)],
)
def test_nobody_signs_in_unseen(small: ASGIApp, headers: dict[str, str], status: int) -> None:
    """Sign-in requests are accepted from the server's own pages only."""
    assert call(small, "/page", "POST", headers={"host": HOST, **headers}).status == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": BEARER}, 200),
        ({"authorization": "bearer  good"}, 200),
        ({"cookie": COOKIE}, 200),
        ({"cookie": f"a=b; {COOKIE}; c=d"}, 200),
        ({"cookie": COOKIE, "sec-fetch-site": "same-origin"}, 200),
        ({"cookie": COOKIE, "sec-fetch-site": "none"}, 200),  # typed by the user
        ({"cookie": COOKIE, "sec-fetch-site": "same-site"}, 403),  # another port of this machine
        ({"cookie": COOKIE, "sec-fetch-site": "cross-site"}, 403),
        ({"cookie": COOKIE, "origin": FOREIGN}, 403),
        ({"authorization": BEARER, "origin": FOREIGN}, 403),
        ({}, 401),
        ({"cookie": "excerpt-8000="}, 401),
        ({"cookie": "excerpt-8000=wrong"}, 401),
        ({"authorization": "good"}, 401),
        ({"authorization": "Bearer goo"}, 401),
        ({"authorization": "Bearer gööd"}, 401),
    ],
)
def test_who_may_read(small: ASGIApp, headers: dict[str, str], status: int) -> None:
    """Reading needs a token; errors are JSON, never redirects."""
    answer = call(small, "/api/echo", headers={"host": HOST, **headers})
    assert answer.status == status
    assert "location" not in answer.headers
    if status != 200:
        assert list(answer.json) == ["error"]
        assert ("www-authenticate" in answer.headers) == (status == 401)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", "none"])
def test_links_to_pages_may_be_followed_from_anywhere(small: ASGIApp, site: str) -> None:
    """Links from other sites open the page for a user with the cookie."""
    assert call(small, "/page", headers={"host": HOST, "sec-fetch-site": site}).status == 200


def test_the_token_in_an_address_counts_for_nothing(small: ASGIApp) -> None:
    """Tokens in URLs are ignored, since URLs are kept in histories and logs."""
    assert call(small, "/api/echo?token=good&access_token=good").status == 401


def test_who_asks_cannot_be_known_for_now() -> None:
    """An unavailable database is an error with the usual headers."""

    def identify(_: str) -> str | None:
        raise ExcerptError("the database is used by another program")

    people = Users(identify, AccessTokens())
    app = guarded([Route("/api/echo", _echo)], lambda _: VIEW, people, port=80, most=MOST)
    answer = call(app, "/api/echo", headers={"host": HOST, "authorization": BEARER})
    assert (answer.status, answer.json) == (503, {"error": "the database is used by another program"})
    assert "content-security-policy" in answer.headers


def test_pages_know_who_asks(small: ASGIApp) -> None:
    """Pages decide what to show without a user."""
    assert call(small, "/page").body == b"None 0"
    assert call(small, "/page", headers={"cookie": COOKIE}).body == b"ann 0"


@pytest.mark.parametrize(
    ("size", "pieces", "said", "status"),
    [
        (MOST, 1, "", 200),
        (MOST + 1, 1, "", 413),
        (MOST, 7, "", 200),
        (10 * MOST, 7, "", 413),  # counted while it is read
        (10 * MOST, 7, "3", 413),  # whatever it says of itself
        (0, 1, str(10 * MOST), 413),
        (0, 1, "9" * 5000, 413),
        (0, 1, "-1", 413),
        (0, 1, "1e1", 413),
    ],
)
def test_bodies_are_limited(small: ASGIApp, size: int, pieces: int, said: str, status: int) -> None:
    """Bodies are counted while read; a declared length above the limit is rejected at once."""
    whole = b"x" * size
    step = -(-size // pieces) or 1
    body = [whole[at : at + step] for at in range(0, size, step)] or [b""]
    headers = {"content-length": said, "authorization": BEARER}
    answer = call(small, "/api/echo", "POST", headers=headers, body=body)
    assert answer.status == status
    assert answer.body == f"ann {size}".encode() if status == 200 else b"at most 100 bytes" in answer.body


def test_a_body_without_end_is_refused() -> None:
    """Slow bodies time out and do not block other requests."""
    messages: list[Message] = []

    async def slowly() -> Message:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def keep(message: Message) -> None:
        messages.append(message)

    app = Starlette(routes=[Route("/page", _echo, methods=["POST"])])
    app.add_exception_handler(HTTPException, lambda _, error: error_response(error.status_code, error.detail))
    scope = {"type": "http", "method": "POST", "path": "/page", "headers": [], "state": {"user": None}}
    asyncio.run(SizeGuard(app, MOST, seconds=0.05)(scope, slowly, keep))
    assert messages[0]["status"] == 408
    assert b"did not arrive within 0.05 seconds" in messages[1]["body"]


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        ("/page", {}),
        ("/page", {"host": "evil.test"}),
        ("/page", {"origin": FOREIGN}),
        ("/api/echo", {}),
        ("/nothing", {}),
        ("/api/nothing", {"authorization": BEARER}),
    ],
)
def test_every_answer_closes_the_browser(small: ASGIApp, target: str, headers: dict[str, str]) -> None:
    """Errors have the same headers as answers."""
    answer = call(small, target, headers=headers).headers
    policy = answer["content-security-policy"]
    assert {"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} <= set(policy.split("; "))
    assert "unsafe" not in policy
    assert answer["x-content-type-options"] == "nosniff"
    assert answer["referrer-policy"] == "no-referrer"
    assert answer["cross-origin-opener-policy"] == answer["cross-origin-resource-policy"] == "same-origin"
    assert answer["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer


def test_sockets_and_the_like_are_not_answered(small: ASGIApp) -> None:
    """Only HTTP requests pass the guards."""

    async def never(*_: object) -> None:
        raise AssertionError

    asyncio.run(small({"type": "websocket", "path": "/api/echo", "headers": []}, never, never))  # type: ignore[arg-type]


@pytest.mark.parametrize(("given", "host"), [("[::1]x", ""), ("a:", "a"), (":80", ""), ("a:\uff18", "")])
def test_hosts_of_odd_headers(given: str, host: str) -> None:
    """An invalid Host header has no host."""
    assert host_of(given) == host


def test_tokens_have_256_bits_and_differ() -> None:
    """Tokens are safe in URLs."""
    tokens = {new_token() for _ in range(50)}
    assert len(tokens) == 50
    assert all(len(token) == 43 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)


def test_people_are_known_by_their_tokens() -> None:
    """Only exact tokens identify a user."""
    tokens = AccessTokens()
    tokens.add("a" * 43, "ann")
    tokens.add("b" * 43, "bob")
    assert tokens.identify("a" * 43) == "ann"
    assert tokens.identify("b" * 43) == "bob"
    assert [tokens.identify(wrong) for wrong in ("", "a" * 42, "a" * 44, "A" * 43, "ann", "\ud800")] == [
        None
    ] * 6
    assert "a" * 43 not in repr(vars(tokens))


def test_a_link_is_good_for_one_use() -> None:
    """A link seen by others is useless after its first use."""
    tokens = AccessTokens()
    tokens.add("kept", "ann")
    link = tokens.add_link("kept")
    assert tokens.identify(link) is None
    assert tokens.exchange(link) == "kept"
    assert tokens.exchange(link) is None
    assert tokens.exchange("kept") == "kept"
    assert tokens.exchange("") is None


LARGE = b'{"text": "' + b"word " * 5000 + b'"}'


@pytest.mark.parametrize(
    ("content", "client", "accepted", "smaller"),
    [
        (LARGE, "192.0.2.7", "gzip, deflate, br", True),
        (LARGE, "192.0.2.7", "br, GZIP; q=0.5", True),
        (LARGE, "192.0.2.7", "gzip;q=0", False),
        (LARGE, "192.0.2.7", "br", False),
        (LARGE, "192.0.2.7", "", False),
        (LARGE, "127.0.0.1", "gzip", False),
        (LARGE, "::1", "gzip", False),
        (b"{}", "192.0.2.7", "gzip", False),
    ],
)
def test_who_gets_less_bytes(content: bytes, client: str, accepted: str, *, smaller: bool) -> None:
    """Compression does not change the content."""
    headers = [(b"accept-encoding", accepted.encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "client": (client, 1)}
    answer = asyncio.run(compressed(Request(scope), content))
    body = bytes(answer.body)
    assert (len(body) < len(content)) == smaller
    assert (answer.headers.get("content-encoding") == "gzip") == smaller
    assert (gzip.decompress(body) if smaller else body) == content
    assert answer.headers["vary"] == "accept-encoding"


def test_a_session_ends_after_30_days_or_with_its_token() -> None:
    """It is random, is kept as a hash, and no other server knows it."""
    now = [0.0]
    names = {"link": "ann"}
    users = Users(names.get, AccessTokens())
    sessions = Sessions(users, lambda: now[0])
    session = sessions.open("link")
    assert session is not None
    assert session not in repr(vars(sessions))
    assert sessions.identify(session) == User("assessor", "ann")
    assert sessions.open("link") != session
    assert Sessions(users).identify(session) is None
    now[0] = 30 * 24 * 3600 - 1
    assert sessions.identify(session) is not None
    now[0] += 1
    assert sessions.identify(session) is None
    again = sessions.open("link")
    del names["link"]  # removed, or given a new link
    assert again is not None
    assert sessions.identify(again) is None
    assert sessions.open("link") is None


def test_sessions_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest end first."""
    monkeypatch.setattr(guards, "_MOST_SESSIONS", 2)
    people = AccessTokens()
    people.add("good", "ann")
    sessions = Sessions(people)
    opened = [sessions.open("good") or "" for _ in range(3)]
    assert [sessions.identify(each) for each in opened] == [None, "ann", "ann"]


@dataclass
class Lookup:
    """A slow search for the token `good` that counts its calls and those at the same time."""

    calls: int = 0
    now: int = 0
    most: int = 0

    def __call__(self, token: str) -> str | None:
        self.calls, self.now = self.calls + 1, self.now + 1
        self.most = max(self.most, self.now)
        time.sleep(0.005)
        self.now -= 1
        return "ann" if token == "good" else None


def scope_of(address: str) -> Any:
    return {"type": "http", "client": (address, 50000)}


def test_wrong_tokens_are_slowed_down_by_address() -> None:
    """Hundreds at once need one thread and few searches; other addresses and known tokens do not wait."""
    clock, find = [0.0], Lookup()
    attempts = guards.Attempts(lambda: clock[0])

    async def status(address: str, token: str) -> Any:
        try:
            return await attempts.look_up(scope_of(address), token, find)
        except guards.RequestError as error:
            return error.status if "Try again in 1 second." in error.sentence else error.sentence

    async def attack() -> None:
        assert await status("192.0.2.9", "good") == "ann"
        wrong = [asyncio.create_task(status("192.0.2.9", f"wrong {number}")) for number in range(300)]
        await asyncio.sleep(0.01)
        begin = time.monotonic()
        assert await status("192.0.2.1", "new") is None
        assert await status("192.0.2.1", "good") == await status("192.0.2.9", "good") == "ann"
        assert time.monotonic() - begin < 0.1  # the 20 searches of the attack take as long
        answers = await asyncio.gather(*wrong)
        assert (answers.count(None), answers.count(429)) == (20, 280)
        assert find.most <= 2
        calls = find.calls
        assert await status("192.0.2.9", "another") == 429
        assert find.calls == calls
        clock[0] = 1
        assert [await status("192.0.2.9", "another") for _ in range(2)] == [None, 429]
        clock[0] = 100
        assert [await status("192.0.2.9", "another") for _ in range(21)] == [None] * 20 + [429]

    asyncio.run(attack())


def test_a_right_token_that_becomes_wrong() -> None:
    """It is looked up every time, and counts from then on."""
    names = {"link": "ann"}
    attempts = guards.Attempts(lambda: 0.0)

    async def use() -> None:
        assert await attempts.look_up(scope_of("a"), "link", names.get) == "ann"
        names.clear()
        for _ in range(20):
            assert await attempts.look_up(scope_of("a"), "link", names.get) is None
        with pytest.raises(guards.RequestError):
            await attempts.look_up(scope_of("a"), "link", names.get)

    asyncio.run(use())


def test_addresses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is limited, whoever sends."""
    monkeypatch.setattr(guards, "_MOST_KEPT", 5)
    attempts = guards.Attempts()

    async def use() -> None:
        for number in range(20):
            await attempts.look_up(scope_of(str(number)), f"wrong {number}", lambda _: None)
            await attempts.look_up(scope_of(str(number)), f"right {number}", lambda _: "ann")

    asyncio.run(use())
    assert {len(kept) for kept in (attempts._locks, attempts._until, attempts._right)} == {5}


@pytest.mark.parametrize("by", ["link", "program"])
def test_too_many_wrong_tokens(small: ASGIApp, by: str) -> None:
    """Links and programs: 401, then 429 in one sentence; who is signed in goes on."""
    cookie = f"excerpt-8000={session_of(small, 'good')}"
    statuses: list[int] = []
    while not statuses or (statuses[-1] == 401 and len(statuses) < 100):  # one more in each second
        if by == "link":
            body = json.dumps({"token": f"wrong {len(statuses)}"}).encode()
            answer = call(small, "/login", "POST", {"origin": OWN, "host": HOST}, body)
        else:
            answer = call(small, "/api/echo", headers={"authorization": f"Bearer wrong{len(statuses)}"})
        statuses.append(answer.status)
    assert statuses[:20] == [401] * 20
    assert statuses[-1] == 429
    assert answer.json["error"].startswith("Too many wrong links came from your address.")
    assert call(small, "/api/echo", headers={"host": HOST, "cookie": cookie}).status == 200
    assert call(small, "/api/echo", headers={"authorization": BEARER}).status == 200
