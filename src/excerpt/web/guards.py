"""Security guards in front of a web application, and tokens."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import math
import re
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from excerpt.errors import ExcerptError, plural
from excerpt.render.page import compress
from excerpt.web.server import Proxy, ip_of

#: Methods that change nothing.
READING = ("GET", "HEAD", "OPTIONS")
#: Content security policy of answers that do not set their own: nothing is allowed.
CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_ON_EVERY_ANSWER = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_MOST_DIGITS = 10
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9_.-]+))(?::[0-9]*)?")


def error_response(status: int, sentence: str, more: Mapping[str, object] | None = None) -> Response:
    """Return an error as JSON: a sentence, and possibly `more` fields."""
    return JSONResponse({"error": sentence, **(more or {})}, status)


class RequestError(Exception):
    """An HTTP error: status, sentence, and possibly `more` fields that help the client to continue."""

    def __init__(self, status: int, sentence: str, more: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.more = dict(more or {})


@dataclass(eq=False)
class Guard:
    """Guard in front of an application, which gets the requests that the guard passes on."""

    app: ASGIApp


class HeadersGuard(Guard):
    """Guard that adds security headers to every answer: no framing, sniffing, referrer or caching."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers; ignore messages that are not HTTP requests, such as websockets."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", CLOSED)
                for name, value in _ON_EVERY_ANSWER.items():
                    headers[name] = value
            await send(message)

        await self.app(scope, receive, with_headers)


@dataclass(eq=False)
class HostGuard(Guard):
    """Guard that accepts requests to a loopback address, the server's own address, or an allowed name.

    Any port is accepted. A foreign name that points to this machine (DNS rebinding) is rejected; an address,
    unlike a name, cannot be redirected.
    """

    names: Collection[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hosts = Headers(scope=scope).getlist("host")
        reached = (scope.get("server") or ("",))[0]
        host = host_of(hosts[0]) if len(hosts) == 1 else ""
        address = ip_of(host)
        known = address is not None and (address.is_loopback or address == ip_of(reached))
        if not known and host.lower() not in {name.lower() for name in self.names}:
            answer = error_response(400, "this server does not answer to that host name")
            return await answer(scope, receive, send)
        return await self.app(scope, receive, send)


def host_of(header: str) -> str:
    """Return the host of a Host header, without port and brackets; "" if it is invalid.

    >>> host_of("127.0.0.1:80"), host_of("[::1]:80"), host_of("[::1]"), host_of("localhost"), host_of("a:b")
    ('127.0.0.1', '::1', '::1', 'localhost', '')
    """
    match = _HOST.fullmatch(header)
    return match[1] or match[2] if match else ""


@dataclass(eq=False)
class PrefixGuard(Guard):
    """Guard that removes the prefix of a proxy from paths; some proxies do that themselves."""

    prefix: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request without the prefix; relative addresses need the slash after it."""
        path: str = scope["path"]
        if self.prefix and path == self.prefix:
            return await RedirectResponse(f"{self.prefix}/", 308)(scope, receive, send)
        if self.prefix and path.startswith(f"{self.prefix}/"):
            scope = {**scope, "path": path.removeprefix(self.prefix)}
        return await self.app(scope, receive, send)


@dataclass(eq=False)
class SizeGuard(Guard):
    """Guard that limits the size of bodies, counted while they are read, whatever the headers say.

    The whole body must arrive within `seconds`, since a slow sender would never end.
    """

    most: int
    seconds: float = 60

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size, complete = 0, False
        sentence = f"the body is too large, expected at most {self.most} bytes"
        end = asyncio.get_running_loop().time() + self.seconds

        async def counted() -> Message:
            nonlocal size, complete
            try:
                async with asyncio.timeout_at(None if complete else end):
                    message = await receive()
            except TimeoutError:
                late = f"the body did not arrive within {self.seconds:g} seconds"
                raise HTTPException(408, late) from None
            size += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if size > self.most:
                raise HTTPException(413, sentence)
            return message

        length = Headers(scope=scope).get("content-length", "0")
        # Python does not parse numbers of thousands of digits.
        if not length.isdecimal() or len(length) > _MOST_DIGITS or int(length) > self.most:
            return await error_response(413, sentence)(scope, receive, send)
        return await self.app(scope, counted, send)


@dataclass(eq=False)
class OriginGuard(Guard):
    """Guard that rejects requests from pages of other sites.

    A request with a foreign `Origin` is always rejected, and so are requests for data from other sites,
    including other ports of this machine. The origin of a proxy in front of the server is not foreign.
    """

    proxy: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if reason := self._reason(scope, Headers(scope=scope)):
            return await error_response(403, reason)(scope, receive, send)
        return await self.app(scope, receive, send)

    def _reason(self, scope: Scope, headers: Headers) -> str:
        """Return the reason to reject a request, or ""."""
        origins, site = headers.getlist("origin"), headers.get("sec-fetch-site")
        host = headers.get("host", "").lower()
        own = f"{scope.get('scheme', 'http')}://{host}".lower()
        if self.proxy.partition("//")[2] == host:  # whatever the proxy says about the scheme
            own = self.proxy
        if any(origin.lower() not in {own, self.proxy or own} for origin in origins):
            return "requests from pages of other sites are not accepted"
        reads = scope["method"] in READING
        if reads and not is_api(scope):
            return ""  # a link that the user followed
        if site not in {None, "same-origin", "none" if reads else None}:
            return "requests caused by other sites are not accepted"
        return ""


@dataclass(eq=False)
class IdentityGuard(Guard):
    """Guard that identifies the user by token, or by a session in a cookie: `scope["state"]["user"]`.

    Requests to `/api/…` without either are rejected; pages decide themselves what to show.
    Users and sessions may be in a database, so they are looked up in a thread.
    """

    sessions: Sessions
    cookie: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        token, session = _bearer(headers), ""
        if "authorization" not in headers:
            session = cookie_parser(headers.get("cookie", "")).get(self.cookie, "")
        user = None
        try:
            if token:
                user = await self.sessions.attempts.look_up(scope, token, self.sessions.users.identify)
            elif session:
                user = await run_in_threadpool(self.sessions.identify, session)
        except RequestError as error:
            return await error_response(error.status, error.sentence)(scope, receive, send)
        except ExcerptError as error:  # the database is not available
            return await error_response(503, str(error))(scope, receive, send)
        if user is None and is_api(scope):
            sentence = "no valid token given; sign in with your link"
            if "authorization" not in headers:  # a page whose server was started again
                sentence = "Your session has ended. Open your link again, in this browser."
            answer = error_response(401, sentence)
            answer.headers["www-authenticate"] = "Bearer"
            return await answer(scope, receive, send)
        scope.setdefault("state", {})["user"] = user
        return await self.app(scope, receive, send)


class SenderGuard(Guard):
    """Guard that rejects changes of data by anyone but the server's own pages and programs with a token.

    A page sends its `Origin` or `Sec-Fetch-Site: same-origin`; a program has a token but no cookie. This
    guard comes after the identity: an invalid token is reported as such.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        own_page = "origin" in headers or "sec-fetch-site" in headers  # foreign ones were rejected before
        if scope["method"] in READING or own_page or (_bearer(headers) and "cookie" not in headers):
            return await self.app(scope, receive, send)
        sentence = "the Origin header is missing; programs must send a token without a cookie"
        return await error_response(403, sentence)(scope, receive, send)


def behind_guards(
    app: ASGIApp, sessions: Sessions, cookie: str, most: int, names: Collection[str], proxy: Proxy
) -> ASGIApp:
    """Return an application behind all guards."""
    identified = IdentityGuard(SenderGuard(app), sessions, cookie)
    inside = PrefixGuard(SizeGuard(OriginGuard(identified, proxy.origin), most), proxy.prefix)
    return HeadersGuard(HostGuard(inside, names))


def is_api(scope: Scope) -> bool:
    """Return True for a request to `/api`, which gets errors as JSON."""
    path: str = scope["path"]
    return path == "/api" or path.startswith("/api/")


def _bearer(headers: Headers) -> str:
    """Return the token of an Authorization header, or ""."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def new_token() -> str:
    """Return a token of 256 random bits, safe in URLs."""
    return secrets.token_urlsafe(32)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class AccessTokens:
    """Users by the hashes of their tokens.

    >>> tokens = AccessTokens()
    >>> tokens.add("secret", "ann")
    >>> tokens.identify("secret"), tokens.identify("other")
    ('ann', None)
    """

    new_link = "Open the link that excerpt printed last."

    def __init__(self) -> None:
        self._users: dict[bytes, str] = {}
        self._single_use: dict[bytes, str] = {}

    def add(self, token: str, user: str) -> None:
        self._users[_hash(token)] = user

    def identify(self, token: str) -> str | None:
        """Return the user with this token, or None; takes the same time for every wrong token."""
        digest = _hash(token)
        users = [user for stored, user in self._users.items() if hmac.compare_digest(stored, digest)]
        return users[0] if users else None

    def add_link(self, token: str) -> str:
        """Return a single-use token for a link: other users can see the arguments of a browser."""
        link = new_token()
        self._single_use[_hash(link)] = token
        return link

    def exchange(self, token: str) -> str | None:
        """Return the token of a link: this one, or that of a single-use link; None if invalid."""
        if self.identify(token) is not None:
            return token
        digest = _hash(token)
        links = [link for link in self._single_use if hmac.compare_digest(link, digest)]
        return self._single_use.pop(links[0]) if links else None


#: Wrong tokens of an address that are looked up at once, before it is one a second.
_FREE = 20
#: The most addresses and right tokens that are remembered.
_MOST_KEPT = 10_000


class Attempts:
    """Wrong tokens by address: after 20 an address may try one a second; others are not slowed down.

    New tokens of an address are looked up one at a time, so that they never need more than one thread.
    Tokens that were right before need not wait.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        #: By address: a lock, and the time until which all of its wrong tokens count.
        self._locks: dict[str, asyncio.Lock] = {}
        self._until: dict[str, float] = {}
        self._right: dict[bytes, None] = {}

    async def look_up(self, scope: Scope, token: str, find: Callable[[str], Any]) -> Any:
        """Return what `find` returns for a token, in a thread; raise an error after too many wrong ones."""
        address, digest = (scope.get("client") or ("",))[0], _hash(token)
        if digest in self._right and (found := await run_in_threadpool(find, token)) is not None:
            return found
        async with self._locks.setdefault(address, asyncio.Lock()):
            seconds = math.ceil(self._until.get(address, 0.0) - self._clock()) - _FREE + 1
            if seconds > 0:
                again = f"Try again in {plural(seconds, 'second')}."
                raise RequestError(429, f"Too many wrong links came from your address. {again}")
            found = await run_in_threadpool(find, token)
            if found is None:
                self._until[address] = max(self._until.pop(address, 0.0), self._clock()) + 1
            else:
                self._right[digest] = None
        for kept in (self._locks, self._until, self._right):
            _forget_oldest(kept)
        return found


def _forget_oldest(kept: dict[Any, Any]) -> None:
    while len(kept) > _MOST_KEPT:
        del kept[next(iter(kept))]


#: Seconds after which a session ends, and the most sessions of a server.
_LONGEST_SESSION = 30 * 24 * 3600
_MOST_SESSIONS = 10_000


class Sessions:
    """Sessions of this server by their hashes; each ends with the token that opened it, or after 30 days.

    >>> tokens = AccessTokens()
    >>> tokens.add("secret", "ann")
    >>> sessions = Sessions(tokens)
    >>> session = sessions.open("secret")
    >>> sessions.identify(session), sessions.identify("secret")
    ('ann', None)
    """

    def __init__(self, users: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self.users = users
        self.attempts = Attempts(clock)
        self._clock = clock
        #: The token of each session, and the time when it ends; the oldest first.
        self._sessions: dict[bytes, tuple[str, float]] = {}

    def open(self, token: str) -> str | None:
        """Open a session for the user with this token and return it; None if the token is invalid."""
        token = self.users.exchange(token)
        if token is None:
            return None
        session = new_token()
        self._sessions[_hash(session)] = (token, self._clock() + _LONGEST_SESSION)
        for oldest in [*self._sessions][:-_MOST_SESSIONS]:
            del self._sessions[oldest]
        return session

    def identify(self, session: str) -> object | None:
        token, end = self._sessions.get(_hash(session), ("", 0.0))
        return self.users.identify(token) if self._clock() < end else None


#: Bytes up to which answers are not compressed.
_SMALL = 10_000


async def compressed(request: Request, content: bytes) -> Response:
    """Return JSON as an answer, compressed for clients on other machines that accept gzip."""
    headers = {"vary": "accept-encoding"}
    accepted = request.headers.get("accept-encoding", "")
    address = ip_of(request.client.host) if request.client else None
    local = address is not None and address.is_loopback
    if len(content) > _SMALL and not local and _accepts_gzip(accepted):
        content = await run_in_threadpool(compress, content)
        headers["content-encoding"] = "gzip"
    return Response(content, headers=headers, media_type="application/json")


def _accepts_gzip(accepted: str) -> bool:
    """Return True if an Accept-Encoding header contains gzip.

    >>> _accepts_gzip("gzip, deflate, br"), _accepts_gzip("br;q=1, gzip;q=0"), _accepts_gzip("")
    (True, False, False)
    """
    for part in accepted.lower().split(","):
        name, _, quality = part.replace(" ", "").partition(";q=")
        if name == "gzip":
            return quality.strip("0.") != "" or not quality
    return False
