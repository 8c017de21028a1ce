"""Roles: who a token is of, whenever it is asked."""

from __future__ import annotations

from memory_campaign import MemoryCampaign

from excerpt.web.roles import People, Who
from excerpt.web.tokens import Tokens


def test_tokens_have_one_role() -> None:
    """Assessors by the campaign, the organiser by the process."""
    tokens = Tokens()
    tokens.add("of-the-organiser", "organiser")
    people = People(MemoryCampaign().identify, tokens)
    assert people.identify("of-the-organiser") == Who("organiser", "organiser")
    assert people.identify("token-of-ann") == Who("assessor", "ann")
    assert people.identify("other") is None
    assert people.identify("") is None


def test_who_is_removed_is_out_at_once() -> None:
    """Also who is called as the role: names say nothing of rights."""
    campaign = MemoryCampaign()
    people = People(campaign.identify, Tokens())
    assert people.identify("token-of-bob") == Who("assessor", "bob")
    del campaign.people["token-of-bob"]
    assert people.identify("token-of-bob") is None
    assert people.exchange("token-of-bob") is None
    campaign.people["x"] = "organiser"
    assert people.identify("x") == Who("assessor", "organiser")


def test_a_link_opens_once_for_an_assessor_too() -> None:
    """The link that a browser is started with."""
    tokens = Tokens()
    people = People(MemoryCampaign().identify, tokens)
    link = tokens.add_link("token-of-ann")
    assert people.identify(link) is None
    assert people.exchange(link) == "token-of-ann"
    assert people.exchange(link) is None
    assert people.exchange("token-of-ann") == "token-of-ann"
