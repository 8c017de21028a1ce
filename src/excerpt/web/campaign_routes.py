"""The application of a campaign: routes of assessors and of the organiser."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from excerpt.assess.folder import Busy, InvalidEvent, MergeRequired, NoRoom, NotAllowed, NotFound, Stale
from excerpt.corpus.corpus import Recent
from excerpt.errors import ExcerptError, MissingData, UnknownName, short
from excerpt.render.page import encode
from excerpt.web.app import View, guarded, only
from excerpt.web.guards import Refusal, Tokens, packed

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

_Answer = TypeVar("_Answer")
_STATUS: dict[type[ExcerptError], int] = {
    Stale: 409,
    MergeRequired: 409,
    InvalidEvent: 422,
    NotAllowed: 403,
    NotFound: 404,
    NoRoom: 507,
    Busy: 503,
}
#: What is no fault of the request's, such as documents that have changed: it may be sent again later.
_OTHERWISE = 503


async def ask(work: Callable[..., _Answer], *given: Any) -> _Answer:
    """What a campaign answers, in a thread: it reads and writes files. Its refusals become ours."""
    return await run_in_threadpool(_ask, work, *given)


def _ask(work: Callable[..., _Answer], *given: Any) -> _Answer:
    try:
        return work(*given)
    except ExcerptError as error:
        raise refused(error) from None
    except UnicodeEncodeError:  # half of a pair of surrogates
        raise Refusal(422, "found text that is no valid Unicode, expected whole characters") from None


def refused(error: ExcerptError, otherwise: int = _OTHERWISE) -> Refusal:
    """An error of a campaign as a refusal, with a status for `otherwise`; no folder of a file is told."""
    place = PurePath(error.path).name if error.path else None
    sentence = ExcerptError(error.message, path=place, line=error.line, hint=error.hint).say(as_parameter)
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), otherwise)
    current = {"version": error.state["version"], "state": error.state} if isinstance(error, Stale) else {}
    return Refusal(status, sentence, current)


def as_parameter(setting: str, value: str) -> str:
    """How a setting is written in an address.

    >>> as_parameter("merge", "union"), as_parameter("format", "inex"), as_parameter("corpus", "")
    ('merge=union', 'to=inex', 'corpus')
    """
    name = "to" if setting == "format" else setting
    return f"{name}={value}" if value else name


ASSESSOR, ORGANISER = "assessor", "organiser"
_SENTENCES = {
    ASSESSOR: "This is for assessors; the organiser's link does not open it.",
    ORGANISER: "This is for the organiser of the campaign; an assessor's link does not open it.",
}


class Who(NamedTuple):
    """Somebody who has signed in."""

    role: str
    name: str


class People:
    """Who has which token: assessors by the campaign, the organiser by this process.

    Both are asked at every request, so somebody who is removed is out at once.
    """

    def __init__(self, assessor: Callable[[str], str | None], organiser: Tokens) -> None:
        self._assessor = assessor
        self._organiser = organiser

    def identify(self, token: str) -> Who | None:
        """Whose token this is."""
        if name := self._organiser.identify(token):
            return Who(ORGANISER, name)
        found = self._assessor(token)
        return None if found is None else Who(ASSESSOR, found)

    def exchange(self, token: str) -> str | None:
        """The token to keep after signing in: this one, or that of a link that is good for one use."""
        return token if self.identify(token) else self._organiser.exchange(token)


def need(request: Request, role: str) -> str:
    """The name of who asks; a refusal for the other role."""
    who: Who = request.state.person
    if who.role != role:
        raise Refusal(403, _SENTENCES[role])
    return who.name


def read_json(body: bytes) -> Any:
    """What a body says; a refusal for what is no JSON, has a name twice, or numbers that are none.

    >>> read_json(b'{"start": 1}')
    {'start': 1}
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except UnicodeDecodeError:
        raise Refusal(400, "found bytes that are not UTF-8, expected JSON") from None
    except RecursionError:
        raise Refusal(400, "found JSON that is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refusal(400, f"found no JSON ({error.msg} at character {error.pos})") from None
    except ValueError:  # a number of thousands of digits
        raise Refusal(400, "found a number that is too long, expected a small one") from None


def read_object(body: bytes, *names: str) -> dict[str, Any]:
    """A body that is an object with these names, and maybe others."""
    found = read_json(body)
    if not isinstance(found, dict):
        raise Refusal(422, f"found {kind_of(found)}, expected an object")
    for name in names:
        if name not in found:
            raise Refusal(422, f"found no {name}, expected one")
    return found


def kind_of(value: object) -> str:
    """What a value of JSON is called.

    >>> kind_of([]), kind_of("x"), kind_of(None), kind_of(True), kind_of(1.5)
    ('a list', 'a text', 'null', 'true or false', 'a number')
    """
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Refusal(400, f"found “{short(name)}” twice in one object, expected it once")
        found[name] = value
    return found


def _no_number(text: str) -> NoReturn:
    raise Refusal(400, f"found {text}, expected a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Refusal(400, f"found {short(text)}, expected a smaller number")
    return number


#: What a document has for everybody; the rest is of who asks.
_FIXED = ("id", "title", "kind", "text", "sha256", "length", "units", "elements")
#: Bytes of encoded documents that are kept.
_KEPT = 64_000_000


class Documents:
    """Encodes documents; `blocks` gives those of one."""

    def __init__(self, blocks: Callable[[str], list[Any]], most: int = _KEPT) -> None:
        self._blocks = blocks
        self._kept: Recent[bytes] = Recent(room=most, size=len)

    def encode(self, found: Mapping[str, Any]) -> bytes:
        """A document that a campaign gave, with its blocks."""
        own = {name: found[name] for name in found if name not in _FIXED}
        fixed = self._kept.get((found["id"], found["sha256"]), lambda: self._fixed(found))
        return fixed[:-1] + b"," + encode(own)[1:]

    def _fixed(self, found: Mapping[str, Any]) -> bytes:
        fixed = {name: found[name] for name in _FIXED if name in found}
        return encode({**fixed, "blocks": self._blocks(found["id"])})


#: What can be shown over a document when it is asked for.
_SHOWN = ("runs", "suggestions")


def assess_routes(campaign: Campaign, documents: Documents) -> list[BaseRoute]:
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


def _record(campaign: Campaign, name: str, body: bytes) -> tuple[bytes, int]:
    """Keep an event or several; of several the answer is a list that ends with what was refused."""
    given = read_json(body)
    if not isinstance(given, list):
        return encode(campaign.record(name, _own(given, name))), 200
    events: list[dict[str, Any]] = []
    reason: Refusal | None = None
    try:
        for event in given:
            events.append(_own(event, name))  # noqa: PERF401 - those before the first that is refused stay
    except Refusal as refusal:
        reason = refusal
    answers, error = campaign.record_all(name, events)
    reason = refused(error) if error else reason
    if reason is None:
        return encode(answers), 200
    last = {"error": reason.sentence, "status": reason.status, **reason.more}
    return encode([*answers, last]), 200 if answers else reason.status


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


def _trace(campaign: Campaign, name: str, body: bytes) -> None:
    given = _own(read_object(body, "topic", "document", "seconds"), name)
    for what in ("topic", "document"):
        if not isinstance(given[what], str):
            raise Refusal(422, f"found {kind_of(given[what])} as {what}, expected its id")
    campaign.trace(name, given["topic"], given["document"], "work", {"seconds": given["seconds"]})


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
        return _json(await ask(lambda: encode(results.status())))

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


#: Bytes that the body of a request may have.
_MOST = 1_000_000


def make_campaign_app(
    campaign: Campaign,
    *,
    organiser: Tokens,
    results: Results,
    blocks: Callable[[str], list[Any]],
    views: Mapping[str, View],
    port: int,
    names: Collection[str] = ("localhost",),
) -> ASGIApp:
    """A campaign for its assessors, and for the organiser with a token of this process.

    `views` are the pages by role; `names` are those by which browsers may call the server.
    """
    people = People(campaign.identify, organiser)
    routes = [*assess_routes(campaign, Documents(blocks)), *organise_routes(results)]
    return guarded(routes, lambda who: views[who.role], people, port=port, most=_MOST, names=names)
