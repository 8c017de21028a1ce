"""Results of runs as columns."""

from __future__ import annotations

import pytest

import excerpt
from excerpt import ExcerptError, Notices, Result, Run
from excerpt.evaluation.reading import Reading
from excerpt.pooling.returned import Returned, RunFilter, gather, read_groups


def returned(*runs: Run, top: int | None = None) -> Returned:
    """Documents of runs."""
    found = gather(runs, Reading(), unit="document", top=top, run_filter=RunFilter(), notices=Notices())
    return next(found.blocks())


def test_results_are_in_the_order_of_a_round_robin() -> None:
    """By topic, rank and run; an item is where it is first returned."""
    a = Run.of("a", [Result("2", "A", 0, 9), Result("2", "B", 0, 9), Result("1", "A", 3, 4)])
    b = Run.of("b", [Result("2", "B", 5, 6)])
    found = returned(a, b)
    assert found.topics == ("2", "1")
    assert found.rank.tolist() == [1, 1, 2, 1]
    assert found.run.tolist() == [0, 1, 0, 0]
    assert found.item.tolist() == [0, 1, 1, 2]
    assert (found.first.tolist(), found.best.tolist(), found.topic_of.tolist()) == (
        [0, 1, 3],
        [1, 1, 1],
        [0, 0, 1],
    )
    assert found.results.tolist() == [[2, 1], [1, 0]]


def test_only_the_top_is_kept_but_all_are_counted() -> None:
    """Numbers of results are those of the whole run."""
    run = Run.of("r", [Result("1", name, 0, 9) for name in "ABC"])
    found = returned(run, top=2)
    assert (found.documents, found.results.tolist()) == (("A", "B"), [[3]])


def test_large_offsets_stay_what_they_are() -> None:
    """Beyond 31 bits too."""
    far = 2**31 - 1
    rows = [
        {"topic": "1", "document": "A", "offset": far, "length": far - 1},
        {"topic": "1", "document": "B", "start": -1, "end": -1},
    ]
    found = returned(Run.of("r", rows))
    assert (found.start.tolist(), found.end.tolist()) == ([far, -1], [2**32 - 3, -1])


def test_progress_is_told() -> None:
    """After each run."""
    seen: list[tuple[int, int]] = []
    runs = [Run.of(name, [Result("1", "A", 0, 9)]) for name in "ab"]
    gather(
        runs,
        Reading(),
        unit="document",
        top=None,
        run_filter=RunFilter(),
        notices=Notices(),
        progress=lambda done, of: seen.append((done, of)),
    )
    assert seen == [(1, 2), (2, 2)]


def test_whole_documents_have_no_offsets() -> None:
    """Runs in TREC's format say nothing of text, and their pools do not either."""
    found = excerpt.pool(b"1 Q0 A 1 2 t\n1 Q0 B 2 1 t\n").items
    assert [item.passages for item in found] == [(((1, -1, -1),),), (((2, -1, -1),),)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\n\na\n", ":3: found 1 column, expected run and group"),
        (b"a g\n\nb g h\n", ":3: found 3 columns, expected run and group"),
        (b"a g\n\nb g\na h\n", ":4: found run a again, expected it once"),
    ],
)
def test_lines_that_are_wrong(text: bytes, message: str) -> None:
    """The message names the line as an editor counts it."""
    with pytest.raises(ExcerptError, match=message):
        read_groups(text)


def test_other_words_for_a_group() -> None:
    """A file of tasks speaks of tasks."""
    with pytest.raises(ExcerptError, match="found 1 column, expected run and task"):
        read_groups(b"a\n", "task")
