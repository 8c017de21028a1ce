"""What runs in columns share: tags, blocks of topics, faults of the first six columns."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.formats.runs import fol, trec
from excerpt.formats.runs._columns import notice_blocks
from excerpt.formats.source import Source
from excerpt.model.run import encode

Open = Callable[..., Source]


def test_the_first_tag_is_the_name(opened: Open) -> None:
    """Further tags are mentioned."""
    source = opened("1 Q0 A 1 1 one\n1 Q0 B 2 0.5 two\n")
    assert trec.read(source).name == "one"
    assert list(source.notices) == ["run has 2 tags, the first is its name (f)"]


def test_blocks_of_a_topic_are_joined(opened: Open) -> None:
    """Results of a topic that stand apart come together in the order of the file, with a notice."""
    source = opened(
        "".join(f"{topic} Q0 {document} 1 1 r 0 5\n" for topic, document in ("1A", "2B", "1C", "2D"))
    )
    run = fol.read(source)
    assert [(result.topic, result.document) for result in run] == [
        ("1", "A"),
        ("1", "C"),
        ("2", "B"),
        ("2", "D"),
    ]
    assert run.line.tolist() == [1, 3, 2, 4]
    assert list(source.notices) == [
        "topic's results stand in several blocks, they were joined (2 times, first: topic 1 of f)"
    ]


@pytest.mark.parametrize(
    ("topics", "count"),
    [("112233", 0), ("121", 1), ("1212", 2), ("12321", 2), ("1", 0), ("", 0), ("11211", 1)],
)
def test_notice_counts_topics_not_blocks(opened: Open, topics: str, count: int) -> None:
    """Every topic with more than one block counts once."""
    source = opened("x")
    notice_blocks(source, *encode(list(topics)))
    assert sum(source.notices._kinds[kind].count for kind in source.notices._kinds) == count


def test_all_faults_of_a_line_are_found(opened: Open) -> None:
    """Rank, score and place are all looked at."""
    source = opened("1 Q0 A x nan r -5 y\n1 Q0 A 1 1 r 0\n1 Q0 A 1 1 r 0 5\n", keep=True)
    run = fol.read(source)
    source.faults.settle()
    assert [str(fault) for fault in source.faults.found] == [
        "f:1: found offset '-5', expected a number that is not negative",
        "f:1: found length 'y', expected a whole number",
        "f:1: found rank 'x', expected a whole number",
        "f:1: found score 'nan', expected a number",
        "f:2: found 7 columns, expected 8 (topic Q0 document rank score tag offset length)",
    ]
    assert run[len(run) - 1].end == 5
