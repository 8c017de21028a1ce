"""Topics in JSON Lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, read_topics

TEXTS = st.text(st.characters(exclude_categories=["Cs"])).map(str.strip)


@given(
    st.dictionaries(TEXTS.filter(bool), st.tuples(TEXTS, TEXTS.filter(bool), TEXTS), min_size=1),
    st.booleans(),
)
def test_objects_read_back(topics: dict[str, tuple[str, str, str]], ascii_only: bool) -> None:
    """Whatever the characters; text stays as it is, line ends inside too."""
    lines = [
        json.dumps(
            {"id": name, "title": title, "text": text, "narrative": narrative}, ensure_ascii=ascii_only
        )
        for name, (title, text, narrative) in topics.items()
    ]
    read = read_topics("\n".join(lines).encode())
    found = {name: (topic.title, topic.text, topic.narrative) for name, topic in read.items()}
    assert found == topics


@pytest.mark.parametrize("key", ["_id", "id", "topic", "qid", "topic_id", "query_id"])
@pytest.mark.parametrize("text", ["text", "query", "question", "description"])
def test_spellings(key: str, text: str) -> None:
    """How BEIR, MS MARCO and others call them; numbers are ids."""
    topics = read_topics(json.dumps({key: 7, text: "Who?", "title": None}).encode())
    assert topics["7"].text == "Who?"
    assert not topics["7"].title


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a"}', "found no id among text, expected one (also called _id, id, topic, qid,"),
        ("{}", "found no id among no keys, expected one"),
        ('{"id": true, "text": "a"}', "found id true, expected a string"),
        ('{"id": "2", "text": ["a"]}', 'found text ["a"], expected a string'),
        ('{"id": "2", "text": "\\ud800"}', 'found text "\\ud800", expected a string'),
        ('{"id": "2"}', "found no text of topic 2"),
        ('{"id": "1", "text": "b"}', "found topic 1 again (first in line 1)"),
        ('{"id": "2", "text"', 'found \'{"id": "2", "text"\', expected one JSON object per line'),
        ("2\ttext", "found '2\\ttext', expected one JSON object per line"),
    ],
)
def test_faults_have_a_line(line: str, message: str) -> None:
    """What is wrong, where, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(f'{{"id": "1", "text": "a"}}\n{line}\n'.encode())
    assert str(caught.value).startswith(f"<bytes>:2: {message}")


def test_results_are_no_topics() -> None:
    """A run or judgments in JSON Lines are called so."""
    with pytest.raises(ExcerptError, match="found a run, expected topics"):
        read_topics(b'{"topic": "1", "document": "A", "start": 0, "end": 5, "score": 1.0}\n')
    with pytest.raises(ExcerptError, match="found judgments, expected topics"):
        read_topics(b'{"topic": "1", "document": "A", "spans": [[0, 5]]}\n')
