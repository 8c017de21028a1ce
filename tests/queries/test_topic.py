"""Topics by id, and how they fit judgments."""

from __future__ import annotations

import pytest

from excerpt import ExcerptError, Notices
from excerpt.formats.source import Source
from excerpt.queries import Topic, Topics
from excerpt.queries.topic import TopicCollector

TOPICS = Topics.of({"1": "one", "2": Topic("2", "two")}, "topics.tsv")


def test_topics_are_a_mapping_in_order() -> None:
    """Texts alone are questions; values are as they are."""
    assert list(TOPICS) == ["1", "2"]
    assert [(topic.title, topic.text) for topic in TOPICS.values()] == [("", "one"), ("two", "")]
    assert Topics.of(TOPICS) is TOPICS


def test_what_is_no_text_is_refused() -> None:
    """Other values by id are one line."""
    with pytest.raises(
        ExcerptError, match="found '1': 2 among the topics, expected the text of each by its id"
    ):
        Topics.of({"1": 2})  # type: ignore[dict-item]


def test_judged_topics_that_are_not_there_are_counted() -> None:
    """Some missing: a notice with how many and the first."""
    notices = Notices()
    TOPICS.check(["1", "7", "8"], notices)
    message = "2 judged topics have neither title nor question and are shown by their ids"
    assert list(notices) == [f"{message} (first: topic 7 is not in topics.tsv)"]
    TOPICS.check([], Notices())


def test_topics_of_other_judgments_are_refused() -> None:
    """None in common: an error that names ids of both sides."""
    with pytest.raises(ExcerptError) as caught:
        TOPICS.check([f"CU{number}" for number in range(5)], Notices())
    assert str(caught.value) == (
        "topics.tsv: found topics 1, 2 and judgments of CU0, CU1, CU2 and 2 more, expected the same ids; "
        "are they topics of these judgments?"
    )


def test_numbers_are_found_with_and_without_leading_zeros() -> None:
    """Judgments of 001 and 51 have the topics 1 and 051; the very id goes first, and nothing is guessed."""
    topics = Topics.of({"1": "one", "051": "fifty-one", "2": "two", "02": "also two", "a01": "no number"})
    assert [topics[name].text for name in ("001", "51", "02", "2")] == ["one", "fifty-one", "also two", "two"]
    assert topics["001"].id == "001"
    assert [topics.get(name) for name in ("002", "a1", "0", "")] == [None, None, None, None]
    notices = Notices()
    topics.check(["001", "0051", "2"], notices)
    assert list(notices) == []


def test_what_is_missing_or_twice_is_a_fault() -> None:
    """Each with its line."""
    gathered = TopicCollector(Source.open(b"x", keep_faults=9))
    gathered.add(1, "7", {"title": "a"})
    gathered.add(2, "", {"title": "a"})
    gathered.add(3, "7", {"text": "b"})
    gathered.add(4, "8", {"narrative": "c"})
    assert list(gathered.topics) == ["7"]
    assert [str(fault) for fault in gathered.source.faults.found] == [
        "<bytes>:2: the id of a topic is missing",
        "<bytes>:3: found topic 7 again (first in line 1), expected each id once",
        "<bytes>:4: topic 8 has no text, expected a title or a question",
    ]
