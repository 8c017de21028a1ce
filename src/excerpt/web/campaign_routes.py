"""Web application of a campaign: routes of assessors and of the organiser."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from excerpt.assess.folder import (
    Busy,
    InvalidEvent,
    MergeRequired,
    NoRoom,
    NotAllowed,
    NotFound,
    Overtaken,
    Stale,
)
from excerpt.assess.people import ADJUDICATOR, ASSESSOR
from excerpt.assess.queue import AHEAD
from excerpt.assess.store import DAMAGE
from excerpt.corpus.corpus import Recent
from excerpt.errors import ExcerptError, MissingData, UnknownName, short
from excerpt.render.page import encode
from excerpt.web.app import ServedPage, guarded, json_response, optional_value, single_value
from excerpt.web.guards import AccessTokens, RequestError, compressed

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

_Answer = TypeVar("_Answer")
_STATUS: dict[type[ExcerptError], int] = {Overtaken: 409, MergeRequired: 409, InvalidEvent: 422}
_STATUS |= {NotAllowed: 403, NotFound: 404, NoRoom: 507, Busy: 503}
#: Status of errors that the request did not cause, such as documents that have changed.
_UNAVAILABLE = 503

ORGANISER = "organiser"
#: What readers can do about errors that no request caused.
_ADVICE = {
    ASSESSOR: "ask the organiser",
    ADJUDICATOR: "ask the organiser",
    ORGANISER: "restore the documents, then restart excerpt assess serve",
}


async def run(work: Callable[..., _Answer], *arguments: Any, reader: str = ASSESSOR) -> _Answer:
    """Run work of a campaign in a thread, since it uses files; convert its errors to HTTP errors."""
    return await run_in_threadpool(_run, reader, work, *arguments)


def _run(reader: str, work: Callable[..., _Answer], *arguments: Any) -> _Answer:
    try:
        return work(*arguments)
    except ExcerptError as error:
        raise request_error(error, reader=reader) from None
    except UnicodeEncodeError:  # a lone surrogate
        raise RequestError(422, "found text with half a surrogate pair, expected valid Unicode") from None
    except (*DAMAGE, OSError):  # also if there are too many open files
        raise RequestError(_UNAVAILABLE, f"the campaign cannot be read; {_ADVICE[reader]}") from None


def request_error(error: ExcerptError, default: int = _UNAVAILABLE, reader: str = ASSESSOR) -> RequestError:
    """Convert an error to an HTTP error with a `default` status, without folder names.

    If the request did not cause the error, its hint is in the words of the reader of a campaign.
    """
    name = PurePath(error.path).name if error.path else None
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 0)
    hint = _ADVICE.get(reader, error.hint) if not status and default == _UNAVAILABLE else error.hint
    sentence = ExcerptError(error.message, path=name, line=error.line, hint=hint).say(as_parameter)
    current = {"version": error.state["version"], "state": error.state} if isinstance(error, Stale) else {}
    return RequestError(status or default, sentence, current)


def as_parameter(setting: str, value: str) -> str:
    """Return a setting as a parameter of a URL.

    >>> as_parameter("merge", "union"), as_parameter("format", "inex"), as_parameter("corpus", "")
    ('merge=union', 'to=inex', 'corpus')
    """
    name = "to" if setting == "format" else setting
    return f"{name}={value}" if value else name


_SENTENCES = {
    ASSESSOR: "This page is for assessors; the organiser's link does not open it.",
    ORGANISER: "This page is for the organiser; an assessor's link does not open it.",
}


class User(NamedTuple):
    """A signed-in user."""

    role: str
    name: str


class Users:
    """Users by token: assessors and adjudicators of the campaign, and the organiser of this process.

    Tokens are looked up at every request, so a removed assessor loses access at once.
    """

    new_link = "Ask the organiser for a new one."

    def __init__(
        self,
        assessor: Callable[[str], str | None],
        organiser: AccessTokens,
        is_adjudicator: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._assessor = assessor
        self._organiser = organiser
        self._is_adjudicator = is_adjudicator

    def identify(self, token: str) -> User | None:
        if name := self._organiser.identify(token):
            return User(ORGANISER, name)
        assessor = self._assessor(token)
        if assessor is None:
            return None
        return User(ADJUDICATOR if self._is_adjudicator(assessor) else ASSESSOR, assessor)

    def exchange(self, token: str) -> str | None:
        """Return the token of a link: this one, or that of a single-use link."""
        return token if self.identify(token) else self._organiser.exchange(token)


def require_role(request: Request, role: str, *others: str) -> str:
    """Return the name of the user; raise an error for another role."""
    user: User = request.state.user
    if user.role not in {role, *others}:
        raise RequestError(403, _SENTENCES[role])
    return user.name


def read_json(body: bytes) -> Any:
    """Parse a body as JSON; raise an error for invalid JSON, repeated names, or infinite numbers.

    >>> read_json(b'{"start": 1}')
    {'start': 1}
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_unique_names,
            parse_constant=_finite,  # NaN, Infinity and -Infinity
            parse_float=_finite,
        )
    except UnicodeDecodeError:
        raise RequestError(400, "found bytes that are not UTF-8, expected JSON") from None
    except RecursionError:
        raise RequestError(400, "found JSON that is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise RequestError(400, f"the body is not JSON ({error.msg} at character {error.pos})") from None
    except ValueError:  # a number of thousands of digits
        raise RequestError(400, "found a number with too many digits, expected a smaller number") from None


def read_object(body: bytes, *names: str) -> dict[str, Any]:
    """Parse a body as an object that has at least these names."""
    value = read_json(body)
    if not isinstance(value, dict):
        raise RequestError(422, f"found {kind_of(value)}, expected an object")
    for name in names:
        if name not in value:
            raise RequestError(422, f"{name} is missing")
    return value


def kind_of(value: object) -> str:
    """Return the type of a JSON value in words.

    >>> kind_of([]), kind_of("x"), kind_of(None), kind_of(True), kind_of(1.5)
    ('a list', 'a text', 'null', 'true or false', 'a number')
    """
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise RequestError(400, f"found “{short(name)}” twice in one object, expected it once")
        fields[name] = value
    return fields


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        wanted = "a number" if text.lstrip("-").isalpha() else "a smaller number"
        raise RequestError(400, f"found {short(text)}, expected {wanted}")
    return number


#: Fields of a document that are the same for all assessors.
_FIXED = ("id", "title", "kind", "text", "sha256", "length", "units", "elements")
#: Bytes of encoded documents that are cached.
_KEPT = 64_000_000


class Documents:
    """Encoder of documents with a cache; `blocks` returns the blocks of a document."""

    def __init__(self, blocks: Callable[[str], list[Any]], most: int = _KEPT) -> None:
        self._blocks = blocks
        self._cache: Recent[bytes] = Recent(room=most, size=len)

    def encode(self, document: Mapping[str, Any]) -> bytes:
        own = {name: document[name] for name in document if name not in _FIXED}
        fixed = self._cache.get((document["id"], document["sha256"]), lambda: self._fixed(document))
        return fixed[:-1] + b"," + encode(own)[1:]

    def _fixed(self, document: Mapping[str, Any]) -> bytes:
        fixed = {name: document[name] for name in _FIXED if name in document}
        return encode({**fixed, "blocks": self._blocks(document["id"])})


#: Values of the parameter `show`.
_SHOWN = ("runs", "suggestions")


def _shown(request: Request) -> tuple[str, ...]:
    """Return what a request for a document asks to show; read ahead, it is not logged as opened."""
    show = tuple(dict.fromkeys(request.query_params.getlist("show")))
    for value in show:
        if value not in _SHOWN:
            raise RequestError(400, f"found {short(value)!r} as show, expected {' or '.join(_SHOWN)}")
    return (*show, AHEAD) if "ahead" in request.query_params else show


def assess_routes(campaign: Campaign, documents: Documents) -> list[BaseRoute]:
    """Routes under `/api` for assessors and adjudicators; `documents` encodes the documents."""

    async def pool(request: Request) -> Response:
        name = require_role(request, ASSESSOR, ADJUDICATOR)
        topic = optional_value(request, "topic")
        return json_response(await run(lambda: encode(campaign.pool_for(name, topic))))

    async def document(request: Request) -> Response:
        name = require_role(request, ASSESSOR, ADJUDICATOR)
        topic, document_id = single_value(request, "topic"), single_value(request, "document")
        show = _shown(request)
        given = optional_value(request, "assessor")
        _check_own(name if given is None else given, name)

        def answer() -> bytes:
            # The name lets a page notice that another assessor has signed in since it was opened.
            data = campaign.document_for(name, topic, document_id, show)
            return documents.encode({**data, "assessor": name})

        return await compressed(request, await run(answer))

    async def guidelines(request: Request) -> Response:
        require_role(request, ASSESSOR, ADJUDICATOR)
        return json_response(encode({"text": campaign.contents.guidelines}))

    async def events(request: Request) -> Response:
        name, body = require_role(request, ASSESSOR, ADJUDICATOR), await request.body()
        content, status = await run(_record, campaign, name, body)
        return json_response(content, status)

    async def work(request: Request) -> Response:
        name, body = require_role(request, ASSESSOR, ADJUDICATOR), await request.body()
        await run(_trace, campaign, name, body)
        return Response(status_code=204)

    return [
        Route("/api/pool", pool),
        Route("/api/document", document),
        Route("/api/guidelines", guidelines),
        Route("/api/events", events, methods=["POST"]),
        Route("/api/work", work, methods=["POST"]),
    ]


def _record(campaign: Campaign, name: str, body: bytes) -> tuple[bytes, int]:
    """Store one event or several; the answer to several is a list that ends with the first error."""
    sent = read_json(body)
    if not isinstance(sent, list):
        return encode(campaign.record(name, _own(sent, name))), 200
    events: list[dict[str, Any]] = []
    reason: RequestError | None = None
    try:
        for event in sent:
            events.append(_own(event, name))  # noqa: PERF401 - events before the first error are stored
    except RequestError as error:
        reason = error
    answers, invalid = campaign.record_all(name, events)
    reason = request_error(invalid) if invalid else reason
    if reason is None:
        return encode(answers), 200
    last = {"error": reason.sentence, "status": reason.status, **reason.more}
    return encode([*answers, last]), 200 if answers else reason.status


def _own(event: Any, name: str) -> dict[str, Any]:
    """Return an event of the user; raise an error if the page was opened by another user."""
    if not isinstance(event, dict):
        raise RequestError(422, f"found {kind_of(event)}, expected an event (an object)")
    _check_own(event.get("assessor", name), name)
    return {key: event[key] for key in event if key != "assessor"}


def _check_own(assessor: Any, name: str) -> None:
    if assessor != name:
        raise RequestError(403, "Another assessor has signed in since this page was opened. Reload the page.")


def _trace(campaign: Campaign, name: str, body: bytes) -> None:
    sent = _own(read_object(body, "topic", "document", "seconds"), name)
    for key in ("topic", "document"):
        if not isinstance(sent[key], str):
            raise RequestError(422, f"found {kind_of(sent[key])} as {key}, expected the id of a {key}")
    campaign.trace(name, sent["topic"], sent["document"], "work", {"seconds": sent["seconds"]})


#: Formats of judgments with file extension and media type.
_FORMATS = {
    "fol": ("fol", "text/plain"),
    "inex": ("xml", "application/xml"),
    "jsonl": ("jsonl", "application/jsonl"),
    "trec": ("qrels", "text/plain"),
}
#: Parameters of an export.
_PARAMETERS = ("to", "merge", "undecided", "assessor", "unfinished")
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


class OrganiserFunctions(NamedTuple):
    """Functions for the organiser: progress of the campaign, export of judgments, change of an assignment."""

    status: Callable[[], dict[str, Any]]
    export: Callable[..., bytes]
    assign: Callable[[Any, Any], None] = lambda *_: None


def organise_routes(results: OrganiserFunctions) -> list[BaseRoute]:
    """Routes under `/api` for the organiser."""

    async def export(request: Request) -> Response:
        require_role(request, ORGANISER)
        options = _export_options(request)
        extension, media_type = _FORMATS[options["to"]]
        content = await run(_exported, results, options, reader=ORGANISER)
        name = f'attachment; filename="judgments.{extension}"'  # headers contain no user input
        return Response(content, media_type=media_type, headers={"content-disposition": name})

    async def assign(request: Request) -> Response:
        require_role(request, ORGANISER)
        sent = read_object(await request.body(), "topic", "assessors")
        await run(results.assign, sent["topic"], sent["assessors"], reader=ORGANISER)
        return Response(status_code=204)

    return [
        Route("/api/status", organiser_view(results.status)),
        Route("/api/export", export),
        Route("/api/assignment", assign, methods=["POST"]),
    ]


def organiser_view(look: Callable[[], dict[str, Any]]) -> Callable[[Request], Any]:
    """Return a handler that shows the organiser what `look` returns."""

    async def respond(request: Request) -> Response:
        require_role(request, ORGANISER)
        return json_response(await run(lambda: encode(look()), reader=ORGANISER))

    return respond


def _exported(results: OrganiserFunctions, options: dict[str, Any]) -> bytes:
    """Export judgments; an unknown name or an impossible format is an error of the request."""
    try:
        return results.export(**options)
    except (UnknownName, MissingData) as error:
        raise request_error(error, 422) from None


def _export_options(request: Request) -> dict[str, Any]:
    """Return the options of an export; the defaults are those of the command."""
    parameters = request.query_params
    for name in parameters:
        if name not in _PARAMETERS:
            raise RequestError(422, f"found {short(name)!r}, expected one of {', '.join(_PARAMETERS)}")
    options: dict[str, Any] = {
        name: single_value(request, name) for name in _PARAMETERS[:-1] if name in parameters
    }
    if options.setdefault("to", "fol") not in _FORMATS:
        message = f"found format {short(options['to'])!r}, expected one of {', '.join(_FORMATS)}"
        raise RequestError(422, message)
    if "unfinished" in parameters:
        options["unfinished"] = flag_of(request, "unfinished")
    return options


def flag_of(request: Request, name: str) -> bool:
    """Return the value of a parameter that is true or false; False if it is not given."""
    given = optional_value(request, name)
    value = "0" if given is None else given
    if value not in _FLAGS:
        raise RequestError(422, f"found {short(value)!r} as {name}, expected 1 or 0")
    return _FLAGS[value]


#: Most bytes in the body of a request.
_MOST = 1_000_000


def make_campaign_app(
    campaign: Campaign,
    *,
    organiser: AccessTokens,
    results: OrganiserFunctions,
    blocks: Callable[[str], list[Any]],
    views: Mapping[str, ServedPage],
    further: Sequence[BaseRoute] = (),
    **place: Any,
) -> ASGIApp:
    """Return the application of a campaign: `views` are the pages by role, `place` as for `guarded`.

    `further` are more routes of the organiser.
    """
    users = Users(campaign.identify, organiser, campaign.is_adjudicator)
    routes = [*assess_routes(campaign, Documents(blocks)), *organise_routes(results), *further]
    return guarded(routes, lambda user: views[user.role], users, most=_MOST, **place)
