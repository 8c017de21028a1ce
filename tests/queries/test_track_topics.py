"""Topics of conversations and of systematic reviews: turns, labels and lists in objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.track_worlds import content, worlds

from excerpt import ExcerptError, read_topics, topics

TOPICS = [world for world in worlds("readers") if "topics" in world]


@pytest.mark.parametrize("world", TOPICS, ids=lambda world: world["world"])
def test_made_up_worlds(world: dict[str, Any]) -> None:
    """Ids and texts of iKAT, CAsT 2019 and CLEF-TAR."""
    [name] = world["files"]
    found = read_topics(content(world, name))
    assert {id_: topic.title or topic.text for id_, topic in found.items()} == world["topics"]


@pytest.mark.parametrize(
    ("key", "utterance"), [("turns", "utterance"), ("responses", "user_utterance")], ids=("2023", "2025")
)
def test_turns_of_ikat(key: str, utterance: str) -> None:
    """Each turn is a topic, with its resolved form as narrative."""
    turn = {
        "turn_id": 2,
        utterance: "and pets?",
        "resolved_utterance": "Are pets allowed?",
        "response": "No.",
    }
    found = read_topics(json.dumps([{"number": "9-1", "title": "leases", "ptkb": {}, key: [turn]}]).encode())
    topic = found["9-1_2"]
    assert (len(found), topic.text, topic.narrative, topic.title) == (1, "and pets?", "Are pets allowed?", "")


LABELLED = """\
Topic: CD008122

Title: Tests for malaria: a review

Query:
1. exp Malaria/
note: see above
2. or/1-2

Objective:
To compare
rapid tests.
Pids:
    123
Number: 31
Title: Throat cancer
Description: Causes
and treatment of it.
1\tWhat is throat cancer?
2\tIs it treatable?
"""


def test_labels() -> None:
    """Values run to the next label that begins a line; other lines may hold colons; turns are topics."""
    found = read_topics(LABELLED.encode())
    assert list(found) == ["CD008122", "31_1", "31_2"]
    review, turn = found["CD008122"], found["31_2"]
    assert review.title == "Tests for malaria: a review"
    assert review.keywords == "1. exp Malaria/ note: see above 2. or/1-2"
    assert review.narrative == "To compare rapid tests."
    assert (turn.text, turn.narrative, turn.line) == ("Is it treatable?", "Causes and treatment of it.", 15)


def test_a_block_without_turns() -> None:
    """Its description is its text."""
    topic = read_topics(b"number: 7\ntitle: rent\ndescription: when is it due\n")["7"]
    assert (topic.title, topic.text) == ("rent", "when is it due")


def test_a_folder_of_files(tmp_path: Path) -> None:
    """CLEF-TAR has a file for each topic."""
    for name in ("CD1", "CD2"):
        (tmp_path / name).write_text(f"Topic: {name}\n\nTitle: about {name}\n")
    assert [topic.title for topic in read_topics(tmp_path).values()] == ["about CD1", "about CD2"]


def test_lists_in_objects() -> None:
    """Questions of BioASQ."""
    given = b'{"username": "me", "questions": [{"id": "1", "body": "When is the rent due?", "snippets": []}]}'
    assert topics(given)["1"].text == "When is the rent due?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Number: 1\nTitle: a\nNumber: 1\nTitle: b\n", ":3: found topic 1 again .first in line 1."),
        ("Topic: CD1\nPids: 7\n", ":1: topic CD1 has no text"),
        ("Topic:\nTitle: a\n", ":1: the id of a topic is missing"),
    ],
)
def test_faults(text: str, message: str) -> None:
    """One line each."""
    with pytest.raises(ExcerptError, match=message):
        read_topics(text.encode())
