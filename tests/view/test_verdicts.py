"""Verdicts in words."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ScoreTable, collection, compare, evaluate
from excerpt.experiments.ranking_verdict import RankingVerdict, second_opinion
from excerpt.view import verdicts
from excerpt.view.verdicts import compare_runs, comparison_data, maximal_sets, mean_intervals, verdict


def said(*means: float, topics: int = 30, noise: float = 0.01) -> dict[str, str]:
    """The verdict on runs a, b, … with these means and independent noise."""
    rng = np.random.default_rng(5)
    values = np.clip(np.array(means)[:, None] + noise * rng.standard_normal((len(means), topics)), 0, 1)
    if noise == 0:
        values = np.repeat(np.array(means)[:, None], topics, axis=1)
    names = tuple("abcdefghijklmnop"[: len(means)])
    table = ScoreTable(names, names, tuple(map(str, range(topics))), ("P",), values[:, :, None])
    found = verdict(table, 0, compare_runs(table, 0))
    return {**found, "lead": "".join(text for text, _ in found["lead"])}


@pytest.mark.parametrize(
    ("means", "headline"),
    [
        (
            (0.5, 0.4, 0.3),
            "a is significantly better than each of the two other runs.",
        ),
        ((0.5, 0.4), "a is significantly better than b."),
        ((0.3,), "a reaches P 0.2978."),
    ],
)
def test_headlines(means: tuple[float, ...], headline: str) -> None:
    """The best run, and whether it is significantly better."""
    assert said(*means)["headline"] == headline


def test_leads_name_the_next_set() -> None:
    """Runs that do not differ significantly, strong, and the number of pairs that do."""
    found = said(0.8, 0.4, 0.4, 0.2)
    assert found["lead"].startswith("The runs at ranks 2 and 3, ")
    assert found["lead"].endswith(
        "do not differ significantly from each other. 5 of 6 pairs of runs differ significantly."
    )
    assert found["how"] == (
        "By P, since it was named first. Paired bootstrap, 10\u202f000 samples, Benjamini\u2013Yekutieli "
        "over 6 two-sided tests, \u03b1 0.05, 30 topics."
    )
    assert said(0.8, 0.5, 0.2)["lead"] == "All 3 pairs of runs differ significantly."


def test_a_set_with_gaps_is_counted() -> None:
    """A run between two members that differs from one of them is not said to be in the set."""
    names = tuple("abcdefg")
    differs = np.ones((7, 7), np.bool_)
    for one, other in combinations((1, 2, 3, 4, 6), 2):
        differs[one, other] = differs[other, one] = False
    np.fill_diagonal(differs, val=False)
    said = RankingVerdict("P", names, (0.5,) * 7, 9, tuple(map(tuple, differs.tolist())), "t", "P", "x")
    said = replace(said, means=tuple(np.linspace(0.9, 0.3, 7).tolist()))
    assert verdicts.lead_of(said)[0] == (
        "Five runs at ranks between 2 and 7 do not differ significantly from each other. ",
        0,
    )


def test_a_lead_that_is_shared() -> None:
    """The others are named as long as they are few."""
    found = said(0.5, 0.5, 0.1)
    assert found["headline"].endswith(" (rank 2).")
    assert "is first, but not significantly different from" in found["headline"]
    assert found["lead"] == (
        "It is significantly better than the remaining run. 2 of 3 pairs of runs differ significantly."
    )
    many = said(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1, noise=0.2)
    assert "from five runs (ranks 2 to 6)." in many["headline"]
    assert said(0.5, 0.5)["lead"] == "The difference may be due to chance."


def test_equal_means_share_rank_1() -> None:
    """All runs with the best mean are named."""
    found = said(0.5, 0.5, 0.25, noise=0)
    assert found["headline"] == "a and b share rank 1."
    assert found["lead"] == "Their means are equal. 2 of 3 pairs of runs differ significantly."
    assert said(*[0.5] * 6, noise=0)["headline"] == "a, b and four more share rank 1."


def test_nothing_to_compare() -> None:
    """One topic, or no score at all."""
    assert said(0.5, 0.4, topics=1)["headline"] == "a has the highest P, but no difference was tested."
    assert said(float("nan"), float("nan"))["headline"] == "P is not defined for any run."


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    """Scores of the embedded runs for the focused task."""
    return evaluate(collection.qrels(), [run.path for run in collection.runs("focused")], ["MAiP"])


def test_pairs_are_those_of_compare(table: ScoreTable) -> None:
    """Every row of the comparison on the command line, with its digits."""
    data = comparison_data(compare_runs(table, 0), table)
    assert data is not None
    rows = compare(table).rows
    pairs = data["pairs"]
    assert len(rows) == data["count"] == len(pairs["p"])
    for place, row in enumerate(rows):
        assert table.runs[pairs["first"][place]] == row["run"]
        assert table.runs[pairs["second"][place]] == row["other"]
        for name in ("difference", "low", "high", "p", "adjusted", "effect"):
            assert pairs[name][place] == row[name]
        assert bool(pairs["significant"][place]) == row["significant"]
    assert data["significant"] == sum(row["significant"] for row in rows)
    assert (data["tests"], data["sides"]) == (data["count"], 2)


def test_sets_of_the_embedded_runs(table: ScoreTable) -> None:
    """Sets have gaps: of the first three sets, one leaves out a run between its members."""
    data = comparison_data(compare_runs(table, 0), table)
    assert data is not None
    names = [[table.runs[run] for run in runs] for runs in data["alike"]]
    assert names[0] == ["mix-bm25", "win400-bm25", "p-bm25", "merge400"]
    assert "sent-bm25" not in {name for part in names for name in part}


@given(st.integers(1, 7), st.randoms(use_true_random=False))
def test_sets_are_all_maximal_cliques(size: int, random: object) -> None:
    """Against trying every set."""
    matrix = np.eye(size, dtype=bool)
    for one, other in combinations(range(size), 2):
        matrix[one, other] = matrix[other, one] = random.random() < 0.6  # type: ignore[attr-defined]
    cliques = [
        set(chosen)
        for count in range(1, size + 1)
        for chosen in combinations(range(size), count)
        if all(matrix[one, other] for one, other in combinations(chosen, 2))
    ]
    maximal = [clique for clique in cliques if not any(clique < other for other in cliques)]
    assert maximal_sets(matrix) == sorted(sorted(clique) for clique in maximal if len(clique) > 1)


def test_too_many_sets_become_sets_of_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """3**20 cliques would take for ever."""
    matrix = np.ones((60, 60), bool)
    for first in range(0, 60, 3):
        matrix[first : first + 3, first : first + 3] = False
    np.fill_diagonal(matrix, val=True)
    monkeypatch.setattr(verdicts, "_MOST_STEPS", 2000)
    sets = maximal_sets(matrix)
    assert sets[0] == [2, 3]
    assert all(matrix[one, other] for part in sets for one, other in combinations(part, 2))


def test_intervals_hold_the_means_and_never_change(table: ScoreTable) -> None:
    """Each mean lies inside; the same table gives the same interval."""
    intervals = mean_intervals(table, 0)
    for run, interval in zip(table.runs, intervals, strict=True):
        assert interval is not None
        assert interval[0] <= table.mean(run, "MAiP") <= interval[1]
    assert mean_intervals(table, 0) == intervals


def test_runs_on_other_topics_have_intervals_of_their_own() -> None:
    """A topic that a run does not have stays out of its interval; one topic gives none."""
    scores = {("a", "1", "P"): 0.5, ("a", "2", "P"): 0.5, ("b", "1", "P"): 0.2}
    assert mean_intervals(ScoreTable.from_scores(scores), 0) == [[0.5, 0.5], None]
    assert compare_runs(ScoreTable.from_scores(scores), 0) is None


def ranked(set_: str, equal: tuple[float, ...], read: tuple[float, ...] | None = None) -> ScoreTable:
    """Runs a to e in the order of their means by P@5, with means at equal text and of the text read."""
    names, columns = tuple("abcde"), [equal, *([read] if read else [])]
    values = np.repeat(np.array([0.5, 0.4, 0.3, 0.2, 0.1])[:, None], 9, axis=1)[:, :, None]
    of = np.repeat(np.array(columns).T[:, None], 9, axis=1)
    topics = tuple("123456789")
    beside = ScoreTable(names, names, topics, ("recall(budget=4000)", "read@5")[: len(columns)], of)
    return ScoreTable(names, names, topics, ("recall@5",), values, set=set_, why="so", beside=beside)


def test_a_second_opinion_stands_in_the_same_sentence() -> None:
    """Only if another run leads at equal text; at a cut-off only if more text goes with better scores."""
    other, same = (0.1, 0.2, 0.3, 0.2, 0.1), (0.5, 0.2, 0.3, 0.2, 0.1)
    long = (5280.0, 90.0, 40.0, 30.0, 20.0)
    assert second_opinion(ranked("inex", same)) is None
    found = second_opinion(ranked("inex", other))
    assert found is not None
    assert found.words == "; c leads at equal text (4,000 characters)"
    cut = verdicts.verdict_on(ranked("", other, long))
    words = "; its five results have 132 \u00d7 the text of those of c, "
    words += "which leads at equal text (4,000 characters)"
    assert cut.title == f"a is significantly better than each of the four other runs{words}."
    assert cut.sentence == (
        "a is significantly better than each of the four other runs by recall@5 over 9 topics (two-sided "
        f"bootstrap test, 10 comparisons corrected by Benjamini-Yekutieli, alpha 0.05){words}. recall@5 "
        "decides, since so."
    )
    assert second_opinion(ranked("", other, long[::-1])) is None
    assert second_opinion(ranked("", other, long).of_runs([0, 1, 2])) is None  # too few runs
    assert second_opinion(ranked("rag", other, long[::-1])) is not None
    assert second_opinion(ranked("", other)) is None
