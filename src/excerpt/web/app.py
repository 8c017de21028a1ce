"""The application of an evaluation, and what that of a campaign shares with it: pages, guards, errors."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection
from functools import cached_property
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.render.page import encode
from excerpt.view import World
from excerpt.web.guards import (
    READING,
    HeadersGuard,
    HostGuard,
    IdentityGuard,
    OriginGuard,
    Refusal,
    SenderGuard,
    SizeGuard,
    Tokens,
    is_api,
    refusal,
)

if TYPE_CHECKING:
    from excerpt.web.campaign_routes import People

#: Pieces of text that one request may ask for.
_MOST_SPANS = 5000
_MOST_CHARACTERS = 10_000_000


class Answers:
    """Answers as JSON, computed one at a time, whichever thread asks; large ones that all pages need once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._alone = threading.RLock()

    def overview(self) -> bytes:
        """The first view."""
        return self._guarded(lambda: self._overview)

    def passages(self) -> bytes:
        """Passages of all topics."""
        return self._guarded(lambda: self._passages)

    def topic(self, topic: str) -> bytes:
        """A topic by its id."""

        def answer() -> bytes:
            try:
                number = self._world.topic_number(topic)
            except UnknownName:
                raise Refusal(404, f"There is no topic “{short(topic)}” here.") from None
            return encode(self._world.topic(number))

        return self._guarded(answer)

    def document(self, name: str) -> bytes:
        """A document by any of its names."""
        return self._guarded(lambda: encode(self._world.document(name)))

    def texts(self, name: str, spans: str) -> bytes:
        """Pieces of a document, asked for as `0-30,50-70`."""
        wanted = parse_spans(spans)
        return self._guarded(lambda: encode({"texts": self._world.texts(name, wanted)}))

    @cached_property
    def _overview(self) -> bytes:
        return encode(self._world.overview())

    @cached_property
    def _passages(self) -> bytes:
        return encode(self._world.passages())

    def _guarded(self, answer: Callable[[], bytes]) -> bytes:
        """An answer; what cannot be had any more, as a file that has changed, is a refusal."""
        with self._alone:
            try:
                return answer()
            except UnknownName as error:
                raise Refusal(404, str(error)) from None
            except (ExcerptError, OSError) as error:
                raise Refusal(409, str(error)) from None


def parse_spans(given: str) -> list[tuple[int, int]]:
    """Spans as they stand in an address; a refusal for anything else.

    >>> parse_spans("0-30,50-70")
    [(0, 30), (50, 70)]
    """
    pairs = [span.split("-") for span in given.split(",")] if given else []
    if len(pairs) > _MOST_SPANS:
        raise Refusal(400, f"found {len(pairs)} spans, expected at most {_MOST_SPANS}")
    if not all(len(pair) == 2 and all(_is_position(end) for end in pair) for pair in pairs):
        raise Refusal(400, f"found {short(given)!r} as spans, expected start-end,start-end")
    spans = [(int(start), int(end)) for start, end in pairs]
    if sum(end - start for start, end in spans if end > start) > _MOST_CHARACTERS:
        raise Refusal(400, f"found spans of more characters, expected at most {_MOST_CHARACTERS}")
    return spans


def _is_position(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 10


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

    @classmethod
    def of(cls, html: bytes, rules: str) -> View:
        """A page that nobody may frame."""
        return cls(html.decode(), f"{rules}; frame-ancestors 'none'")


def page_routes(
    view_of: Callable[[Any], View], cookie: str, exchange: Callable[[str], str | None]
) -> list[BaseRoute]:
    """The addresses of pages; `view_of` gives the one of a person who has signed in.

    They sign in by a token: the cookie holds what `exchange` gives for it.
    """

    async def show(request: Request) -> Response:
        if request.state.person is None:
            return small_page("login.html", 401)
        view = view_of(request.state.person)
        return HTMLResponse(view.html, headers={"content-security-policy": view.policy})

    async def ask(_: Request) -> Response:
        return small_page("login.html")

    async def enter(request: Request) -> Response:
        kept = await run_in_threadpool(exchange, _token(await request.body()))
        if kept is None:
            raise Refusal(401, "This link is not valid any more. Use the newest one.")
        answer = Response(status_code=204)
        secure = request.url.scheme == "https"  # a proxy on this machine has said so
        answer.set_cookie(cookie, kept, httponly=True, samesite=_STRICT, secure=secure)
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


#: Bytes that the body of a request may have; only a token is ever sent.
_MOST = 10_000
_SENTENCES = {404: "There is nothing at this address.", 405: "This address does not take such requests."}


def make_app(world: World, *, tokens: Tokens, view: View, port: int) -> ASGIApp:
    """The explorer of an evaluation for those with a token, at a port of this machine."""
    return guarded(api_routes(Answers(world)), lambda _: view, tokens, port=port, most=_MOST)


def guarded(
    routes: list[BaseRoute],
    view_of: Callable[[Any], View],
    people: Tokens | People,
    *,
    port: int,
    most: int,
    names: Collection[str] = ("localhost",),
) -> ASGIApp:
    """Routes, and pages for people who sign in, behind all guards; refusals have one shape."""
    cookie = f"excerpt-{port}"  # browsers keep one jar for all ports
    app = Starlette(
        routes=[*routes, *page_routes(view_of, cookie, people.exchange)],
        exception_handlers={
            Refusal: _refuse,
            HTTPException: _refuse,
            ClientDisconnect: _forget,
            Exception: _fail,
        },
    )
    app.router.redirect_slashes = False  # programs get refusals, never another address
    behind = IdentityGuard(SenderGuard(app), people.identify, cookie)
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
