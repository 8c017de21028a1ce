"""Reasons of failure against sets of characters, and each of them by hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.explained import chunks_of

from excerpt import Judgments, Notices, Run
from excerpt.model.spans import KeyedSpans
from excerpt.model.texts import Texts, fold
from excerpt.view.explanation import explain
from excerpt.view.reasons import REASONS, Positions, Survey, count_reasons, covers

Place = tuple[str, int, int]


def reasons(
    texts: dict[str, str],
    relevant: list[Place],
    results: list[Place],
    cutoff: int,
    chunks: list[Place] | None = None,
    budget: int | None = None,
) -> dict[Place, tuple[str, int | None]]:
    """Reasons that excerpt gives for each missed passage of one topic."""
    judgments = Judgments.of([("t", *place) for place in relevant])
    run = Run.of("run", [("t", *place) for place in results])
    placed = None if chunks is None else chunks_of(chunks)
    name = f"charR@{cutoff}" if budget is None else f"charR(budget={budget})@{cutoff}"
    found = explain(judgments, run, name, corpus=texts, chunks=placed, worst=None, notices=Notices())
    missed = [each for question in found.worst for each in question.missed]
    assert found.missed == len(missed)
    return {(each.document, each.start, each.end): (each.reason, each.rank) for each in missed}


class Slow(NamedTuple):
    """The same by sets of characters."""

    texts: dict[str, str]
    results: list[Place]
    cutoff: int
    chunks: list[Place] | None
    budget: int | None = None

    @property
    def near(self) -> list[Place]:
        """Text that is read of the results."""
        left, found = 10**9 if self.budget is None else self.budget, []
        for name, start, end in self.results[: self.cutoff]:
            if left > 0:
                found.append((name, start, min(end, start + left)))
            left -= end - start
        return found

    def positions(self, place: Place) -> set[tuple[str, int]]:
        """The characters of a span except whitespace."""
        name, start, end = place
        return {(name, at) for at in range(start, end) if not self.texts[name][at : at + 1].isspace()}

    def union(self, places: list[Place]) -> set[tuple[str, int]]:
        """The characters of several places."""
        return {each for place in places for each in self.positions(place)}

    def reason(self, passage: Place) -> tuple[str, int | None] | None:
        """Reason for a missed passage; None if it was found."""
        wanted, near = self.positions(passage), self.near
        if wanted <= self.union(near):
            return None
        ranks = range(1, len(self.results) + 1)
        rank = next((rank for rank in ranks if wanted <= self.union(self.results[:rank])), None)
        if self.chunks is not None and not wanted <= self.union(self.chunks):
            return REASONS[0], rank
        if self.chunks is not None and not any(wanted <= self.positions(chunk) for chunk in self.chunks):
            return REASONS[1], rank
        if rank is not None:
            return REASONS[2], rank
        if self.stands_elsewhere(passage):
            return REASONS[3], None
        return REASONS[4 if passage[0] in {place[0] for place in near} else 5], None

    def stands_elsewhere(self, passage: Place) -> bool:
        """Return whether the words of a passage were read at any position."""
        name, start, end = passage
        words, read = self.texts[name][start:end].split(), self.union(self.near)
        return any(
            text[low:high].split() == words and self.positions((other, low, high)) <= read
            for other, text in self.texts.items()
            for low in range(len(text))
            for high in range(low + 1, len(text) + 1)
        )


class World(NamedTuple):
    """Texts, relevant passages and results of a topic, and how far they are read; perhaps chunks."""

    texts: dict[str, str]
    relevant: list[Place]
    results: list[Place]
    cutoff: int
    chunks: list[Place] | None
    budget: int | None


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Short texts of few letters, so that the same words occur at several positions."""
    texts = {name: draw(st.text("ab \n", min_size=1, max_size=14)) for name in "DEF"}

    def places(most: int) -> list[Place]:
        found = []
        for _ in range(draw(st.integers(1, most))):
            name = draw(st.sampled_from("DEF"))
            ends = st.integers(0, len(texts[name]))
            start, end = sorted((draw(ends), draw(ends)))
            found.append((name, start, end))
        return found

    chunks = places(6) if draw(st.booleans()) else None
    budget = draw(st.none() | st.integers(1, 30))
    results = places(7)
    assume(any(start < end for _, start, end in results))  # a run without any text is refused
    return World(texts, places(3), results, draw(st.integers(1, 5)), chunks, budget)


@settings(max_examples=100)
@given(worlds())
def test_reasons_agree_with_sets_of_characters(world: World) -> None:
    """Every passage has the first reason that applies, and the rank at which it is complete."""
    spans = Judgments.of([("t", *place) for place in world.relevant]).highlights("t")
    slow = Slow(world.texts, world.results, world.cutoff, world.chunks, world.budget)
    passages = [(span.document, span.start, span.end) for span in spans]
    expected = {place: why for place in passages if (why := slow.reason(place)) is not None}
    assert reasons(*world) == expected


TEXTS = {
    "lease": "The tenant pays rent. The tenant\n pays  rent. He may keep a dog.",
    "other": "Nothing about dogs. He may keep a dog.",
    "third": "Rent.",
}


def test_each_reason_by_hand() -> None:
    """The same three passages, whatever is returned."""
    dog, rent, third = ("lease", 46, 64), ("lease", 0, 21), ("third", 0, 5)
    relevant = [dog, rent, third]
    assert TEXTS["lease"][46:64] == "He may keep a dog."
    results = [("other", 0, 38), ("lease", 21, 45), ("lease", 0, 10), ("lease", 11, 45)]
    found = reasons(TEXTS, relevant, results, 1)
    assert found[dog] == ("same text at another place", None)  # in `other`
    assert found[rent] == ("at rank k+1…n", 4)  # ranks 3 and 4 together, but for a blank
    assert found[third] == ("document not found", None)
    found = reasons(TEXTS, relevant, results[1:], 1)
    assert found[dog] == ("document found, passage not", None)
    found = reasons(TEXTS, relevant, results[1:3], 1)
    assert found[rent] == ("same text at another place", None)  # with other white space
    chunks = [("lease", 0, 12), ("lease", 12, 40), ("lease", 44, 64)]
    found = reasons(TEXTS, relevant, results, 1, chunks)
    assert found[rent] == ("cut by a chunk border", 4)
    assert found[third] == ("not in any chunk", None)
    assert found[dog] == ("same text at another place", None)


def test_reasons_are_counted() -> None:
    """Those of chunks only where there are chunks."""
    assert count_reasons(np.array([2, 5, 5]), chunks=False) == {
        "at rank k+1…n": 1,
        "same text at another place": 0,
        "document found, passage not": 0,
        "document not found": 2,
    }
    assert list(count_reasons(np.array([0]), chunks=True).values()) == [1, 0, 0, 0, 0, 0]


INK = Positions(Texts({"A": "a b\n c", "B": " xx"}.get), ("A", "B", "gone"))


def test_positions_count_what_is_no_white_space() -> None:
    """By document, in any order; without a text all characters count."""
    document, position = np.array([1, 0, 2, 0, 0]), np.array([3, 6, 5, 1, 99])
    assert INK.at(document, position).tolist() == [2, 3, 5, 1, 96]
    assert INK.text(2) == ""


def test_places_of_folded_text() -> None:
    """Every place, also of occurrences that overlap."""
    positions = Positions(Texts({"A": "aa a\n\naa aa"}.get), ("A",))
    assert positions.find_all(0, {"a a", ""}) == {"a a": [1, 2, 4]}


@settings(max_examples=60)
@given(text=st.text("ab \n", max_size=60), wanted=st.sets(st.text("ab ", max_size=5).map(fold), max_size=8))
def test_many_texts_are_found_as_single_ones(text: str, wanted: set[str]) -> None:
    """One pass for all gives the positions that a search for each gives."""
    folded = fold(text)
    expected = {}
    for each in wanted - {""}:
        starts = [at for at in range(len(folded)) if folded.startswith(each, at)]
        if starts:
            expected[each] = [at - folded[:at].count(" ") for at in starts]
    for least in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("excerpt.view.reasons._LONG_SEARCH", least)
            assert Positions(Texts({"A": text}.get), ["A"]).find_all(0, wanted) == expected
            survey = Survey(Texts({"A": text}.get), ["A"])
            survey.sought[0].append(wanted)
            survey.search(0, text)
            assert survey.find_all(0, wanted) == expected


def test_only_some_folded_texts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache does not change what is found."""
    monkeypatch.setattr("excerpt.view.reasons._ROOM", 5)
    monkeypatch.setattr("excerpt.view.reasons._MOST_SEARCHES", 1)
    positions = Positions(Texts({"A": "a  b", "B": "b\na b"}.get), ("A", "B"))
    for _ in range(2):
        assert positions.find_all(0, ["a b"]) == {"a b": [0]}
        assert positions.find_all(1, ["a b", "b"]) == {"a b": [1], "b": [0, 2]}
        assert positions.find_all(0, ["b"]) == {"b": [1]}


def test_a_text_is_covered_at_one_place() -> None:
    """All of it, not half here and half there."""
    read = KeyedSpans.union([0, 0], [0, 10], [2, 14])
    assert not covers(read, 0, [0, 12], "abc")
    assert covers(read, 0, [0, 11], "a bc")
    assert not covers(read, 1, [0], "a")
