"""Verification of evidence: exact, moved, not there, beyond the end, in bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.gold_files import faults, gold_file

from excerpt.gold.file import Gold
from excerpt.gold.verification import Verification, to_characters, verify
from excerpt.model.judgments import OffsetUnit
from excerpt.notices import Notices

TEXT = "The rent is due in May. Größe: 5 m. The rent is high."


def proven(
    *evidence: tuple[int, int, str], text: str | None = TEXT, unit: OffsetUnit = "char", corpus: bool = False
) -> tuple[Verification, list[str], list[str]]:
    """Verify evidence in document A of questions q0, q1, …; return the outcome, faults and warnings."""
    file = gold_file({"a": 1})
    gold = Gold(file, unit=unit)
    for number, one in enumerate(evidence):
        gold.add_evidence(file.object(), f"q{number}", "A", *one)
    notices = Notices()
    verification = verify(gold, {"A": text}.get, notices, has_corpus=corpus)
    return verification, faults(file), list(notices)


def places(verification: Verification) -> list[tuple[int, int]]:
    """Return the spans of the evidence."""
    return [(row.start, row.end) for row in verification.rows]


def test_exact_and_moved() -> None:
    """The nearest place of the words counts; offsets without words are taken as they are."""
    verification, wrong, warnings = proven(
        (0, 8, "The rent"), (30, 38, "The rent"), (-1, -1, "in May"), (4, 9, ""), (0, 9, "The rent")
    )
    assert places(verification) == [(0, 8), (36, 44), (16, 22), (4, 9), (0, 8)]
    assert verification.counts == {"exact": 2, "moved": 2, "folded": 0, "markup": 0, "unplaced": 0}
    assert wrong == []
    (message,) = warnings
    assert message == (
        "2 evidence passages were not at their offsets and were relocated by their text; "
        "evidence: 2 exact, 2 moved, 0 folded, 0 unplaced (first: question q1, q4 of f)"
    )


def test_what_stands_nowhere_is_refused() -> None:
    """By name and line; with the first how many, and three of them."""
    bad = [(number, number + 7, "in June") for number in range(5)]
    _, wrong, _ = proven((0, 8, "The rent"), *bad)
    assert len(wrong) == 5
    assert wrong[0] == (
        "f:1: evidence 'in June' of question q1 does not occur in document A (5 of 6 passages cannot be "
        "located: question q1, q2, q3 and 2 more); are the offsets from another version of the text? give"
        " corpus=Corpus.read(…), the text that they were made for"
    )
    assert "cannot be located" not in wrong[1]
    _, (gone,), _ = proven((0, 7, "in June"), corpus=True)
    assert gone.endswith(
        'not occur in document A; correct the quotes, or leave them out with unplaced="drop"'
    )


def test_beyond_the_end() -> None:
    """Words may be elsewhere; a place alone is refused."""
    verification, wrong, _ = proven((500, 508, "The rent"), (50, 60, ""))
    assert places(verification) == [(36, 44)]
    (message,) = wrong
    assert "from 50 to 60 goes beyond the end of document A (53 long)" in message


def test_without_texts() -> None:
    """Offsets are used if they are as long as the quote; a quote without offsets is an error."""
    verification, wrong, warnings = proven((0, 8, "The rent"), (4, 9, ""), text=None)
    assert places(verification) == [(0, 8), (4, 9)]
    assert (wrong, warnings) == ([], [])
    _, _, warnings = proven((4, 9, ""), text=None, corpus=True)
    assert warnings == [
        "1 evidence passage is not verified: its document is not in the corpus (document A of f)"
    ]
    verification, wrong, warnings = proven(
        (0, 7, "The rent"), (0, 8, "The rent "), (-1, -1, "in May"), text=None
    )
    assert places(verification) == [(0, 7), (0, 8)]
    assert (
        "evidence 'in May' of question q2 has no offsets, and the text of document A is missing" in wrong[0]
    )
    (message,) = warnings
    assert message == (
        "1 evidence passage is longer or shorter than its offsets say; the offsets count (question q0 of f)"
    )


def test_bytes() -> None:
    """Bytes become characters; those that cut one are refused, unless the words are there."""
    at = TEXT.encode().index(b"5 m")
    verification, wrong, _ = proven((at, at + 3, ""), (at, at + 3, "5 m"), (27, 30, "5 m"), unit="byte")
    assert wrong == []
    assert [TEXT[start:end] for start, end in places(verification)] == ["5 m"] * 3
    assert verification.counts == {"exact": 1, "moved": 1, "folded": 0, "markup": 0, "unplaced": 0}
    _, wrong, _ = proven((27, 31, ""), unit="byte")
    assert "at bytes 27 to 31 cuts a character of document A in two" in wrong[0]
    verification, _, _ = proven((0, 7, "Größe"), text=None, unit="byte")
    assert places(verification) == [(0, 7)]


@given(st.text("aé😀", max_size=8))
def test_bytes_become_characters(text: str) -> None:
    """Between characters only."""
    data = text.encode()
    borders = {len(text[:at].encode()): at for at in range(len(text) + 1)}
    assert [to_characters(text, data, place) for place in range(len(data) + 1)] == [
        borders.get(place) for place in range(len(data) + 1)
    ]
