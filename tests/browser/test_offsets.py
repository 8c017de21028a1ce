"""Positions in code points and in UTF-16 units agree with Python's, whatever characters a text has."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.browsing import Modules
from support.span_sets import TEXTS


def units_before(text: str, at: int) -> int:
    """Number of UTF-16 units of the first `at` characters."""
    return len(text[:at].encode("utf-16-le")) // 2


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(TEXTS, min_size=25, max_size=25))
def test_units_agree_with_python(js: Modules, texts: list[str]) -> None:
    """Every position of 1,000 texts, there and back, and the text before it."""
    astral = js("spans", "astralOf", [[text] for text in texts])
    assert astral == [[at for at, one in enumerate(text) if ord(one) > 0xFFFF] for text in texts]
    ask = """(offsets, [texts, astral]) => texts.map((text, i) => {
      const wide = Uint32Array.from(astral[i]), units = [], points = [], prefixes = [];
      for (let point = 0; point <= Array.from(text).length; point++) {
        units.push(offsets.toUnit(wide, point));
        points.push(offsets.toPoint(wide, offsets.toUnit(wide, point)));
        prefixes.push(offsets.sliceText(text, wide, 0, point));
      }
      return [units, points, prefixes];
    })"""
    for text, found in zip(texts, js.run(["spans"], ask, [texts, astral]), strict=True):
        positions = range(len(text) + 1)
        units, points, prefixes = found
        assert units == [units_before(text, at) for at in positions]
        assert points == list(positions)
        assert prefixes == [text[:at] for at in positions]


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(text=TEXTS)
def test_a_unit_within_a_pair_is_the_place_of_the_pair(js: Modules, text: str) -> None:
    """A position of the browser inside a character is the position of the character."""
    astral = [at for at, one in enumerate(text) if ord(one) > 0xFFFF]
    cases = [(astral, units_before(text, at) + 1) for at in astral]
    assert js("spans", "toPoint", cases) == astral


def test_bisection_finds_the_first_that_is_not_below(js: Modules) -> None:
    """Also where all are below, or none, or there is nothing."""
    ask = "(offsets, cases) => cases.map(([keys, limit]) => offsets.bisect(keys.length, i => keys[i], limit))"
    cases = [[[1, 3, 3, 7], limit] for limit in (0, 1, 2, 3, 4, 7, 8)] + [[[], 5]]
    assert js.run(["spans"], ask, cases) == [0, 0, 1, 1, 3, 3, 4, 0]
