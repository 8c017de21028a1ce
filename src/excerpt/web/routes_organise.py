"""The addresses of the organiser: how far the campaign is, and what has been judged as a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from excerpt.errors import MissingData, UnknownName, short
from excerpt.render.page import encode
from excerpt.web.answers import Refusal
from excerpt.web.judging import ask, refused
from excerpt.web.roles import ORGANISER, need
from excerpt.web.routes_api import only

#: Formats of judgments with the ending and the kind of their file.
_FORMATS = {
    "fol": ("fol", "text/plain"),
    "inex": ("xml", "application/xml"),
    "jsonl": ("jsonl", "application/jsonl"),
    "trec": ("qrels", "text/plain"),
}
#: How judgments can be asked for.
_PARAMETERS = ("to", "merge", "assessor", "unfinished")
_ANSWERS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


class Results(NamedTuple):
    """What the organiser asks for: how far a campaign is, and its judgments in a format."""

    status: Callable[[], dict[str, Any]]
    export: Callable[..., bytes]


def organise_routes(results: Results) -> list[BaseRoute]:
    """The addresses under `/api` of the organiser."""

    async def status(request: Request) -> Response:
        need(request, ORGANISER)
        return Response(await ask(lambda: encode(results.status())), media_type="application/json")

    async def export(request: Request) -> Response:
        need(request, ORGANISER)
        wanted = _wanted(request)
        ending, kind = _FORMATS[wanted["to"]]
        content = await ask(_exported, results, wanted)
        name = f'attachment; filename="judgments.{ending}"'  # nothing of the user's stands in a header
        return Response(content, media_type=kind, headers={"content-disposition": name})

    return [Route("/api/status", status), Route("/api/export", export)]


def _exported(results: Results, wanted: dict[str, Any]) -> bytes:
    """Judgments; a name or a format that the campaign does not have is a fault of the request's."""
    try:
        return results.export(**wanted)
    except (UnknownName, MissingData) as error:
        raise refused(error, 422) from None


def _wanted(request: Request) -> dict[str, Any]:
    """How judgments are exported; whatever is not said is as the command has it."""
    given = request.query_params
    for name in given:
        if name not in _PARAMETERS:
            raise Refusal(422, f"found {short(name)!r}, expected some of {', '.join(_PARAMETERS)}")
    found: dict[str, Any] = {
        name: only(request, name) for name in ("to", "merge", "assessor") if name in given
    }
    if found.setdefault("to", "fol") not in _FORMATS:
        raise Refusal(422, f"found another format, expected one of {', '.join(_FORMATS)}")
    if "unfinished" in given:
        said = only(request, "unfinished")
        if said not in _ANSWERS:
            raise Refusal(422, f"found {short(said)!r} as unfinished, expected 1 or 0")
        found["unfinished"] = _ANSWERS[said]
    return found
