"""Names and tokens."""

from __future__ import annotations

from typing import Any

import pytest

from excerpt.assess.people import ADDED, REMOVED, People, check_name, hash_of, new_token
from excerpt.errors import ExcerptError


def row(name: str, change: str, token: str = "", at: str = "1") -> dict[str, str]:
    """A change of people."""
    return {"name": name, "change": change, "token": hash_of(token), "at": at}


def test_a_token_belongs_to_one_person() -> None:
    """Until that person is removed, or gets another."""
    people = People([row("ann", ADDED, "a"), row("ben", ADDED, "b"), row("ann", ADDED, "c", "2")])
    assert [people.identify(token) for token in ("a", "b", "c", "")] == [None, "ben", "ann", None]
    assert [person.added for person in people.all()] == ["1", "1"]
    gone = People([row("ann", ADDED, "a"), row("ann", REMOVED, at="2")])
    assert (gone.identify("a"), gone.names(), gone.all()[0].removed) == (None, [], "2")
    back = People([row("ann", ADDED, "a"), row("ann", REMOVED), row("ann", ADDED, "b")])
    assert (back.identify("a"), back.identify("b"), back.all()[0].removed) == (None, "ann", None)


def test_any_text_can_be_asked_for() -> None:
    """A token that cannot be one is nobody's."""
    assert People([row("ann", ADDED, "a")]).identify("\ud800") is None


def test_tokens_have_256_bits_and_are_kept_as_hashes() -> None:
    """No two are the same."""
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) == 43 for token in tokens)
    assert len(hash_of("a")) == 64


@pytest.mark.parametrize(
    "name", ["", " ann", "ann\t", "a\nb", "\x1b[31m", "x" * 101, None, 7, "\udc80", "\u202e"]
)
def test_names_stand_in_one_line(name: Any) -> None:
    """Others are refused."""
    with pytest.raises(ExcerptError, match="found the name"):
        check_name(name)


def test_names_may_be_of_any_script() -> None:
    """And have blanks inside."""
    assert check_name("Zoë 😀 <b>") == "Zoë 😀 <b>"
