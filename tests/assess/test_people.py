"""Tests of assessors: names, tokens, assignments."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from excerpt.assess.people import (
    ADDED,
    REMOVED,
    People,
    assessors_of,
    check_name,
    draw_pairs,
    hash_of,
    new_token,
    ranked,
)
from excerpt.errors import ExcerptError


def row(name: str, change: str, token: str = "", at: str = "1") -> dict[str, str]:
    """A row of the log of assessors."""
    return {"name": name, "change": change, "token": hash_of(token), "at": at}


def test_a_token_belongs_to_one_person() -> None:
    """A token is valid until its assessor is removed or gets a new one."""
    people = People([row("ann", ADDED, "a"), row("ben", ADDED, "b"), row("ann", ADDED, "c", "2")])
    assert [people.identify(token) for token in ("a", "b", "c", "")] == [None, "ben", "ann", None]
    assert [person.added for person in people.all()] == ["1", "1"]
    gone = People([row("ann", ADDED, "a"), row("ann", REMOVED, at="2")])
    assert (gone.identify("a"), gone.names(), gone.all()[0].removed) == (None, [], "2")
    back = People([row("ann", ADDED, "a"), row("ann", REMOVED), row("ann", ADDED, "b")])
    assert (back.identify("a"), back.identify("b"), back.all()[0].removed) == (None, "ann", None)


def test_any_text_can_be_asked_for() -> None:
    """An invalid token identifies no assessor."""
    assert People([row("ann", ADDED, "a")]).identify("\ud800") is None


def test_tokens_have_256_bits_and_are_kept_as_hashes() -> None:
    """Tokens differ, and only hashes are stored."""
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) == 43 for token in tokens)
    assert len(hash_of("a")) == 64


@pytest.mark.parametrize(
    "name", ["", " ann", "ann\t", "a\nb", "\x1b[31m", "x" * 101, None, 7, "\udc80", "\u202e"]
)
def test_names_stand_in_one_line(name: Any) -> None:
    """Names with control characters or outer whitespace are errors."""
    with pytest.raises(ExcerptError, match="found the name"):
        check_name(name)


def test_names_may_be_of_any_script() -> None:
    """Names may contain spaces."""
    assert check_name("Zoë 😀 <b>") == "Zoë 😀 <b>"


PAIRS = [(str(topic), f"d{document}") for topic in range(10) for document in range(60)]
PEOPLE = ["ann", "ben", "cem", "dee"]


def assign(people: list[str], *, count: int = 1) -> dict[tuple[str, str], tuple[str, ...]]:
    """The assessors of every pair if none is started."""
    return {pair: assessors_of(ranked(pair, people, 1), count=count, begun=()) for pair in PAIRS}


def test_pairs_are_shared_out_about_evenly() -> None:
    """Every assessor gets about as many pairs."""
    counts = Counter(name for names in assign(PEOPLE).values() for name in names)
    assert sum(counts.values()) == len(PAIRS)
    assert all(110 < counts[name] < 190 for name in PEOPLE)


def test_two_assessors_are_two_people() -> None:
    """A pair never has the same assessor twice."""
    assert all(len(set(names)) == 2 for names in assign(PEOPLE, count=2).values())
    assert set(assign(["ann"], count=2).values()) == {("ann",)}
    assert set(assign([]).values()) == {()}


def test_a_new_person_takes_pairs_and_moves_no_others() -> None:
    """Pairs go to the new assessor or stay."""
    before, after = assign(PEOPLE), assign([*PEOPLE, "eve"])
    moved = [pair for pair in PAIRS if before[pair] != after[pair]]
    assert 60 < len(moved) < 180
    assert all(after[pair] == ("eve",) for pair in moved)


def test_the_order_of_people_does_not_matter() -> None:
    """Assignments do not depend on the order of assessors."""
    assert assign(PEOPLE[::-1]) == assign(PEOPLE)


def test_a_pair_that_was_begun_stays() -> None:
    """An assessor who started a pair keeps it."""
    for name in PEOPLE:
        assert assessors_of(PEOPLE, count=1, begun=[name]) == (name,)
    assert assessors_of(PEOPLE, count=2, begun=["ben"]) == ("ben", "ann")
    assert assessors_of(PEOPLE, count=1, begun=["dee", "ben"]) == ("ben", "dee")
    assert assessors_of(PEOPLE, count=1, begun=["somebody else"]) == ("somebody else",)


def test_a_share_is_exact_and_seeded() -> None:
    """Draws do not depend on the order of pairs or on other draws."""
    drawn = draw_pairs(1, "double", PAIRS, 0.1)
    assert len(drawn) == 60
    assert drawn == draw_pairs(1, "double", PAIRS[::-1], 0.1)
    assert drawn != draw_pairs(2, "double", PAIRS, 0.1)
    assert drawn != draw_pairs(1, "control", PAIRS, 0.1)
    assert draw_pairs(1, "double", PAIRS, 0.0) == frozenset()
    assert draw_pairs(1, "double", PAIRS, 1.0) == frozenset(PAIRS)
