"""The search in a document; what it finds is tested with `locate`, here which ways it goes."""

from __future__ import annotations

import pytest

from excerpt.placing import searching
from excerpt.placing.folding import Folded
from excerpt.placing.places import Wanted
from excerpt.placing.searching import Search

LINE = "one line as all. "


def test_only_likely_places_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks that cover a text without gaps can stand nowhere but near where their lengths add up to."""
    text = LINE * 200
    chunks = [Wanted(LINE.strip(), 0)] * 199 + [Wanted("as all.", 9)]
    asked: list[int] = []
    find = Folded.find

    def count(self: Folded, part: str, low: int, high: int) -> object:
        asked.append(high - low)
        return find(self, part, low, high)

    monkeypatch.setattr(Folded, "find", count)
    monkeypatch.setattr(searching, "step_through", lambda *_: None)
    places = Search(Folded(text)).places(chunks)
    assert [place.start for place in places] == [*range(0, 199 * 17, 17), 199 * 17 + 9]
    assert asked[0] < len(LINE)
    assert len(asked) == 3  # the line near its place, then everywhere, as it is asked for again; the end


def test_a_text_that_repeats_itself_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many places not all are compared."""
    monkeypatch.setattr(searching, "assign", None)
    monkeypatch.setattr(searching, "_MANY", 50)
    text = f"head {LINE * 100}tail"
    wanted = [Wanted(text[start : start + 90].strip(), 0) for start in range(0, len(text), 70)]
    places = Search(Folded(text)).places(wanted)
    assert [place.start for place in places[:3]] == [0, 70, 141]
    assert all(text.startswith(chunk.text, place.start) for chunk, place in zip(wanted, places, strict=True))
