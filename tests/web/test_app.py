"""The application: what it answers and how it refuses, and attempts to break in."""

from __future__ import annotations

import json

import pytest
from asgi import call
from starlette.types import ASGIApp

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
    """One shape of refusal, and neither pages nor other addresses; without the token always the same."""
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
    """Files are known by name; what else is asked for is not looked for on the disk, nor repeated."""
    answer = call(app, target, headers=cookie)
    assert answer.status == 404
    assert b"There is nothing at this address." in answer.body
    assert b"alert" not in answer.body


def test_what_fails_is_one_sentence(app: ASGIApp, bearer: dict[str, str], world: object) -> None:
    """What nobody foresaw is told as JSON with the usual headers; its details go to the server's output."""
    world.passages = lambda: 1 / 0  # type: ignore[attr-defined]
    sent: list[object] = []

    async def keep(scope, receive, send) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        try:
            await app(scope, receive, send)
        except ZeroDivisionError as error:
            sent.append(error)

    answer = call(keep, "/api/passages", headers=bearer)
    assert (answer.status, len(sent)) == (500, 1)
    assert answer.json == {"error": "This failed (ZeroDivisionError); the server's output says where."}
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
    """The right token, sent by our own page, gives a cookie that scripts and other sites never see."""
    answer = call(app, "/login", "POST", headers=OWN, body=body.encode("latin-1"))
    assert answer.status == status
    if status != 204:
        assert "set-cookie" not in answer.headers
        assert list(answer.json) == ["error"]
        return
    name, *rules = answer.headers["set-cookie"].split("; ")
    assert name == f"excerpt-8000={TOKEN}"
    assert {rule.lower() for rule in rules} == {"httponly", "samesite=strict", "path=/"}
    assert call(app, "/", headers={"cookie": name}).body == b"<h1>view</h1>"


@pytest.mark.parametrize("headers", [{}, {"origin": "http://evil.test"}, {"sec-fetch-site": "cross-site"}])
def test_another_site_cannot_sign_somebody_in(app: ASGIApp, headers: dict[str, str]) -> None:
    """Nor can anybody who does not say where the request comes from."""
    answer = call(app, "/login", "POST", headers=headers, body=json.dumps({"token": TOKEN}).encode())
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
