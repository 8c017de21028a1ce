"""Two roles in a campaign: assessors, who judge, and the organiser, who looks after it; each has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from starlette.requests import Request

from excerpt.web.answers import Refusal
from excerpt.web.tokens import Tokens

ASSESSOR, ORGANISER = "assessor", "organiser"
_SENTENCES = {
    ASSESSOR: "This is for assessors; the organiser's link does not open it.",
    ORGANISER: "This is for the organiser of the campaign; an assessor's link does not open it.",
}


class Who(NamedTuple):
    """Somebody who has signed in."""

    role: str
    name: str


class People:
    """Who has which token: assessors by the campaign, the organiser by this process.

    Both are asked at every request, so somebody who is removed is out at once.
    """

    def __init__(self, assessor: Callable[[str], str | None], organiser: Tokens) -> None:
        self._assessor = assessor
        self._organiser = organiser

    def identify(self, token: str) -> Who | None:
        """Whose token this is."""
        if name := self._organiser.identify(token):
            return Who(ORGANISER, name)
        found = self._assessor(token)
        return None if found is None else Who(ASSESSOR, found)

    def exchange(self, token: str) -> str | None:
        """The token to keep after signing in: this one, or that of a link that is good for one use."""
        return token if self.identify(token) else self._organiser.exchange(token)


def need(request: Request, role: str) -> str:
    """The name of who asks; a refusal for the other role."""
    who: Who = request.state.person
    if who.role != role:
        raise Refusal(403, _SENTENCES[role])
    return who.name
