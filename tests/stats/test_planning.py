"""The power of a paired t test beside statsmodels, and beside what must hold between its questions."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from excerpt.errors import ExcerptError
from excerpt.stats.planning import Plan


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.7, 2.0])
@pytest.mark.parametrize("one_sided", [False, True])
def test_chances_are_statsmodels(effect: float, *, one_sided: bool) -> None:
    """Of few topics and of many, with either kind of test; the sign of an effect does not matter."""
    side = "larger" if one_sided else "two-sided"
    for topics in (2, 5, 35, 400):
        wanted = TTestPower().power(effect, topics, 0.05, alternative=side)
        wanted = 1.0 if math.isnan(wanted) else wanted  # which it is where nearly all are seen
        assert float(Plan(one_sided=one_sided).chance(-effect, topics)) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("plan", "effect"),
    [
        (Plan(), 0.05),
        (Plan(0.95), 0.3),
        (Plan(0.9, 0.01, one_sided=True), 0.5),
        (Plan(0.8, 0.05, one_sided=True), 1.1),
    ],
)
def test_needed_is_the_fewest(plan: Plan, effect: float) -> None:
    """statsmodels' number rounded up; one topic less is too few."""
    side = "larger" if plan.one_sided else "two-sided"
    wanted = TTestPower().solve_power(effect, alpha=plan.alpha, power=plan.power, alternative=side)
    needed = plan.needed(effect)
    assert needed is not None
    assert needed == math.ceil(wanted)
    assert float(plan.chance(effect, needed)) >= plan.power > float(plan.chance(effect, needed - 1))


def test_limits_of_needed() -> None:
    """Two topics are the fewest that have a spread; more than a million are no advice."""
    assert Plan().needed(1000.0) == 2
    assert Plan().needed(0.0) is None
    assert Plan().needed(1e-5) is None
    assert Plan().needed(1e-200) is None
    largest = Plan().needed(0.003)
    assert largest is not None
    assert 800_000 < largest < 1_000_000


@pytest.mark.parametrize("topics", [2, 10, 107, 5000])
def test_visible_is_seen_as_often_as_asked(topics: int) -> None:
    """The effect that topics show has the power that was asked for, so it needs just these topics."""
    plan = Plan(0.9)
    effect = plan.visible(topics)
    assert float(plan.chance(effect, topics)) == pytest.approx(0.9, abs=1e-9)
    assert plan.needed(effect * (1 + 1e-6)) == topics


@pytest.mark.parametrize("alpha", [1e-9, 1e-15, 1e-100])
def test_visible_where_scipy_has_no_number(alpha: float) -> None:
    """With two topics Student's t is Cauchy's, and beside so small an alpha only the deviation varies."""
    limit = 2 / (math.pi * alpha)
    assert Plan(alpha=alpha).visible(2) == pytest.approx(1.2815515655446 * limit / math.sqrt(2), rel=1e-6)


def test_chances_are_those_of_drawn_topics() -> None:
    """Of 4000 sets of 12 normal differences, a t test finds about as many significant."""
    drawn = np.random.default_rng(1).normal(0.8, 1.0, (4000, 12))
    t = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1) * math.sqrt(12)
    found = float((np.abs(t) > 2.200985).mean())
    assert found == pytest.approx(float(Plan().chance(0.8, 12)), abs=4 * math.sqrt(0.25 / 4000))


def test_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares that are none, a power that chance alone reaches, scipy that is missing."""
    for plan in ((1.0, 0.05), (0.8, 0.0)):
        with pytest.raises(ExcerptError, match="expected a number between 0 and 1"):
            Plan(*plan)
    with pytest.raises(ExcerptError, match="found 1e-300 as alpha, expected at least 1e-100"):
        Plan(alpha=1e-300)
    with pytest.raises(ExcerptError, match=r"found a power of 0.04, expected more than alpha \(0.05\)"):
        Plan(0.04)
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ExcerptError, match="the power of a test needs scipy, which is not installed"):
        Plan()
