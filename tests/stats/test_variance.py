"""Analysis of variance compared with statsmodels, the studentised range with scipy, both with a book."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats as scipy_stats
from support.published import SAKAI

from excerpt.stats.variance import Variance, invert, range_tail

RNG = np.random.default_rng(3)
SCORES = RNG.random((5, 18)) * 0.4 + RNG.random(18) * 0.5 + np.linspace(0, 0.1, 5)[:, None]


#: What `anova_lm` of statsmodels 0.14 gives for `y ~ C(run) + C(topic)`: degrees of freedom, sum of squares,
#: mean square, F and p.
STATSMODELS = (
    (4, 0.18035862319462626, 0.045089655798656564, 3.028898330594579, 0.02329226187331718),
    (17, 1.0511435704391003, 0.061831974731711786, 4.153563865702166, 1.2615390415528206e-05),
    (68, 1.0122811199498944, 0.014886487058086683, None, None),
)


def test_table_is_statsmodels() -> None:
    """Sums of squares, degrees of freedom, F and p of a linear model of runs and topics."""
    for row, (degrees, squares, mean, f, p) in zip(Variance.of(SCORES).rows(), STATSMODELS, strict=True):
        assert row["sum_of_squares"] == pytest.approx(squares)
        assert row["degrees"] == degrees
        assert row["mean_square"] == pytest.approx(mean)
        if f is not None:
            assert (row["f"], row["p"]) == pytest.approx((f, p))


def test_sums_of_squares_are_the_definition() -> None:
    """In fractions: each score is a mean, what a run adds, what a topic adds, and a rest."""
    tenths = RNG.integers(0, 11, (4, 6))
    exact = [[Fraction(int(value), 10) for value in row] for row in tenths]
    mean = sum(map(sum, exact)) / Fraction(24)
    of_run = [sum(row) / Fraction(6) - mean for row in exact]
    of_topic = [sum(column) / Fraction(4) - mean for column in zip(*exact, strict=True)]
    rest = sum((exact[i][j] - mean - of_run[i] - of_topic[j]) ** 2 for i in range(4) for j in range(6))
    found = Variance.of(tenths / 10)
    assert found.by_run == pytest.approx(float(6 * sum(x**2 for x in of_run)), rel=1e-13)
    assert found.by_topic == pytest.approx(float(4 * sum(x**2 for x in of_topic)), rel=1e-13)
    assert found.unexplained == pytest.approx(float(rest), rel=1e-13)


def test_sakais_example() -> None:
    """The figures that the book gives for its Table 5.1."""
    found = Variance.of(SAKAI)
    run, topic, _ = found.rows()
    assert (found.by_run, found.by_topic, found.unexplained) == pytest.approx(
        (0.1083, 1.0293, 0.8317), abs=5e-5
    )
    assert (run["mean_square"], topic["mean_square"]) == pytest.approx((0.0542, 0.0542), abs=5e-5)
    assert found.residual == pytest.approx(0.0219, abs=5e-5)
    assert (run["f"], topic["f"]) == pytest.approx((2.475, 2.475), abs=5e-4)
    assert (run["p"], topic["p"]) == pytest.approx((0.098, 0.009), abs=5e-4)


def test_effect_sizes_are_those_of_f() -> None:
    """Partial ones follow from F and the degrees of freedom alone; all but eta² may be below 0."""
    run = Variance.of(SCORES).rows()[0]
    f, k, e, n = run["f"], run["degrees"], 4 * 17, 5 * 18
    assert run["eta2_partial"] == pytest.approx(k * f / (k * f + e))
    assert run["omega2_partial"] == pytest.approx(k * (f - 1) / (k * (f - 1) + n))
    whole = sum(row["sum_of_squares"] for row in Variance.of(SCORES).rows())
    residual = Variance.of(SCORES).residual
    assert run["omega2"] == pytest.approx((run["sum_of_squares"] - k * residual) / (whole + residual))
    assert sum(row["eta2"] for row in Variance.of(SCORES).rows()) == pytest.approx(1)


def test_nothing_left() -> None:
    """Runs that differ by a constant leave no variance: no F, and any difference is certain."""
    table = np.stack([SCORES[0], SCORES[0] + 0.1])
    run, _, rest = Variance.of(table).rows()
    assert (run["f"], run["p"], rest["sum_of_squares"], run["eta2_partial"]) == (None, None, 0.0, 1.0)
    p, least = Variance.of(table).tukey_hsd(table, 0.05)
    assert p.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert least < 1e-11
    assert Variance.of(np.zeros((2, 3))).rows()[0]["eta2"] is None


@pytest.mark.parametrize(("count", "degrees"), [(2, 1), (2, 19), (3, 4), (5, 424), (60, 3000)])
def test_range_is_scipys(count: int, degrees: int) -> None:
    """scipy's is right to some 12 decimals, whatever the chance."""
    q = np.array([0.05, 1.0, 3.0, 5.0, 9.0])
    wanted = scipy_stats.studentized_range.sf(q, count, degrees)
    assert range_tail(q, count, degrees) == pytest.approx(wanted, abs=1e-10)


def test_range_of_two_is_student() -> None:
    """The range of two variables is √2 times the size of t, far into the tail."""
    q = np.array([0.0, 0.5, 3.0, 10.0, 30.0])
    for degrees in (1, 8, 200):
        wanted = 2 * scipy_stats.t.sf(q / math.sqrt(2), degrees)
        assert range_tail(q, 2, degrees) == pytest.approx(wanted, rel=1e-8)


def test_many_values_are_interpolated() -> None:
    """Between points, as exactly as one by one."""
    q = np.linspace(0, 12, 400)
    alone = np.concatenate([range_tail(q[place : place + 1], 40, 800) for place in range(0, 400, 40)])
    assert range_tail(q, 40, 800)[::40] == pytest.approx(alone, rel=1e-9)
    assert range_tail(np.full(200, 4.0), 4, 30) == pytest.approx(
        range_tail(np.array([4.0] * 200)[:1], 4, 30)[0]
    )


def test_certain_values_do_not_disturb_the_others() -> None:
    """Extreme ranges have probability 0, and do not disturb interpolated ones."""
    q = np.concatenate([np.linspace(0, 12, 190), [80.0, 900.0]])
    found = range_tail(q, 20, 1500)
    assert found[-2:].tolist() == [0.0, 0.0]
    assert found[[30, 60, 90, 189]] == pytest.approx(range_tail(q[[30, 60, 90, 189]], 20, 1500), rel=1e-8)
    assert (np.diff(found) <= 1e-11).all()
    heavy = range_tail(np.append(q, 5000.0), 12, 11)
    assert heavy[-1] == pytest.approx(float(range_tail(np.array([5000.0]), 12, 11)[0]), rel=1e-6)


def test_noise_is_no_difference() -> None:
    """0.1 + 0.2 is 0.3 on every topic."""
    table = np.array([[0.1 + 0.2] * 4, [0.3] * 4])
    p, _ = Variance.of(table).tukey_hsd(table, 0.05)
    assert (p == 1).all()


def test_honest_differences() -> None:
    """The p-values of R's table: q(0.05; 3, 38) is 3.449."""
    assert invert(lambda q: range_tail(q, 3, 38), 0.05) == pytest.approx(3.449, abs=5e-4)
    p, least = Variance.of(SAKAI).tukey_hsd(SAKAI, 0.05)
    error = math.sqrt(Variance.of(SAKAI).residual / 20)
    assert least == pytest.approx(3.449 * error, rel=2e-4)
    wanted = scipy_stats.studentized_range.sf((SAKAI[0].mean() - SAKAI[2].mean()) / error, 3, 38)
    assert p[0, 2] == p[2, 0] == pytest.approx(float(wanted), abs=1e-10)
