"""Tests of servers: ports, hosts, Ctrl-C, browsers."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import urllib.request
import webbrowser
from pathlib import Path
from typing import Any

import pytest
from support.waiting import until

from excerpt.errors import ExcerptError
from excerpt.web.server import (
    THREAD,
    allowed_names,
    find_address,
    linked_host,
    listen,
    open_browser,
    require_web,
    serve,
    write_address,
)


async def _hello(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


def test_requests_are_answered_until_the_interrupt() -> None:
    """`begin` is called when the server is ready; Ctrl-C ends it and frees the port."""
    listening = listen("127.0.0.1", 0)
    address = write_address(*listening.getsockname()[:2])
    answers: list[bytes] = []

    def begin() -> None:
        with urllib.request.urlopen(address) as answer:
            assert "server" not in answer.headers
            answers.append(answer.read())
        raise KeyboardInterrupt

    serve(_hello, listening, begin)
    assert answers == [b"hello"]
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)
    listen("127.0.0.1", int(address.rpartition(":")[2])).close()


def test_a_signal_ends_the_thread_before_the_server_returns() -> None:
    """Otherwise it would go on, and fail, while Python ends."""

    def begin() -> None:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    serve(_hello, listen("127.0.0.1", 0), begin)
    assert THREAD not in {thread.name for thread in threading.enumerate()}


def test_what_is_no_request_is_not_told_in_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """Invalid requests are rejected without output."""
    listening = listen("127.0.0.1", 0)
    answers: list[bytes] = []

    def begin() -> None:
        with socket.create_connection(listening.getsockname()) as asking:
            asking.sendall(b"GET / HTTP/1.1\r\n\r\n")
            answers.append(asking.makefile("rb").readline())
        raise KeyboardInterrupt

    serve(_hello, listening, begin)
    assert answers[0].startswith(b"HTTP/1.1 400")
    assert capfd.readouterr() == ("", "")


def test_what_fails_before_it_begins_ends_the_server() -> None:
    """No thread is left."""

    def begin() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        serve(_hello, listen("127.0.0.1", 0), begin)
    until(lambda: THREAD not in {thread.name for thread in threading.enumerate()})


@pytest.mark.parametrize(
    ("host", "start"),
    [("127.0.0.1", "http://127.0.0.1:"), ("localhost", "http://127.0.0.1:"), ("::1", "http://[::1]:")],
)
def test_addresses_are_those_of_this_machine(host: str, start: str) -> None:
    """Port 0 picks a free one."""
    try:
        listening = listen(host, 0)
    except ExcerptError as error:
        pytest.skip(f"this machine has no such address: {error}")
    with listening:
        address = write_address(*listening.getsockname()[:2])
        assert address.startswith(start)
        assert not address.endswith(":0")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
def test_other_hosts_are_refused(host: str) -> None:
    """The error names a way to connect from another machine."""
    with pytest.raises(ExcerptError, match=rf"^found {host} as host, expected a loopback address.*ssh -L"):
        listen(host, 0)


def test_a_port_in_use_is_one_line() -> None:
    """The error names a solution."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ExcerptError) as refused:
            listen("127.0.0.1", port)
    assert str(refused.value) == (f"port {port} of 127.0.0.1 is in use; port=0 picks a free one")


@pytest.mark.parametrize("port", [-1, 65536, 1 << 70])
def test_ports_that_are_none(port: int) -> None:
    """An invalid port is an error of one line."""
    with pytest.raises(ExcerptError, match=f"found {port} as port, expected 0 to 65535"):
        listen("127.0.0.1", port)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is an error that says what to install."""
    require_web()
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ExcerptError, match=r"the web server needs uvicorn; try pip install 'excerpt\[web\]'"):
        require_web()


def test_what_is_broken_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A package that cannot be imported is an error of one line."""
    (tmp_path / "uvicorn.py").write_text("import no_such_thing", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "uvicorn", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    expected = r"the web server needs uvicorn, which cannot be imported \(No module named 'no_such_thing'\)"
    with pytest.raises(ExcerptError, match=expected):
        require_web()


@pytest.mark.parametrize(
    ("found", "named", "opens"),
    [
        (webbrowser.BackgroundBrowser("firefox"), "", True),
        (webbrowser.GenericBrowser("lynx"), "", False),
        (webbrowser.GenericBrowser("mine"), "mine", True),
        (None, "", False),
    ],
)
def test_browsers_with_a_window_are_opened(
    monkeypatch: pytest.MonkeyPatch, found: webbrowser.GenericBrowser | None, named: str, *, opens: bool
) -> None:
    """A browser in the terminal is opened only if the user chose it."""
    opened: list[str] = []
    done = threading.Event()

    def open_(link: str) -> bool:
        opened.append(link)
        done.set()
        return True

    def get() -> webbrowser.GenericBrowser:
        if found is None:
            raise webbrowser.Error
        return found

    monkeypatch.setenv("BROWSER", named)
    monkeypatch.setattr(webbrowser, "get", get)
    if found is not None:
        monkeypatch.setattr(found, "open", open_)
    open_browser("http://127.0.0.1:1/")
    assert done.wait(5 if opens else 0.05) == opens
    assert opened == (["http://127.0.0.1:1/"] if opens else [])


def test_on_loopback_only_localhost_is_a_name() -> None:
    """Further names, such as that of a proxy, are allowed."""
    assert allowed_names("127.0.0.1") == {"localhost"}
    assert allowed_names("::1", ["Assess.Example.org"]) == {"localhost", "assess.example.org"}


def test_elsewhere_the_machine_has_its_name() -> None:
    """Addresses of the machine need no list."""
    own = socket.gethostname().lower()
    assert allowed_names("0.0.0.0") == {"localhost", own}
    assert allowed_names("192.0.2.7", ["a.test"]) == {"localhost", own, "a.test"}


@pytest.mark.parametrize("name", ["", "a b", "a/b", "*", "a:80", "http://a", "a\r\nx", "-a", "*.test"])
def test_names_that_are_none(name: str) -> None:
    """Patterns are not allowed as names."""
    with pytest.raises(ExcerptError, match="as name, expected a host name without port"):
        allowed_names("127.0.0.1", [name])


@pytest.mark.parametrize("host", ["", "no such host", "no-such-host.invalid", "999.0.0.1"])
def test_hosts_that_are_none(host: str) -> None:
    """Invalid hosts are errors of one line."""
    with pytest.raises(ExcerptError, match="as host, expected an address or a name of this machine"):
        find_address(host)


def test_links_name_what_can_be_reached() -> None:
    """Links never contain 0.0.0.0."""
    assert linked_host("127.0.0.1", ["a.test"]) == "127.0.0.1"
    assert linked_host("0.0.0.0", ["a.test", "b.test"]) == "a.test"
    assert linked_host("::") == socket.gethostname()
