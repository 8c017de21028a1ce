"""Tests of connections: slow ones, too many, signals; nothing is left and no traceback is printed."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGTERM
from typing import Any

import pytest
from support.served_campaign import FILES, Served, make_campaign, read_reply

from excerpt.web import connections
from excerpt.web.server import listen, serve

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def _hello(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


def serving(use: Callable[[Callable[[], socket.socket]], None]) -> None:
    """Serve while a function uses connections."""
    listening = listen("127.0.0.1", 0)

    def begin() -> None:
        use(lambda: socket.create_connection(listening.getsockname(), timeout=10))
        raise KeyboardInterrupt

    serve(_hello, listening, begin)


def seconds_until_closed(connection: socket.socket, piece: bytes = b"") -> float:
    """Send a piece again and again until the server closes the connection."""
    begin = time.monotonic()
    connection.settimeout(0.05)
    while time.monotonic() < begin + 2:
        try:
            if piece:
                connection.sendall(piece)
            if connection.recv(100) == b"":
                break
        except TimeoutError:
            continue
        except ConnectionError:
            break
    return time.monotonic() - begin


def test_headers_have_ten_seconds() -> None:
    """The limits are those of the contract."""
    assert (connections._HEADERS, connections.MOST, connections.MOST_WAITING) == (10, 512, 64)


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(("first", "piece"), [(b"", b""), (b"GET / HTTP/1.1\r\n", b"X-A: b\r\n")])
def test_slow_headers_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, first: bytes, piece: bytes, *, later: bool
) -> None:
    """Neither nothing nor a header line now and then keeps a connection; idle ones between requests stay."""
    monkeypatch.setattr(connections, "_HEADERS", 0.6)

    def use(connect: Callable[[], socket.socket]) -> None:
        with connect() as connection:
            if later:
                connection.sendall(REQUEST)
                assert read_reply(connection).body == b"hello"
                time.sleep(0.8)  # idle for longer
                connection.sendall(REQUEST)
                assert read_reply(connection).body == b"hello"
            connection.sendall(first)
            seconds = seconds_until_closed(connection, piece)
            if later and not first:
                assert seconds >= 2  # an idle connection
            else:
                assert 0.4 < seconds < 1.9

    serving(use)


def test_the_rest_of_many_connections_gets_503(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is served again as soon as others have ended."""
    monkeypatch.setattr(connections, "MOST", 4)

    def use(connect: Callable[[], socket.socket]) -> None:
        with contextlib.ExitStack() as stack:
            for _ in range(4):
                stack.enter_context(connect())
            with connect() as connection:
                connection.sendall(REQUEST)
                assert read_reply(connection).status == 503
        time.sleep(0.2)
        with connect() as connection:
            connection.sendall(REQUEST)
            assert read_reply(connection).status == 200

    serving(use)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is no address")
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
        REQUEST,  # idle between requests
    ],
)
def test_one_address_does_not_lock_out_others(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    """Of the connections of an address that send nothing more, the oldest are closed; others are served."""
    monkeypatch.setattr(connections, "MOST", 8)
    monkeypatch.setattr(connections, "MOST_WAITING", 3)

    def use(connect: Callable[[], socket.socket]) -> None:
        with connect() as own, contextlib.ExitStack() as stack:
            address = own.getpeername()
            held = []
            for _ in range(12):
                held.append(
                    stack.enter_context(
                        socket.create_connection(address, timeout=10, source_address=("127.0.0.2", 0))
                    )
                )
                held[-1].sendall(sent)
                time.sleep(0.02)
            for at in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
                with socket.create_connection(address, timeout=10, source_address=(at, 0)) as connection:
                    connection.sendall(REQUEST)
                    assert read_reply(connection).status == 200
            own.sendall(REQUEST)  # older than all of them, but of another address
            assert read_reply(own).status == 200
            assert [is_closed(each) for each in held[:9]] == [True] * 9

    serving(use)


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server has closed a connection, after its answer if there is one."""
    connection.settimeout(2)
    with contextlib.suppress(TimeoutError):
        while True:
            try:
                if not connection.recv(1000):
                    return True
            except ConnectionError:
                return True
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other processes")
def test_exhausted_descriptors_are_one_line(tmp_path: Path) -> None:
    """The server goes on when there are some again."""
    import resource

    with Served(make_campaign(tmp_path)) as served:
        token = served.add("ann")["ann"]
        used = len(list(Path(f"/proc/{served.process.pid}/fd").iterdir()))
        limits = resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (used + 3, limits[1]))
        with contextlib.ExitStack() as stack:
            for _ in range(12):
                stack.enter_context(served.connect())
            time.sleep(2.5)
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, limits)
        time.sleep(1.2)
        assert served.ask("/api/pool", token).status == 200
        status, said = served.end()
    assert status == 0
    assert said.count("too many open files") == 1
    assert "Traceback" not in said


def test_the_end_by_sigterm_prints_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    """Also while requests are under way."""
    with Served(make_campaign(tmp_path)) as served, served.connect() as connection:
        served.add("ann")
        connection.sendall(b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf")
        time.sleep(0.3)
        status, said = served.end(SIGTERM)
    assert status == 0
    assert [line for line in said.splitlines() if not line.startswith("excerpt: ")] == []
    assert [path.name for path in tmp_path.rglob("*.tmp")] == []


_CODE = """
import sys, time
from excerpt.assess import creation
def wait(*_):
    print("here", flush=True)
    time.sleep(60)
creation.write_settings = wait
from excerpt.__main__ import run
sys.exit(run())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_a_terminated_command_leaves_nothing(tmp_path: Path) -> None:
    """Temporary files are removed, and the command ends by the signal."""
    make_campaign(tmp_path)
    before = sorted(tmp_path.iterdir())
    files = [f"--{name}={tmp_path / file}" for name, file in FILES.items()]
    command = [sys.executable, "-c", _CODE, "assess", "new", str(tmp_path / "other"), *files]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.send_signal(SIGTERM)
        assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == -SIGTERM
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("module", "said"),
    [("excerpt.cli", ""), ("uvicorn", "excerpt: interrupted\n"), ("numpy", "excerpt: interrupted\n")],
)
def test_an_interrupt_during_imports_is_no_traceback(tmp_path: Path, module: str, said: str) -> None:
    """Commands import when they are called."""
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from excerpt.__main__ import run\n"
        "sys.exit(run())\n"
    )
    words = ["demo"] if module == "numpy" else ["assess", "serve", str(make_campaign(tmp_path))]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.stderr == said
