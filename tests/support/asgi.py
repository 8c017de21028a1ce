"""Calls an ASGI application in this process, as a client that sends any headers it likes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message


class Answer(NamedTuple):
    """An answer of the application."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def call(
    app: ASGIApp,
    target: str = "/",
    method: str = "GET",
    headers: dict[str, str] | Iterable[tuple[str, str]] = (),
    body: bytes | list[bytes] = b"",
) -> Answer:
    """Call the application and return its answer; a body may come in several pieces.

    A cookie `NAME=session-of:TOKEN` becomes that of a session opened with the token.
    """
    given = list(headers.items() if isinstance(headers, dict) else headers)
    given = [(name, _SESSION.sub(lambda found: session_of(app, found[1]), value)) for name, value in given]
    if not any(name == "host" for name, _ in given):
        given.append(("host", "127.0.0.1:8000"))
    path, _, query = target.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in given if value != ""],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    pieces = [body] if isinstance(body, bytes) else body
    return asyncio.run(_call(app, scope, pieces))


_SESSION = re.compile("session-of:([a-z-]+)")


def session_of(app: ASGIApp, token: str) -> str:
    """Sign in with a token and return the session."""
    headers = {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"}
    answer = call(app, "/login", "POST", headers, json.dumps({"token": token}).encode())
    return answer.headers.get("set-cookie", "").partition("=")[2].partition(";")[0]


async def _call(app: ASGIApp, scope: dict[str, Any], pieces: list[bytes]) -> Answer:
    left, sent = list(pieces), []

    async def receive() -> Message:
        piece = left.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = sent[0]
    headers = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))
