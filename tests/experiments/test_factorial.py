"""Effects of levels and interactions against slow permutations; analysis of variance."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import ExcerptError
from excerpt.experiments.factorial import factor_variance, interaction_test, level_effects
from excerpt.stats.variance import Variance

EIGHTHS = st.integers(0, 8)


def slow_p(means: list[list[int]], level: int, baseline: int | None) -> Fraction:
    """All permutations of the levels within every topic, one by one, with whole numbers."""
    rows = means if baseline is None else [means[level], means[baseline]]
    own = level if baseline is None else 0
    size, topics = len(rows), list(zip(*rows, strict=True))

    def effect(columns: tuple[tuple[int, ...], ...]) -> int:
        return abs(size * sum(column[own] for column in columns) - sum(map(sum, columns)))

    every = [list(itertools.permutations(topic)) for topic in topics]
    effects = [effect(columns) for columns in itertools.product(*every)]
    return Fraction(sum(found >= effect(tuple(topics)) for found in effects), len(effects))


@given(
    st.integers(2, 3).flatmap(
        lambda n: st.lists(st.lists(EIGHTHS, min_size=n, max_size=n), min_size=2, max_size=4)
    ),
    st.booleans(),
)
def test_p_is_that_of_all_permutations(columns: list[list[int]], against: bool) -> None:
    """Up to 4096 permutations p is exact, ties included; effects are differences of means."""
    means = [list(row) for row in zip(*columns, strict=True)]
    baseline = 0 if against else None
    found = level_effects(np.array(means) / 8, baseline, samples=100, rng=np.random.default_rng(1))
    for level, own in enumerate(means):
        other = means[0] if against else [sum(column) / len(column) for column in columns]
        assert found.effect[level] == pytest.approx((sum(own) - sum(other)) / len(columns) / 8, abs=1e-12)
        if level != baseline:
            assert found.p[level] == pytest.approx(float(slow_p(means, level, baseline)), abs=1e-12)


def test_many_topics_draw_permutations() -> None:
    """Random permutations are near the exact p, and p is never 0."""
    rng = np.random.default_rng(3)
    means = rng.random((3, 40)) + np.array([0.0, 0.05, 0.6])[:, None]
    found = level_effects(means, samples=4000, rng=np.random.default_rng(1))
    orders = np.argsort(np.random.default_rng(9).random((4000, 40, 3)), axis=2)
    drawn = np.take_along_axis(np.broadcast_to(means.T, (4000, 40, 3)), orders, axis=2).mean(axis=1)
    slow = [(np.abs(drawn[:, i] - drawn.mean(axis=1)) >= abs(found.effect[i])).mean() for i in range(3)]
    assert found.p == pytest.approx(slow, abs=0.03)
    assert found.p[2] == 1 / 4001
    assert (found.low < found.effect).all()
    assert (found.effect < found.high).all()


def test_reaction_of_topics_is_no_effect() -> None:
    """A level that some topics like and others dislike equally has no effect, however large each reaction."""
    reaction = np.tile([1.0, -1.0], 6)
    found = level_effects(np.array([0.5 + reaction, 0.5 - reaction]), rng=np.random.default_rng(1))
    assert found.p.tolist() == [1.0, 1.0]


@given(st.lists(st.lists(EIGHTHS, min_size=4, max_size=4), min_size=2, max_size=5))
def test_interaction_of_two_by_two_flips_signs(topics: list[list[int]]) -> None:
    """Of two factors with two levels, p is near the proportion of choices of signs."""
    cells = np.array(topics).T.reshape(2, 2, -1) / 8
    contrasts = [one - two - three + four for one, two, three, four in topics]
    flips = itertools.product((1, -1), repeat=len(contrasts))
    sums = [abs(sum(sign * c for sign, c in zip(signs, contrasts, strict=True))) for signs in flips]
    exact = sum(found >= abs(sum(contrasts)) for found in sums) / len(sums)
    tested = interaction_test(cells, 2000, np.random.default_rng(1))
    assert tested.p == pytest.approx(exact, abs=0.06)
    assert tested.beyond[0, 0] == pytest.approx(sum(contrasts) / len(contrasts) / 32, abs=1e-12)


def test_interactions_of_records_stay_the_same() -> None:
    """More permutations than fit in a block: p is the one that 0.3.0 wrote into records."""
    cells = np.random.default_rng(3).random((3, 4, 60))
    assert interaction_test(cells, 10_000, np.random.default_rng(1)).p == 2949 / 10_001


def test_one_factor_is_a_two_way_analysis() -> None:
    """With one factor the rows are those of runs, topics and residual."""
    cells = np.random.default_rng(2).random((9, 4))
    topic, factor, error = factor_variance(cells, ["size"])
    usual = {row["source"]: row for row in Variance.of(cells.T).rows()}
    for mine, own in ((factor, usual["run"]), (topic, usual["topic"]), (error, usual["residual"])):
        assert (mine["degrees"], mine["sum_of_squares"]) == (
            own["degrees"],
            pytest.approx(own["sum_of_squares"]),
        )
    for name in ("f", "p", "eta2", "eta2_partial", "omega2", "omega2_partial"):
        assert factor[name] == pytest.approx(usual["run"][name])


def test_squares_add_up() -> None:
    """All rows together are the whole sum of squares, and the degrees of freedom all but one."""
    cells = np.random.default_rng(5).random((6, 2, 3, 4))
    rows = factor_variance(cells, ["a", "b", "c"])
    assert sum(row["degrees"] for row in rows) == cells.size - 1
    assert sum(row["sum_of_squares"] for row in rows) == pytest.approx(((cells - cells.mean()) ** 2).sum())
    assert sum(row["eta2"] for row in rows) == pytest.approx(1)


#: Scores in twentieths of six topics by two and by three levels.
TWENTIETHS = [
    [[0, 8, 6], [4, 16, 18]],
    [[12, 0, 7], [16, 11, 5]],
    [[3, 0, 18], [7, 14, 15]],
    [[2, 10, 8], [6, 0, 4]],
    [[11, 19, 17], [15, 12, 12]],
    [[19, 7, 5], [3, 16, 8]],
]
#: What `AnovaRM` of statsmodels 0.15 gives for them: F, degrees of freedom and p.
REPEATED = {
    "a": (0.750000000000, 1, 0.426071006117),
    "b": (0.338656780265, 2, 0.720592961621),
    "a:b": (0.399346099953, 2, 0.680995414720),
}
#: What `ols("score ~ C(a, Sum) * C(b, Sum) + C(topic)")` gives: effects of the first levels, and beyond them.
EFFECTS = {"a": -0.041666666667, "b": [-0.055555555556, 0.006944444444], "a:b": [0.025, -0.0625]}


def test_figures_of_statsmodels() -> None:
    """A balanced design: F, p and the effects of levels are those written above."""
    cells = np.array(TWENTIETHS) / 20
    rows = {row["source"]: row for row in factor_variance(cells, ["a", "b"])}
    for name, figures in REPEATED.items():
        assert [rows[name][key] for key in ("f", "degrees", "p")] == pytest.approx(figures, abs=1e-11)
    rng = np.random.default_rng(1)
    of_a = level_effects(cells.mean(axis=2).T, rng=rng).effect
    of_b = level_effects(cells.mean(axis=1).T, rng=rng).effect
    assert of_a[0] == pytest.approx(EFFECTS["a"], abs=1e-11)
    assert of_b[:2].tolist() == pytest.approx(EFFECTS["b"], abs=1e-11)
    beyond = interaction_test(np.moveaxis(cells, 0, -1), 99, rng).beyond
    assert beyond[0, :2].tolist() == pytest.approx(EFFECTS["a:b"], abs=1e-11)


def test_same_as_repeated_measures_of_statsmodels() -> None:
    """F, degrees of freedom and p of factors and their interaction are those of AnovaRM."""
    models = pytest.importorskip("statsmodels.stats.anova", reason="statsmodels comes with --thorough")
    pandas = pytest.importorskip("pandas")
    cells = np.random.default_rng(7).random((12, 2, 3)) + np.array([[0.0, 0.1, 0.3], [0.2, 0.1, 0.0]])
    index = np.indices(cells.shape).reshape(3, -1)
    frame = pandas.DataFrame({"topic": index[0], "a": index[1], "b": index[2], "score": cells.ravel()})
    table = models.AnovaRM(frame, "score", "topic", within=["a", "b"]).fit().anova_table
    rows = {row["source"]: row for row in factor_variance(cells, ["a", "b"])}
    for name, source in (("a", "a"), ("b", "b"), ("a:b", "a:b")):
        expected = [table.loc[name, column] for column in ("F Value", "Num DF", "Pr > F")]
        assert [rows[source][key] for key in ("f", "degrees", "p")] == pytest.approx(expected)


def test_one_level_is_no_factor() -> None:
    """There is nothing to compare."""
    with pytest.raises(ExcerptError, match="found 1 level, expected at least 2"):
        level_effects(np.ones((1, 3)), rng=np.random.default_rng(1))
