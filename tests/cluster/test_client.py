"""An address without a scheduler gives a one-line error within seconds."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support import engine_work
from support.cluster_use import demo_files, error_of

from excerpt.engine import Call, Engine

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
# What Dask's own threads and sockets do at their end is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("content", [b"{}", b"{", b"\xff"])
def test_files_that_are_no_schedulers(tmp_path: Path, content: bytes) -> None:
    """Any content of a file that should contain the address gives a one-line error."""
    file = tmp_path / "scheduler.json"
    file.write_bytes(content)
    error = error_of(Engine(cluster=str(file)), Call(engine_work.scaled, 1))
    assert error.startswith(f"cannot connect to a Dask scheduler at {file} (")


def test_something_else_answers() -> None:
    """A server of another kind at the address is reported as no scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_refuse, args=(server,), daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        error = error_of(Engine(cluster=address), Call(engine_work.scaled, 1))
    assert error.startswith(f"cannot connect to a Dask scheduler at {address} (")


def _refuse(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_a_server_that_never_answers() -> None:
    """It is no scheduler after a while; nothing of the attempt keeps the command from its end."""
    code = (
        "import sys, threading; from excerpt import cli; from excerpt.cluster import dask_cluster\n"
        "dask_cluster.HANDSHAKE_TIMEOUT = 1; status = cli.main(sys.argv[1:])\n"
        "print(status, [thread.name for thread in threading.enumerate()])"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:  # the system accepts, nobody reads
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        command = [sys.executable, "-c", code, "evaluate", *demo_files()[:2], "--cluster", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "2 ['MainThread']\n"
    assert done.stderr == (
        f"excerpt: cannot connect to a Dask scheduler at {address} (no answer within 1 seconds); "
        "is it running? expected an address such as tcp://host:8786, or the scheduler's file (.json)\n"
    )
