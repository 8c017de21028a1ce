"""What an experiment is given: tables, judgments and runs; doubts that reach the caller."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import excerpt
from excerpt import ExcerptError, ExcerptWarning, Notices, Policy, ScoreTable, collection
from excerpt.experiments import EXPERIMENTS
from excerpt.experiments.given import complete_scores, table_of

RUNS = [run.path for run in collection.runs("focused")][:3]


def test_judgments_and_runs_are_evaluated() -> None:
    """Experiments take what `evaluate` takes, and give what they give for its table."""
    table = excerpt.evaluate(collection.qrels(), RUNS, ["MAiP", "charF"], notices=Notices())
    for function in (excerpt.compare, excerpt.agreement):
        alone = function(collection.qrels(), RUNS, ["MAiP", "charF"], samples=50, notices=Notices())
        assert alone.rows == function(table, samples=50).rows
    assert (
        excerpt.correlate(table).rows
        == excerpt.correlate(collection.qrels(), RUNS, ["MAiP", "charF"], notices=Notices()).rows
    )
    some: Any = {"tests": ("t",), "splits": 2}
    assert (
        excerpt.testerror(table, measures="charF", **some).rows
        == excerpt.testerror(Path(collection.qrels()), RUNS, "charF", notices=Notices(), **some).rows
    )


def test_a_table_and_runs_are_too_much() -> None:
    """A table has its runs."""
    table = ScoreTable.from_scores({("r", "1", "A"): 0.5, ("r", "1", "B"): 0.5})
    with pytest.raises(ExcerptError, match="found a table of scores and runs to evaluate"):
        table_of(table, ["run"], None, {})
    assert table_of(table, (), ["B"], {}).measures == ("B",)
    assert table_of(table, (), "B", {}).measures == ("B",)


def test_keywords_of_other_experiments_are_refused() -> None:
    """A keyword that an experiment does not have is an error, also beside a table; so is one without runs."""
    table = ScoreTable.from_scores({(run, topic, "A"): 0.5 for run in "ab" for topic in "12"})
    for given in ((table,), (collection.qrels(), RUNS, ["MAiP"])):
        with pytest.raises(TypeError, match="fuzziness"):
            excerpt.stability("topics", *given, fuzziness=0.1)
    with pytest.raises(ExcerptError, match="found policy with a table of scores"):
        excerpt.compare(table, policy=Policy())


def test_doubts_reach_the_caller() -> None:
    """They are warnings of Python, or go to the notices that were given; and they are in the outcome."""
    scores = {(run, topic, "A"): ord(run) / 999 for run in "ab" for topic in "123"}
    table = ScoreTable.from_scores({**scores, ("a", "4", "A"): 0.5})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = excerpt.compare(table, test="sign")
    (doubt,) = outcome.warnings
    assert [(str(item.message), item.category) for item in caught] == [(doubt, ExcerptWarning)]
    notices = Notices()
    excerpt.compare(table, test="sign", notices=notices)
    assert list(notices) == [doubt]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_defaults_are_those_of_the_options(name: str) -> None:
    """What the command line and Python take are the same names with the same defaults."""
    parameters = inspect.signature(EXPERIMENTS[name].load("function")).parameters
    own = {
        parameter.name: parameter.default
        for parameter in parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "record"
    }
    assert own == {item.name: item.default for item in fields(EXPERIMENTS[name].load("options"))}
    assert list(parameters)[:3] in (["scores", "runs", "measures"], ["judgments", "runs", "measures"])


VALUES = np.arange(12.0).reshape(2, 3, 2)
TABLE = ScoreTable(("a", "b"), ("a", "b"), tuple("123"), ("A", "B"), VALUES)


def test_only_topics_of_every_run_and_measure() -> None:
    """A topic that some have is left out with a notice, one that nobody has silently."""
    values = VALUES.copy()
    values[0, 1, 1] = values[:, 2] = np.nan
    doubts = Notices()
    holes = ScoreTable(TABLE.runs, TABLE.files, TABLE.topics, TABLE.measures, values)
    assert complete_scores(holes, doubts, ["A"]).tolist() == VALUES[:, :2, :1].tolist()
    assert list(doubts) == []
    assert complete_scores(holes, doubts, least=1).tolist() == VALUES[:, :1].tolist()
    assert list(doubts) == ["topic is not scored for every run by A and B and was left out"]


def test_too_little_to_compare() -> None:
    """One run, too few topics, an unknown measure."""
    one = ScoreTable(("a",), ("a",), tuple("123"), ("A", "B"), VALUES[:1])
    with pytest.raises(ExcerptError, match="found 1 run, expected at least 2 to compare"):
        complete_scores(one, Notices())
    with pytest.raises(
        ExcerptError, match="found 3 topics with a score of every run by A and B, expected at"
    ):
        complete_scores(TABLE, Notices(), least=4)
    with pytest.raises(ExcerptError, match="unknown measure 'C'"):
        complete_scores(TABLE, Notices(), ["C"])
