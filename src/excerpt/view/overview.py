"""The first view as plain data: scores of all runs and topics, what differs, and what cannot be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.evaluation.scoring import Scoring
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray, IntArray
from excerpt.options import READING
from excerpt.view.asked import topic_of
from excerpt.view.comparing import comparison_data, comparisons, mean_intervals
from excerpt.view.doubts import list_doubts
from excerpt.view.kept import Kept
from excerpt.view.measuring import measure_data
from excerpt.view.verdicts import verdict

if TYPE_CHECKING:
    from excerpt.formats.topics import Topics


@dataclass(frozen=True, eq=False)
class Overview:
    """Runs, topics and measures with their scores, and what follows from these."""

    scoring: Scoring
    table: ScoreTable
    kept: Sequence[Kept]
    topics: Topics | None
    #: A few words on runs, by name.
    about: Mapping[str, str]

    def data(self, elsewhere: IntArray | str | None) -> dict[str, Any]:
        """All of it; `elsewhere` is how often passages stand at other places, or why nobody looked."""
        table, places = self.table, range(len(self.table.measures))
        compared = self._comparisons
        policy = self.scoring.policy
        return {
            "measures": [measure_data(name, value) for name, value in self.scoring.measures.items()],
            "runs": [self._run(number) for number in range(len(self.kept))],
            "topics": [self._topic(number) for number in range(len(table.topics))],
            "scores": [_plain(table.values[:, :, place]) for place in places],
            "means": _plain(table.means().T),
            "intervals": [mean_intervals(table, place) for place in places],
            "comparisons": compared,
            "verdicts": [verdict(table, place, compared[place]) for place in places],
            "cannot": list_doubts(table, self.scoring.judgments, self.kept, policy, compared[0], elsewhere),
        }

    @cached_property
    def _comparisons(self) -> list[dict[str, Any] | None]:
        return [comparison_data(found, self.table) for found in comparisons(self.table)]

    def _run(self, number: int) -> dict[str, Any]:
        kept = self.kept[number]
        return {
            "name": self.table.runs[number],
            "file": PurePath(self.table.files[number]).name,
            "about": self.about.get(kept.name, ""),
            "kind": kept.kind,
            "results": kept.results,
            "topics": kept.topics,
        }

    def _topic(self, number: int) -> dict[str, Any]:
        judgments, name = self.scoring.judgments, self.table.topics[number]
        known = topic_of(name, judgments, self.topics)
        counted = not bool(np.isnan(self.table.values[:, number]).all())
        left = "no relevant text" if not judgments.has_relevant[number] else "no score by any measure"
        return {
            "id": name,
            "title": known.title,
            "text": known.text,
            "narrative": known.narrative,
            "passages": int(self._passages[number]),
            "documents": int(judgments.relevant_documents[number]),
            "characters": int(judgments.relevant_by_topic[number]),
            "judged": int(self._judged[number]),
            "counted": counted,
            "left": "" if counted else left,
        }

    @cached_property
    def _passages(self) -> IntArray:
        """How many relevant passages each topic has."""
        judgments = self.scoring.judgments
        return np.bincount(judgments.pair_topic[judgments.spans.group], minlength=len(judgments.topics))

    @cached_property
    def _judged(self) -> IntArray:
        """How many documents were judged for each topic."""
        judgments = self.scoring.judgments
        return np.bincount(judgments.pair_topic, minlength=len(judgments.topics))


def settings(scoring: Scoring) -> dict[str, Any]:
    """The policy, and how files were read where somebody said it."""
    reading = scoring.reading
    said = {option.dest: getattr(reading, option.dest, None) for option in READING if option.role == "plain"}
    said |= {name: ",".join(getattr(reading.choice, name)) for name in ("only", "exclude")}
    said["drop_tags"] = list(reading.drop_tags)
    said["id_pattern"] = reading.ids.pattern.pattern if reading.ids and reading.ids.pattern else None
    return {**asdict(scoring.policy), **{name: value for name, value in said.items() if value}}


def _plain(values: FloatArray) -> list[list[float | None]]:
    """Scores as JSON has them, every digit kept; None where there is none."""
    return [[None if value != value else value for value in row] for row in values.tolist()]  # noqa: PLR0124
