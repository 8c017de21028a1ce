"""Topics as they are found: each with an id, a text and only once."""

from __future__ import annotations

from excerpt.formats.source import Source
from excerpt.formats.topics._gathering import Gathered


def test_what_is_missing_or_twice_is_a_fault() -> None:
    """Each with its line."""
    gathered = Gathered(Source.open(b"x", keep_faults=9))
    gathered.add(1, "7", {"title": "a"})
    gathered.add(2, "", {"title": "a"})
    gathered.add(3, "7", {"text": "b"})
    gathered.add(4, "8", {"narrative": "c"})
    assert list(gathered.topics) == ["7"]
    assert [str(fault) for fault in gathered.source.faults.found] == [
        "<bytes>:2: found a topic without id, expected one",
        "<bytes>:3: found topic 7 again (first in line 1), expected each id once",
        "<bytes>:4: found no text of topic 8, expected a title or a question",
    ]
