"""Servers: a port, a thread, an end by Ctrl-C; addresses."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import re
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from excerpt.errors import ExcerptError, one_line, short
from excerpt.files import describe

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp


IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?")


def ip_of(host: str) -> IpAddress | None:
    """An address, IPv4 inside of IPv6 as what it is; None for a name.

    >>> str(ip_of("::ffff:10.0.0.7")), ip_of("localhost")
    ('10.0.0.7', None)
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def find_address(host: str) -> IpAddress:
    """The address of a host, also of one that is named."""
    if (given := ip_of(host)) is not None:
        return given
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0] if host else ""
        return ipaddress.ip_address(found)
    except (OSError, UnicodeError, ValueError):
        expected = "expected an address of this machine, or its name"
        raise ExcerptError(f"found {short(host)!r} as host, {expected}") from None


def write_address(host: str, port: int) -> str:
    """Where a server is, as browsers write it.

    >>> write_address("::1", 80), write_address("localhost", 8000)
    ('http://[::1]:80', 'http://localhost:8000')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def link_to(address: str, token: str) -> str:
    """The link by which somebody signs in: the token is in the fragment, which no server and no log sees."""
    return f"{address}/login#token={token}"


def allowed_names(host: str, further: Iterable[str] = ()) -> set[str]:
    """The names by which browsers may call a server that listens at a host.

    Requests to loopback addresses, and to the very address that they came to, are allowed without a name.
    """
    names = {"localhost", *map(_checked, further)}
    if not find_address(host).is_loopback:
        names |= {socket.gethostname()} | ({host} if ip_of(host) is None else set())
    return {name.lower() for name in names}


def _checked(name: str) -> str:
    if _NAME.fullmatch(name) or ip_of(name) is not None:
        return name
    expected = "expected the name of a host without port, such as assess.example.org"
    raise ExcerptError(f"found {short(name)!r} as name, {expected}")


def linked_host(host: str, further: Iterable[str] = ()) -> str:
    """What links call the server: its host; of one that listens everywhere a name of the machine."""
    if not find_address(host).is_unspecified:
        return host
    return next(iter(further), socket.gethostname())


#: Seconds that answers under way have when the server ends.
_PATIENCE = 2
#: Bytes of an address and headers; pieces of text are asked for in the address.
_LONGEST_REQUEST = 1 << 18
_LAST_PORT = 65535
#: Seconds for which a connection is kept without a request: people read between two actions.
_KEPT = 60
#: The name of the thread that answers.
THREAD = "excerpt-server"


def require_web() -> None:
    """Import what serves pages; an error that says what to install, where it is not there or is broken."""
    missing = []
    for name in ("starlette", "uvicorn"):
        try:
            import_module(name)
        except ImportError as error:
            if getattr(error, "name", None) != name:
                raise _lacking(f"{name} cannot be imported ({one_line(str(error))})") from None
            missing.append(name)
    if missing:
        raise _lacking(f"found no {', '.join(missing)}")


def _lacking(found: str) -> ExcerptError:
    return ExcerptError(f"{found}, which a server of pages needs", hint="try pip install 'excerpt[web]'")


def listen(host: str, port: int, *, anywhere: bool = False) -> socket.socket:
    """A socket at a loopback address, or `anywhere`; port 0 takes any that is free."""
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
        why = "another program has it" if error.errno == errno.EADDRINUSE else describe(error)
        raise ExcerptError(
            f"port {port} of {address} cannot be had: {why}", hint="⟨port=0⟩ takes any that is free"
        ) from None
    return listening


def _loopback(host: str) -> IpAddress:
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        address = ipaddress.ip_address("0.0.0.0")  # noqa: S104  which is no loopback either
    if not address.is_loopback:
        raise ExcerptError(
            f"found {host} as host, expected a loopback address: one person signs in, and unencrypted",
            hint="for another machine make a tunnel: ssh -L PORT:127.0.0.1:PORT HOST",
        )
    return address


@contextlib.contextmanager
def ended_by_signal() -> Iterator[None]:
    """The signal by which systems end programs does here what Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        pass  # also while it was about to begin
    finally:
        signal.signal(signal.SIGTERM, before)


def serve(app: ASGIApp, listening: socket.socket, begin: Callable[[], None]) -> None:
    """Answer requests until Ctrl-C; `begin` is called as soon as they are answered.

    The server has a thread of its own: in notebooks this one has an event loop already.
    """
    import uvicorn

    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="off",
            log_level="error",  # what others send to the port is no matter of the user's
            access_log=False,
            server_header=False,
            forwarded_allow_ips="127.0.0.1,::1",  # only a proxy on this machine says that it has TLS
            timeout_graceful_shutdown=_PATIENCE,
            timeout_keep_alive=_KEPT,
            h11_max_incomplete_event_size=_LONGEST_REQUEST,
        )
    )
    with listening:
        thread = threading.Thread(target=server.run, args=([listening],), name=THREAD, daemon=True)
        thread.start()
        try:
            _wait(server, thread, begin)
        except KeyboardInterrupt:
            pass  # the one way in which serving ends
        finally:
            server.should_exit = True
            thread.join()


def _wait(server: uvicorn.Server, thread: threading.Thread, begin: Callable[[], None]) -> None:
    while thread.is_alive() and not server.started:
        thread.join(0.01)
    if thread.is_alive():
        begin()
    while thread.is_alive():
        thread.join(1)  # short enough for Ctrl-C on every system


def open_browser(link: str) -> None:
    """Show a link in the user's browser, if there is one with a window."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return
    # What is of this very class draws into the terminal, unless the user has named it.
    if type(found) is not webbrowser.GenericBrowser or os.environ.get("BROWSER"):
        threading.Thread(target=found.open, args=(link,), daemon=True).start()
