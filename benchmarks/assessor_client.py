"""Simulated assessor: reads documents, highlights at random, and notes acknowledged events.

It uses only the HTTP interface; `assess_check.py` checks the folder of the campaign afterwards.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TextIO

#: Seconds after which a request fails.
_PATIENCE = 30
_LONGEST = 200


class Lost(Exception):
    """No answer: the event may have been kept or not."""


class Refused(Exception):
    """An answer other than 200; `status` is its HTTP status, `answer` its content."""

    def __init__(self, status: int, answer: Any) -> None:
        super().__init__(f"{status}: {answer}")
        self.status = status
        self.answer = answer


class Link(NamedTuple):
    """Link by which an assessor signs in."""

    name: str
    host: str
    port: int
    token: str


def read_link(line: str, name: str = "") -> Link:
    """Parse a line of `people add`, or the link of `serve`."""
    *names, link = line.strip().split("\t")
    parts = urllib.parse.urlsplit(link)
    if not (parts.hostname and parts.port and parts.fragment.startswith("token=")):
        raise SystemExit(f"found {line!r}, expected a link with a token")
    token = parts.fragment.removeprefix("token=")
    return Link(names[0] if names else name, parts.hostname, parts.port, token)


class Connection:
    """Persistent connection; if it breaks, `Lost` is raised and the next request opens a new one."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._open: http.client.HTTPConnection | None = None

    def ask(self, target: str, body: Any = None) -> Any:
        """Send a request and return the answer as JSON."""
        content = None if body is None else json.dumps(body).encode()
        kept = self._open is not None
        try:
            status, given = self._send(target, content)
        except Lost:
            if not kept:
                raise
            status, given = self._send(target, content)  # the server closed it; browsers do the same
        answer = json.loads(given) if given else None
        if status not in {200, 204}:
            raise Refused(status, answer)
        return answer

    def _send(self, target: str, content: bytes | None) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._link.token}", "Content-Type": "application/json"}
        if self._open is None:
            self._open = http.client.HTTPConnection(self._link.host, self._link.port, timeout=_PATIENCE)
        try:
            self._open.request("GET" if content is None else "POST", target, content, headers)
            answer = self._open.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Lost(type(error).__name__) from None

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None


@dataclass
class Opened:
    """A document as the assessor sees it."""

    topic: str
    document: str
    text: str
    state: dict[str, Any]


@dataclass
class Assessor:
    """Simulated assessor; the seed decides which events are tried."""

    link: Link
    seed: int
    #: File of the acknowledged events, one per line.
    notes: TextIO
    acknowledged: int = 0
    opened: list[Opened] = field(default_factory=list)
    #: Event that was sent and not answered; it is sent again first.
    pending: tuple[dict[str, Any], Opened] | None = None
    #: Kinds of events, repeated by their frequency.
    kinds: ClassVar[tuple[str, ...]] = ("highlight",) * 6 + ("unhighlight", "bep", "undo", "redo", "note")

    def __post_init__(self) -> None:
        self.random = random.Random(f"{self.seed} {self.link.name}")
        self.connection = Connection(self.link)
        self._made = 0

    def read(self, most: int = 4) -> None:
        """Open some documents of the pool."""
        pool = self.connection.ask("/api/pool")
        pairs = [(topic["id"], item["id"]) for topic in pool["topics"] for item in topic["documents"]]
        for topic, document in self.random.sample(pairs, min(most, len(pairs))):
            query = urllib.parse.urlencode({"topic": topic, "document": document})
            answer = self.connection.ask(f"/api/document?{query}")
            self.opened.append(Opened(topic, document, answer["text"], answer["state"]))

    def act(self) -> None:
        """Send a new event, or again the unanswered one, and note the answer at once."""
        event, opened = self.pending or self._event()
        self.pending = event, opened
        try:
            answer = self.connection.ask("/api/events", event)
        except Refused as refused:
            if refused.status < 500:  # after 500 the event is sent again, as by the page
                self.pending = None
            if refused.status == 409:  # the state changed, as after a restart
                opened.state = refused.answer["state"]
            raise
        self.pending = None
        opened.state = answer["state"]
        noted = {key: event[key] for key in ("id", "topic", "document", "kind")}
        line = {**noted, "assessor": self.link.name, "version": answer["version"]}
        self.notes.write(json.dumps(line) + "\n")
        self.notes.flush()
        self.acknowledged += 1

    def _event(self) -> tuple[dict[str, Any], Opened]:
        """Make an event that the rules allow in the known state."""
        opened = self.random.choice(self.opened)
        kind = self.random.choice(self.kinds)
        state = opened.state
        if (kind in {"undo", "redo"} and not state.get(kind)) or (kind == "bep" and not state["highlights"]):
            kind = self.kinds[0]
        self._made += 1
        event = {
            "id": f"{self.link.name}-{self.seed}-{self._made}-{self.random.getrandbits(64):016x}",
            "topic": opened.topic,
            "document": opened.document,
            "base": state["version"],
            "kind": kind,
        }
        return event | self._content(kind, opened), opened

    def _content(self, kind: str, opened: Opened) -> dict[str, Any]:
        if kind in {"highlight", "unhighlight"}:
            start = self.random.randrange(len(opened.text))
            end = min(len(opened.text), start + self.random.randint(1, _LONGEST))
            return {"start": start, "end": end, "quote": opened.text[start:end]}
        if kind == "bep":
            return {"start": self.random.choice(opened.state["highlights"])[0]}
        return {"note": f"note {self._made}"} if kind == "note" else {}


class Adjudicator(Assessor):
    """Simulated adjudicator: decides at random on documents that two assessors finished."""

    kinds = ("decide",) * 6 + ("bep", "undo", "redo", "note")

    def _content(self, kind: str, opened: Opened) -> dict[str, Any]:
        if kind == "decide":
            span = super()._content("highlight", opened)
            return {**span, "relevant": self.random.random() < 0.5}
        return super()._content(kind, opened)


class Server:
    """`excerpt assess serve` as a process that can be killed."""

    def __init__(self, command: list[str], errors: Path) -> None:
        self._errors = errors.open("ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "/login#token=" not in line:
            self.process.wait(timeout=_PATIENCE)
            raise SystemExit(f"the server did not start: {errors.read_text(errors='replace')[-500:]}")
        self.organiser = read_link(line, "organiser")

    def kill(self) -> None:
        """Kill it, as a power cut would, except that the system still writes its buffers."""
        self.process.kill()
        self._ended()

    def stop(self) -> int:
        """Terminate it and return its exit status."""
        self.process.terminate()
        return self._ended()

    def _ended(self) -> int:
        status = self.process.wait(timeout=_PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._errors.close()
        return status


@contextlib.contextmanager
def serving(command: list[str], errors: Path) -> Iterator[Server]:
    """Server that is stopped at the end of the block."""
    server = Server(command, errors)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def excerpt(*arguments: object) -> list[str]:
    """Command line of excerpt in this Python."""
    return [sys.executable, "-m", "excerpt", *map(str, arguments)]


def add_people(folder: Path, names: list[str], role: str = "assessor") -> list[Link]:
    """Add assessors or adjudicators to a campaign and return their links."""
    command = excerpt("assess", "people", folder, "add", *names, "--role", role)
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [read_link(line) for line in printed.splitlines()]
