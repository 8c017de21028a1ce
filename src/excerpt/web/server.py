"""Local HTTP servers: addresses, ports, threads, signals."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import os
import random
import re
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from excerpt.errors import ExcerptError, one_line, short
from excerpt.files import describe

if TYPE_CHECKING:
    from starlette.types import ASGIApp

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
#: The address of a proxy: scheme, host, port, and a prefix that needs no escapes in a cookie or a header and
#: is no path of the server.
_URL = re.compile(
    r"(?i:(https?)://(\w(?:[\w.-]*\w)?|\[[0-9a-f:.]+\]))(:[0-9]{1,5})?"
    r"((?!/(?:api|login)(?:/|$))(?:/[\w.~-]+)*)/?",
    re.ASCII,
)
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?")


def ip_of(host: str) -> IpAddress | None:
    """Parse an IP address, IPv4 mapped to IPv6 as IPv4; return None for a name.

    >>> str(ip_of("::ffff:10.0.0.7")), ip_of("localhost")
    ('10.0.0.7', None)
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def find_address(host: str) -> IpAddress:
    """Return the IP address of a host or host name."""
    if (address := ip_of(host)) is not None:
        return address
    try:
        resolved = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0] if host else ""
        return ipaddress.ip_address(resolved)
    except (OSError, UnicodeError, ValueError):
        expected = "expected an address or a name of this machine"
        raise ExcerptError(f"found {short(host)!r} as host, {expected}") from None


def possible_ports() -> list[int]:
    """Return ports to try, outside the range of temporary ports, which other programs use for a while."""
    return random.SystemRandom().sample(range(10_000, 30_000), 100)


def write_address(host: str, port: int) -> str:
    """Return the URL of a server.

    >>> write_address("::1", 80), write_address("localhost", 8000)
    ('http://[::1]:80', 'http://localhost:8000')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def link_to(address: str, token: str) -> str:
    """Return a sign-in link; the token is in the fragment, which is never sent or logged."""
    return f"{address}/login#token={token}"


def allowed_names(host: str, further: Sequence[str] = ()) -> set[str]:
    """Return the allowed host names of a server that listens at a host.

    Requests to loopback addresses, and to the server's own address, are allowed without a name.
    """
    names = {"localhost", *further}
    for name in further:
        if not _NAME.fullmatch(name) and ip_of(name) is None:
            expected = "expected a host name without port, such as assess.example.org"
            raise ExcerptError(f"found {short(name)!r} as name, {expected}")
    if not find_address(host).is_loopback:
        names |= {socket.gethostname()} | ({host} if ip_of(host) is None else set())
    return {name.lower() for name in names}


class Proxy(NamedTuple):
    """A proxy in front of a server: its address, origin and host, and the prefix of its paths."""

    url: str = ""
    origin: str = ""
    host: str = ""
    prefix: str = ""

    @classmethod
    def of(cls, url: str) -> Proxy:
        """Parse the address of a proxy; "" is none.

        >>> Proxy.of("https://assess.example.org/track/")[:2]
        ('https://assess.example.org/track', 'https://assess.example.org')
        """
        if not url:
            return cls()
        if not (match := _URL.fullmatch(url)):
            expected = "expected an address such as https://host/prefix"
            raise ExcerptError(f"found {short(url)!r} as url, {expected}")
        scheme, host, port, prefix = match[1].lower(), match[2].lower(), match[3] or "", match[4]
        usual = {"http": ":80", "https": ":443"}[scheme]  # which browsers leave out
        origin = f"{scheme}://{host}{'' if port == usual else port}"
        return cls(f"{origin}{prefix}", origin, host.strip("[]"), prefix)


def linked_host(host: str, further: Iterable[str] = ()) -> str:
    """Return the host name of links: the host, or a name of the machine if the server listens everywhere."""
    if not find_address(host).is_unspecified:
        return host
    return next(iter(further), socket.gethostname())


#: Seconds for pending answers when the server ends.
_PATIENCE = 2
#: Most bytes of URL and headers; requested spans of text are in the URL.
_LONGEST_REQUEST = 1 << 18
_LAST_PORT = 65535
#: Seconds for which an idle connection is kept: assessors read between two actions.
_KEPT = 60
#: Name of the server's thread.
THREAD = "excerpt-server"


def require_web() -> None:
    """Import the packages of the server; raise an error that names what to install."""
    missing = []
    for name in ("starlette", "uvicorn"):
        try:
            import_module(name)
        except ImportError as error:
            if getattr(error, "name", None) != name:
                raise _needs(f"{name}, which cannot be imported ({one_line(str(error))})") from None
            missing.append(name)
    if missing:
        raise _needs(" and ".join(missing))


def _needs(packages: str) -> ExcerptError:
    return ExcerptError(f"the web server needs {packages}", hint="try pip install 'excerpt[web]'")


def listen(host: str, port: int, *, anywhere: bool = False) -> socket.socket:
    """Open a socket at a loopback address, or `anywhere`; port 0 picks a free one."""
    address = find_address(host) if anywhere else _loopback(host)
    if not 0 <= port <= _LAST_PORT:
        raise ExcerptError(f"found {port} as port, expected 0 to {_LAST_PORT}")
    kind = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    listening = socket.socket(kind, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((str(address), port))
    except OSError as error:
        listening.close()
        in_use = error.errno == errno.EADDRINUSE
        reason = "is in use" if in_use else f"cannot be opened: {describe(error)}"
        raise ExcerptError(f"port {port} of {address} {reason}", hint="⟨port=0⟩ picks a free one") from None
    return listening


def _loopback(host: str) -> IpAddress:
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        address = ipaddress.ip_address("0.0.0.0")  # noqa: S104  not a loopback address, like any name
    if not address.is_loopback:
        raise ExcerptError(
            f"found {host} as host, expected a loopback address: the page has one user and no encryption",
            hint="from another machine use a tunnel: ssh -L PORT:127.0.0.1:PORT HOST",
        )
    return address


@contextlib.contextmanager
def ended_by_signal() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C."""

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would disturb the cleaning up
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        pass  # also during the start
    finally:
        signal.signal(signal.SIGTERM, before)


def serve(app: ASGIApp, listening: socket.socket, begin: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C; `begin` is called as soon as the server is ready.

    The server runs in its own thread, since the main thread of a notebook has an event loop already.
    """
    import uvicorn

    from excerpt.web.connections import MOST, Connection, Server

    server = Server(
        uvicorn.Config(
            app,
            http=Connection,
            limit_concurrency=MOST,
            ws="none",
            lifespan="off",
            log_level="error",  # invalid requests of other programs do not concern the user
            access_log=False,
            server_header=False,
            forwarded_allow_ips="127.0.0.1,::1",  # trust TLS headers only from a proxy on this machine
            timeout_graceful_shutdown=_PATIENCE,
            timeout_keep_alive=_KEPT,
            h11_max_incomplete_event_size=_LONGEST_REQUEST,
        )
    )
    ended = threading.Event()  # an interrupted `join` would take the thread for ended

    def run() -> None:
        try:
            server.run([listening])
        finally:
            ended.set()

    with listening:
        thread = threading.Thread(target=run, name=THREAD, daemon=True)
        thread.start()
        try:
            while not server.started and not ended.wait(0.01):
                pass
            if not ended.is_set():
                begin()
            while not ended.wait(1):  # short enough for Ctrl-C on every system
                pass
        except KeyboardInterrupt:
            pass  # the normal end of serving
        finally:
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # requests that are cut off
            server.should_exit = True
            ended.wait()
            thread.join()


def open_browser(link: str) -> None:
    """Open a link in the user's browser, if it has a window."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    # Browsers of exactly this class run in the terminal, unless the user chose one.
    if type(browser) is not webbrowser.GenericBrowser or os.environ.get("BROWSER"):
        threading.Thread(target=browser.open, args=(link,), daemon=True).start()
