"""ceiling, cut and omega against sets of characters, and against the published definition by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Topic, agrees, merge
from strategies import DOCUMENTS, Case, cases

from excerpt import Judgments, Result, Run, Span, evaluate
from excerpt.evaluation.chunk_counts import ChunkCounts
from excerpt.model.texts import Texts

Row = tuple[str, int, int]


def counts(judgments: Judgments, rows: list[Row], texts: dict[str, str] | None = None) -> ChunkCounts:
    known = [row for row in rows if row[0] in judgments.document_codes]
    home = np.array([judgments.document_codes[row[0]] for row in known], np.int64)
    start, end = (np.array([row[at] for row in known], np.int64) for at in (1, 2))
    return ChunkCounts(judgments, None if texts is None else Texts(texts.get), home, start, end)


def characters(row: Row) -> set[tuple[str, int]]:
    return {(row[0], place) for place in range(row[1], row[2])}


def ceiling(topic: Topic, chunks: list[Row]) -> Fraction:
    """Relevant characters in some chunk, over all."""
    relevant = {(document, at) for document in topic.passages for at in topic.characters(document)}
    return Fraction(len(relevant & set().union(*map(characters, chunks))), len(relevant))


def cut(topic: Topic, chunks: list[Row]) -> Fraction | None:
    """Passages of which no chunk holds every character that is no white space, over all that have some."""
    solid = [
        {(document, at) for at in range(*span) if not topic.texts.get(document, "")[at : at + 1].isspace()}
        for document, spans in topic.passages.items()
        for span in merge(spans)
    ]
    held = [any(passage <= characters(row) for row in chunks) for passage in solid if passage]
    return Fraction(held.count(False), len(held)) if held else None


def omega(topic: Topic, chunks: list[Row], *, legacy: bool) -> Fraction:
    """Relevant characters of the chunks that hold (or touch) some, over these and what they lack."""
    relevant = {(document, at) for document in topic.passages for at in topic.characters(document)}
    passages = [(document, *span) for document, spans in topic.passages.items() for span in merge(spans)]
    shown: set[tuple[str, int]] = set()
    for row in chunks:
        touches = any(row[0] == at and row[1] <= high and row[2] >= low for at, low, high in passages)
        if characters(row) & relevant or (legacy and touches):
            shown |= characters(row)
    return Fraction(len(shown & relevant), len(shown | relevant))


_CHUNK = st.tuples(st.sampled_from((*DOCUMENTS, "z")), st.integers(0, 24), st.integers(1, 20))
_TEXT = st.text(alphabet="ab \n", max_size=60)


@settings(max_examples=120)
@given(
    cases(),
    st.lists(_CHUNK.map(lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])), max_size=25),
    st.fixed_dictionaries(dict.fromkeys(DOCUMENTS, _TEXT)),
)
def test_agrees_with_sets_of_characters(case: Case, chunks: list[Row], texts: dict[str, str]) -> None:
    """Chunks overlap, repeat, nest and stand in any order; topics share documents."""
    judgments = case.judgments()
    plain, spaced = counts(judgments, chunks), counts(judgments, chunks, texts)
    found = zip(
        judgments.topics,
        case.topics(Topic).values(),
        *(plain.ceiling(), plain.cut(), spaced.cut(), plain.omega(), plain.omega(legacy=True)),
        strict=True,
    )
    for name, topic, *scores in found:
        if not topic.total:
            assert np.isnan(scores).all()
            continue
        exact = [ceiling(topic, chunks), cut(topic, chunks)]
        topic.texts = texts
        exact += [cut(topic, chunks)] + [omega(topic, chunks, legacy=legacy) for legacy in (False, True)]
        assert all(map(agrees, scores, exact)), (name, scores, exact)


#: Evidence [100, 300) and [450, 500); chunks of 200 characters that overlap by 50, and one that only touches.
GOLD = Judgments.of([("1", Span("A", 100, 300)), ("1", Span("A", 450, 500))])
WINDOWS = [("A", start, start + 200) for start in range(0, 751, 150)]
RETRIEVED = Run.of("r", [Result("1", *row) for row in (*WINDOWS[:2], WINDOWS[4])])


def test_figures_of_chunking_evaluation_from_its_published_definition_by_hand() -> None:
    """Its code is not at hand: each figure is written down from the definition.

    The first two windows and the fifth, [0, 200), [150, 350), [600, 800), share 200 characters with the
    evidence, counted once, of 600 read: precision 200/600, recall 200/250, intersection over union
    200/(600 + 50). Windows that hold or touch evidence: [0, 200), [150, 350), [300, 500), [450, 650), 650
    characters together, so precision omega is 250/650. [300, 500) touches the first passage, but it holds
    all of the second, so it counts in either form.
    """
    table = evaluate(GOLD, [RETRIEVED], ["charP", "charR", "IoU"])
    assert table.means().tolist() == [[200 / 600, 200 / 250, 200 / 650]]
    assert counts(GOLD, WINDOWS).omega(legacy=True).tolist() == [250 / 650]
    assert counts(GOLD, WINDOWS).omega().tolist() == [250 / 650]


def test_chunks_that_only_touch_count_in_the_legacy_form_alone() -> None:
    """[0, 100) ends where evidence starts and [300, 400) starts where it ends; [300, 450) touches twice."""
    parts = [("A", 0, 100), ("A", 100, 300), ("A", 300, 450), ("A", 450, 500), ("A", 500, 900)]
    assert counts(GOLD, parts).omega().tolist() == [1]
    assert counts(GOLD, parts).omega(legacy=True).tolist() == [250 / 900]


def test_lost_text_lowers_the_ceiling_and_omega() -> None:
    found = counts(GOLD, [("A", 0, 200), ("A", 450, 500)])
    assert found.ceiling().tolist() == [150 / 250]
    assert found.omega().tolist() == [150 / 350]
    assert found.cut().tolist() == [0.5]


def test_without_chunks_all_is_lost() -> None:
    found = counts(GOLD, [])
    assert [found.ceiling().tolist(), found.cut().tolist(), found.omega().tolist()] == [[0], [1], [0]]


@pytest.mark.parametrize(("chunk", "share"), [(("A", 3, 12), 0), (("A", 4, 12), 1), (("A", 3, 11), 1)])
def test_white_space_at_the_borders_need_not_be_held(chunk: Row, share: float) -> None:
    """The passage is [1, 14) of a text whose letters are at 3 to 11, with white space between them."""
    gold = Judgments.of([("1", Span("A", 1, 14))])
    assert counts(gold, [chunk], {"A": "   ab cd  ef   "}).cut().tolist() == [share]
