"""The state: what a change takes with it, and what is chosen where nothing is said."""

from __future__ import annotations

from typing import Any

import pytest
from support.browsing import Modules
from support.page_states import START

PLACE = {
    "view": "document",
    "topic": "T1",
    "doc": "D1",
    "at": [3, 5],
    "runs": ["b"],
    "m": "charF",
    "hide": "vain",
}
LIST = {"view": "passages", "q": "none", "rank": "-5", "runs": ["b"]}
OVERVIEW = {
    "measures": [{"name": "MAiP"}, {"name": "charF"}],
    "runs": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
    "means": [[0.1, 0.3, None, 0.3], [0.4, 0.3, 0.2, 0.0]],
}


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ({}, {"topic": "T1"}, {"view": "topic", "topic": "T1"}),
        (PLACE, {"at": [9, 9]}, PLACE | {"at": [9, 9]}),
        (PLACE, {"doc": "D2"}, PLACE | {"doc": "D2", "at": None}),
        (PLACE, {"topic": "T2"}, PLACE | {"view": "topic", "topic": "T2", "doc": "", "at": None, "hide": ""}),
        (PLACE | {"upto": "7"}, {"doc": "D2"}, PLACE | {"doc": "D2", "at": None, "upto": "7"}),
        (PLACE | {"upto": "7"}, {"topic": "T2", "doc": "D1"}, PLACE | {"topic": "T2", "at": None}),
        (PLACE, {"m": "MAiP"}, PLACE | {"m": "MAiP"}),
        (PLACE, {"runs": ["a", "b"]}, PLACE | {"runs": ["a", "b"]}),
        (PLACE, {"view": "overview"}, {"runs": ["b"], "m": "charF"}),
        (PLACE, {"view": "passages", "q": "a"}, {"view": "passages", "q": "a", "runs": ["b"], "m": "charF"}),
        (LIST, {"kind": "article"}, LIST | {"kind": "article"}),
        (
            LIST,
            {"topic": "T1", "doc": "D1", "at": [1, 2]},
            {"view": "document", "topic": "T1", "doc": "D1", "at": [1, 2], "runs": ["b"]},
        ),
        ({"view": "pair"}, {"view": "pair", "topic": "T1"}, {"view": "pair", "topic": "T1"}),
        ({"view": "pair", "topic": "T1"}, {"runs": ["a"]}, {"view": "pair", "topic": "T1", "runs": ["a"]}),
        ({"view": "pair", "topic": "T1"}, {"topic": "T1"}, {"view": "topic", "topic": "T1"}),
    ],
)
def test_a_change_takes_with_it_what_no_longer_holds(
    js: Modules, before: dict[str, Any], changes: dict[str, Any], after: dict[str, Any]
) -> None:
    """Another topic closes the document, another place forgets the cursor, another view its filters."""
    assert js("state", "reduce", [[START | before, changes]]) == [START | after]


@pytest.mark.parametrize(
    ("state", "measure", "runs"),
    [
        ({}, 0, [1, 3, 0, 2]),
        ({"m": "charF"}, 1, [0, 1, 2, 3]),
        ({"view": "pair"}, 0, [1, 3]),
        ({"view": "topic", "topic": "T1", "m": "charF"}, 1, [0, 1]),
        ({"view": "passages"}, 0, [1, 3]),
        ({"view": "document", "doc": "D1"}, 0, [1]),
        ({"view": "document", "doc": "D1", "runs": ["c", "a"]}, 0, [2, 0]),
        ({"m": "nDCG", "runs": ["z"]}, -1, [-1]),
    ],
)
def test_what_is_chosen(js: Modules, state: dict[str, Any], measure: int, runs: list[int]) -> None:
    """Without a word the best runs by the measure, ties in the order given; unknown names are -1."""
    assert js("state", "chosen", [[START | state, OVERVIEW]]) == [{"measure": measure, "runs": runs}]
