"""Why one run beats another: the worse list is changed in one cause alone, and really scored again."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np

from excerpt.errors import ExcerptError, plural, short
from excerpt.evaluation.reading import CorpusOptions, Judged, Reading, Runs, one_run
from excerpt.evaluation.scoring import Scoring, topic_scores
from excerpt.files import require_path
from excerpt.formats import write_run
from excerpt.measures import Measure, expand
from excerpt.model.display import Showable
from excerpt.model.join import Joined, first_owners, join
from excerpt.model.policy import Policy
from excerpt.model.run import Run, group_results
from excerpt.model.samples import touched
from excerpt.model.spans import BoolArray, FloatArray, IntArray, KeyedSpans, keys
from excerpt.notices import Gathering, Notices

#: Causes, each with what it says of the worse list.
CAUSES = {
    "missed": "lacks relevant text that {better} has",
    "late": "has relevant text at later ranks than {better}",
    "around": "returns text around relevant text",
    "before": "returns results without relevant text",
    "repeated": "repeats text",
}
#: Least share of the gap that a cause is named for; a second one closes at least half of what the first does.
_LEAST = 0.2
SEVERAL = "several small things"
#: Inputs of measures that no list of spans has.
_NOT_TEXT = {"graded elements", "element paths", "entry points", "judged entry points"}


class Cause(NamedTuple):
    """One cause, the score of the list that is changed in it alone, and the share of the gap that closes."""

    cause: str
    score: float
    share: float


@dataclass(frozen=True)
class TopicCauses:
    """The causes of the difference of two runs on a topic; `ahead` if the first of them is better."""

    topic: str
    ahead: bool
    score_better: float
    score_worse: float
    causes: tuple[Cause, ...]

    @property
    def gap(self) -> float:
        """Score of the better list less that of the worse."""
        return self.score_better - self.score_worse

    @property
    def named(self) -> tuple[Cause, ...]:
        """The largest cause, and a second one that closes at least half as much; none below a fifth."""
        first, second = sorted(self.causes, key=lambda one: -one.share)[:2]
        if first.share < _LEAST:
            return ()
        return (first, second) if 2 * second.share >= first.share else (first,)

    def sentence(self, better: str, worse: str) -> str:
        """The causes in words."""
        if not self.named:
            return f"{worse}: {SEVERAL}, none of which closes 20 % of the gap."
        said = [
            f"{CAUSES[one.cause].format(better=better)} ({100 * one.share:.0f} % of the gap)"
            for one in self.named
        ]
        return f"{worse} {'; it '.join(said)}."


class RunCause(NamedTuple):
    """One cause over several topics: mean of the shares that it closes, share of the mean gap, and topics."""

    cause: str
    share: float | None
    of_mean_gap: float | None
    #: Topics of which it is the largest cause.
    topics: int


@dataclass(frozen=True)
class RunCauses:
    """The causes over all topics on which a run is worse: their mean closure, and topics by largest cause."""

    run: str
    topics: int
    gap: float | None
    causes: tuple[RunCause, ...]
    #: Topics of which no cause closes a fifth of the gap.
    several: int

    def to_dict(self) -> dict[str, Any]:
        """The object of JSON."""
        facts = {"worse": self.run, "topics": self.topics, "gap": self.gap}
        return {**facts, "causes": [cause._asdict() for cause in self.causes], "several": self.several}


@dataclass(frozen=True, eq=False)
class Counterfactuals(Showable):
    """Counterfactuals of two runs by one measure, largest gap first; topics with equal scores have none."""

    run: str
    other: str
    measure: str
    mean: float | None
    other_mean: float | None
    topics: tuple[TopicCauses, ...]
    #: Number of topics on which both score the same.
    equal: int
    aliases: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    #: The changed lists of all topics as runs, by cause.
    changed: Mapping[str, Run] = field(default_factory=dict, repr=False)
    #: Number of topics that are printed (None: all); JSON and CSV have all.
    at_most: int | None = None

    def names(self, one: TopicCauses) -> tuple[str, str]:
        """The better and the worse run of a topic."""
        return (self.run, self.other) if one.ahead else (self.other, self.run)

    def whole(self) -> tuple[RunCauses, ...]:
        """The causes for each of the two runs, over the topics on which it is worse."""
        return tuple(
            _of_run(run, [one for one in self.topics if self.names(one)[1] == run])
            for run in (self.run, self.other)
        )

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output."""
        return {
            "run": self.run,
            "against": self.other,
            "measure": self.measure,
            **({"aliases": dict(self.aliases)} if self.aliases else {}),
            "mean": self.mean,
            "against_mean": self.other_mean,
            **self.causes_dict(),
            "warnings": list(self.warnings),
        }

    def causes_dict(self) -> dict[str, Any]:
        """The causes by topic, and those of each run as a whole."""
        topics = []
        for one in self.topics:
            better, worse = self.names(one)
            scores = {"score_better": one.score_better, "score_worse": one.score_worse, "gap": one.gap}
            causes = [cause._asdict() for cause in one.causes]
            said = {"why": one.sentence(better, worse)}
            topics.append(
                {"topic": one.topic, "better": better, "worse": worse, **scores, "causes": causes, **said}
            )
        return {"topics": topics, "equal": self.equal, "runs": [each.to_dict() for each in self.whole()]}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """One row per topic: both runs, their scores, and the share of the gap that each cause closes."""
        columns = ("topic", "better", "worse", "score_better", "score_worse", "gap", *CAUSES)
        rows = [
            (
                *(one.topic, *self.names(one), one.score_better, one.score_worse, one.gap),
                *(cause.share for cause in one.causes),
            )
            for one in self.topics
        ]
        return columns, rows

    def notes(self) -> tuple[str, ...]:
        """What the shares are, and the causes of each run as a whole."""
        lines = ["Shares of the gap that close if the worse list is changed in this alone, and scored again."]
        lines += [said for each in self.whole() if (said := _say_run(each))]
        if self.equal:
            lines.append(f"{plural(self.equal, 'topic')} with equal scores.")
        return tuple(lines)

    def __repr__(self) -> str:
        return f"<Counterfactuals of {self.run!r} and {self.other!r} by {self.measure}>"

    def write(self, folder: str | os.PathLike[str], *, fingerprint: bool = True) -> None:
        """Write the changed lists as `CAUSE.jsonl` into a folder, which is made if it is missing.

        `fingerprint=False` leaves out the fingerprints of the documents' texts.
        """
        from pathlib import Path

        target = Path(require_path(folder, "name of a folder to write"))
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError:
            message = "is not a folder, expected one to write the changed lists"
            raise ExcerptError(message, path=str(target)) from None
        for cause, run in self.changed.items():
            write_run(run, target / f"{cause}.jsonl", "jsonl", fingerprint=fingerprint)


def _of_run(run: str, topics: Sequence[TopicCauses]) -> RunCauses:
    largest = [max(one.causes, key=lambda cause: cause.share).cause for one in topics if one.named]
    gap = math.fsum(one.gap for one in topics)
    causes = []
    for place, cause in enumerate(CAUSES):
        shares = [one.causes[place].share for one in topics]
        gains = [one.causes[place].score - one.score_worse for one in topics]
        mean, whole = (math.fsum(shares) / len(topics), math.fsum(gains) / gap) if topics else (None, None)
        causes.append(RunCause(cause, mean, whole, largest.count(cause)))
    mean_gap = gap / len(topics) if topics else None
    return RunCauses(run, len(topics), mean_gap, tuple(causes), len(topics) - len(largest))


def _say_run(whole: RunCauses) -> str:
    """The causes of a run in one line; empty if it is never worse."""
    parts = [
        f"{one.cause} {100 * one.of_mean_gap:.0f} % (largest in {one.topics})"
        for one in whole.causes
        if one.of_mean_gap is not None
    ]
    worse = f"{whole.run} is worse on {plural(whole.topics, 'topic')}; of the mean gap there closes: "
    return f"{worse}{', '.join(parts)}; {SEVERAL} in {whole.several}" if parts else ""


@dataclass(frozen=True, eq=False)
class RankedLists:
    """A list of results for each topic, by topic and rank; documents are places in common names."""

    topic: IntArray
    document: IntArray
    #: Number of each (topic, document), in common with the relevant text.
    group: IntArray
    start: IntArray
    end: IntArray
    #: Whether a result exists in its document, and the characters of one that does not.
    known: BoolArray
    lost: IntArray
    costs: Mapping[str, IntArray]

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def rank(self) -> IntArray:
        """Rank of each result in its topic, from 0."""
        return np.arange(len(self)) - np.searchsorted(self.topic, self.topic)

    def take(self, rows: IntArray) -> RankedLists:
        """The same with only these results."""
        taken: dict[str, Any] = {name: getattr(self, name)[rows] for name in _COLUMNS}
        return RankedLists(**taken, costs={name: column[rows] for name, column in self.costs.items()})

    def cut(self, rows: IntArray, start: IntArray, end: IntArray) -> RankedLists:
        """Parts of results, in this order; the costs of a smaller part are in proportion."""
        made, size = self.take(rows), (self.end - self.start)[rows]
        smaller, length = end - start < size, end - start
        costs = {
            name: np.where(smaller, 0 if name == "lead" else column * length // np.maximum(size, 1), column)
            for name, column in made.costs.items()
        }
        if "characters" in costs:
            costs["characters"] = np.where(smaller, length, costs["characters"])
        return replace(made, start=start, end=end, costs=costs)

    def followed_by(self, other: RankedLists) -> RankedLists:
        """The results of both, unsorted."""
        both: dict[str, Any] = {
            name: np.concatenate((getattr(self, name), getattr(other, name))) for name in _COLUMNS
        }
        costs = {name: np.concatenate((self.costs[name], other.costs[name])) for name in self.costs}
        return RankedLists(**both, costs=costs)

    def run(self, name: str, topics: tuple[str, ...], documents: tuple[str, ...]) -> Run:
        """The lists as a run."""
        start, end = np.where(self.known, self.start, -1), np.where(self.known, self.end, -1)
        beside = {**self.costs, **({"lost": self.lost} if self.lost.any() else {})}
        return group_results(
            name=name,
            topics=topics,
            documents=documents,
            topic=self.topic,
            document=self.document,
            start=start,
            end=end,
            rank=self.rank + 1,
            beside=beside,
        )


_COLUMNS = ("topic", "document", "group", "start", "end", "known", "lost")


class ResultParts(NamedTuple):
    """Parts of results: the number of the result, and the span."""

    row: IntArray
    start: IntArray
    end: IntArray


@dataclass(frozen=True, eq=False)
class ListPair:
    """The better and the worse list of each topic, with its relevant text."""

    better: RankedLists
    worse: RankedLists
    relevant: KeyedSpans

    def changed(self) -> dict[str, RankedLists]:
        """The worse lists, changed in one cause each."""
        return {name: getattr(self, name)() for name in CAUSES}

    def missed(self) -> RankedLists:
        """Relevant text that only the better list has goes in, at its rank."""
        mask = self._relevant & (self._of_better >= 0) & (self._of_worse < 0)
        return self._inserted(self.worse, self._parts(mask, self._of_better))

    def late(self) -> RankedLists:
        """Relevant text that both have moves to the better list's rank where that is earlier."""
        both = np.flatnonzero(self._relevant & (self._of_better >= 0) & (self._of_worse >= 0))
        earlier = self.better.rank[self._of_better[both]] < self.worse.rank[self._of_worse[both]]
        mask = np.zeros(len(self._relevant), np.bool_)
        mask[both[earlier]] = True
        left = self._without(self._parts(mask, self._of_worse))
        return self._inserted(left, self._parts(mask, self._of_better))

    def around(self) -> RankedLists:
        """Text that is not relevant is cut from results with relevant text."""
        worse, spans = self.worse, self.relevant
        filled = np.flatnonzero(worse.end > worse.start)
        query, span = touched(spans, worse.group[filled], worse.start[filled], worse.end[filled])
        row = filled[query]
        start, end = (
            np.maximum(worse.start[row], spans.start[span]),
            np.minimum(worse.end[row], spans.end[span]),
        )
        return self._replaced(ResultParts(row, start, end), np.unique(row))

    def before(self) -> RankedLists:
        """Results without relevant text that is new are taken out."""
        found = self._of_worse[self._relevant & (self._of_worse >= 0)]
        return self.worse.take(np.unique(found))

    def repeated(self) -> RankedLists:
        """Text that an earlier result has is cut."""
        parts = self._parts(self._of_worse >= 0, self._of_worse)
        return self._replaced(parts, np.flatnonzero(self.worse.end > self.worse.start))

    @cached_property
    def _points(self) -> IntArray:
        """All boundaries of results and relevant text, as keys."""
        lists = (self.better, self.worse, self.relevant)
        return np.unique(
            np.concatenate([keys(each.group, at) for each in lists for at in (each.start, each.end)])
        )

    @cached_property
    def _of_better(self) -> IntArray:
        """First result of the better list with the text after each boundary; -1 if there is none."""
        return self._owner(self.better)

    @cached_property
    def _of_worse(self) -> IntArray:
        return self._owner(self.worse)

    def _owner(self, lists: RankedLists) -> IntArray:
        segments = first_owners(lists.group, lists.start, lists.end)
        spans = KeyedSpans(segments.group, segments.start, segments.end)
        place = self._inside(spans)
        return np.append(segments.owner, -1)[place]

    @cached_property
    def _relevant(self) -> BoolArray:
        """Whether the text after each boundary is relevant."""
        return self._inside(self.relevant) >= 0

    def _inside(self, spans: KeyedSpans) -> IntArray:
        """Span with the text after each boundary; -1 if there is none."""
        place = np.searchsorted(keys(spans.group, spans.start), self._points, side="right") - 1
        last = np.append(keys(spans.group, spans.end), 0)
        return np.where((place >= 0) & (self._points < last[place]), place, -1)

    def _parts(self, mask: BoolArray, owner: IntArray) -> ResultParts:
        """Text of some segments as parts of their owners, in the order of these; touching ones are joined."""
        at = np.flatnonzero(mask)
        if not len(at):
            return ResultParts(at, at, at)
        opens = np.ones(len(at), np.bool_)
        opens[1:] = (np.diff(at) > 1) | (np.diff(owner[at]) != 0)
        first = np.flatnonzero(opens)
        last = np.append(first[1:], len(at)) - 1
        row, low, high = owner[at[first]], self._points[at[first]], self._points[at[last] + 1]
        base = (low >> _BITS) << _BITS
        order = np.lexsort((low, row))
        return ResultParts(row[order], (low - base)[order], (high - base)[order])

    def _replaced(self, parts: ResultParts, rows: IntArray) -> RankedLists:
        """The worse lists with parts instead of these results; a result without a part is gone."""
        whole = np.ones(len(self.worse), np.bool_)
        whole[rows] = False
        kept = np.flatnonzero(whole)
        row, start, end = (
            np.concatenate((one, two))
            for one, two in zip(parts, (kept, self.worse.start[kept], self.worse.end[kept]), strict=True)
        )
        order = np.lexsort((start, row))
        return self.worse.cut(row[order], start[order], end[order])

    def _without(self, gone: ResultParts) -> RankedLists:
        """The worse lists without some text: what is left of a result stays at its rank."""
        rows = np.unique(gone.row)
        row = np.concatenate((rows, gone.row))
        start = np.concatenate((self.worse.start[rows], gone.end))
        end = np.concatenate((gone.start, self.worse.end[rows]))
        end_row = np.concatenate((gone.row, rows))
        low, high = np.lexsort((start, row)), np.lexsort((end, end_row))
        left = start[low] < end[high]
        return self._replaced(ResultParts(row[low][left], start[low][left], end[high][left]), rows)

    def _inserted(self, base: RankedLists, parts: ResultParts) -> RankedLists:
        """Lists with parts of the better lists at their ranks, or at the end, in the better list's order."""
        new = self.better.cut(*parts)
        number = np.arange(len(new)) - np.searchsorted(new.topic, new.topic)
        wanted = self.better.rank[parts.row] - number
        shift = new.topic << _BITS  # a later topic begins anew
        at = np.maximum.accumulate(np.where(number == 0, np.maximum(wanted, 0), wanted) + shift) - shift
        size = np.bincount(base.topic, minlength=int(new.topic.max(initial=0)) + 1)
        at = np.minimum(at, size[new.topic])
        both = base.followed_by(new)
        place = np.concatenate((base.rank, at))
        kind = np.concatenate((np.ones(len(base), np.int64), np.zeros(len(new), np.int64)))
        within = np.concatenate((np.zeros(len(base), np.int64), number))
        return both.take(np.lexsort((within, kind, place, both.topic)))


_BITS = 34  # as in `keys`


def lists_of(joined: Joined, codes: dict[str, int]) -> RankedLists:
    """The results of a run on judged topics; names of documents get numbers in `codes`."""
    run = joined.run
    numbers = [codes.setdefault(name, len(codes)) for name in run.documents]
    document = np.array([*numbers, 0], np.int64)[run.document_code]
    known = run.known if run.kind == "spans" and not run.whole else np.ones(len(run), np.bool_)
    lost = np.zeros(len(run), np.int64) if run.text.lost is None else np.where(known, 0, run.text.lost)
    start, end = np.where(known, joined.start, 0), np.where(known, joined.end, 0)
    return RankedLists(joined.topic, document, document, start, end, known, lost, dict(run.text.costs))


def _alike(one: RankedLists, other: RankedLists) -> tuple[RankedLists, RankedLists]:
    """Both with the same costs: own text is that of the spans by default, other units need both."""
    names = {"characters", "lead"} & (one.costs.keys() | other.costs.keys())
    names |= one.costs.keys() & other.costs.keys()

    def fill(lists: RankedLists) -> RankedLists:
        usual = {"characters": lists.end - lists.start, "lead": np.zeros(len(lists), np.int64)}
        return replace(lists, costs={name: ({**usual, **lists.costs})[name] for name in sorted(names)})

    return fill(one), fill(other)


def pair_of(first: Joined, second: Joined, ahead: BoolArray) -> tuple[ListPair, tuple[str, ...]]:
    """The better and the worse lists of two runs, and the names of documents; `ahead` marks topics."""
    judgments = first.judgments
    codes = dict(judgments.document_codes)
    lists = _alike(lists_of(first, codes), lists_of(second, codes))
    spans = judgments.spans
    pairs = judgments.pair_topic[spans.group] * len(codes) + judgments.pair_document[spans.group]
    groups = [each.topic * len(codes) + each.document for each in lists]
    _, number = np.unique(np.concatenate((*groups, pairs)), return_inverse=True)
    *own, relevant = np.split(number, np.cumsum([len(each) for each in groups]))
    one, two = (replace(each, group=group) for each, group in zip(lists, own, strict=True))
    better = _joined(one.take(np.flatnonzero(ahead[one.topic])), two.take(np.flatnonzero(~ahead[two.topic])))
    worse = _joined(two.take(np.flatnonzero(ahead[two.topic])), one.take(np.flatnonzero(~ahead[one.topic])))
    return ListPair(better, worse, KeyedSpans.union(relevant, spans.start, spans.end)), tuple(codes)


def _joined(one: RankedLists, two: RankedLists) -> RankedLists:
    """Lists of different topics as one, by topic."""
    both = one.followed_by(two)
    return both.take(np.argsort(both.topic, kind="stable"))


def counterfactuals_of(
    scoring: Scoring, joined: Sequence[Joined], scores: Sequence[FloatArray], names: Sequence[str]
) -> Counterfactuals:
    """Counterfactuals of two joined runs with their scores by topic."""
    ((name, measure),) = scoring.measures.items()
    if not has_counterfactuals(measure):
        raise ExcerptError(
            f"{name} has no counterfactuals: it does not score lists of text",
            hint="give a measure of text or of documents, such as MAiP or recall@5",
        )
    for one in joined:
        if one.run.kind not in {"spans", "documents"}:
            where = one.run.source or one.run.name
            raise ExcerptError(
                "found no text spans, expected some to change", path=where, hint="give ⟨index⟩"
            )
    first, second = scores
    judgments, counts = scoring.judgments, ~np.isnan(first) & ~np.isnan(second)
    pair, documents = pair_of(joined[0], joined[1], first > second)
    differs = counts & (first != second)
    same = pair.worse.take(np.flatnonzero(~differs[pair.worse.topic]))  # equal topics stay as they are
    runs = {}
    for cause, lists in pair.changed().items():
        made = _joined(lists.take(np.flatnonzero(differs[lists.topic])), same)
        runs[cause] = made.run(cause, judgments.topics, documents)
    changed = np.stack([_scored(scoring, measure, run) for run in runs.values()], axis=1)
    differ = np.flatnonzero(differs)
    high, low = np.maximum(first, second)[differ], np.minimum(first, second)[differ]
    order = np.argsort(low - high, kind="stable")
    topics = tuple(
        _topic(judgments.topics[differ[at]], bool(first[differ[at]] > second[differ[at]]), *scored)
        for at in order.tolist()
        for scored in [(float(high[at]), float(low[at]), changed[differ[at]].tolist())]
    )
    means = [float(np.mean(each[~np.isnan(each)])) if (~np.isnan(each)).any() else None for each in scores]
    equal = int((counts & (first == second)).sum())
    return Counterfactuals(names[0], names[1], name, means[0], means[1], topics, equal, changed=runs)


def has_counterfactuals(measure: Measure) -> bool:
    """Return whether a measure scores lists of text or documents, more being better."""
    return measure.is_share and not measure.needs & _NOT_TEXT


def _topic(name: str, ahead: bool, high: float, low: float, changed: Sequence[float]) -> TopicCauses:
    causes = tuple(
        Cause(cause, score, (score - low) / (high - low))
        for cause, score in zip(CAUSES, changed, strict=True)
    )
    return TopicCauses(name, ahead, high, low, causes)


def _scored(scoring: Scoring, measure: Measure, run: Run) -> FloatArray:
    """Scores of a changed run; characters count once, and an empty list scores 0."""
    interleaved = "regroup" if scoring.policy.interleaved == "error" else scoring.policy.interleaved
    policy = replace(scoring.policy, overlap="first", interleaved=interleaved, only_run_topics=False)
    joined = join(run, scoring.judgments, policy, Notices(), texts=scoring.texts)
    return np.where(joined.results == 0, 0.0, topic_scores(measure, joined))


def counterfactuals(
    judgments: Judged,
    run: Runs,
    other: Runs,
    measure: Measure | str,
    *,
    policy: Policy | None = None,
    notices: Notices | None = None,
    **reading: Unpack[CorpusOptions],
) -> Counterfactuals:
    """Why one of two runs beats the other on each topic: the worse list is changed in one cause, and scored.

    Causes are relevant text that is `missed` or comes `late`, other text `around` relevant text, results
    `before` it without any, and `repeated` text. No corpus is needed. The other arguments are those of
    `evaluate`.

    >>> gold = [("1", "a", 0, 100), ("1", "b", 0, 100)]
    >>> both, one = [("1", "a", 0, 100), ("1", "b", 0, 100)], [("1", "a", 0, 200)]
    >>> (topic,) = counterfactuals(gold, both, one, "MAiP").topics
    >>> [(each.cause, round(each.share, 3)) for each in topic.causes if each.share]
    [('missed', 0.554), ('around', 0.338)]
    """
    if not isinstance(measure, Measure | str) or len(expand([measure])) > 1:
        raise ExcerptError(f"found {short(repr(measure))} as measure, expected one measure or its name")
    with Gathering(notices) as gathered:
        read = Reading.of(**reading)
        scoring = Scoring.of(judgments, measure, policy=policy, reading=read, notices=gathered)
        parts = [scoring.apply(_score, each) for each in (one_run(run), one_run(other, "the other run"))]
        table = scoring.table([part.having(part.value[0]) for part in parts], gathered)
        joined, scores = [part.value[1] for part in parts], [part.value[0][:, 0] for part in parts]
        made = counterfactuals_of(scoring, joined, scores, table.runs)
    return replace(made, aliases=table.aliases, warnings=table.warnings)


def _score(scoring: Scoring, joined: Joined, notices: Notices) -> tuple[FloatArray, Joined]:
    return scoring.scores(joined, notices), joined
