"""Agreement of all assessors of generated campaigns, said again with sets of characters and fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_sets import END, SPANS, Spans, characters, tidy

from excerpt.assess.comparing import Comparing, compare_all, pairs_of, right_reasons, shared_by_two
from excerpt.assess.merging import Label, Opinion, Pair
from excerpt.assess.opinions import Opinions
from excerpt.assess.procedures import procedure_of
from excerpt.errors import ExcerptError

NAMES = ("ann", "bob", "eve")
PAIRS = [Pair(topic, document) for topic in ("1", "2") for document in ("A", "B")]
LENGTHS = {"A": END, "B": END + 7}


@st.composite
def opinions(draw: st.DrawFn) -> list[tuple[Pair, str, bool, Spans]]:
    """Who finished what, and what they highlighted."""
    asked = st.tuples(st.sampled_from(PAIRS), st.sampled_from(NAMES))
    chosen = draw(st.lists(asked, unique=True, max_size=10))
    return [(pair, name, draw(st.booleans()) or draw(st.booleans()), draw(SPANS)) for pair, name in chosen]


def mean(values: list[Fraction]) -> float | None:
    """Of fractions."""
    return float(sum(values, Fraction(0)) / len(values)) if values else None


def kappa(cells: list[int]) -> float | None:
    """Of the numbers of both, first only, second only and neither."""
    both, first, second, neither = map(Fraction, cells)
    total = both + first + second + neither
    chance = ((both + first) * (both + second) + (neither + first) * (neither + second)) / total / total
    return None if chance == 1 else float(((both + neither) / total - chance) / (1 - chance))


def cells(one: set[int], two: set[int], length: int) -> list[int]:
    """Both, first only, second only, neither."""
    return [len(one & two), len(one - two), len(two - one), length - len(one | two)]


def expected(common: list[tuple[Pair, set[int], set[int]]]) -> dict[str, Any]:
    """The numbers of characters and documents that two have in common."""
    known = [(one, two) for _, one, two in common if one | two]
    together = [cells(one, two, LENGTHS[pair.document]) for pair, one, two in common]
    said = [(bool(one), bool(two)) for _, one, two in common]
    both, either = sum(a and b for a, b in said), sum(a or b for a, b in said)
    marked = sum(a + b for a, b in said)
    documents = [both, sum(a and not b for a, b in said), sum(b and not a for a, b in said)]
    return {
        "documents": len(common),
        "left_out": len(common) - len(known),
        "jaccard": mean([Fraction(len(one & two), len(one | two)) for one, two in known]),
        "f": mean([Fraction(2 * len(one & two), len(one) + len(two)) for one, two in known]),
        "kappa": kappa([sum(column) for column in zip(*together, strict=True)]),
        "of documents": (
            both / either if either else None,
            2 * both / marked if marked else None,
            kappa([*documents, len(said) - sum(documents)]),
        ),
    }


@given(opinions())
def test_rows(said: list[tuple[Pair, str, bool, Spans]]) -> None:
    """For every two with common finished pairs, for all together, and of these by topic."""
    made = [Opinion(pair, (name,), done, tidy(spans)) for pair, name, done, spans in said]
    shared = shared_by_two(Opinions.collect(PAIRS, made))
    overall, by_topic = compare_all(Comparing(procedure_of("inex2007"), LENGTHS, samples=10), shared)
    finished = {(pair, name): characters(spans) for pair, name, done, spans in said if done}
    wanted: dict[str, list[tuple[Pair, set[int], set[int]]]] = {}
    for one, two in combinations(NAMES, 2):
        common = [
            (pair, finished[pair, one], finished[pair, two])
            for pair in PAIRS
            if (pair, one) in finished and (pair, two) in finished
        ]
        if common:
            wanted[f"{one}, {two}"] = common
    assert pairs_of(shared) == {pair for common in wanted.values() for pair, _, _ in common}
    if len(wanted) > 1:
        wanted["all"] = [item for common in wanted.values() for item in common]
    assert {row["assessors"] for row in overall} == wanted.keys()
    for row in (*overall, *by_topic):
        common = [item for item in wanted[row["assessors"]] if row["topic"] in {"all", item[0].topic}]
        numbers = expected(common)
        if row["level"] == "character":
            for name in ("documents", "left_out", "jaccard", "f", "kappa"):
                assert row[name] == numbers[name], name
        if row["level"] == "document":
            jaccard, f, chance = numbers["of documents"]
            assert (row["jaccard"], row["f"], row["kappa"]) == (jaccard, f, chance)
        if row["level"] == "passage":
            assert (row["kappa"], row["exact"], row["left_out"]) == (None, None, numbers["left_out"])
    topics = {(row["assessors"], row["topic"]) for row in by_topic}
    last = list(wanted)[-1:]
    assert topics == {(name, pair.topic) for name in last for pair, _, _ in wanted[name]}


def graded(name: str, inferred: dict[str, Any] | None = None, **grades: Any) -> Opinion:
    """An opinion on elements a, b, …"""
    return Opinion(PAIRS[0], (name,), grades=grades, inferred=inferred or {})


def test_grades() -> None:
    """Each dimension by itself, over elements that both graded; those of one alone are counted."""
    one = graded("ann", a=(1, 2), b=(3, 3), c=(0, 0), e=(1, 1))
    two = graded("bob", {"d": (0, 0)}, a=(1, 3), b=(3, 3), c=(1, 1))
    rows = list(Comparing(procedure_of("inex2004"), LENGTHS).rows("ann, bob", [(one, two)]))
    assert [row["level"] for row in rows] == ["document", "element: exhaustivity", "element: specificity"]
    assert (rows[1]["exact"], rows[2]["exact"]) == (2 / 3, 1 / 3)
    assert (rows[1]["left_out"], rows[1]["jaccard"], rows[1]["jaccard_together"]) == (2, None, None)
    # Chance for exhaustivity: the first says 0, 1 and 3 once each; the second 1 twice, and 3 once.
    assert rows[1]["kappa"] == float((Fraction(2, 3) - Fraction(3, 9)) / (1 - Fraction(3, 9)))
    assert rows[0]["jaccard"] == 1.0


def test_grades_of_2002_and_2005() -> None:
    """Coverage by its letters, exhaustivity with its `?`."""
    letters = [(graded("ann", a=(1, "L"), b=(2, "E")), graded("bob", a=(1, "S"), b=(2, "E")))]
    rows = {
        row["level"]: row["exact"] for row in Comparing(procedure_of("inex2002"), LENGTHS).rows("x", letters)
    }
    assert rows == {"document": 1.0, "element: relevance": 1.0, "element: coverage": 0.5}
    marks = [(graded("ann", a=2, b="?"), graded("bob", a=1, b="?"))]
    (last,) = list(Comparing(procedure_of("inex2005"), LENGTHS).rows("x", marks))[-1:]
    assert (last["level"], last["exact"]) == ("element: exhaustivity", 0.5)


LABELS = st.lists(st.tuples(st.integers(0, END - 1), st.sampled_from("xyz")), max_size=6)


def labelled(name: str, spans: Spans, cuts: list[tuple[int, str]]) -> tuple[Opinion, dict[int, str]]:
    """An opinion with labels from some places on, up to the end of a span; and those of characters."""
    labels = []
    said: dict[int, str] = {}
    for start, end in tidy(spans):
        inside = sorted({at: label for at, label in cuts if start <= at < end}.items())
        for (at, label), (after, _) in zip(inside, [*inside[1:], (end, "")], strict=False):
            labels.append(Label(at, after, label, "", name))
            said |= dict.fromkeys(range(at, after), label)
    return Opinion(PAIRS[0], (name,), highlights=tidy(spans), labels=tuple(labels)), said


@given(SPANS, LABELS, SPANS, LABELS)
def test_labels(
    first: Spans, cuts: list[tuple[int, str]], second: Spans, others: list[tuple[int, str]]
) -> None:
    """Over the characters that both labelled; what both highlighted without two labels is counted."""
    (one, said), (two, other) = labelled("ann", first, cuts), labelled("bob", second, others)
    rows = {row["level"]: row for row in Comparing(procedure_of("evidence"), LENGTHS).rows("x", [(one, two)])}
    common = said.keys() & other.keys()
    same = sum(said[at] == other[at] for at in common)
    assert rows["label"]["exact"] == (same / len(common) if common else None)
    marked = characters(first) & characters(second)
    assert rows["label"]["left_out"] == len(marked - common)


def test_right_for_the_right_reason() -> None:
    """Of the documents that both take for relevant, those in which they found the same text."""
    both = [
        (Opinion(PAIRS[0], (), highlights=one), Opinion(PAIRS[0], (), highlights=two))
        for one, two in (
            (((0, 5),), ((4, 9),)),
            (((0, 5),), ((5, 9),)),
            (((0, 5),), ()),
        )
    ]
    assert right_reasons(both) == (2, 1)


def test_mistakes() -> None:
    """Seeds and numbers of samples."""
    with pytest.raises(
        ExcerptError, match="found seed -1 and 1000 samples, expected 0 or more, and 1 or more"
    ):
        Comparing(procedure_of("inex2007"), {}, seed=-1)
