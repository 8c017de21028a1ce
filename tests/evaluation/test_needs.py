"""One table of needs: every measure's are in it, and each says how it is supplied."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from excerpt import Judgments, Result, Run, Span, evaluate, parse_measure
from excerpt.errors import MissingData, UnknownName
from excerpt.evaluation.needs import NEEDS
from excerpt.measures import registry

JUDGMENTS = Judgments.of([("1", Span("a", 0, 9))])
ELEMENTS = Run.of("r", [Result("1", "a", -1, -1, None, "/a[1]")], kind="elements")
SPANS = Run.of("r", [Result("1", "a", 0, 9)])


def test_every_need_is_in_the_table() -> None:
    """Whatever a measure may ask for, the table knows; and nothing else is in it."""
    examples = ["gP(score=T2I)[1]", "gP(score=BEP)[1]", "nxCG(alpha=0.5)[1]", "EPRUM(L=1)", "inex_eval_ng"]
    asked = {need for name in examples for need in parse_measure(name).needs}
    for name in registry():
        for text in (name, f"{name}[1]"):
            try:
                asked |= parse_measure(text).needs
            except Exception:  # noqa: BLE001 - with or without a cut-off: one of the two is refused
                continue
    assert asked == NEEDS.keys()


@pytest.mark.parametrize(
    ("run", "measure", "message"),
    [
        (ELEMENTS, "MAiP", "r: MAiP needs spans, but the run has none; give index=OffsetIndex.open(…) for"),
        (ELEMENTS, "MAgP(score=BEP)", "r: MAgP(score=BEP) needs entry points, but the run has none; give"),
        (
            SPANS,
            "MAgP(score=T2I)",
            "MAgP(score=T2I) needs document lengths, but the judgments lack some; giv",
        ),
        (
            SPANS,
            "gP(score=BEP)[1]",
            "gP(score=BEP)[1] needs judged entry points, but the judgments have none",
        ),
        (ELEMENTS, "nxCG[5]", "nxCG[5] needs graded elements, but the judgments have none; give assessments"),
    ],
)
def test_what_is_missing_and_how_to_supply_it(run: Run, measure: str, message: str) -> None:
    """The error names the measure, what it needs, who lacks it and the remedy."""
    with pytest.raises(MissingData) as caught:
        evaluate(JUDGMENTS, run, measure)
    assert str(caught.value).startswith(message)


def test_a_need_that_nobody_knows() -> None:
    """A measure of another package that needs something unknown is an error that names it."""

    @dataclass(frozen=True)
    class Odd(type(parse_measure("charP"))):  # type: ignore[misc]
        """It needs what no table has."""

        @property
        def needs(self) -> frozenset[str]:
            return frozenset({"spnas"})

    with pytest.raises(UnknownName, match="'spnas'; did you mean 'spans'"):
        evaluate(JUDGMENTS, SPANS, Odd())
