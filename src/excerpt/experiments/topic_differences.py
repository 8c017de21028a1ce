"""On which topics is a run better than another? The differences behind a comparison, topic by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from excerpt.model.scores import ScoreTable
from excerpt.stats.intervals import clean_differences

#: What a topic may be for a run beside another.
OUTCOMES = {"win": "wins", "tie": "ties", "loss": "losses"}


@dataclass(frozen=True)
class TopicDifferences:
    """A pair of runs by one measure: its row of the comparison, and a row per topic, wins first."""

    pair: Mapping[str, Any]
    topics: tuple[dict[str, Any], ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many wins, ties and losses there are."""
        found = Counter(row["outcome"] for row in self.topics)
        return {name: found[outcome] for outcome, name in OUTCOMES.items()}

    @property
    def in_words(self) -> str:
        """The counts, such as `3 wins, 1 tie, 2 losses`."""
        return ", ".join(
            f"{number} {outcome if number == 1 else name}"
            for (outcome, name), number in zip(OUTCOMES.items(), self.counts.values(), strict=True)
        )


def topic_differences(table: ScoreTable, pairs: Iterable[Mapping[str, Any]]) -> tuple[TopicDifferences, ...]:
    """For each row of a comparison, the topics that every run has, those where the first run wins most first.

    >>> scores = {("a", "1", "P"): 0.5, ("b", "1", "P"): 0.3, ("a", "2", "P"): 0.1, ("b", "2", "P"): 0.2}
    >>> (found,) = topic_differences(
    ...     ScoreTable.from_scores(scores), [{"measure": "P", "run": "a", "other": "b"}]
    ... )
    >>> [(row["topic"], round(row["difference"], 4), row["outcome"]) for row in found.topics]
    [('1', 0.2, 'win'), ('2', -0.1, 'loss')]
    """
    return tuple(TopicDifferences(pair, _rows(table, pair)) for pair in pairs)


def _rows(table: ScoreTable, pair: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    values = table.values[:, :, table.place("measure", pair["measure"])]
    known = np.flatnonzero(~np.isnan(values).any(axis=0))
    one, two = (table.place("run", pair[name]) for name in ("run", "other"))
    # Scores that differ by noise are tied, as where the topics are counted.
    tied = clean_differences(values[:, known], one)[two] == 0
    found = np.where(tied, 0.0, values[one, known] - values[two, known])
    order = np.argsort(-found, kind="stable")
    return tuple(
        {
            "measure": pair["measure"],
            "run": pair["run"],
            "other": pair["other"],
            "topic": table.topics[place],
            "title": title_of(table, table.topics[place]),
            "score": float(values[one, place]),
            "other_score": float(values[two, place]),
            "difference": difference,
            "outcome": "win" if difference > 0 else "loss" if difference < 0 else "tie",
        }
        for place, difference in zip(known[order].tolist(), found[order].tolist(), strict=True)
    )


def title_of(table: ScoreTable, topic: str) -> str:
    """What a topic asks, where that is known."""
    question = table.questions.get(topic)
    return "" if question is None else question.title or question.text
