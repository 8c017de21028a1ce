"""A small application of pages for tests: an evaluation of two topics, one document, and one token."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.types import ASGIApp
from support.memory_campaign import MemoryCampaign

from excerpt.assess.campaign import Campaign
from excerpt.assess.folder import MergeRequired
from excerpt.errors import ExcerptError, UnknownName
from excerpt.view import World
from excerpt.web.app import ServedPage, make_app
from excerpt.web.campaign_routes import OrganiserFunctions, make_campaign_app
from excerpt.web.guards import AccessTokens

TOKEN = "secret-of-the-tests"
#: Programs that judge, and what looks for losses, are among the benchmarks.
sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))


class SmallWorld:
    """A small evaluation that counts its requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def overview(self, measures: int | None = None, progress: object = None) -> dict[str, Any]:
        """An overview of two topics."""
        self.asked.append("overview")
        return {"format": 1, "topics": [{"id": "1"}, {"id": "ä/?&"}]}

    def topic_number(self, name: str) -> int:
        """The number of one of two topics."""
        names = ["1", "ä/?&"]
        if name not in names:
            raise UnknownName("topic", name, names)
        return names.index(name)

    def topic(self, number: int) -> dict[str, Any]:
        """A topic by its number."""
        return {"number": number}

    def passages(self) -> dict[str, Any]:
        """No passages."""
        self.asked.append("passages")
        return {"documents": []}

    def document(self, name: str) -> dict[str, Any]:
        """One document, and one whose file has changed."""
        if name == "changed":
            raise ExcerptError("has changed since the corpus was opened", path="docs/changed.txt")
        if name != "A":
            raise UnknownName("document", name, ["A"])
        return {"id": name, "text": "a😀b\r\n</script>"}

    def texts(self, name: str, spans: list[tuple[int, int]]) -> list[str]:
        """Texts of spans of a document."""
        text: str = self.document(name)["text"]
        return [text[start:end] for start, end in spans]


@pytest.fixture
def world() -> SmallWorld:
    """A small evaluation."""
    return SmallWorld()


@pytest.fixture
def app(world: SmallWorld) -> ASGIApp:
    """The application of the explorer, for users with the token."""
    tokens = AccessTokens()
    tokens.add(TOKEN, "user")
    view = ServedPage("<h1>view</h1>", "default-src 'none'")
    return make_app(cast("World", world), tokens=tokens, view=view, port=8000)


@pytest.fixture
def bearer() -> dict[str, str]:
    """Headers of a program with the token."""
    return {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def cookie() -> dict[str, str]:
    """Headers of a page of a signed-in user."""
    return {"cookie": f"theme=dark; excerpt-8000=session-of:{TOKEN}"}


@pytest.fixture
def campaign() -> MemoryCampaign:
    """A campaign of ann and bob."""
    return MemoryCampaign()


@pytest.fixture
def campaign_app(campaign: MemoryCampaign) -> ASGIApp:
    """The application of the campaign; an export returns its options."""
    tokens = AccessTokens()
    tokens.add("token-of-the-organiser", "organiser")

    def export(**how: Any) -> bytes:
        if how.get("merge") == "odd":
            raise UnknownName("merge", "odd", ["one", "union"])
        if how.get("merge") == "one":
            raise MergeRequired("found several", hint="give ⟨merge=union⟩")
        if how.get("assessor") == "gone":
            raise ExcerptError("has changed", path="/data/secret/docs.jsonl")
        return repr(how).encode()

    views = {role: ServedPage(f"<h1>{role}</h1>", "default-src 'none'") for role in ("assessor", "organiser")}
    return make_campaign_app(
        cast("Campaign", campaign),
        organiser=tokens,
        results=OrganiserFunctions(lambda: {"title": "small"}, export),
        blocks=lambda _: [["text", 0, 0, 5]],
        views=views,
        port=8000,
    )
