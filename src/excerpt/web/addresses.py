"""Where a server can be reached: addresses and names of this machine."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from typing import TypeAlias

from excerpt.errors import ExcerptError, short

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
