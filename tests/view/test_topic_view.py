"""One topic as plain data: which documents, in which order, and what they lack."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, Judgments, Notices, Run
from excerpt.corpus import Corpus
from excerpt.evaluation import Scoring
from excerpt.view.topic_view import OneTopic, pieces, to_dict, view_topic

JUDGMENTS = Judgments.of(
    [("1", "A", 4, 9), ("1", "B", 0, 2), ("1", "S", 0, 50)], irrelevant=[("1", "C")], sizes={"C": 4}
)
CORPUS = Corpus({"A": "One small step.", "B": "Two.", "C": "Three.", "D": "Four", "E": "Five", "S": "short"})


def view(run: Run, topic: str = "1", *, top: int = 10, notices: Notices | None = None) -> OneTopic:
    """A topic of a run."""
    scoring = Scoring.of(JUDGMENTS, ["charR"], notices=Notices())
    gathered = Notices() if notices is None else notices
    return view_topic(scoring, run, topic, None, corpus=CORPUS, topics=None, top=top, notices=gathered)


def test_documents_come_by_best_rank() -> None:
    """Those with relevant text all, others if they are among the first results; never found ones last."""
    run = Run.of("r", [("1", "C", 0, 4), ("1", "A", 0, 5), ("1", "D", 0, 2), ("1", "E", 0, 2)])
    found = view(run, top=3)
    assert [(each.id, each.judged, each.best) for each in found.documents] == [
        ("C", True, 1),
        ("A", True, 2),
        ("D", False, 3),
        ("B", True, None),
        ("S", True, None),
    ]
    assert found.left == 1
    assert (found.documents[1].count("hit"), found.documents[1].count("missed")) == (1, 4)


def test_whole_documents_are_as_long_as_the_corpus_says() -> None:
    """Also where the judgments do not know them."""
    found = view(
        Run.of("r", [("1", "D", -1, -1), ("1", "nowhere", -1, -1), ("2", "A", -1, -1)], kind="documents")
    )
    assert found.documents[0].results == [(0, 4, 1)]
    assert found.nowhere == (2,)
    data = to_dict(found)
    assert data["unplaced"] == data["nowhere"] == [2]


def test_texts_that_are_missing_or_too_short_are_said() -> None:
    """The first three by name, with their number; the others are shown."""
    notices = Notices()
    run = Run.of("r", [("1", name, 0, 4) for name in ("v", "w", "x", "y", "A")] + [("1", "B", 0, 99)])
    found = view(run, notices=notices)
    assert [text for text in notices if "document" in text] == [
        "4 documents are not in the corpus (first: v, w, x and 1 more)",
        "2 documents end before judged or returned text (first: B, S)",
    ]
    why = {each.id: each.why for each in found.documents}
    assert why["v"] == "the corpus does not contain it"
    assert why["S"] == "it has 5 characters, but judged text ends at 50"
    (short,) = (each for each in found.documents if each.id == "S")
    assert short.document is not None
    assert [(piece.start, piece.end, piece.state) for piece in short.pieces] == [(0, 5, "missed")]
    assert why["B"] == ""
    assert [piece.end for piece in found.documents[-2].pieces][-1] == 4


def test_a_topic_that_nobody_judged_has_text_but_no_scores() -> None:
    """All that was retrieved is unjudged."""
    found = view(Run.of("r", [("1", "A", 0, 3), ("2", "A", 0, 3)]), "2")
    assert (found.judged, found.scores) == (False, {"charR": None})
    assert [piece.state for piece in found.documents[0].pieces] == ["unjudged"]


def test_elements_without_places_are_refused() -> None:
    """An index would place them."""
    run = Run.of("r", [("1", "A", -1, -1, 1.0, "/article[1]")], kind="elements")
    with pytest.raises(ExcerptError, match="needs spans"):
        view(run)


def test_a_measure_that_does_not_fit_the_run_is_said() -> None:
    """Entry points have no length; the text is shown all the same."""
    notices = Notices()
    found = view(Run.of("r", [("1", "A", 3, 3)], kind="entry points"), notices=notices)
    assert found.scores == {"charR": None}
    assert any(text.startswith("no charR: ") for text in notices)


@pytest.mark.parametrize("kind", ["spans", "documents"])
def test_a_document_that_cannot_be_read_leaves_the_others(tmp_path: Path, kind: Any) -> None:
    """It has offsets and says why; whole documents have what is relevant in them."""
    (tmp_path / "A.txt").write_bytes(b"One \xff small step.")
    (tmp_path / "B.txt").write_text("Two.")
    spans = (0, 9) if kind == "spans" else (-1, -1)
    run, notices = Run.of("r", [("1", "A", *spans), ("1", "B", *spans)], kind=kind), Notices()
    scoring = Scoring.of(JUDGMENTS, ["charR"], notices=Notices())
    found = view_topic(
        scoring, run, "1", None, corpus=Corpus.read(tmp_path), topics=None, top=3, notices=notices
    )
    first, second = found.documents[:2]
    assert (first.id, first.document) == ("A", None)
    assert first.why.startswith("it cannot be read: ")
    assert first.count("hit") == 5
    assert second.document is not None
    assert "1 document cannot be read (A)" in notices


SPANS = st.tuples(st.integers(0, 30), st.integers(0, 12)).map(lambda span: (span[0], span[0] + span[1]))


@given(st.lists(SPANS, max_size=5), st.lists(SPANS, max_size=8), st.integers(0, 35), st.booleans())
def test_pieces_agree_with_sets_of_characters(
    relevant: list[tuple[int, int]], spans: list[tuple[int, int]], size: int, judged: bool
) -> None:
    """Every character has the state and the ranks that sets give it; pieces are sorted, disjoint, maximal."""
    results = [(start, end, rank) for rank, (start, end) in enumerate(spans, 1)]
    good = {place for start, end in relevant for place in range(start, end) if place < size}
    found = pieces(relevant, results, size, judged=judged)
    states: dict[int, tuple[str, tuple[int, ...]]] = {}
    for piece in found:
        assert piece.start < piece.end <= size
        states |= dict.fromkeys(range(piece.start, piece.end), (piece.state, piece.ranks))
    assert sum(piece.end - piece.start for piece in found) == len(states)
    for place in range(size):
        ranks = tuple(rank for start, end, rank in results if start <= place < end)
        retrieved = "hit" if place in good else "vain" if judged else "unjudged"
        state = (retrieved if ranks else "missed", ranks) if ranks or place in good else None
        assert states.get(place) == state
    for one, other in pairwise(found):
        assert one.end <= other.start
        assert one.end < other.start or one[2:] != other[2:]


def test_a_piece_says_what_it_is() -> None:
    """Relevant or not, once or again."""
    hit, vain = pieces([(0, 2)], [(0, 4, 3), (0, 2, 7)], 9)
    assert (hit.relevant, hit.again, hit.ranks) == (True, True, (3, 7))
    assert (vain.relevant, vain.again, vain.ranks) == (False, False, (3,))


def test_many_results_are_quick() -> None:
    """A thousand overlapping results in a million characters."""
    results = [(rank * 900, rank * 900 + 5000, rank) for rank in range(1, 1000)]
    assert len(pieces([(0, 1_000_000)], results, 1_000_000)) > 1000
