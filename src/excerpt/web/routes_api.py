"""The addresses that the page asks for data: each parses, asks for one answer, and gives it as JSON."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from excerpt.web.answers import Answers, Refusal


def api_routes(answers: Answers) -> list[BaseRoute]:
    """The addresses under `/api`, for an evaluation."""
    table: dict[str, tuple[Callable[..., bytes], tuple[str, ...]]] = {
        "overview": (answers.overview, ()),
        "topic": (answers.topic, ("topic",)),
        "passages": (answers.passages, ()),
        "document": (answers.document, ("document",)),
        "texts": (answers.texts, ("document", "spans")),
    }
    return [Route(f"/api/{name}", _answering(answer, needs)) for name, (answer, needs) in table.items()]


def _answering(answer: Callable[..., bytes], needs: tuple[str, ...]) -> Callable[[Request], object]:
    """What answers a request with the values of the parameters it needs, in a thread: it may take long."""

    async def respond(request: Request) -> Response:
        values = [only(request, name) for name in needs]
        return Response(await run_in_threadpool(answer, *values), media_type="application/json")

    return respond


def only(request: Request, name: str) -> str:
    """The one value of a parameter; a refusal for none or several."""
    values = request.query_params.getlist(name)
    if len(values) != 1:
        raise Refusal(400, f"found {len(values)} values of {name}, expected one")
    return values[0]
