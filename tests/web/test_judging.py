"""Refusals of a campaign as answers: each has its status, and tells no folders."""

from __future__ import annotations

import asyncio

import pytest

from excerpt.assess.folder import Busy, InvalidEvent, MergeRequired, NoRoom, NotAllowed, NotFound, Stale
from excerpt.errors import ExcerptError, UnknownName
from excerpt.web.answers import Refusal
from excerpt.web.judging import ask, refused


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidEvent("found x"), 422),
        (NotAllowed("found x"), 403),
        (NotFound("found x"), 404),
        (NoRoom("found x"), 507),
        (Busy("found x"), 503),
        (MergeRequired("found x"), 409),
        (ExcerptError("found x"), 503),
        (UnknownName("document", "x", []), 503),
    ],
)
def test_refusals_have_a_status(error: ExcerptError, status: int) -> None:
    """The sentence is the campaign's."""
    assert (refused(error).status, refused(error).sentence) == (status, str(error))


def test_a_stale_event_is_told_the_state() -> None:
    """So that both can be shown."""
    found = refused(Stale(1, {"version": 3, "bep": 7}))
    assert found.status == 409
    assert found.more == {"version": 3, "state": {"version": 3, "bep": 7}}


def test_folders_are_not_told() -> None:
    """Assessors elsewhere need not know where a campaign lies; line ends are shown."""
    error = NoRoom("found\nno room", path="/data/secret/judgments.sqlite", hint="make room")
    assert refused(error).sentence == "judgments.sqlite: found\\nno room; make room"


def test_hints_are_for_programs() -> None:
    """As parameters of an address; a setting that none of them is, is named."""
    hint = "give ⟨merge=union⟩, ⟨format=inex⟩ or the ⟨corpus⟩"
    assert (
        refused(MergeRequired("found x", hint=hint)).sentence
        == "found x; give merge=union, to=inex or the corpus"
    )


def test_halves_of_characters_are_refused() -> None:
    """A lone surrogate cannot be written down."""
    with pytest.raises(Refusal, match="no valid Unicode") as found:
        asyncio.run(ask("\ud800".encode))
    assert found.value.status == 422
