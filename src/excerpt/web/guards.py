"""Guards in front of an application, and tokens."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from excerpt.errors import ExcerptError
from excerpt.render.page import compress
from excerpt.web.server import ip_of

#: Methods that change nothing.
READING = ("GET", "HEAD", "OPTIONS")
#: What no answer lets a browser do, unless it says otherwise itself.
CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ON_EVERY_ANSWER = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


_MOST_DIGITS = 10
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:]+))(?::[0-9]*)?")


def refusal(status: int, sentence: str, more: Mapping[str, object] | None = None, **headers: str) -> Response:
    """The one shape of a refusal to programs: a sentence as JSON, and maybe `more` beside it."""
    named = {key.replace("_", "-"): headers[key] for key in headers}
    return JSONResponse({"error": sentence, **(more or {})}, status, named)


class Refusal(Exception):
    """A request that gets no answer but a status and a sentence, and maybe `more` that helps to go on."""

    def __init__(self, status: int, sentence: str, more: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.more = dict(more or {})


class HeadersGuard:
    """Every answer says that it is not to be framed, guessed at, referred to or kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with headers of safety; what is no request (a socket, a start) is not answered at all."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", CLOSED)
                for name, value in _ON_EVERY_ANSWER.items():
                    headers[name] = value
            await send(message)

        await self._app(scope, receive, with_headers)


class HostGuard:
    """Only requests to a loopback address, to the very address they came to, or to one in the list.

    The port may be any. A name of somebody else's that points to this machine (DNS rebinding) is refused;
    an address, unlike a name, cannot be made to point elsewhere.
    """

    def __init__(self, app: ASGIApp, names: Collection[str] = ("localhost",)) -> None:
        self._app = app
        self._names = {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that names this server."""
        hosts = Headers(scope=scope).getlist("host")
        reached = (scope.get("server") or ("",))[0]
        if len(hosts) != 1 or not self._known(host_of(hosts[0]), reached):
            answer = refusal(400, "found a request for another host, expected one for this machine itself")
            return await answer(scope, receive, send)
        return await self._app(scope, receive, send)

    def _known(self, host: str, reached: str) -> bool:
        if host.lower() in self._names:
            return True
        address = ip_of(host)
        return address is not None and (address.is_loopback or address == ip_of(reached))


def host_of(given: str) -> str:
    """The host of a Host header, without port and brackets; nothing where it is none.

    >>> host_of("127.0.0.1:80"), host_of("[::1]:80"), host_of("[::1]"), host_of("localhost"), host_of("a:b")
    ('127.0.0.1', '::1', '::1', 'localhost', '')
    """
    found = _HOST.fullmatch(given)
    return found[1] or found[2] if found else ""


class SizeGuard:
    """Only bodies of at most so many bytes, counted while they are read, whatever their headers say.

    The last byte must come within `seconds`: who sends a byte now and then would never be done.
    """

    def __init__(self, app: ASGIApp, most: int, seconds: float = 60) -> None:
        self._app = app
        self._most = most
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request; whoever reads too much of it gets an error that is a refusal."""
        read, whole, sentence = 0, False, f"found a larger body, expected at most {self._most} bytes"
        end = asyncio.get_running_loop().time() + self._seconds

        async def counted() -> Message:
            nonlocal read, whole
            try:
                async with asyncio.timeout_at(None if whole else end):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "found a body without end, expected it at once") from None
            read += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if read > self._most:
                raise HTTPException(413, sentence)
            return message

        said = Headers(scope=scope).get("content-length", "0")
        # Beyond some thousands of digits Python reads no number.
        if not said.isdecimal() or len(said) > _MOST_DIGITS or int(said) > self._most:
            return await refusal(413, sentence)(scope, receive, send)
        return await self._app(scope, counted, send)


class OriginGuard:
    """Nothing from pages of other sites.

    A foreign `Origin` is refused always, whatever else a request carries, and so is data for other sites,
    other ports of this machine included.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that no page of another site sent or caused."""
        if reason := self._reason(scope, Headers(scope=scope)):
            return await refusal(403, reason)(scope, receive, send)
        return await self._app(scope, receive, send)

    @staticmethod
    def _reason(scope: Scope, headers: Headers) -> str:
        """Why a request is refused; nothing if it is not."""
        origins, site = headers.getlist("origin"), headers.get("sec-fetch-site")
        own = f"{scope.get('scheme', 'http')}://{headers.get('host', '')}".lower()
        if any(origin.lower() != own for origin in origins):
            return "found a request of another site's page, expected one of our own"
        reads = scope["method"] in READING
        if reads and not is_api(scope):
            return ""  # a link that was followed from anywhere
        if site not in {None, "same-origin", "none" if reads else None}:
            return "found a request that another site caused, expected one of our own page"
        return ""


class IdentityGuard:
    """Knows who asks, by token or cookie: `scope["state"]["person"]`, None for nobody.

    Programs (`/api/…`) without a valid token are refused here; what pages show to nobody is theirs to say.
    `identify` may ask a database, so it is called in a thread.
    """

    def __init__(self, app: ASGIApp, identify: Callable[[str], object | None], cookie: str) -> None:
        self._app = app
        self._identify = identify
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note who asks, or refuse."""
        headers = Headers(scope=scope)
        given = _bearer(headers)
        if "authorization" not in headers:
            given = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        try:
            person = await run_in_threadpool(self._identify, given) if given else None
        except ExcerptError as error:  # the database cannot be asked now
            return await refusal(503, str(error))(scope, receive, send)
        if person is None and is_api(scope):
            answer = refusal(
                401, "found no valid token; sign in by the link that was printed", www_authenticate="Bearer"
            )
            return await answer(scope, receive, send)
        scope.setdefault("state", {})["person"] = person
        return await self._app(scope, receive, send)


class SenderGuard:
    """What changes something says that our own page sent it.

    It needs our own `Origin`, or `Sec-Fetch-Site: same-origin`; only a program, which has a token but no
    cookie, may send neither. It is asked after who asks: a program without a valid token is told so.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request whose sender is known, or that changes nothing."""
        headers = Headers(scope=scope)
        said = "origin" in headers or "sec-fetch-site" in headers  # none of them is foreign here
        if scope["method"] in READING or said or (_bearer(headers) and "cookie" not in headers):
            return await self._app(scope, receive, send)
        sentence = "found no Origin, expected that of our own page, or a token and no cookie"
        return await refusal(403, sentence)(scope, receive, send)


def is_api(scope: Scope) -> bool:
    """Whether a request is a program's, which gets its refusals as JSON."""
    path: str = scope["path"]
    return path == "/api" or path.startswith("/api/")


def _bearer(headers: Headers) -> str:
    """The token of an Authorization header; nothing if there is none."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def new_token() -> str:
    """256 random bits, as they can stand in an address."""
    return secrets.token_urlsafe(32)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class Tokens:
    """People by the hashes of their tokens.

    >>> tokens = Tokens()
    >>> tokens.add("secret", "ann")
    >>> tokens.identify("secret"), tokens.identify("other")
    ('ann', None)
    """

    def __init__(self) -> None:
        self._people: dict[bytes, str] = {}
        self._once: dict[bytes, str] = {}

    def add(self, token: str, person: str) -> None:
        """Let somebody in by a token."""
        self._people[_hash(token)] = person

    def identify(self, token: str) -> str | None:
        """Whose token this is; None if nobody's. Takes the same time whatever is wrong with it."""
        given = _hash(token)
        found = [person for known, person in self._people.items() if hmac.compare_digest(known, given)]
        return found[0] if found else None

    def add_link(self, token: str) -> str:
        """A token that can be exchanged for another, once: all users see what a browser is started with."""
        link = new_token()
        self._once[_hash(link)] = token
        return link

    def exchange(self, token: str) -> str | None:
        """The token to keep after signing in: this one, or that of a link; None if it is nobody's."""
        if self.identify(token) is not None:
            return token
        given = _hash(token)
        known = [link for link in self._once if hmac.compare_digest(link, given)]
        return self._once.pop(known[0]) if known else None


#: Bytes below which nothing is packed.
_SMALL = 10_000


async def packed(request: Request, content: bytes) -> Response:
    """An answer of JSON, packed where the client is elsewhere and can unpack it."""
    headers = {"vary": "accept-encoding"}
    if (
        len(content) > _SMALL
        and not _is_here(request)
        and _unpacks(request.headers.get("accept-encoding", ""))
    ):
        content = await run_in_threadpool(compress, content)
        headers["content-encoding"] = "gzip"
    return Response(content, headers=headers, media_type="application/json")


def _is_here(request: Request) -> bool:
    address = ip_of(request.client.host) if request.client else None
    return address is not None and address.is_loopback


def _unpacks(accepted: str) -> bool:
    """Whether a list of encodings has gzip.

    >>> _unpacks("gzip, deflate, br"), _unpacks("br;q=1, gzip;q=0"), _unpacks("")
    (True, False, False)
    """
    for part in accepted.lower().split(","):
        name, _, quality = part.replace(" ", "").partition(";q=")
        if name == "gzip":
            return quality.strip("0.") != "" or not quality
    return False
