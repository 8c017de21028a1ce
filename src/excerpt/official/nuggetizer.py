"""Drop-in for the metrics of nuggetizer: nuggets of TREC RAG 2024 to 2026 and their assignments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from excerpt.files import Input
from excerpt.gold.file import GoldItem, show
from excerpt.official.printout import Printout, Printouts, each_run
from excerpt.official.track_file import TrackFile

MEASURES = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
_FILE = 'lines of JSON with "qid" and "nuggets", each with "importance" and "assignment"'
_NO_VITAL = (
    "record has no vital nugget; it scores 0 and counts in the means",
    "records have no vital nuggets; they score 0 and count in the means",
)
_AGAIN = (
    "record has the qid of an earlier one; the means are over records, not topics",
    "records have the qid of an earlier one; the means are over records, not topics",
)


class AssignedNuggets(NamedTuple):
    """A line of the file: assignments of all nuggets, and of the vital ones."""

    qid: Any
    line: int
    every: Sequence[Any]
    vital: Sequence[Any]

    @property
    def scores(self) -> tuple[float, ...]:
        """The four scores, in the order of `MEASURES`."""
        return tuple(_score(some, part) for part in (0.0, 0.5) for some in (self.vital, self.every))


def _score(assignments: Sequence[Any], part: float) -> float:
    """Proportion of supported nuggets; one that is partially supported counts as a `part`."""
    count = assignments.count("support") + part * assignments.count("partial_support")
    return count / len(assignments) if assignments else 0.0


def _read(file: TrackFile) -> list[AssignedNuggets]:
    """Read all records; a file of gold nuggets has no assignments."""
    records = []
    for item in file.records(_FILE):
        for key in ("qid", "nuggets"):
            if key not in item.value:
                item.fault(f"key {key} is missing, expected {_FILE}")
        nuggets = item.each("nuggets")
        for nugget in nuggets:
            _check(nugget)
        file.settle()
        given = [nugget.value for nugget in nuggets]
        vital = [one["assignment"] for one in given if one["importance"] == "vital"]
        records.append(
            AssignedNuggets(item.value["qid"], item.line, [one["assignment"] for one in given], vital)
        )
    return records


def _check(nugget: GoldItem) -> None:
    if "importance" not in nugget.value:
        nugget.fault(
            f"key importance is missing in nugget {show(nugget.value.get('text'))}, expected {_FILE}"
        )
    elif "assignment" not in nugget.value:
        nugget.fault(
            f"found a nugget without assignment, {show(nugget.value.get('text'))}, expected {_FILE}",
            "a file of nuggets without assignments is gold, not an answer",
        )


def _mean(values: Sequence[float]) -> float:
    """Exact mean, rounded once."""
    return float(sum(map(Fraction, values)) / len(values))


def _means(records: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(map(_mean, zip(*records, strict=True)))


def _note_surprises(file: TrackFile, records: Sequence[AssignedNuggets], means: tuple[float, ...]) -> None:
    """Note records without vital nuggets, and repeated ones, if they change a mean."""
    without = [one for one in records if not one.vital]
    vital = [one.scores for one in records if one.vital]
    if vital and _means(vital)[::2] != means[::2]:
        file.notices.add(*_NO_VITAL, len(without), where=file.place(without[0].line))
    by_topic: dict[str, list[AssignedNuggets]] = {}
    for one in records:
        by_topic.setdefault(json.dumps(one.qid), []).append(one)
    again = [one for some in by_topic.values() for one in some[1:]]
    if _means([_means([one.scores for one in some]) for some in by_topic.values()]) != means:
        file.notices.add(*_AGAIN, len(again), where=file.place(min(one.line for one in again)))


def score_assignments(given: Input) -> Printout:
    """Score one file of assignments."""
    file = TrackFile.open(given)
    records = _read(file)
    means = _means([one.scores for one in records])
    rows = [*((one.qid, one.scores) for one in records), ("all", means)]
    lines = [json.dumps({"qid": qid, **_named(scores)}) for qid, scores in rows]
    _note_surprises(file, records, means)
    values = {
        (measure, qid if isinstance(qid, str) else json.dumps(qid)): value
        for qid, scores in rows
        for measure, value in _named(scores).items()
    }
    return Printout(file.name, tuple(lines), tuple(file.notices), scores=values)


def _named(scores: Sequence[float]) -> Mapping[str, float]:
    return dict(zip(MEASURES, scores, strict=True))


def nuggets(assignments: Iterable[Input] | Input) -> Printouts:
    """Score assignments of nuggets as nuggetizer's metrics do, with the same lines.

    >>> printed = nuggets(b'''{"qid": "1", "nuggets": [
    ... {"text": "in May", "importance": "vital", "assignment": "partial_support"}]}'''.replace(b"\\n", b""))
    >>> print(printed[0].lines[-1])
    {"qid": "all", "strict_vital_score": 0.0, "strict_all_score": 0.0, "vital_score": 0.5, "all_score": 0.5}
    """
    return Printouts(map(score_assignments, each_run(assignments)))
