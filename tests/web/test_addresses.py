"""Addresses and names: what a server may be called."""

from __future__ import annotations

import socket

import pytest

from excerpt.errors import ExcerptError
from excerpt.web.addresses import allowed_names, find_address, linked_host


def test_on_loopback_only_localhost_is_a_name() -> None:
    """And what was named: a proxy on this machine has a name of its own."""
    assert allowed_names("127.0.0.1") == {"localhost"}
    assert allowed_names("::1", ["Assess.Example.org"]) == {"localhost", "assess.example.org"}


def test_elsewhere_the_machine_has_its_name() -> None:
    """Its addresses need not be listed: a request says to which it came."""
    own = socket.gethostname().lower()
    assert allowed_names("0.0.0.0") == {"localhost", own}
    assert allowed_names("192.0.2.7", ["a.test"]) == {"localhost", own, "a.test"}


@pytest.mark.parametrize("name", ["", "a b", "a/b", "*", "a:80", "http://a", "a\r\nx", "-a", "*.test"])
def test_names_that_are_none(name: str) -> None:
    """Patterns among them: every name is said."""
    with pytest.raises(ExcerptError, match="as name, expected the name of a host"):
        allowed_names("127.0.0.1", [name])


@pytest.mark.parametrize("host", ["", "no such host", "no-such-host.invalid", "999.0.0.1"])
def test_hosts_that_are_none(host: str) -> None:
    """One line."""
    with pytest.raises(ExcerptError, match="as host, expected an address of this machine"):
        find_address(host)


def test_links_name_what_can_be_reached() -> None:
    """Nobody can open 0.0.0.0 of another machine."""
    assert linked_host("127.0.0.1", ["a.test"]) == "127.0.0.1"
    assert linked_host("0.0.0.0", ["a.test", "b.test"]) == "a.test"
    assert linked_host("::") == socket.gethostname()
