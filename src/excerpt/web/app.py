"""Web application of the explorer; its pages, guards and errors are shared with campaigns."""

from __future__ import annotations

import contextlib
import json
import re
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
    AccessTokens,
    RequestError,
    Sessions,
    behind_guards,
    error_response,
    is_api,
)
from excerpt.web.server import Proxy

if TYPE_CHECKING:
    from excerpt.web.campaign_routes import Users

#: Answers of an evaluation, with the parameters that they need.
_NEEDS: dict[str, tuple[str, ...]] = dict.fromkeys(("overview", "progress", "passages", "documents"), ())
_NEEDS |= {name: (name,) for name in ("topic", "run", "document")} | {"comparison": ("measure",)}
_NEEDS |= {"texts": ("document", "spans"), "search": ("words", "from")}
#: Answers that read documents.
_OF_DOCUMENTS = {"document", "texts", "search"}
#: Limits on the spans of text that one request may ask for.
_MOST_SPANS = 5000
_MOST_CHARACTERS = 10_000_000
#: Most characters that are searched, and most digits of a number of a document.
_MOST_WORDS, _MOST_DIGITS = 1000, 12
_SPANS = re.compile(r"[0-9]{1,10}-[0-9]{1,10}(,[0-9]{1,10}-[0-9]{1,10})*")


class Answers:
    """JSON of an evaluation, computed by one thread at a time; overview and passages are cached.

    Documents have a lock of their own, so that they do not wait until the overview is computed.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._computing, self._reading = threading.Lock(), threading.Lock()
        self._done = 0.0

    def answer(self, name: str, *values: str) -> bytes:
        """Compute an answer; convert errors, such as on a file that has changed, to HTTP errors."""
        if name == "progress":  # waits for nothing
            return self.progress()
        with self._reading if name in _OF_DOCUMENTS else self._computing:
            try:
                found = getattr(self, name)
                return found if isinstance(found, bytes) else encode(found(*values))
            except UnknownName as error:
                raise RequestError(404, str(error)) from None
            except (ExcerptError, OSError) as error:
                raise RequestError(409, str(error)) from None

    @cached_property
    def overview(self) -> bytes:
        """Return the overview, with comparisons by the first measure."""
        return encode(self._world.overview(1, self._note))

    def comparison(self, measure: str) -> Any:
        self._done = 0.0
        return self._world.comparison(measure, self._note)

    def progress(self) -> bytes:
        """Return what is compared at the moment, and how much of it is done."""
        runs, topics = len(self._world.table.runs), len(self._world.table.topics)
        return encode({"pairs": runs * (runs - 1) // 2, "topics": topics, "done": self._done})

    def _note(self, finished: int, total: int) -> None:
        self._done = finished / total

    @cached_property
    def passages(self) -> bytes:
        return encode(self._world.passages())

    def topic(self, topic: str) -> Any:
        try:
            number = self._world.topic_number(topic)
        except UnknownName:
            raise RequestError(404, f"This evaluation has no topic “{short(topic)}”.") from None
        return self._world.topic(number)

    def document(self, name: str) -> Any:
        return self._world.document(name)

    def texts(self, name: str, spans: str) -> Any:
        """Return the text of spans of a document, written as `0-30,50-70`."""
        return {"texts": self._world.texts(name, parse_spans(spans))}

    def search(self, words: str, begin: str) -> Any:
        """Return a part of a search in the texts, which begins at a document."""
        if not (begin.isascii() and begin.isdigit() and len(begin) <= _MOST_DIGITS):
            raise RequestError(400, f"found {short(begin)!r} as the first document, expected a whole number")
        if len(words) > _MOST_WORDS:
            raise RequestError(400, f"found {len(words)} characters, expected at most {_MOST_WORDS}")
        return self._world.search(words, int(begin))

    def run(self, run: str) -> Any:
        return self._world.run_documents(self._world.table.place("run", run))

    def documents(self) -> Any:
        return self._world.documents()


def parse_spans(text: str) -> list[tuple[int, int]]:
    """Parse spans of a URL; raise an error for invalid ones.

    >>> parse_spans("0-30,50-70")
    [(0, 30), (50, 70)]
    """
    pairs = [span.split("-") for span in text.split(",")] if text else []
    if len(pairs) > _MOST_SPANS:
        raise RequestError(400, f"found {len(pairs)} spans, expected at most {_MOST_SPANS}")
    if text and not _SPANS.fullmatch(text):
        raise RequestError(400, f"found {short(text)!r} as spans, expected start-end,start-end")
    spans = [(int(start), int(end)) for start, end in pairs]
    total = sum(end - start for start, end in spans if end > start)
    if total > _MOST_CHARACTERS:
        raise RequestError(400, f"found spans of {total} characters, expected at most {_MOST_CHARACTERS}")
    return spans


def api_routes(answers: Answers) -> list[BaseRoute]:
    """Routes under `/api` of an evaluation."""

    def answering(name: str) -> Callable[[Request], object]:
        async def respond(request: Request) -> Response:
            values = [single_value(request, need) for need in _NEEDS[name]]
            return json_response(await run_in_threadpool(answers.answer, name, *values))  # it may take long

        return respond

    return [Route(f"/api/{name}", answering(name)) for name in _NEEDS]


def json_response(content: bytes, status: int = 200) -> Response:
    """Return JSON."""
    return Response(content, status, media_type="application/json")


def single_value(request: Request, name: str) -> str:
    """Return the value of a parameter; raise an error for none or several."""
    values = request.query_params.getlist(name)
    if len(values) != 1:
        raise RequestError(400, f"found {len(values)} values of {name}, expected one")
    return values[0]


def optional_value(request: Request, name: str) -> str | None:
    """Return the value of a parameter, None if it is not given; raise an error for several."""
    return single_value(request, name) if name in request.query_params else None


_FOLDER = Path(__file__).parent / "pages"
#: Content security policy of the small pages: they load files of this server only.
_OWN = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'"
_OWN += "; form-action 'none'; frame-ancestors 'none'"
#: Spelled as in the standard; the type of the library allows lower case only, but it writes any value.
_STRICT: Any = "Strict"
_FILES = {"/pages.css": "text/css", "/login.js": "text/javascript"}


class ServedPage(NamedTuple):
    """A page and its content security policy."""

    html: str
    policy: str

    @classmethod
    def of(cls, html: bytes, rules: str) -> ServedPage:
        """Return a page that other pages may not frame."""
        return cls(html.decode(), f"{rules}; frame-ancestors 'none'")


def page_routes(
    view_of: Callable[[Any], ServedPage], cookie: str, sessions: Sessions, proxy: Proxy
) -> list[BaseRoute]:
    """Routes of pages; `view_of` returns the page of a signed-in user.

    Users sign in with a token and get a cookie with their session; other programs behind the same proxy do
    not get it.
    """

    async def show(request: Request) -> Response:
        if request.state.user is None:
            return small_page("login.html", 401)
        view = view_of(request.state.user)
        return HTMLResponse(view.html, headers={"content-security-policy": view.policy})

    async def sign_in(request: Request) -> Response:
        token = _token(await request.body())
        session = await sessions.attempts.look_up(request.scope, token, sessions.open)
        if session is None:
            raise RequestError(401, f"This link does not work. {sessions.users.new_link}")
        answer = Response(status_code=204)
        origin = request.headers.get("origin", "").lower()
        path = f"{proxy.prefix}/" if origin and origin == proxy.origin else "/"
        # As reported by a proxy on this machine, or by the page itself.
        secure = request.url.scheme == "https" or origin.startswith("https:")
        answer.set_cookie(cookie, session, path=path, httponly=True, samesite=_STRICT, secure=secure)
        return answer

    # Coroutines, since others would wait for a thread.
    async def login_page(_: Request) -> Response:
        return small_page("login.html")

    async def no_icon(_: Request) -> Response:
        return Response(status_code=204)

    files = [Route(path, _file(path.strip("/"), kind)) for path, kind in _FILES.items()]
    pages = [Route("/", show), Route("/login", login_page), Route("/login", sign_in, methods=["POST"])]
    return [*pages, *files, Route("/favicon.ico", no_icon)]


async def _ignore(_: Request, __: Exception) -> Response:
    """Ignore a client that disconnected in the middle of a request."""
    return Response(status_code=400)


def _token(body: bytes) -> str:
    try:
        token = json.loads(body)["token"]
    except (ValueError, TypeError, KeyError, RecursionError):
        token = None
    if not isinstance(token, str):
        raise RequestError(400, 'the token is missing, expected {"token": "…"}')
    return token


def _file(name: str, kind: str) -> Callable[[Request], Response]:
    content = (_FOLDER / name).read_bytes()
    return lambda _: Response(content, media_type=kind)


def small_page(name: str, status: int = 200, **values: str) -> Response:
    """Return a small page from its template; values are escaped."""
    template = Template((_FOLDER / name).read_text(encoding="utf-8"))
    html = template.substitute({key: escape(value) for key, value in values.items()})
    return HTMLResponse(html, status, {"content-security-policy": _OWN})


#: Most bytes in the body of a request, which only ever contains a token.
_MOST = 10_000
_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not accept requests of this kind.",
}


def make_app(world: World, *, tokens: AccessTokens, view: ServedPage, port: int) -> ASGIApp:
    """Return the application of the explorer, for users with a token; its overview is computed at once."""
    answers = Answers(world)

    def begin() -> None:
        with contextlib.suppress(RequestError):  # it is the answer to the request
            answers.answer("overview")

    threading.Thread(target=begin, daemon=True).start()
    return guarded(api_routes(answers), lambda _: view, tokens, port=port, most=_MOST)


def guarded(
    routes: list[BaseRoute],
    view_of: Callable[[Any], ServedPage],
    users: AccessTokens | Users,
    *,
    port: int,
    most: int,
    own: str = "",
    names: Collection[str] = ("localhost",),
    proxy: Proxy = Proxy(),  # noqa: B008 - a value
) -> ASGIApp:
    """Return an application of routes and sign-in pages behind all guards, with uniform errors.

    `own` distinguishes the server from others at the same port of other machines; `names` are its allowed
    host names, `proxy` is the one in front of it.
    """
    # Browsers share cookies among all ports of a host, and tunnels make one host of many.
    cookie = f"excerpt-{port}-{own}" if own else f"excerpt-{port}"
    sessions = Sessions(users)
    app = Starlette(
        routes=[*routes, *page_routes(view_of, cookie, sessions, proxy)],
        exception_handlers={
            RequestError: _report,
            HTTPException: _report,
            ClientDisconnect: _ignore,
            Exception: _fail,
        },
    )
    app.router.redirect_slashes = False  # programs get errors, not redirects
    return behind_guards(app, sessions, cookie, most, names, proxy)


async def _report(request: Request, error: Exception) -> Response:
    """Answer with the message of an error: as JSON for programs, as a page for browsers."""
    if isinstance(error, RequestError):
        return error_response(error.status, error.sentence, error.more)
    assert isinstance(error, HTTPException)
    sentence = _SENTENCES.get(error.status_code, error.detail)
    if is_api(request.scope) or request.method not in READING:
        answer = error_response(error.status_code, sentence)
    else:
        root = "../" * (request.url.path.count("/") - 1) or "./"
        answer = small_page("error.html", error.status_code, sentence=sentence, root=root)
    answer.headers.update(error.headers or {})
    return answer


async def _fail(_: Request, error: Exception) -> Response:
    """Report an unexpected error; its details are in the output of the server only."""
    return error_response(500, f"The server failed ({type(error).__name__}); its output has the details.")
