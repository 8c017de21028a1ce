"""The real server of a gold file for tests: documents, events, and what is on the disk."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.served_campaign import Served

_PATIENCE = 120
#: A text that stands at three places of two documents, with other white space at one of them.
NOTICE = "The landlord repairs the roof within thirty days after notice in writing."
MARKDOWN = "# Rent\n\nThe **rent** is due in *May*, see [the law](x.html).\n\n- one `x`\n- two\n"
DOCUMENTS = {
    "a.md": MARKDOWN,
    "roof.txt": f"First. {NOTICE}\nAgain: {NOTICE.replace('within ', 'within' + chr(10))}\n",
    "sub/b.txt": f"Tiles 😀 cost much.\n{NOTICE} The end.\n",
    "page.html": "<html><body><h1>Heat</h1><p>It is <b>cold</b> in here.</p></body></html>",
}


def write_documents(folder: Path, documents: dict[str, str] | None = None) -> Path:
    """Write documents below a folder."""
    for name, text in (documents or DOCUMENTS).items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder / "docs"


def quoted(document: str, text: str, start: int) -> dict[str, Any]:
    """A quote that begins at `start`."""
    return {"document": document, "start": start, "end": start + len(text), "quote": text}


_NUMBERS = itertools.count()


def kept(text: str, *needs: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """An event that keeps a question."""
    event = {"id": f"event-{next(_NUMBERS)}", "kind": "keep", "question": "", "base": 0}
    return {**event, "text": text, "answerable": bool(needs), "tags": [], "needs": list(needs), **more}


def rows_in(gold: Path) -> list[dict[str, Any]]:
    """The rows of a gold file; every line must be whole."""
    data = gold.read_bytes()
    assert data.endswith(b"\n") or not data
    return [json.loads(line) for line in data.splitlines()]


class ServedGold(Served):
    """`excerpt gold new` as a process."""

    def __init__(self, gold: Path, docs: Path, *options: object) -> None:
        self.folder = gold
        command = [sys.executable, "-m", "excerpt", "gold", "new", gold, "--corpus", docs, "--no-browser"]
        self.process = subprocess.Popen(
            [*map(str, (*command, *options))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        assert "/login#token=" in self.link, self.process.communicate(timeout=_PATIENCE)[1]
        address, _, self.organiser = self.link.partition("/login#token=")
        self.host, _, own = address.removeprefix("http://").rpartition(":")
        self.port = int(own)

    def get(self, target: str) -> Any:
        """What the server answers with status 200."""
        reply = self.ask(target, self.organiser)
        assert reply.status == 200, reply.body
        return reply.json

    def post(self, event: dict[str, Any]) -> tuple[int, Any]:
        """Status and answer of an event."""
        reply = self.ask("/api/events", self.organiser, event)
        return reply.status, reply.json if reply.body else None
