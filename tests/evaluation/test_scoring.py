"""One value for how runs are scored: it is the same for one run, for many and for samples."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from excerpt import Judgments, Notices, Policy, Result, Run, Span, evaluate
from excerpt.engine import Engine
from excerpt.evaluation import Reading, Scoring
from excerpt.evaluation.scoring import tell_apart
from excerpt.view.kept import keep

JUDGMENTS = Judgments.of(
    [("1", Span("a", 0, 10)), ("1", Span("a", 20, 30)), ("2", Span("b", 0, 5))], irrelevant=[("3", "a")]
)
RUN = Run.of("r", [Result("1", "a", 0, 25), Result("2", "b", 0, 10), Result("2", "a", 0, 10)])
MEASURES = ("MAiP", "charP", "articleAP")


def scoring(**policy: bool) -> Scoring:
    """How the tests score."""
    return Scoring.of(JUDGMENTS, MEASURES, policy=Policy(**policy), reading=Reading(), notices=Notices())  # type: ignore[arg-type]


def test_a_run_scores_as_in_an_evaluation() -> None:
    """`scores` gives the values that `evaluate` puts into its table."""
    values = scoring().apply(Scoring.scores, RUN).value
    np.testing.assert_array_equal(values, evaluate(JUDGMENTS, RUN, MEASURES).values[0])


@pytest.mark.parametrize("workers", [1, 2])
def test_work_gives_any_value_in_the_order_of_the_runs(workers: int) -> None:
    """Such as scores with what is kept of a run, here or from another process."""
    runs = [replace(RUN, name="one"), Run.of("two", [Result("1", "a", 0, 25)])]
    done = list(scoring().map(keep, runs, Engine(workers), None))
    assert [(part.name, part.value[1].name) for part in done] == [("one", "one"), ("two", "two")]
    assert [part.value[1].results for part in done] == [3, 1]
    table = scoring().table([part.having(part.value[0]) for part in done], Notices())
    np.testing.assert_array_equal(table.values, evaluate(JUDGMENTS, runs, MEASURES, notices=Notices()).values)


@pytest.mark.parametrize("only_run_topics", [True, False])
def test_samples_score_as_smaller_judgments(*, only_run_topics: bool) -> None:
    """Each sample gives the scores of judgments that have only its passages; what it lacks scores 0."""
    masks = np.array([[True, True, True], [False, True, False], [False, False, False], [True, False, True]])
    work = partial(Scoring.sample_scores, masks=masks)
    values = scoring(only_run_topics=only_run_topics).apply(work, RUN).value
    topic_without_results = values[:, 2]
    assert np.isnan(topic_without_results).all() if only_run_topics else not topic_without_results.any()
    marked = [("1", Span("a", 0, 10)), ("1", Span("a", 20, 30)), ("2", Span("b", 0, 5))]
    irrelevant = [("1", "a"), ("2", "b"), ("3", "a")]
    for mask, found in zip(masks, values, strict=True):
        kept = [item for item, keep in zip(marked, mask, strict=True) if keep]
        small = Judgments.of(kept, irrelevant=irrelevant)
        table = evaluate(small, RUN, MEASURES)
        for place, topic in enumerate(("1", "2")):
            expected = np.nan_to_num(table.values[0, table.topics.index(topic)])
            np.testing.assert_array_equal(found[place], expected)


def test_names_in_memory() -> None:
    """Two runs of one name in memory get a number, two files the names of their files."""
    assert tell_apart([("r", ""), ("r", ""), ("r", "")]) == ("r", "r #2", "r #3")
    assert tell_apart([("r", "x/a.fol"), ("r", "y/a.fol"), ("s", "")]) == ("r (a.fol)", "r (a.fol) #2", "s")
    table = evaluate(JUDGMENTS, [RUN, RUN], "MAiP", notices=Notices())
    assert table.runs == ("r", "r #2")
