"""Tests of the routes of a campaign."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.types import ASGIApp
from support.asgi import Answer, call
from support.memory_campaign import TEXT, MemoryCampaign

from excerpt.assess.folder import Busy, InvalidEvent, MergeRequired, NoRoom, NotAllowed, NotFound, Stale
from excerpt.errors import ExcerptError, UnknownName
from excerpt.web.campaign_routes import User, Users, request_error, run
from excerpt.web.guards import AccessTokens, RequestError

ANN, BOB = {"authorization": "Bearer token-of-ann"}, {"authorization": "Bearer token-of-bob"}
EVENT = {"id": "e1", "topic": "1", "document": "A", "base": 0, "kind": "highlight"}


def post(app: ASGIApp, content: Any, headers: dict[str, str] = ANN, target: str = "/api/events") -> Answer:
    """Send JSON."""
    return call(app, target, "POST", headers=headers, body=json.dumps(content).encode())


def test_the_pool_is_that_of_who_asks(campaign_app: ASGIApp) -> None:
    """The token selects the pool."""
    assert call(campaign_app, "/api/pool", headers=ANN).json["assessor"] == "ann"
    assert call(campaign_app, "/api/pool?assessor=ann", headers=BOB).json["assessor"] == "bob"
    assert call(campaign_app, "/api/pool?topic=1", headers=ANN).json["topics"]
    assert call(campaign_app, "/api/pool?topic=2", headers=ANN).status == 404


def test_a_document_has_its_blocks(campaign_app: ASGIApp) -> None:
    """Additional data is requested by name."""
    found = call(campaign_app, "/api/document?topic=1&document=A", headers=ANN).json
    assert (found["text"], found["blocks"], found["shown"]) == (TEXT, [["text", 0, 0, 5]], [])
    target = "/api/document?topic=1&document=A&show=runs&show=suggestions&show=runs"
    assert call(campaign_app, target, headers=ANN).json["shown"] == ["runs", "suggestions"]


def test_a_document_says_whose_it_is(campaign_app: ASGIApp) -> None:
    """A page opened by another assessor is detected and rejected."""
    target = "/api/document?topic=1&document=A"
    assert call(campaign_app, target, headers=ANN).json["assessor"] == "ann"
    assert call(campaign_app, f"{target}&assessor=ann", headers=ANN).status == 200
    refused = call(campaign_app, f"{target}&assessor=bob", headers=ANN)
    assert refused.status == 403
    assert "Another assessor has signed in" in refused.json["error"]
    assert call(campaign_app, f"{target}&assessor=ann&assessor=ann", headers=ANN).status == 400


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/api/document?topic=1&document=B", 404),
        ("/api/document?topic=2&document=A", 404),
        ("/api/document?topic=1", 400),
        ("/api/document?topic=1&topic=1&document=A", 400),
        ("/api/document?topic=1&document=A&show=names", 400),
        ("/api/document?topic=1&document=A%00", 404),
        ("/api/document?topic=1&document=../../etc/passwd", 404),
    ],
)
def test_documents_that_are_none(campaign_app: ASGIApp, target: str, status: int) -> None:
    """Unknown documents are errors of one sentence."""
    answer = call(campaign_app, target, headers=ANN)
    assert answer.status == status
    assert list(answer.json) == ["error"]


def test_somebody_elses_document_is_refused(campaign_app: ASGIApp, campaign: MemoryCampaign) -> None:
    """Documents of other assessors cannot be read, judged or worked on."""
    assert call(campaign_app, "/api/document?topic=1&document=A", headers=BOB).status == 403
    assert post(campaign_app, EVENT, BOB).status == 403
    work = {"topic": "1", "document": "A", "seconds": 5}
    assert post(campaign_app, work, BOB, "/api/work").status == 403
    assert (campaign.kept, campaign.traces) == ([], [])


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 200),
        ({"assessor": "ann"}, 200),
        ({"assessor": "bob"}, 403),
        ({"assessor": None}, 403),
        ({"base": 5}, 409),
        ({"kind": "odd"}, 422),
        ({"kind": "full"}, 507),
        ({"document": "B"}, 404),
    ],
)
def test_events_are_kept_or_refused(
    campaign_app: ASGIApp, campaign: MemoryCampaign, change: dict[str, Any], status: int
) -> None:
    """The token identifies the assessor; an event of another name is rejected."""
    answer = post(campaign_app, {**EVENT, **change})
    assert answer.status == status
    assert campaign.kept == ([("ann", EVENT)] if status == 200 else [])
    assert status == 200 or "error" in answer.json
    if status == 409:
        assert answer.json["state"]["version"] == answer.json["version"] == 0
    assert b"secret" not in answer.body


def test_a_list_stops_at_the_first_refusal(campaign_app: ASGIApp, campaign: MemoryCampaign) -> None:
    """Events before the first error are stored; the error is the last answer."""
    second, third = {**EVENT, "id": "e2", "base": 1}, {**EVENT, "id": "e3", "base": 1}
    answer = post(campaign_app, [EVENT, second, third, EVENT])
    assert answer.status == 200
    assert [each.get("version") for each in answer.json] == [1, 2, 2]
    assert answer.json[2]["status"] == 409
    assert [event["id"] for _, event in campaign.kept] == ["e1", "e2"]


@pytest.mark.parametrize(
    ("events", "status", "last"),
    [
        ([], 200, None),
        (["odd"], 422, 422),
        ([{**EVENT, "kind": "odd"}, EVENT], 422, 422),
        ([{**EVENT, "assessor": "bob"}], 403, 403),
        ([EVENT, None], 200, 422),
        ([EVENT, [EVENT]], 200, 422),
        ([EVENT, {**EVENT, "assessor": "bob"}], 200, 403),
    ],
)
def test_the_status_of_a_list(
    campaign_app: ASGIApp, events: list[Any], status: int, last: int | None
) -> None:
    """The status is that of the error if no event was stored."""
    answer = post(campaign_app, events)
    assert answer.status == status
    assert last is None or answer.json[-1]["status"] == last


@pytest.mark.parametrize("content", [1, "x", None, True, 1.5])
def test_events_are_objects(campaign_app: ASGIApp, content: Any) -> None:
    """Other JSON is rejected with its type."""
    answer = post(campaign_app, content)
    assert answer.status == 422
    assert "expected an event" in answer.json["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"id": NaN}', b"[" * 900_000])
def test_what_is_no_json_is_a_sentence(campaign_app: ASGIApp, body: bytes) -> None:
    """Invalid JSON is an error of one sentence."""
    answer = call(campaign_app, "/api/events", "POST", headers=ANN, body=body)
    assert answer.status == 400
    assert list(answer.json) == ["error"]


def test_work_is_kept(campaign_app: ASGIApp, campaign: MemoryCampaign) -> None:
    """Working time is stored."""
    work = {"topic": "1", "document": "A", "seconds": 12.5, "assessor": "ann"}
    answer = post(campaign_app, work, target="/api/work")
    assert (answer.status, answer.body) == (204, b"")
    assert campaign.traces == [("ann", "1", "A", "work", {"seconds": 12.5})]
    assert post(campaign_app, {"topic": "1", "document": "A"}, target="/api/work").status == 422
    assert post(campaign_app, [work], target="/api/work").status == 422
    for name in ("topic", "document"):
        for no_id in (None, 1, ["1"], {"1": 1}):
            refused = post(campaign_app, {**work, name: no_id}, target="/api/work")
            assert refused.status == 422
            assert f"as {name}, expected the id of a {name}" in refused.json["error"]


ORGANISER = {"authorization": "Bearer token-of-the-organiser"}


def test_how_far_it_is(campaign_app: ASGIApp) -> None:
    """Progress is returned as JSON."""
    assert call(campaign_app, "/api/status", headers=ORGANISER).json == {"title": "small"}


@pytest.mark.parametrize(
    ("query", "asked", "name"),
    [
        ("", {"to": "fol"}, "judgments.fol"),
        ("?to=trec&merge=union", {"to": "trec", "merge": "union"}, "judgments.qrels"),
        ("?to=inex&assessor=ann", {"to": "inex", "assessor": "ann"}, "judgments.xml"),
        ("?to=jsonl&unfinished=1", {"to": "jsonl", "unfinished": True}, "judgments.jsonl"),
        ("?unfinished=0", {"to": "fol", "unfinished": False}, "judgments.fol"),
        (
            "?assessor=a%22%0d%0aSet-Cookie:x",
            {"to": "fol", "assessor": 'a"\r\nSet-Cookie:x'},
            "judgments.fol",
        ),
    ],
)
def test_judgments_are_a_file(campaign_app: ASGIApp, query: str, asked: dict[str, object], name: str) -> None:
    """The file name contains no user input."""
    answer = call(campaign_app, f"/api/export{query}", headers=ORGANISER)
    assert answer.status == 200
    assert sorted(eval(answer.body).items()) == sorted(asked.items())
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert "set-cookie" not in answer.headers
    assert "html" not in answer.headers["content-type"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?to=html", 422),
        ("?to=fol&to=trec", 400),
        ("?merge=odd", 422),
        ("?merge=one", 409),
        ("?assessor=gone", 503),
        ("?to=", 422),
        ("?unfinished=maybe", 422),
        ("?unfinishd=1", 422),
        ("?a%00%1b=1", 422),
    ],
)
def test_what_cannot_be_exported(campaign_app: ASGIApp, query: str, status: int) -> None:
    """Errors are one sentence, without folders."""
    answer = call(campaign_app, f"/api/export{query}", headers=ORGANISER)
    assert answer.status == status
    assert list(answer.json) == ["error"]
    assert b"secret" not in answer.body
    assert "⟨" not in answer.json["error"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidEvent("found x"), 422),
        (NotAllowed("found x"), 403),
        (NotFound("found x"), 404),
        (NoRoom("found x"), 507),
        (Busy("found x"), 503),
        (MergeRequired("found x"), 409),
    ],
)
def test_refusals_have_a_status(error: ExcerptError, status: int) -> None:
    """The sentence is the message of the campaign."""
    assert (request_error(error).status, request_error(error).sentence) == (status, str(error))


@pytest.mark.parametrize(
    ("reader", "advice"),
    [
        ("assessor", "ask the organiser"),
        ("organiser", "restore the documents, then restart excerpt assess serve"),
    ],
)
def test_errors_that_no_request_caused_are_in_words_of_the_reader(reader: str, advice: str) -> None:
    """An assessor cannot open a corpus again, and an organiser can restart the server."""
    changed = ExcerptError(
        "has changed since the corpus was opened", path="/x/a", hint="open the corpus again"
    )
    found = request_error(changed, reader=reader)
    assert (found.status, found.sentence) == (503, f"a: has changed since the corpus was opened; {advice}")
    assert request_error(UnknownName("document", "x", []), reader=reader).status == 503


def test_a_stale_event_is_told_the_state() -> None:
    """The answer to a stale event contains the current state."""
    found = request_error(Stale(1, {"version": 3, "bep": 7}))
    assert found.status == 409
    assert found.more == {"version": 3, "state": {"version": 3, "bep": 7}}


def test_folders_are_not_told() -> None:
    """Messages contain no folders, and line ends are escaped."""
    error = NoRoom("found\nno room", path="/data/secret/judgments.sqlite", hint="make room")
    assert request_error(error).sentence == "judgments.sqlite: found\\nno room; make room"


def test_hints_are_for_programs() -> None:
    """Settings in hints are written as URL parameters, if there are any."""
    hint = "give ⟨merge=union⟩, ⟨format=inex⟩ or the ⟨corpus⟩"
    assert (
        request_error(MergeRequired("found x", hint=hint)).sentence
        == "found x; give merge=union, to=inex or the corpus"
    )


def test_halves_of_characters_are_refused() -> None:
    """Lone surrogates are rejected."""
    with pytest.raises(RequestError, match="half a surrogate pair, expected valid Unicode") as found:
        asyncio.run(run("\ud800".encode))
    assert found.value.status == 422


def test_tokens_have_one_role() -> None:
    """The campaign knows assessors, the process knows the organiser."""
    tokens = AccessTokens()
    tokens.add("of-the-organiser", "organiser")
    people = Users(MemoryCampaign().identify, tokens)
    assert people.identify("of-the-organiser") == User("organiser", "organiser")
    assert people.identify("token-of-ann") == User("assessor", "ann")
    assert people.identify("other") is None
    assert people.identify("") is None


def test_who_is_removed_is_out_at_once() -> None:
    """A removed assessor has no access, whatever the name."""
    campaign = MemoryCampaign()
    people = Users(campaign.identify, AccessTokens())
    assert people.identify("token-of-bob") == User("assessor", "bob")
    del campaign.people["token-of-bob"]
    assert people.identify("token-of-bob") is None
    assert people.exchange("token-of-bob") is None
    campaign.people["x"] = "organiser"
    assert people.identify("x") == User("assessor", "organiser")


def test_a_link_opens_once_for_an_assessor_too() -> None:
    """A single-use link works for assessors."""
    tokens = AccessTokens()
    people = Users(MemoryCampaign().identify, tokens)
    link = tokens.add_link("token-of-ann")
    assert people.identify(link) is None
    assert people.exchange(link) == "token-of-ann"
    assert people.exchange(link) is None
    assert people.exchange("token-of-ann") == "token-of-ann"


def test_adjudicators_have_the_routes_of_judging(campaign_app: ASGIApp, campaign: MemoryCampaign) -> None:
    """By role, which is looked up at every request; the organiser's routes refuse them."""
    campaign.people["token-of-eve"] = "eve"
    eve = {"authorization": "Bearer token-of-eve"}
    assert call(campaign_app, "/api/pool", headers=eve).json["assessor"] == "eve"
    assert call(campaign_app, "/api/guidelines", headers=eve).status == 200
    for target in ("/api/status", "/api/export?to=fol&merge=adjudicated"):
        assert call(campaign_app, target, headers=eve).status == 403
    users = Users(campaign.identify, AccessTokens(), campaign.is_adjudicator)
    assert users.identify("token-of-eve") == User("adjudicator", "eve")
    assert users.identify("token-of-ann") == User("assessor", "ann")
