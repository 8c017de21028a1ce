"""Painted text agrees with sets of characters, for one run and for several."""

from __future__ import annotations

import itertools
import math
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.browsing import Modules
from support.span_sets import END, SPANS, Spans, characters, spans_of

EASY = settings(max_examples=150, suppress_health_check=list(HealthCheck))
NAMES = {"hit", "missed", "vain", "unjudged", "again", *(f"runs-{n}" for n in range(1, 9)), "levels"}


def times(results: Spans, at: int) -> int:
    """Number of results that contain each character."""
    return sum(start <= at < end for start, end in results)


@EASY
@given(relevant=SPANS, results=SPANS, judged=st.booleans())
def test_layers_of_one_run_agree_with_sets(
    js: Modules, relevant: Spans, results: Spans, judged: bool
) -> None:
    """Four disjoint states and what was returned again; nothing counts runs."""
    wanted, returned = characters(relevant), characters(results)
    rest = returned - wanted
    layers = js("spans", "layersOf", [(relevant, [results], judged)])[0]
    assert set(layers) == NAMES
    assert {name: spans for name, spans in layers.items() if spans} == {
        name: spans_of(chosen)
        for name, chosen in {
            "hit": wanted & returned,
            "missed": wanted - returned,
            "vain" if judged else "unjudged": rest,
            "again": {at for at in returned if times(results, at) > 1},
        }.items()
        if chosen
    }


@EASY
@given(relevant=SPANS, runs=st.lists(SPANS, min_size=2, max_size=11), judged=st.booleans())
def test_layers_of_several_runs_agree_with_sets(
    js: Modules, relevant: Spans, runs: list[Spans], judged: bool
) -> None:
    """A run counts once for a character; eight levels; relevant text is hit if any run returned it."""
    wanted = characters(relevant)
    counts = {at: sum(at in characters(results) for results in runs) for at in range(END)}
    returned = {at for at, count in counts.items() if count}
    layers: dict[str, Any] = js("spans", "layersOf", [(relevant, runs, judged)])[0]
    levels = layers.pop("levels")
    expected = {"hit": wanted & returned, "missed": wanted - returned, "vain": set(), "again": set()}
    expected["unjudged"] = set()
    for level in range(1, 9):
        expected[f"runs-{level}"] = {at for at in returned if math.ceil(8 * counts[at] / len(runs)) == level}
    assert layers == {name: spans_of(chosen) for name, chosen in expected.items()}
    told = {at: count for start, end, count in levels for at in range(start, end)}
    assert told == {at: counts[at] for at in returned}
    assert all(before[1] < after[0] or before[2] != after[2] for before, after in itertools.pairwise(levels))


def test_no_run_returns_nothing(js: Modules) -> None:
    """All relevant text is missed then."""
    layers = js("spans", "layersOf", [([[3, 5]], [], True)])[0]
    assert {name: spans for name, spans in layers.items() if spans} == {"missed": [[3, 5]]}


def test_results_of_a_document(js: Modules) -> None:
    """By run in the order of ranks; results that name nothing are passed over."""
    topic = {
        "spans": {"document": [0, 0, 1, 2], "start": [0, 4, 7, 1], "end": [3, 4, 9, 2]},
        "runs": [[2, 1, -1, 0], [3], []],
    }
    assert js("spans", "resultsIn", [(topic, at) for at in (0, 1, 5)]) == [
        [[[4, 4, 2], [0, 3, 4]], [], []],
        [[[7, 9, 1]], [], []],
        [[], [], []],
    ]
