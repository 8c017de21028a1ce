"""Commands in processes that have loaded numpy, scipy and matplotlib already, which takes most of a command.

A process loads them once and waits. The program `excerpt` of a test hands its streams, folder, arguments and
variables over to a fork of it, which imports excerpt anew, and ends with the status of that fork.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import runpy
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

_LOADED = ("numpy", "scipy.special", "matplotlib.figure", "matplotlib.backends.backend_svg")
#: Modules of the standard library alone, and few of them: this is what starts anew for each command.
_ASK = """import os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect(sys.argv[1])
parts = [os.getcwd(), *sys.argv[2:], "", *(f"{name}={value}" for name, value in os.environ.items())]
socket.send_fds(asked, [b"+"], [0, 1, 2])
asked.sendall("\\0".join(parts).encode(errors="surrogateescape"))
asked.shutdown(socket.SHUT_WR)
sys.exit(int(asked.recv(3)))
"""


class Forking:
    """The process that waits."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()  # not one of pytest's: the name of a socket is short
        self._socket, self._ask = Path(self._folder.name, "socket"), Path(self._folder.name, "ask.py")
        self._ask.write_text(_ASK, encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(self._socket)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    @property
    def command(self) -> str:
        """What takes the place of `python -m excerpt` in a script of sh."""
        return f'"{sys.executable}" -I -S "{self._ask}" "{self._socket}"'

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()


def _serve(place: str) -> None:
    """Wait for commands; only a fork that is to run one returns."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen()
    os.write(1, b"ready\n")
    while True:
        asked, _ = listening.accept()
        if not os.fork():
            listening.close()
            if not (command := os.fork()):
                _become(asked)
                return
            _report(asked, command)
        asked.close()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _report(asked: socket.socket, command: int) -> NoReturn:
    """Wait for the end of a command, and tell its status as a shell does."""
    status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    asked.sendall(str(status if status >= 0 else 128 - status).encode())
    os._exit(0)


def _become(asked: socket.socket) -> None:
    """Take the streams, folder, arguments and variables of the program that asks."""
    _, streams, _, _ = socket.recv_fds(asked, 1, 3)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    with asked, asked.makefile("rb") as read:
        folder, *parts = os.fsdecode(read.read()).split("\0")
    end = len(parts) - 1 - parts[::-1].index("")
    os.chdir(folder)
    os.environ.clear()
    for part in parts[end + 1 :]:
        name, _, value = part.partition("=")
        os.environ[name] = value
    sys.argv[1:] = parts[:end]


if __name__ == "__main__":
    for _name in _LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(_name)
    gc.freeze()
    _serve(sys.argv[1])
    runpy.run_module("excerpt", run_name="__main__", alter_sys=True)
