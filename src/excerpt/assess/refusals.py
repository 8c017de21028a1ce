"""Why a campaign does not do what it was asked for; whoever talks HTTP gives each its status."""

from __future__ import annotations

from typing import Any

from excerpt.errors import ExcerptError, short


class Unfit(ExcerptError):
    """Something that cannot be so: an unknown kind, another quote than the text, a rule of the procedure."""


class NotAllowed(ExcerptError):
    """Somebody else's document, or something that is not shown yet."""


class NotFound(ExcerptError):
    """A topic or a document that the campaign does not have."""


class TooNew(ExcerptError):
    """Something that a newer excerpt has written; nothing was changed."""


class NoRoom(ExcerptError):
    """Nothing more can be written; what was sent is not kept, or not in both places yet."""


class Busy(NoRoom):
    """Another program keeps the database to itself; what was sent is not kept, and can be sent again."""


class Several(ExcerptError):
    """Pairs that several assessors judged, and nothing that says how these become one."""


class Stale(ExcerptError):
    """An event that was made on another version than the current one; `state` is the current state."""

    def __init__(self, base: int, state: dict[str, Any]) -> None:
        super().__init__(
            f"found an event made on version {short(str(base))}, expected version {state['version']}",
            hint="the document was changed elsewhere; nothing was overwritten",
        )
        self.base = base
        self.state = state

    @property
    def version(self) -> int:
        """The current version."""
        return int(self.state["version"])

    def __reduce__(self) -> tuple[object, ...]:
        return (Stale, (self.base, self.state))
