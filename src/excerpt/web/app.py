"""The application: guards, pages and data of one evaluation, put together. No globals: tests make many."""

from __future__ import annotations

from collections.abc import Callable, Collection

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from excerpt.web.answers import Answering, Answers, Refusal
from excerpt.web.guards import (
    READING,
    HeadersGuard,
    HostGuard,
    IdentityGuard,
    OriginGuard,
    SenderGuard,
    SizeGuard,
    is_api,
    refusal,
)
from excerpt.web.routes_api import api_routes
from excerpt.web.routes_pages import SignIn, View, page_routes, small_page
from excerpt.web.tokens import Tokens

#: Bytes that the body of a request may have; only a token is ever sent.
_MOST = 10_000
_SENTENCES = {404: "There is nothing at this address.", 405: "This address does not take such requests."}


def make_app(world: Answering, *, tokens: Tokens, view: View, port: int) -> ASGIApp:
    """The explorer of an evaluation for those with a token, at a port of this machine."""
    cookie = f"excerpt-{port}"  # browsers keep one jar for all ports
    routes = [*api_routes(Answers(world)), *page_routes(lambda _: view, SignIn(cookie, tokens.exchange))]
    return guarded(routes, identify=tokens.identify, cookie=cookie, most=_MOST)


def guarded(
    routes: list[BaseRoute],
    *,
    identify: Callable[[str], object | None],
    cookie: str,
    most: int,
    names: Collection[str] = ("localhost",),
) -> ASGIApp:
    """Routes behind all guards; refusals have one shape."""
    app = Starlette(
        routes=routes,
        exception_handlers={
            Refusal: _refuse,
            HTTPException: _refuse,
            ClientDisconnect: _forget,
            Exception: _fail,
        },
    )
    app.router.redirect_slashes = False  # programs get refusals, never another address
    behind = IdentityGuard(SenderGuard(app), identify, cookie)
    return HeadersGuard(HostGuard(SizeGuard(OriginGuard(behind), most), names))


async def _refuse(request: Request, error: Exception) -> Response:
    """A sentence: as JSON for programs, on a page for people."""
    if isinstance(error, Refusal):
        return refusal(error.status, error.sentence, error.more)
    assert isinstance(error, HTTPException)
    sentence = _SENTENCES.get(error.status_code, error.detail)
    if is_api(request.scope) or request.method not in READING:
        answer = refusal(error.status_code, sentence)
    else:
        answer = small_page("refusal.html", error.status_code, sentence=sentence)
    answer.headers.update(error.headers or {})
    return answer


async def _forget(_: Request, __: Exception) -> Response:
    """Who went away in the middle of a request is told nothing, and nor is the user."""
    return Response(status_code=400)


async def _fail(_: Request, error: Exception) -> Response:
    """What nobody foresaw: the server's own output has the details, the answer only says so."""
    return refusal(500, f"This failed ({type(error).__name__}); the server's output says where.")
