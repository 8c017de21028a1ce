"""Overview of a report as plain data: runs, topics, measures, scores, comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.evaluation.scoring import Progress, Scoring
from excerpt.experiments.study import passages_of
from excerpt.measures import Measure
from excerpt.measures.base import definition, parameters
from excerpt.model.spans import FloatArray, IntArray
from excerpt.options import READING
from excerpt.scores.score_table import ScoreTable
from excerpt.scores.score_views import By, ScoreView
from excerpt.view.library import topic_of
from excerpt.view.limitations import list_limitations
from excerpt.view.run_columns import RunColumns
from excerpt.view.verdicts import comparison_by

if TYPE_CHECKING:
    from excerpt.queries import Topics


#: Families of measures whose arithmetic pages show, with the formula of a topic's score.
FORMULAS = {
    "AiP": "mean of interpolated precision at recall 0.00, 0.01, …, 1.00",
    "iP": "best precision at or after the rank where recall is reached",
    "charP": "relevant characters found / characters read",
    "charR": "relevant characters found / relevant characters of the topic",
    "charF": "(1 + β²) · found / (β² · relevant + read)",
    "IoU": "found / (read + relevant \u2212 found)",
    "articleP": "relevant documents returned / documents returned",
    "articleR": "relevant documents returned / relevant documents of the topic",
    "articleF": "2 · relevant returned / (returned + relevant)",
    "articleAP": "mean over the relevant documents of the precision at their ranks",
    "judged": "judged results / results",
}
#: Formulas of families with a cut-off, where it differs from the one above.
_AT_RANK = {
    "articleP": "relevant documents among the first k / k",
    "articleR": "relevant documents among the first k / relevant documents of the topic",
    "articleF": "2 · relevant among the first k / (k + relevant)",
    "articleAP": "sum of the precision at the relevant ranks up to k / relevant documents of the topic",
}


def measure_data(name: str, measure: Measure) -> dict[str, Any]:
    """Data of a measure, under its given name."""
    cutoff, others = None, {}
    for field, kind in parameters(type(measure)):
        value = getattr(measure, field.name)
        if kind.cutoff:
            cutoff = _plain_value(value)
        else:
            others[field.name] = _plain_value(value)
    family = measure.name if measure.name in FORMULAS else "other"
    return {
        "name": name,
        "topic": str(measure) if measure.mean_name and name.startswith(measure.mean_name) else name,
        "family": family,
        "cutoff": cutoff,
        "parameters": others,
        "about": _first_sentence(definition(type(measure))),
        "definition": definition(type(measure)).split("\n\n>>>")[0],
        "formula": (FORMULAS if cutoff is None else FORMULAS | _AT_RANK).get(family, ""),
    }


def _plain_value(value: Any) -> Any:
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)


def _first_sentence(text: str) -> str:
    """First sentence of a definition.

    >>> _first_sentence("Proportion of a.\\nAnd of b; more. Then c.")
    'Proportion of a.'
    """
    paragraph = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    end = paragraph.find(". ")
    return paragraph if end < 0 else paragraph[: end + 1]


@dataclass(frozen=True, eq=False)
class Overview:
    """Runs, topics and measures with scores, comparisons, verdicts and limitations."""

    scoring: Scoring
    table: ScoreTable
    kept: Sequence[RunColumns]
    topics: Topics | None
    #: Descriptions of runs, by name.
    about: Mapping[str, str]
    #: What groups the topics, if anything.
    by: By | None = None

    def data(
        self, elsewhere: IntArray | str | None, measures: int | None = None, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Data of the overview; `elsewhere` counts duplicates of each passage, or says why it does not."""
        table, places = self.table, range(len(self.table.measures))
        compared = [comparison_by(table, place, progress) for place in places[:measures]]
        later: list[Any] = [None] * (len(places) - len(compared))
        policy, judgments = self.scoring.policy, self.scoring.judgments
        passages = passages_of(judgments)[1].tolist()
        judged = np.bincount(judgments.pair_topic, minlength=len(judgments.topics)).tolist()
        return {
            **table.decided(),
            "measures": [measure_data(name, value) for name, value in self.scoring.measures.items()],
            "runs": [self._run(number) for number in range(len(self.kept))],
            "topics": [
                self._topic(number, *counts)
                for number, counts in enumerate(zip(passages, judged, strict=True))
            ],
            "scores": [_plain(table.values[:, :, place]) for place in places],
            "means": _plain(table.means().T),
            **({} if self.by is None else {"groups": _groups(table, self.by)}),
            **{name: [one[name] for one in compared] + later for name in compared[0]},
            "cannot": list_limitations(
                table, judgments, self.kept, policy, compared[0]["comparisons"], elsewhere
            ),
        }

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

    def _topic(self, number: int, passages: int, judged: int) -> dict[str, Any]:
        judgments, name = self.scoring.judgments, self.table.topics[number]
        topic = topic_of(name, judgments, self.topics)
        counted = not bool(np.isnan(self.table.values[:, number]).all())
        left = "no relevant text" if not judgments.has_relevant[number] else "no score for any measure"
        return {
            "id": name,
            "title": topic.title,
            "text": topic.text,
            "narrative": topic.narrative,
            "passages": passages,
            "documents": int(judgments.relevant_documents[number]),
            "characters": int(judgments.relevant_by_topic[number]),
            "judged": judged,
            "counted": counted,
            "left": "" if counted else left,
        }


def _groups(table: ScoreTable, by: By) -> dict[str, Any]:
    """Groups of topics: their names, the group of each topic, means by measure, run and group.

    The means are those of `evaluate`; topics without a group are in a group without a name.
    """
    view = ScoreView(table, by=by)
    group_of = np.zeros(len(table.topics), np.int64)
    for number, places in enumerate(view.groups.values()):
        group_of[places] = number
    means = np.stack([view.means(places) for places in view.groups.values()], axis=-1)
    return {
        "by": by,
        "names": list(view.groups),
        "of": group_of.tolist(),
        "means": [_plain(means[:, measure]) for measure in range(means.shape[1])],
    }


def settings(scoring: Scoring) -> dict[str, Any]:
    """Policy and explicit reading options of an evaluation."""
    reading = scoring.reading
    given = {option.dest: getattr(reading, option.dest, None) for option in READING if option.role == "plain"}
    given |= {name: ",".join(getattr(reading.choice, name)) for name in ("only", "exclude")}
    given["drop_tags"] = list(reading.drop_tags)
    given["id_pattern"] = (
        reading.passage_ids.pattern.pattern if reading.passage_ids and reading.passage_ids.pattern else None
    )
    return {**asdict(scoring.policy), **{name: value for name, value in given.items() if value}}


def _plain(values: FloatArray) -> list[list[float | None]]:
    """Scores as JSON with every digit; None if undefined."""
    return [[None if value != value else value for value in row] for row in values.tolist()]  # noqa: PLR0124
