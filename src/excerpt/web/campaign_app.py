"""The application of a campaign: the pages and data of assessors and organiser behind the guards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from starlette.types import ASGIApp

from excerpt.web.app import guarded
from excerpt.web.documents import Documents
from excerpt.web.judging import Judging
from excerpt.web.roles import People
from excerpt.web.routes_assess import assess_routes
from excerpt.web.routes_organise import Results, organise_routes
from excerpt.web.routes_pages import SignIn, View, page_routes
from excerpt.web.tokens import Tokens

#: Bytes that the body of a request may have.
_MOST = 1_000_000


def make_campaign_app(
    campaign: Judging,
    *,
    organiser: Tokens,
    results: Results,
    blocks: Callable[[str], list[Any]],
    views: Mapping[str, View],
    port: int,
    names: Collection[str] = ("localhost",),
) -> ASGIApp:
    """A campaign for its assessors, and for the organiser with a token of this process.

    `views` are the pages by role; `names` are those by which browsers may call the server.
    """
    people = People(campaign.identify, organiser)
    cookie = f"excerpt-{port}"  # browsers keep one jar for all ports

    def view_of(person: Any) -> View:
        return views[person.role]

    routes = [
        *assess_routes(campaign, Documents(blocks)),
        *organise_routes(results),
        *page_routes(view_of, SignIn(cookie, people.exchange)),
    ]
    return guarded(routes, identify=people.identify, cookie=cookie, most=_MOST, names=names)
