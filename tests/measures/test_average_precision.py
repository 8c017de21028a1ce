"""charAP against worked examples, exact fractions, PASSAGE2 of the official program, and long texts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.oracle import agrees
from support.track_worlds import content, worlds

from excerpt import Judgments, Notices, Policy, Result, Run, Span, evaluate
from excerpt.measures.average_precision import _precisions
from excerpt.official import genomics

GOLD = Judgments.of([("1", Span("a", 10, 20)), ("1", Span("a", 30, 40)), ("1", Span("b", 0, 5))])


def score(*spans: tuple[str, int, int], judgments: Judgments = GOLD, name: str = "charAP") -> float:
    """charAP of a run with these results."""
    run = Run.of("r", [Result("1", *span) for span in spans])
    return evaluate(judgments, [run], [name], notices=Notices()).mean("r", name)


def test_by_hand() -> None:
    """Between relevant stretches others are read; text shown before is not read again if it is relevant."""
    terms = [Fraction(i, 5 + i) for i in range(1, 11)] + [Fraction(10 + i, 25 + i) for i in range(1, 6)]
    assert agrees(score(("a", 5, 35)), sum(terms, Fraction(0)) / 25)
    assert score(("a", 10, 20), ("a", 10, 20), ("a", 12, 30)) == 0.4
    assert score(("a", 10, 20), ("a", 20, 30), ("b", 0, 5)) == pytest.approx(
        (10 + sum((10 + i) / (20 + i) for i in range(1, 6))) / 25, rel=1e-12
    )


def test_what_is_read() -> None:
    """Other text counts every time, also in unknown documents; empty results and empty lists nothing."""
    twice = score(("c", 0, 5), ("c", 0, 5), ("b", 0, 5))
    assert twice == pytest.approx(sum(i / (10 + i) for i in range(1, 6)) / 25, rel=1e-12)
    assert score(("a", 7, 7), ("b", 0, 5)) == 5 / 25
    assert score(("c", 0, 9), ("a", 0, 10)) == 0
    assert score(("c", 0, 9), ("a", 10, 20), name="charAP@1") == 0
    assert score(("a", 10, 20), ("c", 0, 9), ("b", 0, 5), name="charAP@1") == 0.4


def test_mean_and_policies() -> None:
    """Its mean is charMAP; overlap is never refused and changes nothing; topics without relevant text go."""
    judgments = Judgments.of([("1", Span("a", 0, 4))], irrelevant=[("2", "a")])
    run = Run.of("r", [Result("1", "a", 0, 2), Result("1", "a", 1, 4), Result("2", "a", 0, 9)])
    for overlap in ("error", "first", "penalise", "allow"):
        table = evaluate(judgments, [run], ["charMAP"], policy=Policy(overlap=overlap), notices=Notices())
        assert table.mean("r", "charMAP") == 1.0


@pytest.mark.parametrize(
    "world", [one for one in worlds("charap") if "gold" in one], ids=lambda one: one["world"]
)
def test_made_up_worlds(world: dict[str, Any]) -> None:
    """Exact fractions that were computed with sets of characters."""
    judgments = Judgments.of(
        [
            (topic, Span(document, *span))
            for topic, documents in world["gold"].items()
            for document, spans in documents.items()
            for span in spans
        ]
    )
    run = Run.of("r", [Result(topic, *row) for topic, rows in world["run"].items() for row in rows])
    table = evaluate(judgments, [run], ["charAP", "charAP@3"], notices=Notices())
    for topic, exact in world["charAP"].items():
        for name, value in exact.items():
            assert agrees(table["r", topic, name], Fraction(value)), (topic, name)


@pytest.mark.parametrize(
    "world", [one for one in worlds("charap") if "files" in one], ids=lambda one: one["world"]
)
def test_passage2_of_the_official_program(world: dict[str, Any]) -> None:
    """With ranks that rise in the file, it is PASSAGE2."""
    gold, run = content(world, "gold.txt"), content(world, "own.txt")
    table = evaluate(gold, run, ["charAP"], notices=Notices())
    for (measure, topic), value in genomics(gold, run)[0].values.items():
        if measure == "PASSAGE2":
            own = table.mean("own", "charAP") if topic == "MAP" else table["own", topic, "charAP"]
            assert own == pytest.approx(value, rel=1e-12)
            assert f"{own:.8f}" == world["PASSAGE2"][topic]


@given(st.integers(0, 10**4), st.integers(0, 10**6), st.integers(1, 3000))
def test_long_stretches(found: int, other: int, count: int) -> None:
    """The closed form agrees with the sum of all terms."""
    columns = (np.array([value], np.int64) for value in (found, other, count))
    exact = math.fsum((found + i) / (found + other + i) for i in range(1, count + 1))
    assert float(_precisions(*columns)[0]) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("other", [1, 10**3, 10**9])
def test_ten_million_characters(other: int) -> None:
    """A long document takes no longer than a short one, and is as exact."""
    size = 10**7
    judgments = Judgments.of([("1", Span("a", 0, size))])
    run = Run.of("r", [Result("1", "c", 0, other), Result("1", "a", 0, size)])
    step = np.arange(1, size + 1)
    exact = math.fsum((step / (step + other)).tolist()) / size
    assert evaluate(judgments, [run], ["charAP"]).mean("r", "charAP") == pytest.approx(exact, rel=1e-12)


def test_alternatives() -> None:
    """The best alternative of each need counts, with the precision of the text of all."""
    rows = [
        {
            "topic": "1",
            "any_of": [{"document": "a", "start": 0, "end": 4}, {"document": "b", "start": 0, "end": 4}],
        }
    ]
    run = Run.of("r", [Result("1", "b", 0, 2), Result("1", "a", 2, 8)])
    found = evaluate(rows, [run], ["charAP", "charAP@1"], notices=Notices())
    assert found.means().tolist() == [[(3 / 3 + 4 / 4) / 4, 0.5]]
