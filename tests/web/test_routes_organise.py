"""The addresses of the organiser: how far it is, and files that are saved and never shown."""

from __future__ import annotations

import pytest
from asgi import call
from starlette.types import ASGIApp

ORGANISER = {"authorization": "Bearer token-of-the-organiser"}


def test_how_far_it_is(campaign_app: ASGIApp) -> None:
    """As JSON."""
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
    """Its name has nothing of what was asked; browsers save it."""
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
    """One sentence, without folders."""
    answer = call(campaign_app, f"/api/export{query}", headers=ORGANISER)
    assert answer.status == status
    assert list(answer.json) == ["error"]
    assert b"secret" not in answer.body
    assert "⟨" not in answer.json["error"]
