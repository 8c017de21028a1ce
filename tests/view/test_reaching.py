"""How far measures read."""

from __future__ import annotations

from excerpt import Judgments, Notices, Policy, Run, parse_measure
from excerpt.model.join import join
from excerpt.view.reaching import cutoff_of, reach_of, reading_measure

JUDGMENTS = Judgments.of([("1", "A", 0, 5), ("2", "A", 0, 5), ("3", "A", 0, 5)])
ENDLESS = 2**63 - 1
RUN = Run.of("run", [("1", "A", 0, 10), ("1", "A", 5, 9), ("1", "B", 0, 3), ("2", "A", 0, 4)])


def reach(measure: str) -> tuple[list[int], list[int]]:
    """Results read of each topic, and characters of the last."""
    found = reach_of(parse_measure(measure), join(RUN, JUDGMENTS, Policy(), Notices()))
    return found.results.tolist(), found.last.tolist()


def test_only_ranks_are_cutoffs() -> None:
    """A level of recall is none."""
    assert [cutoff_of(parse_measure(name)) for name in ("charP@3", "iP@0.10", "AiP", "charR")] == [
        3,
        None,
        None,
        None,
    ]


def test_results_within_a_budget() -> None:
    """The one that crosses it counts with its first characters; a rank may end it before."""
    assert reach("charR(budget=12)") == ([2, 1, 0], [2, 12, ENDLESS])
    assert reach("charR(budget=14)") == ([2, 1, 0], [4, 14, ENDLESS])
    assert reach("charR(budget=15)") == ([3, 1, 0], [1, 15, ENDLESS])
    assert reach("charR(budget=15)@1") == ([1, 1, 0], [15, 15, ENDLESS])


def test_the_first_measure_that_stops_is_asked() -> None:
    """Else the first of all."""
    named = {name: parse_measure(name) for name in ("AiP", "charR(budget=9)", "charP@3")}
    assert reading_measure(named)[0] == "charR(budget=9)"
    assert reading_measure({"AiP": parse_measure("AiP")})[0] == "AiP"


def test_results_up_to_a_rank() -> None:
    """As many as there are, each in full."""
    assert reach("charR@2")[0] == [2, 1, 0]
    assert reach("charR")[0] == [3, 1, 0]
