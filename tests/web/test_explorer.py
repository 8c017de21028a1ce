"""Tests of `excerpt.explore`: output, browser, errors."""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from starlette.types import ASGIApp
from support.asgi import call
from support.waiting import until

import excerpt
from excerpt import ExcerptError, Judgments, Result, Run, Span
from excerpt.web import explorer
from excerpt.web import server as serving
from excerpt.web.app import small_page

JUDGMENTS = Judgments.of([("1", Span("A", 0, 4))])
RUN = Run.of("mine", [Result("1", "A", 2, 6)])


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Links that were opened in a browser."""
    opened: list[str] = []
    monkeypatch.setattr(explorer, "open_browser", opened.append)
    return opened


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Run a function when the server has started, then end the server."""

    def arrange(act: Callable[[], None]) -> None:
        real = serving.serve

        def serve(app: Any, listening: socket.socket, begin: Callable[[], None]) -> None:
            def began() -> None:
                begin()
                act()
                raise KeyboardInterrupt

            real(app, listening, began)

        monkeypatch.setattr(explorer, "serve", serve)

    return arrange


def _threads() -> set[str]:
    """Names of the server's threads."""
    return {thread.name for thread in threading.enumerate()}


def test_the_view_is_served_until_the_interrupt(
    links: list[str], once: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """The link is printed; the browser gets a single-use link; Ctrl-C ends the server."""
    printed: list[str] = []
    answers: list[Any] = []
    running: list[set[str]] = []

    def ask() -> None:
        running.append(_threads())
        printed.append(capsys.readouterr().out)
        address, _, token = printed[0].strip().partition("/login#token=")
        headers = {"authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"{address}/api/document?document=A", headers=headers)
        with urllib.request.urlopen(request) as answer:
            answers.append(json.load(answer))

    once(ask)
    excerpt.explore(JUDGMENTS, [RUN], ["charP"], corpus={"A": "a😀bc def"})
    assert answers[0]["text"] == "a😀bc def"
    assert printed[0].startswith("http://127.0.0.1:")
    assert len(printed[0].splitlines()) == 1
    assert links[0].partition("#token=")[0] == printed[0].partition("#token=")[0]
    assert links[0].partition("#token=")[2] not in printed[0]
    assert serving.THREAD in running[0]
    until(lambda: serving.THREAD not in _threads())


def test_no_browser_is_opened_unasked(
    links: list[str], once: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """`browser=False` only prints the link."""
    once(lambda: None)
    excerpt.explore(JUDGMENTS, [RUN], ["charP"], text=False, browser=False)
    assert links == []
    assert "#token=" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"port": 70000, "text": False}, "found 70000 as port, expected 0 to 65535"),
        ({"host": "0.0.0.0", "text": False}, "found 0.0.0.0 as host, expected a loopback address"),
        ({}, "no corpus given"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(options: dict[str, Any], message: str) -> None:
    """Errors are one line, before anything is served."""
    with pytest.raises(ExcerptError, match=message):
        excerpt.explore(JUDGMENTS, [RUN], ["charP"], **options)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes before any work."""
    for name in ("starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ExcerptError, match=r"the web server needs starlette and uvicorn;.*excerpt\[web\]"):
        excerpt.explore(JUDGMENTS, [RUN], ["charP"], text=False)


TOKEN = "secret-of-the-tests"
OWN = {"origin": "http://127.0.0.1:8000"}


@pytest.mark.parametrize(
    ("target", "method", "status"),
    [
        ("/api/overview", "GET", 200),
        ("/api/overview", "HEAD", 200),
        ("/api/overview", "POST", 405),
        ("/api/overview", "DELETE", 405),
        ("/api/overview", "TRACE", 405),
        ("/api/overview/", "GET", 404),
        ("/api/topic?topic=1", "GET", 200),
        ("/api/topic?topic=2", "GET", 404),
        ("/api/topic", "GET", 400),
        ("/api/topic?topic=1&topic=1", "GET", 400),
        ("/api/document?document=A", "GET", 200),
        ("/api/document?document=B", "GET", 404),
        ("/api/document?document=", "GET", 404),
        ("/api/document?document=../../etc/passwd", "GET", 404),
        ("/api/document?document=changed", "GET", 409),
        ("/api/texts?document=A&spans=0-1", "GET", 200),
        ("/api/texts?document=A&spans=0-1%0d%0aSet-Cookie:x", "GET", 400),
        ("/api/document?document=A%0d%0aSet-Cookie:x", "GET", 404),
        ("/api", "GET", 404),
        ("/api/../login", "GET", 404),
        ("/api/%2e%2e/login", "GET", 404),
        ("/api/..%2flogin", "GET", 404),
    ],
)
def test_programs_get_json(
    app: ASGIApp, bearer: dict[str, str], target: str, method: str, status: int
) -> None:
    """Errors are JSON and the same without a token."""
    answer = call(app, target, method, headers=bearer)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert {"location", "set-cookie"} & answer.headers.keys() == set()
    if status != 200:
        assert list(answer.json) == ["error"]
        assert "\n" not in answer.json["error"]
    if not target.endswith("login"):
        assert call(app, target, method, headers=OWN).status == 401


@pytest.mark.parametrize(
    "target",
    [
        *("/..", "/../pages.css", "/..%2fapp.py", "/pages/pages.css", "/pages.css/", "//etc/passwd"),
        *("/login.html", "/app.py", "/login/../app.py", "/<script>alert(1)</script>"),
    ],
)
def test_there_is_nothing_else(app: ASGIApp, cookie: dict[str, str], target: str) -> None:
    """Unknown addresses are not looked up on disk nor repeated in the answer."""
    answer = call(app, target, headers=cookie)
    assert answer.status == 404
    assert b"There is nothing at this address." in answer.body
    assert b"alert" not in answer.body


def test_what_fails_is_one_sentence(app: ASGIApp, bearer: dict[str, str], world: object) -> None:
    """An unexpected error is JSON with the usual headers; details are in the server's output."""
    world.passages = lambda: 1 / 0  # type: ignore[attr-defined]
    sent: list[object] = []

    async def keep(scope, receive, send) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        try:
            await app(scope, receive, send)
        except ZeroDivisionError as error:
            sent.append(error)

    answer = call(keep, "/api/passages", headers=bearer)
    assert (answer.status, len(sent)) == (500, 1)
    assert answer.json == {"error": "The server failed (ZeroDivisionError); its output has the details."}
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (json.dumps({"token": TOKEN}), 204),
        (json.dumps({"token": TOKEN + "x"}), 401),
        (json.dumps({"token": ""}), 401),
        (json.dumps({"token": [TOKEN]}), 400),
        (json.dumps({"token": "\ud800"}), 401),
        (json.dumps([TOKEN]), 400),
        (f"token={TOKEN}", 400),
        ("", 400),
        ("\xff", 400),
        ("[" * 9000, 400),
        ("x" * 20_000, 413),
    ],
)
def test_signing_in(app: ASGIApp, body: str, status: int) -> None:
    """A valid token gives a cookie that scripts and other sites cannot read."""
    answer = call(app, "/login", "POST", headers=OWN, body=body.encode("latin-1"))
    assert answer.status == status
    if status != 204:
        assert "set-cookie" not in answer.headers
        assert list(answer.json) == ["error"]
        return
    name, *rules = answer.headers["set-cookie"].split("; ")
    assert name.startswith("excerpt-8000=")
    assert TOKEN not in name
    assert {rule.lower() for rule in rules} == {"httponly", "samesite=strict", "path=/"}
    assert call(app, "/", headers={"cookie": name}).body == b"<h1>view</h1>"


@pytest.mark.parametrize("headers", [{}, {"origin": "http://evil.test"}, {"sec-fetch-site": "cross-site"}])
def test_another_site_cannot_sign_somebody_in(app: ASGIApp, headers: dict[str, str]) -> None:
    """Sign-in from other sites, or without an origin, is rejected."""
    answer = call(app, "/login", "POST", headers=headers, body=json.dumps({"token": TOKEN}).encode())
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/api/overview", {"format": 1, "topics": [{"id": "1"}, {"id": "ä/?&"}]}),
        ("/api/passages", {"documents": []}),
        ("/api/topic?topic=%C3%A4%2F%3F%26", {"number": 1}),
        ("/api/texts?document=A&spans=1-3", {"texts": ["😀b"]}),
        ("/api/texts?document=A&spans=", {"texts": []}),
        ("/api/document?document=A&other=1", {"id": "A", "text": "a😀b\r\n</script>"}),
        ("/api/topic?topic=1&topic=2", {"error": "found 2 values of topic, expected one"}),
        ("/api/document", {"error": "found 0 values of document, expected one"}),
    ],
)
def test_data_by_address(app: ASGIApp, bearer: dict[str, str], target: str, expected: object) -> None:
    """Names may contain any character."""
    assert call(app, target, headers=bearer).json == expected


@pytest.mark.parametrize(
    "headers", [{}, {"cookie": "excerpt-8000=wrong"}, {"cookie": "excerpt-9000=secret-of-the-tests"}]
)
def test_strangers_are_told_how_to_sign_in(app: ASGIApp, headers: dict[str, str]) -> None:
    """Without a token the sign-in page is shown."""
    answer = call(app, "/", headers=headers)
    assert answer.status == 401
    assert b"Open the link that" in answer.body
    assert b"view" not in answer.body.replace(b"viewport", b"")


def test_the_view_has_its_own_policy(app: ASGIApp, cookie: dict[str, str]) -> None:
    """The policy names script and style by hash."""
    answer = call(app, "/", headers=cookie)
    assert (answer.status, answer.body) == (200, b"<h1>view</h1>")
    assert answer.headers["content-security-policy"] == "default-src 'none'"


def test_small_pages_load_only_what_is_here(app: ASGIApp) -> None:
    """Small pages load files of the server only."""
    page = call(app, "/login")
    assert page.status == 200
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(rb"<script>|style=|<style| on\w+=|https?:", page.body)
    for path in re.findall(r'(?:src|href)="([^"]+)"', page.body.decode()):
        assert call(app, f"/{path}").status == 200
    assert call(app, "/login.js").headers["content-type"].startswith("text/javascript")
    assert call(app, "/pages.css").headers["content-type"].startswith("text/css")
    assert call(app, "/favicon.ico").status == 204


def test_small_pages_escape() -> None:
    """Values in templates are escaped."""
    assert b"&lt;img onerror=x&gt;" in bytes(
        small_page("error.html", sentence="<img onerror=x>", root="./").body
    )
