"""The addresses of assessors: what there is to judge, a document, and what they do with it."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from excerpt.render.page import encode
from excerpt.web.answers import Refusal
from excerpt.web.bodies import kind_of, read_json, read_object
from excerpt.web.documents import Documents
from excerpt.web.judging import Judging, ask, refused
from excerpt.web.packing import packed
from excerpt.web.roles import ASSESSOR, need
from excerpt.web.routes_api import only

#: What can be shown over a document when it is asked for.
_SHOWN = ("runs", "suggestions")


def assess_routes(campaign: Judging, documents: Documents) -> list[BaseRoute]:
    """The addresses under `/api` of those who judge; `documents` encodes what they read."""

    async def pool(request: Request) -> Response:
        name = need(request, ASSESSOR)
        topic = only(request, "topic") if "topic" in request.query_params else None
        return _json(await ask(lambda: encode(campaign.pool_for(name, topic))))

    async def document(request: Request) -> Response:
        name, topic, wanted = need(request, ASSESSOR), only(request, "topic"), only(request, "document")
        show = _shown(request.query_params.getlist("show"))
        if "assessor" in request.query_params:
            _check_own(only(request, "assessor"), name)

        def answer() -> bytes:
            # A page of somebody else's, whose browser has another cookie by now, can tell.
            return documents.encode({**campaign.document_for(name, topic, wanted, show), "assessor": name})

        return await packed(request, await ask(answer))

    async def events(request: Request) -> Response:
        name, body = need(request, ASSESSOR), await request.body()
        content, status = await ask(_record, campaign, name, body)
        return _json(content, status)

    async def work(request: Request) -> Response:
        name, body = need(request, ASSESSOR), await request.body()
        await ask(_trace, campaign, name, body)
        return Response(status_code=204)

    return [
        Route("/api/pool", pool),
        Route("/api/document", document),
        Route("/api/events", events, methods=["POST"]),
        Route("/api/work", work, methods=["POST"]),
    ]


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")


def _shown(asked: list[str]) -> tuple[str, ...]:
    for name in asked:
        if name not in _SHOWN:
            raise Refusal(400, f"found another value of show, expected some of {', '.join(_SHOWN)}")
    return tuple(dict.fromkeys(asked))


def _record(campaign: Judging, name: str, body: bytes) -> tuple[bytes, int]:
    """Keep an event or several; of several the answer is a list that ends with what was refused."""
    given = read_json(body)
    if not isinstance(given, list):
        return encode(campaign.record(name, _own(given, name))), 200
    events, reason = _until_refused(given, name)
    answers, error = campaign.record_all(name, events)
    reason = refused(error) if error else reason
    if reason is None:
        return encode(answers), 200
    last = {"error": reason.sentence, "status": reason.status, **reason.more}
    return encode([*answers, last]), 200 if answers else reason.status


def _until_refused(given: list[Any], name: str) -> tuple[list[dict[str, Any]], Refusal | None]:
    events: list[dict[str, Any]] = []
    for event in given:
        try:
            events.append(_own(event, name))
        except Refusal as reason:
            return events, reason
    return events, None


def _own(event: Any, name: str) -> dict[str, Any]:
    """An event of who asks; a page that was opened by somebody else may say so, and is refused then."""
    if not isinstance(event, dict):
        raise Refusal(422, f"found {kind_of(event)}, expected an event: an object")
    _check_own(event.get("assessor", name), name)
    return {key: event[key] for key in event if key != "assessor"}


def _check_own(said: Any, name: str) -> None:
    if said != name:
        raise Refusal(
            403, "This page was opened by somebody else than who has signed in since. Load it anew."
        )


def _trace(campaign: Judging, name: str, body: bytes) -> None:
    given = _own(read_object(body, "topic", "document", "seconds"), name)
    for what in ("topic", "document"):
        if not isinstance(given[what], str):
            raise Refusal(422, f"found {kind_of(given[what])} as {what}, expected its id")
    campaign.trace(name, given["topic"], given["document"], "work", {"seconds": given["seconds"]})
