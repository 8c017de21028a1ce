"""Rank order: by file, rank or score, and what is said where they disagree."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError
from excerpt.formats import read_run
from excerpt.notices import Notices

Save = Callable[[str, str | bytes], str]

RUN = "1 Q0 A 2 0.5 r 0 5\n1 Q0 B 1 0.7 r 0 5\n2 Q0 C 1 0.9 r 0 5\n2 Q0 D 2 0.1 r 0 5\n"


@pytest.mark.parametrize(
    ("order", "documents"), [("file", "ABCD"), ("rank", "BACD"), ("score", "BACD"), (None, "ABCD")]
)
def test_orders(save: Save, order: str | None, documents: str) -> None:
    """Results are ordered inside their topic; the default is the order of the file."""
    run = read_run(save("a.run", RUN), order=order)  # type: ignore[arg-type]
    assert "".join(result.document for result in run) == documents


def test_equal_scores_keep_the_order_of_the_file(save: Save) -> None:
    """Sorting is stable for runs of passages."""
    run = read_run(save("a.run", "1 Q0 B 1 1 r 0 5\n1 Q0 A 2 1 r 0 5\n1 Q0 C 3 2 r 0 5\n"), order="score")
    assert [result.document for result in run] == ["C", "B", "A"]


def test_disagreement_is_mentioned(save: Save) -> None:
    """Ranks and scores that contradict the order of the file are counted by topic."""
    notices = Notices()
    read_run(save("a.run", RUN), notices=notices)
    assert list(notices) == [
        f"topic's results are not in the order of their {what}; the order given counts (topic 1 of a.run)"
        for what in ("ranks", "scores")
    ]


def test_infinite_scores_do_not_disagree(save: Save) -> None:
    """Equal infinite scores are in order, and comparing them warns nobody."""
    notices = Notices()
    scores = ("inf", "inf", "1", "-inf", "-inf")
    read_run(save("a.run", "".join(f"1 Q0 A 1 {score} r 0 5\n" for score in scores)), notices=notices)
    assert list(notices) == []


def test_missing_ranks_do_not_disagree(save: Save) -> None:
    """A result without rank says nothing about the order."""
    result = "<result><file>A</file><fol offset='0' length='5'/>{}</result>"
    ranks = ("<rank>1</rank>", "", "<rank>2</rank>")
    body = "".join(result.format(rank) for rank in ranks)
    notices = Notices()
    name = save("a.xml", f"<inex-submission run-id='r'><topic topic-id='1'>{body}</topic></inex-submission>")
    read_run(name, notices=notices)
    assert list(notices) == []
    with pytest.raises(ExcerptError) as caught:
        read_run(name, order="rank")
    assert str(caught.value) == 'a.xml: has results without a rank; try order="file" or order="score"'
    with pytest.raises(ExcerptError) as caught:
        read_run(name, order="score")
    assert str(caught.value) == 'a.xml: has results without a score; try order="file" or order="rank"'
