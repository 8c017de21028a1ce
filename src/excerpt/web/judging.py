"""What a campaign does for those who sign in, and how its refusals become answers of HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any, Protocol, TypeVar

from starlette.concurrency import run_in_threadpool

from excerpt.assess.folder import Busy, InvalidEvent, MergeRequired, NoRoom, NotAllowed, NotFound, Stale
from excerpt.errors import ExcerptError
from excerpt.web.answers import Refusal

_Answer = TypeVar("_Answer")
_STATUS: dict[type[ExcerptError], int] = {
    Stale: 409,
    MergeRequired: 409,
    InvalidEvent: 422,
    NotAllowed: 403,
    NotFound: 404,
    NoRoom: 507,
    Busy: 503,
}
#: What is no fault of the request's, such as documents that have changed: it may be sent again later.
_OTHERWISE = 503
#: Settings whose parameter in an address has another name.
_PARAMETERS = {"format": "to"}


class Judging(Protocol):
    """A campaign as its assessors use it: `excerpt.assess.Campaign`."""

    def identify(self, token: str) -> str | None:
        """The assessor with a token."""
        ...

    def pool_for(self, name: str, topic: str | None = None) -> dict[str, Any]:
        """Topics and documents of an assessor, of one topic or of all."""
        ...

    def document_for(self, name: str, topic: str, document: str, show: Sequence[str] = ()) -> dict[str, Any]:
        """A document with an assessor's judgments."""
        ...

    def record(self, name: str, event: dict[str, Any]) -> dict[str, Any]:
        """Keep an event."""
        ...

    def record_all(
        self, name: str, events: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], ExcerptError | None]:
        """Keep events up to the first that is refused."""
        ...

    def trace(self, name: str, topic: str, document: str, kind: str, body: dict[str, Any]) -> None:
        """Keep what was done beside judging."""
        ...


async def ask(work: Callable[..., _Answer], *given: Any) -> _Answer:
    """What a campaign answers, in a thread: it reads and writes files. Its refusals become ours."""
    return await run_in_threadpool(_ask, work, *given)


def _ask(work: Callable[..., _Answer], *given: Any) -> _Answer:
    try:
        return work(*given)
    except ExcerptError as error:
        raise refused(error) from None
    except UnicodeEncodeError:  # half of a pair of surrogates
        raise Refusal(422, "found text that is no valid Unicode, expected whole characters") from None


def refused(error: ExcerptError, otherwise: int = _OTHERWISE) -> Refusal:
    """An error of a campaign as a refusal, with a status for `otherwise`; no folder of a file is told."""
    place = PurePath(error.path).name if error.path else None
    sentence = ExcerptError(error.message, path=place, line=error.line, hint=error.hint).say(as_parameter)
    if isinstance(error, Stale):
        state = error.state
        return Refusal(409, sentence, {"version": state["version"], "state": state})
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), otherwise)
    return Refusal(status, sentence)


def as_parameter(setting: str, value: str) -> str:
    """How a setting is written in an address.

    >>> as_parameter("merge", "union"), as_parameter("format", "inex"), as_parameter("corpus", "")
    ('merge=union', 'to=inex', 'corpus')
    """
    name = _PARAMETERS.get(setting, setting)
    return f"{name}={value}" if value else name
