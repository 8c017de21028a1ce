"""Selections of whole units, compared with the same rule on sets."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from support.browser_storage import EASY
from support.browsing import Modules
from support.fake_campaign import steps

SIZE = 40


@st.composite
def units(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Disjoint units in order, some of them adjacent."""
    cuts = sorted(draw(st.sets(st.integers(0, SIZE), max_size=14)))
    pairs = list(itertools.pairwise(cuts))
    return [pair for pair in pairs if draw(st.booleans())]


SPAN = st.tuples(st.integers(0, SIZE - 1), st.integers(1, SIZE)).map(
    lambda one: [one[0], min(SIZE, one[0] + one[1])]
)


def decoded(js: Modules, found: list[tuple[int, int]]) -> object:
    """Units as the page has them."""
    return js("assess/highlighter", "unitsOf", [[steps(found)]])[0]


@EASY
@given(units(), SPAN)
def test_a_selection_grows_to_the_units_it_touches(
    js: Modules, found: list[tuple[int, int]], span: list[int]
) -> None:
    """From the first of them to the last; nothing if it touches none."""
    touched = [unit for unit in found if unit[0] < span[1] and span[0] < unit[1]]
    wanted = [touched[0][0], touched[-1][1]] if touched else None
    assert js("assess/highlighter", "snapSpan", [[decoded(js, found), span], [None, span]]) == [wanted, span]
    if wanted:
        assert js("assess/highlighter", "snapSpan", [[decoded(js, found), wanted]]) == [wanted]


@EASY
@given(units(), st.integers(0, SIZE))
def test_steps_lead_to_beginnings_and_ends(js: Modules, found: list[tuple[int, int]], at: int) -> None:
    """To the next start, the previous one, or the end of the next unit; at most to the ends of the text."""
    given_units = decoded(js, found)
    starts, ends = [start for start, _ in found], [end for _, end in found]
    after = next((start for start in starts if start > at), SIZE)
    before = next((start for start in reversed(starts) if start < at), 0)
    behind = next((end for end in ends if end > at), SIZE)
    cases = [[given_units, at, 1, SIZE], [given_units, at, -1, SIZE], [given_units, at, 1, SIZE, True]]
    assert js("assess/highlighter", "stepUnit", cases) == [after, before, behind]
    single = [[None, at, by, SIZE] for by in (1, -1)]
    assert js("assess/highlighter", "stepUnit", single) == [min(at + 1, SIZE), max(at - 1, 0)]
    holding = [unit for unit in found if unit[1] > at] or found[-1:]
    wanted = list(holding[0]) if holding else None
    assert js("assess/highlighter", "unitSpan", [[given_units, at, SIZE]]) == [wanted]


#: A tree: an article with two sections, one with two paragraphs, one of them with a word in bold.
ELEMENTS = [
    ["/article[1]", 0, 40, "article"], ["/article[1]/sec[1]", 2, 30, "sec"],
    ["/article[1]/sec[1]/p[1]", 5, 15, "p"], ["/article[1]/sec[1]/p[1]/b[1]", 8, 10, "b"],
    ["/article[1]/sec[1]/p[2]", 15, 28, "p"], ["/article[1]/sec[1]/x[1]", 28, 28, "x"],
    ["/article[1]/sec[2]", 30, 38, "sec"],
]  # fmt: skip


def test_a_selection_grows_to_elements(js: Modules) -> None:
    """From the innermost one around the first character to the innermost one around the last."""
    (tree,) = js("assess/highlighter", "unitsOfElements", [[ELEMENTS]])
    cases = {
        (6, 7): [5, 15],
        (8, 9): [8, 10],
        (6, 9): [5, 15],
        (11, 20): [5, 28],
        (29, 30): [2, 30],
        (20, 33): [15, 38],
        (39, 40): [0, 40],
    }
    found = js("assess/highlighter", "snapSpan", [[tree, list(span)] for span in cases])
    assert found == list(cases.values())
    assert js("assess/highlighter", "stepUnit", [[tree, 5, 1, 40], [tree, 5, -1, 40], [tree, 31, 1, 40]]) == [
        8,
        2,
        40,
    ]
