"""A campaign in memory for tests of its server: two assessors, one document that only the first may judge."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from excerpt.assess.folder import InvalidEvent, NoRoom, NotAllowed, NotFound, Stale
from excerpt.errors import ExcerptError

TEXT = "a😀b\r\n</script>" * 1000


class MemoryCampaign:
    """A campaign that records its calls."""

    def __init__(self) -> None:
        self.people = {"token-of-ann": "ann", "token-of-bob": "bob"}
        self.kept: list[tuple[str, dict[str, Any]]] = []
        self.traces: list[tuple[Any, ...]] = []
        self.contents = SimpleNamespace(guidelines="Read *all*.")

    def identify(self, token: str) -> str | None:
        """Two assessors."""
        return self.people.get(token)

    def is_adjudicator(self, name: str) -> bool:
        """Nobody decides."""
        return name == "eve"

    def pool_for(self, name: str, topic: str | None = None) -> dict[str, Any]:
        """One topic."""
        if topic not in {None, "1"}:
            raise NotFound("found no such topic")
        return {"assessor": name, "topics": [{"id": "1", "title": "<b>", "documents": []}]}

    def document_for(self, name: str, topic: str, document: str, show: Sequence[str] = ()) -> dict[str, Any]:
        """One document."""
        self._check(name, topic, document)
        return {"id": document, "sha256": "0", "text": TEXT, "shown": list(show), "state": self._state(name)}

    def record(self, name: str, event: dict[str, Any]) -> dict[str, Any]:
        """Store an event; some kinds raise errors."""
        self._check(name, event.get("topic"), event.get("document"))
        if event.get("base") != self._version(name):
            raise Stale(event.get("base", -1), self._state(name))
        if event.get("kind") == "full":
            raise NoRoom("there is no room on the disk", path="/data/secret/judgments.sqlite")
        if event.get("kind") != "highlight":
            raise InvalidEvent("found another kind")
        self.kept.append((name, event))
        return {"version": self._version(name), "state": self._state(name)}

    def record_all(
        self, name: str, events: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], ExcerptError | None]:
        """Store events up to the first error."""
        answers = []
        for event in events:
            try:
                answers.append(self.record(name, event))
            except ExcerptError as error:
                return answers, error
        return answers, None

    def trace(self, name: str, topic: str, document: str, kind: str, body: dict[str, Any]) -> None:
        """Store a trace."""
        self._check(name, topic, document)
        self.traces.append((name, topic, document, kind, body))

    def _check(self, name: str, topic: object, document: object) -> None:
        if (topic, document) != ("1", "A"):
            raise NotFound("There is no such document in the pool.")
        if name != "ann":
            raise NotAllowed("This document is somebody else's to judge.")

    def _version(self, name: str) -> int:
        return sum(name == whose for whose, _ in self.kept)

    def _state(self, name: str) -> dict[str, Any]:
        return {"version": self._version(name), "highlights": []}
