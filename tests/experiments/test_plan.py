"""Power of a paired t test compared with statsmodels."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from support.published import SCIPY

from excerpt.errors import ExcerptError
from excerpt.experiments.plan import Plan

#: What statsmodels 0.14 gives for 2, 5, 35 and 400 topics by effect: two-sided, and one-sided. It has no
#: number where nearly all are seen.
CHANCES = {
    False: {
        0.05: (0.05012443411003213, 0.050888065557180506, 0.05952438520974088, 0.16948241098934702),
        0.2: (0.05197844977094976, 0.06426957404800915, 0.2099071456520004, 0.9788415525519362),
        0.7: (0.07256313802892969, 0.22775326945444882, 0.9803832644424681, 1.0),
        2.0: (0.17570741109776003, 0.9088848681009402, 1.0, 1.0),
    },
    True: {
        0.05: (0.0545357450359657, 0.06054606857806344, 0.08772601013192571, 0.2589620484382045),
        0.2: (0.06959959528740434, 0.10244427655426713, 0.313776812338864, 0.990571661644433),
        0.7: (0.1337529225884978, 0.36604577625829715, 0.9920692671952579, 1.0),
        2.0: (0.3419333883289011, 0.9748305663597384, 1.0, 1.0),
    },
}


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.7, 2.0])
@pytest.mark.parametrize("one_sided", [False, True])
def test_chances_are_statsmodels(effect: float, *, one_sided: bool) -> None:
    """Of few topics and of many, with either kind of test; the sign of an effect does not matter."""
    for topics, wanted in zip((2, 5, 35, 400), CHANCES[one_sided][effect], strict=True):
        chance = float(Plan(one_sided=one_sided).chance(-effect, topics))
        assert chance == pytest.approx(wanted, abs=1e-9 if SCIPY >= (1, 15) else 1e-7)


@pytest.mark.parametrize(
    ("plan", "effect", "wanted"),
    [
        (Plan(), 0.05, 3141.4654741036425),
        (Plan(0.95), 0.3, 146.32147258109768),
        (Plan(0.9, 0.01, one_sided=True), 0.5, 54.81467326708235),
        (Plan(0.8, 0.05, one_sided=True), 1.1, 6.685976472706657),
    ],
)
def test_needed_is_the_fewest(plan: Plan, effect: float, wanted: float) -> None:
    """The number of statsmodels 0.14 rounded up; one topic less is too few."""
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
    """With two topics Student's t is Cauchy's, and with so small an alpha only the deviation varies."""
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
