"""Web application in which questions with quotes are written: one user, on this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from excerpt.authoring.gold_session import GoldSession
from excerpt.corpus import Document
from excerpt.errors import ExcerptError, short
from excerpt.render.blocks import blocks_of
from excerpt.render.markdown_blocks import is_markdown, markdown_blocks, markdown_types
from excerpt.render.page import encode
from excerpt.web.app import ServedPage, guarded, json_response, single_value
from excerpt.web.campaign_routes import read_object, request_error
from excerpt.web.guards import AccessTokens, RequestError

#: Most bytes in the body of a request.
_MOST = 4_000_000
_OFFSET = re.compile(r"[0-9]{1,10}")


def gold_routes(session: GoldSession) -> list[BaseRoute]:
    """Routes under `/api` of a gold file."""

    async def gold(_: Request) -> Response:
        return await _answer(session.overview)

    async def document(request: Request) -> Response:
        name = single_value(request, "document")
        return await _answer(lambda: shown_document(session, session.document(name)))

    async def search(request: Request) -> Response:
        words = single_value(request, "words")

        def found() -> dict[str, Any]:
            places, count = session.search(words)
            return {"words": words, "count": count, "places": [place._asdict() for place in places]}

        return await _answer(found)

    async def copies(request: Request) -> Response:
        name = single_value(request, "document")
        start, end = (_offset(request, key) for key in ("start", "end"))

        def found() -> dict[str, Any]:
            return {"copies": [copy._asdict() for copy in session.copies(name, start, end)]}

        return await _answer(found)

    async def events(request: Request) -> Response:
        event = read_object(await request.body(), "id", "kind")
        return await _answer(lambda: session.record(event))

    routes = [Route(f"/api/{each.__name__}", each) for each in (gold, document, search, copies)]
    return [*routes, Route("/api/events", events, methods=["POST"])]


def shown_document(session: GoldSession, document: Document) -> dict[str, Any]:
    """Return a document as the page shows it: Markdown with its blocks and the type of its words."""
    text, markdown = document.text, is_markdown(document.kind)
    words, sentences = session.units(document)
    return {
        "id": document.id,
        "title": document.title,
        "kind": document.kind,
        "text": text,
        "length": len(text),
        "blocks": markdown_blocks(text) if markdown else blocks_of(document),
        "types": markdown_types(text) if markdown else [],
        "units": {"words": words, "sentences": sentences},
        "elements": [],
    }


def _offset(request: Request, key: str) -> int:
    value = single_value(request, key)
    if not _OFFSET.fullmatch(value):
        raise RequestError(400, f"found {short(value)!r} as {key}, expected a whole number")
    return int(value)


async def _answer(work: Callable[[], Any]) -> Response:
    """Answer with what `work` returns, done in a thread, since it uses files."""
    return json_response(await run_in_threadpool(_done, work))


def _done(work: Callable[[], Any]) -> bytes:
    try:
        return encode(work())
    except ExcerptError as error:
        raise request_error(error, reader="author") from None
    except OSError as error:
        raise RequestError(503, f"The documents cannot be read ({error.strerror}).") from None


def make_gold_app(
    session: GoldSession, *, tokens: AccessTokens, view: ServedPage, port: int, own: str
) -> ASGIApp:
    """Return the application of a gold file, for the user with the token."""
    return guarded(gold_routes(session), lambda _: view, tokens, port=port, most=_MOST, own=own)
