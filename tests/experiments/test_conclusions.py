"""Agreement of measures: decisions known by hand, properties of generated ones, the paper's arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.conclusions import (
    CLASSES,
    FALSE_ALARM,
    HIT,
    MISS,
    NONE,
    OPPOSED,
    Decision,
    DecisionProcedure,
    Differences,
    _row,
    agreement,
    f1,
)
from excerpt.experiments.study import generator
from excerpt.model import ScoreTable
from excerpt.model.spans import BoolArray, FloatArray


def table(*measures: list[list[float]], names: tuple[str, ...] = ("A", "B", "C")) -> ScoreTable:
    """A table from a list for each measure, of a list for each run."""
    values = np.stack([np.array(measure, np.float64) for measure in measures], axis=2)
    runs = tuple(f"r{i}" for i in range(values.shape[0]))
    topics = tuple(map(str, range(values.shape[1])))
    return ScoreTable(runs, runs, topics, names[: len(measures)], values)


def decision(name: str, rejected: list[tuple[int, int]], means: list[float]) -> Decision:
    """A decision that rejects these ordered pairs."""
    mask = np.zeros((len(means), len(means)), np.bool_)
    for pair in rejected:
        mask[pair] = True
    return Decision(name, 10, np.array(means), mask)


#: Three runs that are apart on every topic by A; by B the first two change places from topic to topic.
APART = [[0.9, 0.8, 0.9, 0.8, 0.9, 0.8], [0.5, 0.4, 0.5, 0.4, 0.5, 0.4], [0.1, 0.2, 0.1, 0.2, 0.1, 0.2]]
MIXED = [[0.9, 0.4, 0.9, 0.4, 0.9, 0.4], [0.4, 0.9, 0.4, 0.9, 0.4, 0.9], [0.1, 0.2, 0.1, 0.2, 0.1, 0.2]]


def test_by_hand() -> None:
    """A rejects all three pairs; B only the two with the last run, for every resample puts it behind."""
    first, second = agreement(table(APART, MIXED), samples=500).rows
    assert (first["measure"], first["other"], first["both"]) == ("A", "B", 2)
    assert (first["rejected"], first["rejected_other"], first["opposed"]) == (3, 2, 0)
    assert (first["recall"], first["precision"], first["f1"]) == (1.0, 2 / 3, 4 / 5)
    assert (first["share"], first["share_other"], first["share_ordered"]) == (1.0, 2 / 3, 1 / 2)
    assert (second["measure"], second["recall"], second["precision"]) == ("B", 2 / 3, 1.0)
    assert first["topics"] == second["topics"] == 6


def test_rows_are_all_ordered_pairs_of_measures() -> None:
    """Three measures give six rows, in the order of the measures."""
    rows = agreement(table(APART, MIXED, APART), samples=50).rows
    assert [row["measure"] + row["other"] for row in rows] == ["AB", "AC", "BA", "BC", "CA", "CB"]


def test_a_measure_agrees_with_itself() -> None:
    """The same scores under two names give the same decisions, since resamples are shared."""
    noise = generator(7).random((6, 20)) + np.arange(6)[:, None] / 10
    for row in agreement(table(noise.tolist(), noise.tolist()), samples=200).rows:
        assert row["recall"] == row["precision"] == row["f1"] == 1.0


def test_an_empty_reject_set_is_undefined() -> None:
    """Runs that are equal by B: recall of nothing and F1 are undefined, precision is 0."""
    equal = [[0.5] * 6] * 3
    first, second = agreement(table(APART, equal), samples=50).rows
    assert (first["recall"], first["precision"], first["f1"], first["share_other"]) == (None, 0.0, None, 0.0)
    assert (second["recall"], second["precision"], second["f1"]) == (0.0, None, None)


def test_f1_of_the_tables() -> None:
    """Tables 3 and 4: F1 follows from the two recalls, and the intersections agree (inex.md, section 5)."""
    for recall, back, printed in ((0.61, 0.96, 0.75), (0.27, 0.98, 0.42)):
        assert 2 * recall * back / (recall + back) == pytest.approx(printed, abs=0.005)
    found = f1(3, 4, 6)
    assert found is not None
    assert math.isclose(found, 2 * (3 / 4) * (3 / 6) / (3 / 4 + 3 / 6))


MASKS = arrays(np.bool_, (4, 4)).map(lambda mask: mask & ~np.eye(4, dtype=np.bool_))


@given(MASKS, MASKS)
def test_precision_is_recall_the_other_way(one: BoolArray, two: BoolArray) -> None:
    """precision(Q1, Q2) = recall(Q2, Q1); F1 is symmetric, and recall never exceeds 1."""
    means = np.arange(4.0)
    first, second = Decision("A", 5, means, one), Decision("B", 5, means, two)
    there, back = _row(first, second), _row(second, first)
    assert there["precision"] == back["recall"]
    assert there["recall"] == back["precision"]
    assert (there["f1"], there["both"], there["opposed"]) == (back["f1"], back["both"], back["opposed"])
    for name in ("recall", "precision", "f1", "share", "share_ordered"):
        assert there[name] is None or 0 <= there[name] <= 1
    if one.any():
        assert _row(first, first)["f1"] == 1.0


@given(
    arrays(np.float64, (4, 8), elements=st.integers(0, 10).map(float)),
    st.sampled_from(["t", "sign", "bootstrap"]),
)
def test_one_direction_at_most(scores: FloatArray, test: str) -> None:
    """No pair is rejected in both directions, and no run against itself."""
    rejected = DecisionProcedure(test, "none", 0.05, 100).rejected(scores, generator(1))
    assert not (rejected & rejected.T).any()


def test_corrections_reject_no_more_than_none() -> None:
    """The rejected pairs under a correction are among those without, and Bonferroni's among Holm's."""
    scores = generator(3).random((8, 12)) + np.arange(8)[:, None] / 12
    masks = {
        name: DecisionProcedure("t", name).rejected(scores, generator(1))
        for name in ("none", "by", "bh", "holm", "bonferroni")
    }
    for less, more in (("by", "bh"), ("bh", "none"), ("bonferroni", "holm"), ("holm", "none")):
        assert not (masks[less] & ~masks[more]).any()
    assert masks["bonferroni"].sum() < masks["none"].sum()


def test_the_limit_of_the_bootstrap() -> None:
    """E12: differences (3, -1) have p = 1/4, so they are significant at 0.3 and not at 0.2."""
    scores = np.array([[3.0, 0.0], [0.0, 1.0]])
    at = {
        alpha: DecisionProcedure("bootstrap", "none", alpha, 20_000).rejected(scores, generator(1))
        for alpha in (0.2, 0.3)
    }
    assert at[0.3].tolist() == [[False, True], [False, False]]
    assert not at[0.2].any()


def test_the_same_seed_gives_the_same_bytes() -> None:
    """All random numbers depend on the seed."""
    scores = generator(5).random((5, 12)).tolist()
    other = generator(6).random((5, 12)).tolist()
    texts = [
        agreement(table(scores, other), samples=30, correction="none", seed=4).to_json() for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert '"seed": 4' in texts[0]


def test_topics_without_scores_of_all_runs() -> None:
    """A topic that only some runs have is left out with a warning, one that no run has silently."""
    holes = np.array(APART)
    holes[:, 0] = np.nan
    holes[1, 1] = np.nan
    outcome = agreement(table(holes.tolist(), APART), samples=20)
    assert [row["topics"] for row in outcome.rows] == [4, 6]
    few = "topics have scores by {}; tests on fewer than 10 topics are unreliable"
    assert outcome.warnings == (
        "1 topic is not scored for every run by A and is left out (topic 1)",
        f"4 {few.format('A')}",
        f"6 {few.format('B')}",
    )


def test_common_topics() -> None:
    """Both measures on the topics that both score: as if the others did not exist."""
    holes = np.array(APART)
    holes[:, 0], holes[1, 1] = np.nan, np.nan
    outcome = agreement(table(holes.tolist(), MIXED), samples=50, common_topics=True)
    fewer = agreement(table(*(np.array(side)[:, 2:].tolist() for side in (APART, MIXED))), samples=50)
    assert outcome.rows == fewer.rows
    assert {row["topics"] for row in outcome.rows} == {4}
    assert (
        outcome.warnings[0]
        == "2 topics are not scored for every run by A and B and are left out (first: topic 0)"
    )


def test_ten_topics_are_enough() -> None:
    """The warning is for nine topics and fewer."""
    ten = [[*row, *row[:4]] for row in APART]
    assert agreement(table(ten, ten), samples=20).warnings == ()
    holes = [[*row[:9], float("nan")] for row in ten]
    nine = agreement(table(holes, ten), samples=20).warnings
    assert nine == ("9 topics have scores by A; tests on fewer than 10 topics are unreliable",)


def test_least_difference() -> None:
    """A pair counts from the difference on, by each measure by itself; the last bit does not matter."""
    first, _ = agreement(table(APART, MIXED), samples=500, min_difference=0.5).rows
    # By A the means are 0.85, 0.45 and 0.15: one pair differs by 0.5 or more; by B 0.65, 0.65, 0.15: both.
    assert (first["rejected"], first["rejected_other"], first["both"]) == (1, 2, 1)
    assert (first["share"], first["share_ordered"]) == (1 / 3, 1 / 6)
    exactly = agreement(table(APART, MIXED), samples=500, min_difference=0.3).rows[0]
    assert exactly["rejected"] == 3  # 0.45 - 0.15 is 0.30000000000000004, 0.85 - 0.45 is 0.39999999999999997
    assert agreement(table(APART, MIXED), samples=500, min_difference=0.4).rows[0]["rejected"] == 2


def test_differences_and_their_classes() -> None:
    """Pairs are turned so that the first measure's difference is not negative; every class occurs once."""
    first = decision("A", [(0, 1), (0, 2), (1, 2)], [0.9, 0.5, 0.25, 0.25])
    second = decision("B", [(0, 1), (2, 1), (3, 2)], [0.5, 0.25, 0.25, 0.75])
    found = Differences.between(first, second)
    # The pairs: 01, 02, 03, 12, 13, 23; the last has no difference by A and is turned by B.
    assert found.kind.tolist() == [HIT, FALSE_ALARM, NONE, OPPOSED, NONE, MISS]
    assert found.first.tolist() == [0.4, 0.65, 0.65, 0.25, 0.25, 0.0]
    assert found.second.tolist() == [0.25, 0.25, -0.25, 0.0, -0.5, 0.5]
    assert _row(first, second)["opposed"] == 1
    shown = found.significant()
    assert [CLASSES[kind] for kind in shown.kind.tolist()] == ["hit", "false alarm", "opposed", "miss"]
    assert (shown.first.tolist(), shown.second.tolist()) == ([0.4, 0.65, 0.25, 0.0], [0.25, 0.25, 0.0, 0.5])


def test_mistakes() -> None:
    """One measure, one run, one topic, unknown names and bad numbers are errors of the user's."""
    good = table(APART, MIXED)
    with pytest.raises(ExcerptError, match="found 1 measure, expected at least 2"):
        agreement(table(APART))
    with pytest.raises(ExcerptError, match="found 1 run, expected at least 2"):
        agreement(table(APART[:1], MIXED[:1]))
    with pytest.raises(ExcerptError, match=r"found 1 topic .* by A, expected at least 2"):
        agreement(table([[0.5], [0.4]], [[0.5], [0.4]]))
    with pytest.raises(UnknownName, match="unknown test 'bootstap'; did you mean 'bootstrap'"):
        agreement(good, test="bootstap")
    with pytest.raises(UnknownName, match="unknown correction 'benjamini'"):
        agreement(good, correction="benjamini")
    with pytest.raises(ExcerptError, match="found 2 as alpha"):
        agreement(good, alpha=2)
    with pytest.raises(ExcerptError, match="found -1 as seed, expected a whole number of at least 0"):
        agreement(good, seed=-1)
    with pytest.raises(UnknownName, match="unknown measure 'D'"):
        agreement(good, measures=["A", "D"])
