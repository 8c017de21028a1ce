"""Tests of the rules of procedures with highlighting, and of structures of elements."""

from __future__ import annotations

from typing import Any

import pytest

from excerpt.assess.events import Event, History
from excerpt.assess.folder import InvalidEvent
from excerpt.assess.procedures import procedure_of
from excerpt.assess.rules import ElementTree, Rules
from excerpt.corpus import Element


def history(name: str, **how: Any) -> History:
    """An empty history under some rules."""
    return History(Rules(procedure_of(name), ElementTree(None), **how))


def do(before: History, kind: str, *span: int, **body: Any) -> History:
    """The history with one more event."""
    fields = dict(zip(("start", "end"), span, strict=False)) | body
    return before.apply(Event("x", "7", "a", before.version, kind, fields))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("highlight", "bep"), ("inex2006", "grade"), ("inex2007", "label"), ("evidence", "bep")],
)
def test_a_procedure_has_kinds_of_its_own(name: str, kind: str) -> None:
    """Other kinds of events are rejected."""
    with pytest.raises(
        InvalidEvent, match=f"found the kind {kind}, expected one of .*the procedure is {name}"
    ):
        do(history(name), kind, 0)


@pytest.mark.parametrize("name", ["inex2006", "inex2007"])
def test_an_entry_point_is_wanted_exactly_where_something_is_highlighted(name: str) -> None:
    """Highlights need an entry point and an entry point needs highlights."""
    empty = history(name)
    assert do(empty, "done").state.done
    marked = do(empty, "highlight", 0, 5)
    assert marked.state.problems == ["best entry point missing"]
    with pytest.raises(InvalidEvent, match="cannot be finished: best entry point missing"):
        do(marked, "done")
    both = do(marked, "bep", 3)
    assert (both.state.bep, both.state.problems, do(both, "done").state.done) == (3, [], True)
    bare = do(both, "unhighlight", 0, 9)
    with pytest.raises(InvalidEvent, match="best entry point set, but no text highlighted"):
        do(bare, "done")
    assert do(do(bare, "no-bep"), "done").state.done


def test_highlighting_alone_wants_nothing_more() -> None:
    """A document can be finished with or without highlights."""
    assert do(do(history("highlight"), "highlight", 0, 5), "done").state.done


def test_evidence_is_labelled() -> None:
    """All highlighted text, and no other, needs a label of the campaign."""
    marked = do(history("evidence", labels=("supports", "contradicts")), "highlight", 0, 10)
    assert marked.state.problems == ["1 label missing"]
    for span, label, message in [
        ((0, 11), "supports", "highlighted text"),
        ((0, 5), "odd", "one of supports"),
    ]:
        with pytest.raises(InvalidEvent, match=message):
            do(marked, "label", *span, label=label)
    half = do(marked, "label", 0, 5, label="supports", note="clear")
    assert half.state.labels == [(0, 5, "supports", "clear")]
    with pytest.raises(InvalidEvent, match="1 label missing"):
        do(half, "done")
    whole = do(half, "label", 5, 10, label="contradicts")
    assert do(whole, "done").state.done
    assert do(whole, "label", 2, 7, label=None).state.problems == ["1 label missing"]
    assert do(whole, "unhighlight", 4, 6).state.labels == [
        (0, 4, "supports", "clear"),
        (6, 10, "contradicts", ""),
    ]
    assert do(history("evidence"), "done").state.done  # not answerable here


def test_a_highlight_may_bring_its_label() -> None:
    """One event sets highlight, label and note; an invalid label rejects the highlight."""
    empty = history("evidence", labels=("supports", "contradicts"))
    marked = do(empty, "highlight", 0, 10, label="contradicts", note="no")
    assert (marked.state.labels, marked.state.problems) == ([(0, 10, "contradicts", "no")], [])
    assert do(marked, "highlight", 5, 12, label="supports").state.labels == [
        (0, 5, "contradicts", "no"),
        (5, 12, "supports", ""),
    ]
    undone = do(marked, "undo").state
    assert (undone.highlights, undone.labels) == ([], [])
    for fields, message in [({"label": "odd"}, "one of supports"), ({"note": "alone"}, "needs the label")]:
        with pytest.raises(InvalidEvent, match=message):
            do(empty, "highlight", 0, 10, **fields)


@pytest.mark.parametrize("fields", [{"label": "supports"}, {"note": "a note"}])
def test_only_evidence_has_labels(fields: dict[str, str]) -> None:
    """Other procedures reject labels."""
    with pytest.raises(InvalidEvent, match="procedure highlight has no labels"):
        do(history("highlight", labels=("supports",)), "highlight", 0, 10, **fields)


def test_a_confirmation_adds_only_what_was_not_there() -> None:
    """Text highlighted before a confirmation is not counted as added."""
    done = do(do(history("highlight", suggestions={4: (10, 20)}), "highlight", 8, 14), "done")
    confirmed = do(done, "highlight", 10, 20, suggestion=4)
    assert (confirmed.state.confirmed, confirmed.state.added) == ([(10, 20)], [(14, 20)])
    again = do(confirmed, "highlight", 10, 20, suggestion=4)
    assert again.state.added == [(14, 20)]
    assert do(again, "unhighlight", 12, 18).state.added == [(18, 20)]


def test_suggestions_come_after_the_document_was_finished() -> None:
    """Only shown suggestions, and text that overlaps them, can be confirmed."""
    empty = history("highlight", suggestions={4: (10, 20)})
    with pytest.raises(InvalidEvent, match="found suggestion 4"):
        do(empty, "highlight", 10, 20, suggestion=4)
    done = do(empty, "done")
    for number in (3, 5):
        with pytest.raises(InvalidEvent, match=f"found suggestion {number}"):
            do(done, "reject", suggestion=number)
    with pytest.raises(InvalidEvent, match="outside suggestion 4"):
        do(done, "highlight", 20, 30, suggestion=4)
    rejected = do(done, "reject", suggestion=4)
    assert (rejected.state.rejected, rejected.state.done) == ([4], True)
    confirmed = do(rejected, "highlight", 5, 15, suggestion=4)
    assert (confirmed.state.confirmed, confirmed.state.rejected) == ([(10, 15)], [])
    assert do(confirmed, "unhighlight", 12, 30).state.confirmed == [(10, 12)]
    by_hand = do(do(confirmed, "unhighlight", 12, 30), "highlight", 10, 20).state
    assert (by_hand.confirmed, by_hand.added, by_hand.highlights) == ([(10, 12)], [(10, 12)], [(5, 20)])
    assert do(do(done, "undo"), "highlight", 10, 20, suggestion=4).state.confirmed == [(10, 20)]


def structure_of(*elements: tuple[str, int]) -> ElementTree:
    """Elements of given names and depths, all with the same span."""
    return ElementTree([Element(tag, depth, 0, 1) for tag, depth in elements])


def test_positions_count_siblings_of_one_name() -> None:
    """Positions count siblings of the same name."""
    found = structure_of(("a", 0), ("b", 1), ("c", 2), ("d", 1), ("b", 1), ("c", 2), ("c", 2))
    assert [node.path for node in found.nodes] == [
        "/a[1]",
        "/a[1]/b[1]",
        "/a[1]/b[1]/c[1]",
        "/a[1]/d[1]",
        "/a[1]/b[2]",
        "/a[1]/b[2]/c[1]",
        "/a[1]/b[2]/c[2]",
    ]


def test_relatives() -> None:
    """Ancestors, children and descendants of elements."""
    found = structure_of(("a", 0), ("b", 1), ("c", 2), ("d", 1), ("b", 1), ("c", 2), ("c", 2))
    assert list(found.ancestors(5)) == [4, 0]
    assert found.children[0] == [1, 3, 4]
    assert [list(found.inside(row)) for row in range(5)] == [
        [0, 1, 2, 3, 4, 5, 6],
        [1, 2],
        [2],
        [3],
        [4, 5, 6],
    ]


def test_plain_text_has_no_elements() -> None:
    """None and an empty list are equivalent."""
    assert ElementTree(None).nodes == ElementTree([]).nodes == []
