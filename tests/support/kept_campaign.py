"""A real campaign in its folder behind the assessor's page, without a server process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.fake_campaign import FakeCampaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.folder import InvalidEvent, NotAllowed, NotFound, Stale
from excerpt.errors import ExcerptError
from excerpt.render.blocks import blocks_of

_STATUS = {Stale: 409, InvalidEvent: 422, NotAllowed: 403, NotFound: 404}


class KeptCampaign(FakeCampaign):
    """Answers of a server, from a campaign and for one of its assessors."""

    def __init__(self, campaign: Campaign, assessor: str = "anna", role: str = "assessor") -> None:
        super().__init__({}, assessor=assessor)
        self.campaign = campaign
        campaign.add_person(assessor, role)
        self.documents = {name: campaign.corpus.document(name) for name in campaign.lengths}

    def state(self, document: str, topic: str = "7") -> dict[str, Any]:
        """The stored state of a document."""
        history = self.campaign.recorder.history((topic, document, self.assessor))
        return history.state.to_json()

    def pool(self, topic: str | None = None) -> dict[str, Any]:
        """The answer to `GET /api/pool`."""
        return self.campaign.pool_for(self.assessor, topic)

    def document(self, topic: str, name: str, show: Sequence[str]) -> dict[str, Any]:
        """The answer to `GET /api/document`."""
        found = self.campaign.document_for(self.assessor, topic, name, show)
        return {**found, "assessor": self.assessor, "blocks": blocks_of(self.documents[name])}

    def record(self, event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and answer to one event."""
        given = {name: value for name, value in event.items() if name != "assessor"}
        try:
            return 200, self.campaign.record(self.assessor, given)
        except Stale as error:
            return 409, {"error": str(error), "version": error.state["version"], "state": error.state}
        except ExcerptError as error:
            return _STATUS.get(type(error), 500), {"error": str(error)}
