"""The pages: the view itself for those who have signed in, how to sign in for all others."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from excerpt.web.answers import Refusal

_FOLDER = Path(__file__).parent / "pages"
#: What our own small pages may load: files of this server.
_OWN = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'"
_OWN += "; form-action 'none'; frame-ancestors 'none'"
#: As the standard spells it; the library names its kinds in small letters only, and writes what it is given.
_STRICT: Any = "Strict"
_FILES = {"/pages.css": "text/css", "/login.js": "text/javascript"}


class View(NamedTuple):
    """The page that shows the evaluation, and what its scripts may do."""

    html: str
    policy: str


class SignIn(NamedTuple):
    """How people sign in: a cookie of this name holds what `exchange` gives for their token."""

    cookie: str
    exchange: Callable[[str], str | None]


def page_routes(view_of: Callable[[Any], View], sign_in: SignIn) -> list[BaseRoute]:
    """The addresses of pages; `view_of` gives the one of a person who has signed in."""

    async def show(request: Request) -> Response:
        if request.state.person is None:
            return small_page("login.html", 401)
        view = view_of(request.state.person)
        return HTMLResponse(view.html, headers={"content-security-policy": view.policy})

    async def ask(_: Request) -> Response:
        return small_page("login.html")

    async def enter(request: Request) -> Response:
        kept = await run_in_threadpool(sign_in.exchange, _token(await request.body()))
        if kept is None:
            raise Refusal(401, "This link is not valid any more. Use the newest one.")
        answer = Response(status_code=204)
        secure = request.url.scheme == "https"  # a proxy on this machine has said so
        answer.set_cookie(sign_in.cookie, kept, httponly=True, samesite=_STRICT, secure=secure)
        return answer

    files = [Route(path, _file(path.strip("/"), kind)) for path, kind in _FILES.items()]
    pages = [Route("/", show), Route("/login", ask), Route("/login", enter, methods=["POST"])]
    return [*pages, *files, Route("/favicon.ico", _nothing)]


def _token(body: bytes) -> str:
    try:
        token = json.loads(body)["token"]
    except (ValueError, TypeError, KeyError, RecursionError):
        token = None
    if not isinstance(token, str):
        raise Refusal(400, 'found no token, expected {"token": "…"}')
    return token


def _file(name: str, kind: str) -> Callable[[Request], Response]:
    content = (_FOLDER / name).read_bytes()
    return lambda _: Response(content, media_type=kind)


async def _nothing(_: Request) -> Response:
    return Response(status_code=204)


def small_page(name: str, status: int = 200, **values: str) -> Response:
    """A page of a few words, from its template; values are escaped."""
    template = Template((_FOLDER / name).read_text(encoding="utf-8"))
    html = template.substitute({key: escape(value) for key, value in values.items()})
    return HTMLResponse(html, status, {"content-security-policy": _OWN})
