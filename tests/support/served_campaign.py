"""The real server of a small campaign for tests: a process, its links, and requests as raw as one likes."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from excerpt.cli import main

_PATIENCE = 120
#: Seconds that a reply may take.
_REPLY = 30
DOCUMENTS = {"A": "Alpha 😀 beta\r\ngamma delta.\n", "B": "<b>bold</b> & plain", "C": "x" * 5000}


class Reply(NamedTuple):
    """Reply of the server."""

    status: int
    head: str
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def excerpt(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in this process, which is none of the server's."""
    words, out, err = [*map(str, arguments)], io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())


def make_campaign(place: Path, *options: object) -> Path:
    """A campaign of two topics and three documents, in a folder of its own."""
    lines = [json.dumps({"id": name, "text": text}) + "\n" for name, text in DOCUMENTS.items()]
    (place / "docs.jsonl").write_text("".join(lines), encoding="utf-8")
    (place / "topics.tsv").write_text("1\tgreek letters\n2\t<i>tags</i>\n", encoding="utf-8")
    rows = [f"{topic}\t{name}\n" for topic in "12" for name in DOCUMENTS]
    (place / "pool.tsv").write_text("topic\tdocument\n" + "".join(rows), encoding="utf-8")
    files = [f"--{name}={place / file}" for name, file in FILES.items()]
    done = excerpt("assess", "new", place / "campaign", *files, *options)
    assert done.returncode == 0, done.stderr
    return place / "campaign"


FILES = {"corpus": "docs.jsonl", "topics": "topics.tsv", "pool": "pool.tsv"}


class Served:
    """`excerpt assess serve` as a process."""

    def __init__(self, folder: Path, *options: object, port: int = 0) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "excerpt", "assess", "serve", str(folder), "--no-browser"]
        self.process = subprocess.Popen(
            [*command, *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        assert "/login#token=" in self.link, self.process.communicate(timeout=_PATIENCE)[1]
        address, _, self.organiser = self.link.partition("/login#token=")
        host, _, own = address.removeprefix("http://").rpartition(":")
        self.host, self.port = host.strip("[]"), port or int(own)  # behind a proxy the link has another one

    def add(self, *names: str) -> dict[str, str]:
        """Let people in, while it serves; their tokens."""
        done = excerpt("assess", "people", self.folder, "add", *names)
        assert done.returncode == 0, done.stderr
        pairs = (line.split("\t") for line in done.stdout.splitlines())
        return {name: link.partition("#token=")[2] for name, link in pairs}

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=_REPLY)

    def send(self, data: bytes) -> Reply:
        """Send bytes as they are and read until the server closes or has answered."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_reply(connection)

    def ask(self, target: str, token: str = "", body: Any = None, **headers: str) -> Reply:
        """A request of a program."""
        named = {"Host": f"127.0.0.1:{self.port}", **{key.replace("_", "-"): headers[key] for key in headers}}
        if token:
            named["Authorization"] = f"Bearer {token}"
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if body is not None:
            named["Content-Length"] = str(len(content))
        lines = "".join(f"{key}: {value}\r\n" for key, value in named.items())
        method = "GET" if body is None else "POST"
        return self.send(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + content)

    def cookie(self, token: str) -> str:
        """Sign in as a page does; the cookie, or "" if the token is invalid."""
        reply = self.ask("/login", body={"token": token}, Origin=f"http://127.0.0.1:{self.port}")
        heads = [line for line in reply.head.split("\r\n") if line.lower().startswith("set-cookie:")]
        return heads[0].partition(":")[2].partition(";")[0].strip() if heads else ""

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """End it; its status and what it said on standard error."""
        self.process.send_signal(how)
        said = self.process.communicate(timeout=_PATIENCE)[1]
        return self.process.returncode, said

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=_REPLY)


def read_reply(connection: socket.socket) -> Reply:
    """One answer from a connection; status 0 where it was closed without any."""
    data = b""
    while b"\r\n\r\n" not in data:
        try:
            piece = connection.recv(65536)
        except ConnectionError:
            break
        if not piece:
            break
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    if not head:
        return Reply(0, "", b"")
    text = head.decode("latin-1")
    lengths = [line for line in text.lower().split("\r\n") if line.startswith("content-length:")]
    expected = int(lengths[0].partition(":")[2]) if lengths else 0
    while len(body) < expected and (piece := connection.recv(65536)):
        body += piece
    return Reply(int(text.split()[1]), text, body)
