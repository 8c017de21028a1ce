"""Tests of the organiser's desk: routes that do what the commands do."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp
from support.asgi import Answer, call
from support.judged_campaign import judged_campaign
from support.small_campaign import ALL, do

from excerpt.assess.campaign import Campaign
from excerpt.web.app import ServedPage
from excerpt.web.campaign_routes import OrganiserFunctions, make_campaign_app
from excerpt.web.guards import AccessTokens
from excerpt.web.organiser_desk import OrganiserDesk, desk_routes

ORGANISER = {"authorization": "Bearer token-of-the-organiser"}


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    """Ann and bob have both judged document a of topic 7."""
    with judged_campaign(tmp_path / "c") as made:
        yield made


@pytest.fixture
def app(campaign: Campaign) -> ASGIApp:
    """The application of the campaign, with the desk."""
    tokens = AccessTokens()
    tokens.add("token-of-the-organiser", "organiser")

    def blocks(_: str) -> list[Any]:
        return [["text", 0, 0, 5]]

    views = {role: ServedPage(role, "") for role in ("assessor", "adjudicator", "organiser")}
    desk = OrganiserDesk(campaign, lambda token: f"http://here/login#token={token}", blocks)
    return make_campaign_app(
        campaign,
        organiser=tokens,
        results=OrganiserFunctions(dict, lambda **_: b""),
        blocks=blocks,
        views=views,
        further=desk_routes(desk),
        port=8000,
    )


def post(app: ASGIApp, target: str, content: Any, headers: dict[str, str] = ORGANISER) -> Answer:
    """Send JSON."""
    return call(app, target, "POST", headers=headers, body=json.dumps(content).encode())


def test_only_the_organiser_is_at_the_desk(app: ASGIApp, campaign: Campaign) -> None:
    """Assessors and adjudicators get 403 for every address, and nobody else gets anything."""
    for role in ("assessor", "adjudicator"):
        token = campaign.add_person(f"new {role}", role)
        other = {"authorization": f"Bearer {token}"}
        for target in ("agreement", "adjudication", "release", "judgments?topic=7&document=a"):
            assert call(app, f"/api/{target}", headers=other).status == 403
            assert call(app, f"/api/{target}").status == 401
        for target, body in (
            ("people", {"action": "add", "name": "x"}),
            ("deal", {"each": 1}),
            ("extend", {"pool": ""}),
        ):
            assert post(app, f"/api/{target}", body, other).status == 403
            assert post(app, f"/api/{target}", body, {}).status == 401
    assert "x" not in campaign.permissions.people().names()


def test_people_get_links(app: ASGIApp, campaign: Campaign) -> None:
    """With a token that identifies them, until they are removed."""
    answer = post(app, "/api/people", {"action": "add", "name": "eve", "role": "adjudicator"})
    token = answer.json["link"].partition("#token=")[2]
    assert (answer.status, campaign.identify(token)) == (200, "eve")
    assert campaign.is_adjudicator("eve")
    assert post(app, "/api/people", {"action": "remove", "name": "eve"}).status == 200
    assert campaign.identify(token) is None
    for body, said in (
        ({"action": "add", "name": "ann", "role": "adjudicator"}, "ann is an assessor"),
        ({"action": "add", "name": " "}, "expected 1 to 100 characters"),
        ({"action": "add", "name": 5}, "found the name 5"),
        ({"action": "add", "name": "zoe", "role": "queen"}, "unknown role"),
        ({"action": "remove", "name": "nobody"}, "no assessor 'nobody'"),
        ({"action": "end", "name": "ann"}, "expected add or remove"),
        ({"action": "add"}, "name is missing"),
    ):
        answer = post(app, "/api/people", body)
        assert (answer.status, said in answer.json["error"]) == (422, True), answer.json


def test_deals_are_those_of_the_command(app: ASGIApp, campaign: Campaign) -> None:
    """By topic, by document, by a table; mistakes change nothing."""
    assert post(app, "/api/deal", {"each": 2}).json["assessors"] == {"ann": 8, "bob": 8}
    assert post(app, "/api/deal", {"by": "topic", "double": 1}).json["assessors"] == {"ann": 8, "bob": 8}
    table = {"7": {"": ["ann"]}}
    assert post(app, "/api/deal", {"table": "7\tann\n"}).status == 200
    assert campaign.permissions.table() == table
    for body in ({}, {"each": 9}, {"each": 1, "double": "x"}, {"by": "name"}, {"table": "9\tann\n"}):
        assert post(app, "/api/deal", body).status == 422
    assert campaign.permissions.table() == table


def test_agreement_judgments_and_decisions(app: ASGIApp, campaign: Campaign) -> None:
    """By topic and document; the judgments by name; what is to be decided."""
    found = call(app, "/api/agreement", headers=ORGANISER).json
    assert found["pairs"] == 1
    assert found["documents"][0]["document"] == "a"
    assert not found["rankings"]
    shown = call(app, "/api/judgments?topic=7&document=a", headers=ORGANISER).json
    assert [one["name"] for one in shown["opinions"]] == ["ann", "bob"]
    assert shown["disputed"] == [[5, 10, [0]], [20, 30, [1]], [60, 70, [0]]]
    assert (shown["decision"], shown["blocks"]) == (None, [["text", 0, 0, 5]])
    assert call(app, "/api/judgments?topic=7&document=x", headers=ORGANISER).status == 404
    campaign.add_person("eve", "adjudicator")
    do(campaign, "eve", "decide", 5, 10, relevant=True, document="a")
    assert call(app, "/api/judgments?topic=7&document=a", headers=ORGANISER).json["decision"]["name"] == "eve"
    found = call(app, "/api/adjudication", headers=ORGANISER).json
    assert [(row["document"], row["state"]) for row in found["documents"]] == [("a", "open")]


def test_pools_and_releases(app: ASGIApp, campaign: Campaign) -> None:
    """A further pool as text, and the archive."""
    assert len(campaign.contents.pairs) == 2 * len(ALL)
    pool = "topic\tdocument\n9\ta\n"
    assert post(app, "/api/extend", {"pool": pool}).status == 422
    answer = post(app, "/api/extend", {"pool": pool, "topics": "9\tmore\n"})
    assert (answer.status, answer.json["pairs"], answer.json["topics"]) == (200, 1, 1)
    assert post(app, "/api/extend", {"pool": 5}).status == 422
    answer = call(app, "/api/release?anonymous=1&only=7", headers=ORGANISER)
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        about = json.loads(archive.read("about.json"))
    assert (about["anonymous"], about["topics"], about["merge"]) == (True, ["7"], "union")
    assert call(app, "/api/release?anonymous=maybe", headers=ORGANISER).status == 422
    assert call(app, "/api/release?only=99", headers=ORGANISER).status == 422
