"""What an organiser changes and looks at in the browser, by the code of the commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from excerpt.assess.folder import InvalidEvent
from excerpt.assess.people import ASSESSOR
from excerpt.errors import ExcerptError, short
from excerpt.notices import Notices
from excerpt.render.page import encode
from excerpt.web.app import json_response, optional_value, single_value
from excerpt.web.campaign_routes import (
    ORGANISER,
    flag_of,
    organiser_view,
    read_object,
    request_error,
    require_role,
    run,
)
from excerpt.web.guards import RequestError, compressed

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

#: Bootstrap samples of the intervals that the page shows.
_SAMPLES = 200


class OrganiserDesk:
    """A campaign as its organiser works on it; `link` makes the link of a token."""

    def __init__(
        self, campaign: Campaign, link: Callable[[str], str], blocks: Callable[[str], list[Any]]
    ) -> None:
        self._campaign = campaign
        self._link = link
        self._blocks = blocks

    def people(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Add or remove somebody; who is added gets a link, and an older one expires."""
        action, name, role = sent["action"], sent["name"], sent.get("role", ASSESSOR)
        if action not in {"add", "remove"}:
            raise InvalidEvent(f"found the action {short(repr(action))}, expected add or remove")
        if action == "remove":
            self._campaign.remove_person(str(name))
            return {"name": name}
        token = self._campaign.add_person(name, str(role))
        return {"name": name, "role": role, "link": self._link(token)}

    def deal(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Assign whole topics, documents to so many each, or by a table; return what each person has."""
        from excerpt.assess.assignment import deal_documents, deal_topics, read_table

        campaign = self._campaign
        campaign.refresh()
        if isinstance(sent.get("table"), str):
            table = read_table(sent["table"].encode("utf-8", "surrogatepass"), campaign)
        elif sent.get("by") == "topic":
            table = deal_topics(campaign, _number(sent.get("double", 0)))
        elif type(each := sent.get("each")) is int:
            table = deal_documents(campaign, each, _number(sent.get("double", 1)))
        else:
            raise InvalidEvent('expected {"by": "topic"}, {"each": N} or {"table": "topic TAB name"}')
        campaign.permissions.assign(table)
        pairs = campaign.permissions.by_assessor(campaign.contents.pairs)
        return {"assessors": {name: len(own) for name, own in pairs.items()}}

    def agreement(self) -> dict[str, Any]:
        """Return the agreement by topic and by document, worst first."""
        from excerpt.assess.agreement import measure_agreement

        self._campaign.refresh()
        found = measure_agreement(self._campaign, samples=_SAMPLES, per_document=True, rank=False)
        return found.to_dict()

    def adjudication(self) -> dict[str, Any]:
        """Return the documents to decide, and then the decided ones."""
        from excerpt.assess.adjudication import adjudication

        self._campaign.refresh()
        return adjudication(self._campaign, every=True).to_dict()

    def judgments(self, topic: str, document: str) -> dict[str, Any]:
        """Return a document with the judgments of those who finished it, by name, side by side."""
        from excerpt.assess.decisions import judgments_side_by_side

        found = judgments_side_by_side(self._campaign, self._campaign.find_pair(topic, document))
        return {**found, "blocks": self._blocks(found["id"])}

    def extend(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Add the pairs of a further pool, given as the text of its file."""
        from excerpt.assess.extension import extend

        pool, topics = sent["pool"], sent.get("topics")
        if not isinstance(pool, str) or not isinstance(topics, str | None):
            raise InvalidEvent("expected the texts of a pool and of topics")
        notices = Notices()
        read = topics.encode() if topics else None
        added = extend(self._campaign, pool.encode(), read, notices=notices)
        return {**added._asdict(), "warnings": list(notices)}

    def release(self, *, anonymous: bool, only: str | None) -> tuple[bytes, tuple[str, ...]]:
        """Return the archive of a release."""
        from excerpt.assess.release import released

        return released(self._campaign, anonymous=anonymous, only=only or None)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidEvent(f"found {short(repr(value))} as double, expected a proportion from 0 to 1")
    return float(value)


def _asked(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do what a request asks for; what it gets wrong is an error of the request."""
    try:
        return work(*arguments)
    except RequestError:
        raise
    except ExcerptError as error:
        raise request_error(error, 422, ORGANISER) from None


def desk_routes(desk: OrganiserDesk) -> list[BaseRoute]:
    """Routes under `/api` by which the organiser does what the commands do."""

    async def judgments(request: Request) -> Response:
        require_role(request, ORGANISER)
        names = single_value(request, "topic"), single_value(request, "document")
        content = await run(lambda: encode(desk.judgments(*names)), reader=ORGANISER)
        return await compressed(request, content)

    async def release(request: Request) -> Response:
        require_role(request, ORGANISER)
        only, anonymous = optional_value(request, "only"), flag_of(request, "anonymous")
        work = _asked, lambda: desk.release(anonymous=anonymous, only=only)
        content, _ = await run(*work, reader=ORGANISER)
        name = 'attachment; filename="release.zip"'
        return Response(content, media_type="application/zip", headers={"content-disposition": name})

    return [
        Route("/api/people", _doing(desk.people, "action", "name"), methods=["POST"]),
        Route("/api/deal", _doing(desk.deal), methods=["POST"]),
        Route("/api/extend", _doing(desk.extend, "pool"), methods=["POST"]),
        Route("/api/judgments", judgments),
        Route("/api/release", release),
        Route("/api/agreement", organiser_view(desk.agreement)),
        Route("/api/adjudication", organiser_view(desk.adjudication)),
    ]


def _doing(work: Callable[[dict[str, Any]], dict[str, Any]], *names: str) -> Callable[[Request], Any]:
    """Return a handler that does what the organiser sends, an object with these names."""

    async def respond(request: Request) -> Response:
        require_role(request, ORGANISER)
        sent = read_object(await request.body(), *names)
        return json_response(encode(await run(_asked, work, sent, reader=ORGANISER)))

    return respond
