"""The search in a document; what it finds is tested with `locate`, here which ways it goes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.model.texts import fold
from excerpt.placing import search
from excerpt.placing.chunk_places import UnplacedChunk
from excerpt.placing.search import (
    EvenOverlap,
    Occurrences,
    Search,
    _least,
    assign,
    longest_part,
    step_through,
)
from excerpt.quotes.text_index import FoldedText, SearchedText

LINE = "one line as all. "


def test_only_likely_places_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks that cover a text without gaps can only be near the sum of the lengths before them."""
    text = LINE * 200
    chunks = [UnplacedChunk(LINE.strip(), 0)] * 199 + [UnplacedChunk("as all.", 9)]
    asked: list[int] = []
    find = FoldedText.find

    def count(self: FoldedText, part: str, low: int, high: int) -> object:
        asked.append(high - low)
        return find(self, part, low, high)

    monkeypatch.setattr(FoldedText, "find", count)
    monkeypatch.setattr(search, "step_through", lambda *_: None)
    places = Search(FoldedText(text)).locate(chunks)
    assert [place.start for place in places] == [*range(0, 199 * 17, 17), 199 * 17 + 9]
    assert asked[0] < len(LINE)
    assert len(asked) == 3  # the line near its place, then everywhere, as it is asked for again; the end


def test_a_text_that_repeats_itself_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many places not all are compared."""
    monkeypatch.setattr(search, "assign", None)
    monkeypatch.setattr(search, "_MANY", 50)
    text = f"head {LINE * 100}tail"
    wanted = [UnplacedChunk(text[start : start + 90].strip(), 0) for start in range(0, len(text), 70)]
    places = Search(FoldedText(text)).locate(wanted)
    assert [place.start for place in places[:3]] == [0, 70, 141]
    assert all(text.startswith(chunk.text, place.start) for chunk, place in zip(wanted, places, strict=True))


def cost(chunks: list[Occurrences], rows: tuple[int, ...], size: int) -> tuple[int, int]:
    """The sum of all steps by its definition, and how many starts do not rise."""
    end, steps, back, last = 0, 0, 0, -1
    for chunk, row in zip(chunks, rows, strict=True):
        steps += abs(int(chunk.solid[row]) - end)
        back += int(chunk.start[row]) <= last
        last, end = int(chunk.start[row]), int(chunk.solid[row]) + chunk.length
    return steps + abs(size - end), back


def least(chunks: list[Occurrences], size: int) -> int:
    """Cost of the best assignment."""
    every = [cost(chunks, rows, size) for rows in product(*(range(len(chunk.start)) for chunk in chunks))]
    rising = [steps for steps, back in every if not back]
    return min(rising) if rising else min(steps + back * size for steps, back in every)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Occurrences], int]:
    """Some chunks in a document whose every third character is whitespace."""
    size = draw(st.integers(12, 30))
    solid = np.cumsum(np.arange(size + 1) % 3 != 2) - (np.arange(size + 1) % 3 != 2)
    chunks = []
    for _ in range(draw(st.integers(1, 5))):
        length = draw(st.integers(0, 6))
        last = int(solid[size]) - length
        places = [place for place in range(size) if solid[place] <= last]
        starts = np.array(sorted(draw(st.sets(st.sampled_from(places), min_size=1, max_size=5))))
        chunks.append(Occurrences(starts, solid[starts], length))
    return chunks, int(solid[size])


@settings(max_examples=150)
@given(cases())
def test_no_assignment_costs_less(case: tuple[list[Occurrences], int]) -> None:
    """Starts rise where that is possible, and then, or else with a fine, the steps sum up to the least."""
    chunks, size = case
    found = assign(chunks, size)
    assert found is not None
    steps, back = cost(chunks, tuple(found.rows), size)
    assert steps + back * size == least(chunks, size)
    assert (assign(chunks, size, rising=True) is None) == bool(back)


def rows(*chunks: Occurrences, size: int) -> list[int]:
    """The occurrence of each chunk."""
    found = assign(chunks, size)
    assert found is not None
    return found.rows


def at(*places: int) -> Occurrences:
    """A chunk of five characters at some positions of a text without whitespace."""
    return Occurrences(np.array(places), np.array(places), 5)


def test_the_copy_that_continues_the_sequence_is_meant() -> None:
    """A chunk that occurs twice is the one between its neighbours."""
    assert rows(at(0), at(5, 20), at(10), at(5, 20), size=25) == [0, 0, 0, 1]


def test_of_equal_assignments_the_preferred_one_is_taken() -> None:
    """Without a sequence that decides, the choice is the caller's, else the nearest."""
    assert rows(at(5, 20), size=25) == [0]
    found = assign([at(5, 20)], 25, lambda _, ties, far: int(ties[far.argmax()]))
    assert found is not None
    assert found.rows == [1]


def test_steps_back_are_even_where_several_are_equal() -> None:
    """In a text that repeats itself chunks overlap alike, not the last ones more than the first."""
    everywhere = at(*range(26))
    assert rows(at(0), everywhere, everywhere, at(9), size=14) == [0, 3, 6, 0]


def test_nothing_is_assigned_without_chunks() -> None:
    """No chunks, no places."""
    assert rows(size=10) == []


@given(st.lists(st.integers(-9, 9), max_size=20), st.data())
def test_least_of_ranges(values: list[int], data: st.DataObject) -> None:
    """The least value of each range, as counted one by one."""
    ends = st.integers(0, len(values))
    pairs = [sorted(pair) for pair in data.draw(st.lists(st.tuples(ends, ends), max_size=9))]
    first, last = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    found = _least(np.array(values, np.int64), first, last)
    for low, high, value in zip(first.tolist(), last.tolist(), found.tolist(), strict=True):
        assert value == min(values[low:high], default=1 << 60)


@pytest.mark.parametrize(
    ("text", "parts", "claims", "ahead", "places"),
    [
        ("ab ab ab", ["ab", "ab"], [], 0, [0, 3]),
        ("ab ab ab", ["ab", "ab"], [0, 6], 0, [0, 6]),  # a claim beyond a gap, where nothing overlaps
        ("ab ab ab", ["ab", "ab"], [6, 0], 0, None),  # it leads nowhere
        ("aaaaaaaaaa", ["aaaa", "aaaa", "aaaa"], [], 0, [0, 3, 6]),
        ("aaaaaaaaaa", ["aaaa", "aaaa", "aaaa"], [], 3, [0, 4, 6]),
        ("ab ab", ["ab", "cd"], [], 0, None),
        ("ab cd", ["cd", "ab"], [], 0, None),
        ("ab cd ef gh", ["ab cd", "cd ef ef"], [], 0, None),
        ("ab cd ef gh", ["ab cd", "cd ef", "ef"], [], 0, None),  # a step back, and what is left at the end
        ("", [], [], 0, []),
    ],
)
def test_ways(
    text: str, parts: list[str], claims: list[int | None], ahead: int, places: list[int] | None
) -> None:
    """Either nothing overlaps, or nothing is left out; else there is no short way."""
    assert step_through(text, parts, claims, ahead) == places


def test_evenly() -> None:
    """Excess is divided among the remaining steps; the first chunk overlaps with none."""
    even_overlap = EvenOverlap([4, 4, 4], 10)
    assert [even_overlap.overlap(0, 0), even_overlap.overlap(1, 4), even_overlap.overlap(2, 8)] == [0, 1, 2]
    assert EvenOverlap([4, 4], 10).overlap(1, 4) == 0


WORDS = ["abcdefghijkl", "mnopqrstuvwx", "yz", "é", "some words of it"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


def longest(text: str, chunk: str) -> int:
    """The length of the longest part, one by one; 0 where it is less than half."""
    lengths = (
        end - start
        for start in range(len(chunk))
        for end in range(start + 1, len(chunk) + 1)
        if chunk[start:end] in text
    )
    found = max(lengths, default=0)
    return found if 2 * found >= len(chunk) else 0


@settings(max_examples=60)
@given(text=TEXTS, chunk=TEXTS)
def test_none_is_longer(text: str, chunk: str) -> None:
    """With and without an index, ignoring whitespace, pieces of words at the borders, and short texts."""
    indexed = SearchedText(text)
    indexed._work_left = -1
    for searched in (SearchedText(text), indexed):
        found = longest_part(searched, chunk)
        expected = longest(text, chunk)
        assert fold(found) == found
        assert found in text
        assert found in chunk
        assert len(found) <= expected
        border = 2 * (expected - 2) < len(chunk)  # without the blanks at its borders it may be less than half
        assert len(found) >= expected - 10 or expected < 26 or border


@pytest.mark.parametrize(
    ("text", "chunk", "part"),
    [
        ("Then the text itself. End.", "A title the text itself.", "the text itself."),
        ("Then the text itself. End.", "the text itself. [source: a.txt]", "the text itself."),
        ("We like the text itself.", "Title the text itself.", "the text itself."),  # not "e the text"
        ("We like the text itself.", "We like nothing at all.", ""),
        ("Then the text itself.", "Text", ""),
        ("It is somewhere.", "nowhere", ""),
        ("It is somewhere.", "Well: somewhere.", "somewhere."),
        ("A devastating item to behold.", "My generating item to behold.", "item to behold."),
        (
            "It is lost in action. Then all of it ends.",
            "A connection. Then all of it ends.",
            "Then all of it ends.",
        ),
        ("The text itself ends.", "Title:The text itself", "The text itself"),
        (
            "Long words without any end to them",
            "Titlewords without any end to them",
            "words without any end to them",
        ),
        ("short", "longer than the text", ""),
        ("", "x", ""),
    ],
)
def test_parts(text: str, chunk: str, part: str) -> None:
    """Titles in front, notes behind, letters that happen to be the same, too little."""
    assert longest_part(SearchedText(text), chunk) == part


def test_of_equal_parts_the_last_is_taken() -> None:
    """Titles come in front."""
    assert longest_part(SearchedText("abcd. efgh."), "abcd.efgh.") == "efgh."


def test_a_chunk_that_repeats_itself() -> None:
    """Its longest part may begin behind one that was found."""
    line = "any tenant pay rent notice any shall pay."
    text = f"{line} {line} {line} day any of rent tenant tenant. the rent of it all."
    assert longest_part(SearchedText(text), f"# Section 0: Zqx {text[:150]}") == text[:150]
