"""A run in groups of topics: each is read, joined and scored by itself, with the result of one piece.

What is counted or compared over a whole run is put together from what each group says. A run in which
something else is to be said, such as an error, is left to the reader of one piece.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError, FormatError
from excerpt.evaluation.matching import warn_of_shift
from excerpt.evaluation.needs import check_needs, check_text
from excerpt.evaluation.reading import AnyRun, Named
from excerpt.files import is_packed, pieces, read_once
from excerpt.formats.reader import arranged
from excerpt.formats.registry import Format, LinesOf, run_format_of, run_formats
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.grouping.line_groups import LineGroup, NeedsAllError, cut, give_back
from excerpt.grouping.name_codes import NameCodes, hashes_of, places
from excerpt.grouping.scattered_lines import are_scattered, gather
from excerpt.model.ids import Sides, last_parts
from excerpt.model.join import join
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.spans import BoolArray, FloatArray, IntArray, KeyedSpans
from excerpt.notices import Faults, Notices

if TYPE_CHECKING:
    from excerpt.evaluation.scoring import Scored, Scoring

#: Topics without results that are scored together, and names that are folded together.
_TOPICS = _NAMES = 1 << 16
#: Warnings of a line, of a topic whose lines are apart, and of a result.
_WIDE, _BLOCKS = "line has more than the six columns", "topic has its results in several blocks"
_EMPTY = "result has length 0"
#: Warnings of which each group counts its own, in the order in which they are given: by the place in a file,
_IN_FILE = (
    "the last line has no line break",
    _WIDE,
    "result has no offsets and no path",
    _BLOCKS,
    "topic where scores contradict",
    "topic is not sorted by rank",
    "topic is not sorted by score",
    _EMPTY,
    "topic is not in the judgments",
    "topic has more results than the limit",
)
#: and by the place of their topic in the judgments.
_IN_JUDGMENTS = (
    "result reaches beyond",
    "result is not in its document",
    "result repeats an earlier result",
)
#: Needs of measures that no group of lines meets.
_ELEMENTS = {"element paths", "graded elements"}


@dataclass
class _Marked(Notices):
    """Warnings with the row of the first case of each."""

    rows: dict[str, int] = field(default_factory=dict)

    def add_marked(self, singular: str, plural: str, mask: BoolArray, *where: Any, **shared: Any) -> None:
        """Count the marked rows, and keep the first."""
        super().add_marked(singular, plural, mask, *where, **shared)
        if mask.any():
            self.rows.setdefault(singular, int(mask.argmax()))


class ResultCounts(NamedTuple):
    """The number of results of each judged topic, and the run without them, for warnings."""

    run: Run
    judgments: Judgments
    policy: Policy
    results: IntArray


class GroupScores(NamedTuple):
    """What one group gives."""

    #: Topics in the order of the file: their codes in the judgments (-1 without), the names of these, and the
    #: first line of each topic.
    codes: IntArray
    strange: list[str]
    lines: IntArray
    #: Codes of the judged topics, ascending; their results, scores, amounts and second opinion.
    topics: IntArray
    results: IntArray
    values: FloatArray
    amounts: Mapping[str, IntArray]
    beside: FloatArray | None
    #: The run without its results.
    run: Run
    notices: Notices
    #: The first case of warnings: its topic if they go by the judgments, else its line or that of its topic.
    first: Mapping[str, int]
    #: Whether some results have text, have a place, are of judged documents.
    facts: tuple[bool, bool, bool] = (False, False, False)


class _ScatteredError(NeedsAllError):
    """The lines of a topic are in several groups."""


class Damage(NamedTuple):
    """A line of a group is damaged."""

    error: FormatError


@dataclass(frozen=True)
class GroupScoring:
    """How the groups of one file are scored; a worker gets it once."""

    scoring: Scoring
    name: str
    format: str
    keys: tuple[str, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupScoring, (self.scoring, self.name, self.format, self.keys)  # hashes do not travel

    @cached_property
    def _chosen(self) -> Format[Run]:
        return run_formats("records" if self.keys else "columns")[self.format]

    @cached_property
    def _first_pair(self) -> IntArray:
        """First judged pair of each topic, and their number."""
        judgments = self.scoring.judgments
        return np.searchsorted(judgments.pair_topic, np.arange(len(judgments.topics) + 1))

    @cached_property
    def _first_span(self) -> IntArray:
        return np.searchsorted(self.scoring.judgments.spans.group, self._first_pair)

    @cached_property
    def _topics(self) -> NameCodes:
        return NameCodes(self.scoring.judgments.topics)

    @cached_property
    def _documents(self) -> NameCodes:
        return NameCodes(self.scoring.judgments.documents)

    @cached_property
    def _judged_parts(self) -> IntArray:
        """Hashes of the folded judged ids without folders: few others resemble one of them."""
        names = self.scoring.judgments.documents
        blocks = (names[begin : begin + _NAMES] for begin in range(0, len(names), _NAMES))
        return np.sort(np.concatenate([hashes_of(last_parts(block)) for block in blocks]))

    def judgments_of(self, topics: IntArray, named: Sequence[str]) -> Judgments:
        """Return the judgments of some topics, which ascend; they find the `named` documents."""
        whole = self.scoring.judgments
        pairs, number = _ranges(self._first_pair, topics)
        rows, _ = _ranges(self._first_span, topics)
        spans, first = whole.spans, np.cumsum(number) - number
        moved = np.repeat(first - self._first_pair[topics], np.diff(self._first_span)[topics])
        codes = self._documents.of(named)
        known = compress(named, (codes >= 0).tolist()), codes[codes >= 0].tolist()
        part = replace(
            whole,
            topics=tuple([whole.topics[code] for code in topics.tolist()]),
            pair_topic=np.repeat(np.arange(len(topics)), number),
            pair_document=whole.pair_document[pairs],
            pair_size=whole.pair_size[pairs],
            pair_entry=whole.pair_entry[pairs],
            grades=None if whole.grades is None else whole.grades[pairs],
            spans=KeyedSpans(spans.group[rows] + moved, spans.start[rows], spans.end[rows]),
            quoted=(),
            rows=(),
        )
        found = dict(zip(*known, strict=True))
        part.__dict__.update(document_codes=found, document_sizes=whole.document_sizes)
        return part

    def score(self, group: LineGroup) -> GroupScores | Damage:
        """Read, join and score a group; raise `NeedsAllError` for what only the whole run decides."""
        try:
            return self._score(group)
        except NeedsAllError:
            raise
        except ExcerptError as error:
            raise NeedsAllError(error.message, path=self.name) from None

    def _score(self, group: LineGroup) -> GroupScores | Damage:
        scoring, notices = self.scoring, _Marked()
        source = Source(self.name, group.read(), None, notices, Faults(self.name))
        source = replace(source, before=group.before, gathered=group.gathered)
        try:
            run = self._read(source)
        except FormatError as error:
            if self.keys:
                raise
            return Damage(error)
        run = arranged(run, source, self._chosen, scoring.reading.order)
        judgments, lengths = scoring.judgments, "spans" in scoring.needs
        codes = self._topics.of(run.topics)
        strange = list(compress(run.topics, (codes < 0).tolist()))
        unsized = lengths and run.kind == "documents" and judgments.scale != "documents"
        if unsized or run.fingerprints or run.kind == "elements" or (strange and judgments.questions):
            raise NeedsAllError("these results are judged together", path=self.name)
        topics = np.sort(codes[codes >= 0])
        if bool((topics[1:] == topics[:-1]).any()):
            raise NeedsAllError("a topic has two names", path=self.name)
        lines = np.full(len(run.topics), np.iinfo(np.int64).max)
        np.minimum.at(lines, run.topic_code, run.line)
        found = self._scored(run, topics, notices, lengths=lengths)
        first = dict(found.first)
        for kind, row in notices.rows.items():
            if kind.startswith(_WIDE):
                first[kind] = int(np.sort(run.line)[row])
            elif kind.startswith(_IN_FILE):
                first[kind] = int(lines[run.topic_code[row] if kind.startswith(_EMPTY) else row])
        return found._replace(
            codes=codes,
            strange=strange,
            lines=lines,
            first=first,
            facts=(not run.is_empty.all(), bool(run.known.any()), *found.facts[2:]),
        )

    def _read(self, source: Source) -> Run:
        if (source.form == "json") != bool(self.keys) or source.form not in {"columns", "json"}:
            raise NeedsAllError("the lines have another form", path=self.name)
        if not self.keys:
            return self._chosen.read(source)
        from excerpt.formats.runs.jsonl import run_of

        table = source.table("result")
        if tuple(table.keys) != self.keys:
            raise NeedsAllError("the rows have other keys", path=self.name)
        return run_of(source, table)

    def _check_documents(self, run: Run, codes: IntArray) -> None:
        """Raise if the id of a document that was not judged resembles a judged id."""
        others = list(compress(run.documents, (codes < 0).tolist()))
        if not others or self.scoring.reading.ids is not None:
            return
        hashes, known = hashes_of(last_parts(others)), self._judged_parts
        place = places(known, hashes).clip(max=len(known) - 1)
        near = list(compress(others, (known[place] == hashes).tolist()))
        if near and Sides.of(near, self.scoring.judgments.document_codes).resembling:
            raise NeedsAllError("ids resemble judged ones", path=self.name)

    def _scored(self, run: Run, topics: IntArray, notices: _Marked, *, lengths: bool) -> GroupScores:
        """Score a run on some judged topics."""
        from excerpt.evaluation.scoring import warn_repeated_results

        judgments = self.judgments_of(topics, run.documents)
        joined = join(run, judgments, self.scoring.policy, notices, lengths=lengths)
        warn_repeated_results(joined, notices)
        self._check_documents(run, joined.placed.documents)
        rows = {kind: row for kind, row in notices.rows.items() if kind.startswith(_IN_JUDGMENTS)}
        nothing, plain = np.zeros(0, np.int64), Notices()
        plain.extend(notices)
        return GroupScores(
            nothing,
            [],
            nothing,
            topics,
            joined.results,
            self.scoring.values(joined),
            self.scoring.amounts(joined),
            self.scoring.second(joined),
            replace(run.take(nothing), topics=(), documents=()),
            plain,
            {kind: int(topics[joined.topic[row]]) for kind, row in rows.items()},
            (False, False, bool((joined.placed.documents >= 0).any())),
        )

    def scored(self, lines: LinesOf, engine: Engine, *, scattered: bool) -> Scored[FloatArray] | Damage:
        """Score the run in the file, or return its first damaged line."""
        shared = engine.workers > 1 or engine.cluster is not None
        if engine.workers > 1:  # for all workers, which inherit it
            judgments = self.scoring.judgments
            _ = self._topics, self._documents, judgments.document_sizes, self._judged_parts
            _ = self._first_pair, self._first_span, self.scoring.beside
        if scattered:
            groups = gather(self.name, lines)
        else:
            keep = not shared or is_packed(self.name)
            groups = cut(self.name, lines.topic_of, keep=keep, workers=engine.workers)
        whole, damages = _Whole(self), list[Damage]()
        with engine.map(Call(GroupScoring.score, self, inherit=True), groups) as results:
            for result in results:
                if not isinstance(result, Damage):
                    whole.add(result, scattered=scattered)
                    continue
                damages.append(result)
                for _ in () if scattered else groups:  # an error of the text would come first
                    pass
                if not scattered:
                    break
        if damages:
            return min(damages, key=lambda damage: damage.error.line or 0)
        give_back()
        rest = np.flatnonzero(~whole.seen)
        for begin in range(0, len(rest), _TOPICS):
            whole.fill(self._scored(whole.run, rest[begin : begin + _TOPICS], _Marked(), lengths=True))
        answered, notices = whole.answered(), whole.notices()
        self.scoring.warn(answered, whole.values, notices)
        return self.scoring.scored(answered, whole.values, notices, whole.amounts, whole.beside)


class _Whole:
    """What the groups of a run give together."""

    def __init__(self, groups: GroupScoring) -> None:
        self._groups, self._scoring = groups, groups.scoring
        topics = len(self._scoring.judgments.topics)
        self.seen, self._results = np.zeros(topics, np.bool_), np.zeros(topics, np.int64)
        self.values = np.empty((topics, len(self._scoring.measures)))
        self.amounts: dict[str, IntArray] = {}
        self.beside: FloatArray | None = None
        self._strange: dict[str, None] = {}
        self._names: list[str] = []
        self._lines: list[IntArray] = []
        self._cases: dict[str, tuple[int, int, Any]] = {}
        self._facts = np.zeros(3, np.bool_)
        self.run: Run

    def _raise(self) -> None:
        raise NeedsAllError("the run is judged as a whole", path=self._groups.name)

    def add(self, part: GroupScores, *, scattered: bool) -> None:
        """Add a group; raise if a topic was in an earlier one, or if it has warnings of the whole run."""
        judgments = self._scoring.judgments
        if not self._lines:
            self.run = part.run
        if (self.run.name, self.run.kind) != (part.run.name, part.run.kind):
            self._raise()
        again = self.seen[part.topics].any() or not self._strange.keys().isdisjoint(part.strange)
        if again or (not scattered and any(kind.startswith(_BLOCKS) for kind, _ in part.notices.cases())):
            raise _ScatteredError("a topic is in several groups", path=self._groups.name)
        self.seen[part.topics] = True
        self.fill(part)
        names = iter(part.strange)
        codes = part.codes.tolist()
        self._names += [judgments.topics[code] if code >= 0 else next(names) for code in codes]
        self._strange |= dict.fromkeys(part.strange)
        self._lines.append(part.lines)
        self._facts |= part.facts
        for singular, notice in part.notices.cases():
            if not singular.startswith(_IN_FILE + _IN_JUDGMENTS):
                self._raise()
            place = part.first.get(singular, 0)
            times, first, kept = self._cases.get(singular, (0, place, notice))
            self._cases[singular] = times + notice.times, min(first, place), notice if place < first else kept

    def fill(self, part: GroupScores) -> None:
        """Keep the scores of some topics."""
        topics, count_ = part.topics, len(self.seen)
        self._results[topics], self.values[topics] = part.results, part.values
        for name, amounts in part.amounts.items():
            self.amounts.setdefault(name, np.zeros((2, count_), np.int64))[:, topics] = amounts
        if part.beside is not None:
            if self.beside is None:
                self.beside = np.full((count_, part.beside.shape[1]), np.nan)
            self.beside[topics] = part.beside

    def answered(self) -> ResultCounts:
        """Return the results by topic; raise if the run is odd in a way that concerns all of it."""
        scoring = self._scoring
        by_line = np.argsort(np.concatenate(self._lines), kind="stable").tolist()
        self._names = list(map(self._names.__getitem__, by_line))
        measures, chosen = scoring.measures.items(), bool(scoring.reading.choice)
        try:
            check_needs(self.run, scoring.judgments, measures)
            check_text(self.run, scoring.judgments, measures, chosen=chosen)
        except ExcerptError:
            self._raise()
        if not (self.seen.any() and self._facts.all()):
            self._raise()
        unsure = self._strange and scoring.reading.ids is None
        if unsure and Sides.of(self._names, scoring.judgments.topic_codes).resembling:
            self._raise()
        return ResultCounts(self.run, scoring.judgments, scoring.policy, self._results)

    def notices(self) -> Notices:
        """Warnings in the order of one piece."""
        made = Notices()
        for prefix in _IN_FILE + _IN_JUDGMENTS:
            unsure = self._strange and self._scoring.reading.ids is None
            if prefix == "topic is not in the judgments" and unsure:
                run = replace(self.run, topics=tuple(self._names))
                warn_of_shift(run, self._scoring.judgments, made)
            for singular, (times, _, notice) in self._cases.items():
                if not singular.startswith(prefix):
                    continue
                made.add(singular, notice.plural, times, where=notice.where, shared=notice.shared)
        return made


def _ranges(first: IntArray, chosen: IntArray) -> tuple[IntArray | slice, IntArray]:
    """Return the rows of some of the ranges between bounds, and their numbers."""
    number = np.diff(first)[chosen]
    if len(chosen) and chosen[-1] - chosen[0] + 1 == len(chosen):
        return slice(int(first[chosen[0]]), int(first[chosen[-1] + 1])), number
    return np.repeat(first[chosen] - (np.cumsum(number) - number), number) + np.arange(number.sum()), number


def in_groups(scoring: Scoring, run: AnyRun) -> bool:
    """Return whether the settings, the judgments and the form of a file let its topics be scored apart."""
    path, judgments, reading = _path(run), scoring.judgments, scoring.reading
    together = (
        *(reading.corpus, reading.index, reading.passage_ids, reading.wanted, reading.tokens),
        *(judgments.elements, judgments.inclusion),
    )
    return (
        all(one is None for one in together)
        and reading.ids in {None, "exact"}
        and not (reading.choice or judgments.alternatives or _ELEMENTS & scoring.needs)
        and all(type(one).__module__.startswith("excerpt.") for one in scoring.measures.values())
        and not (read_once(path) or os.path.exists(f"{path}.about.json"))  # noqa: PTH110
        and _lines_of(scoring, path) is not None
    )


def score_in_groups(scoring: Scoring, run: AnyRun, engine: Engine) -> Scored[FloatArray] | None:
    """Score a run in groups; None if it is to be read in one piece."""
    path = _path(run)
    try:
        found_lines = _lines_of(scoring, path)
        if found_lines is None:  # the file has changed
            return None
        name, lines, scattered = found_lines
        groups = GroupScoring(scoring, path, name, lines.keys)
        try:
            found = groups.scored(lines, engine, scattered=scattered)
        except _ScatteredError:
            found = groups.scored(lines, engine, scattered=True)
    except NeedsAllError:
        return None
    if isinstance(found, Damage):
        raise found.error
    return found._replace(name=run.name) if isinstance(run, Named) and run.name is not None else found


def _path(run: AnyRun) -> str:
    given: Any = run.given if isinstance(run, Named) else run
    return str(os.fspath(given))


def _lines_of(scoring: Scoring, path: str) -> tuple[str, LinesOf, bool] | None:
    """Return the format of a file, how its lines belong to topics, and whether its head shows scattered ones.

    None if some of this is unknown.
    """
    try:
        source = Source(path, _head(path), None, Notices(), Faults(path))
        chosen = run_format_of(source, scoring.reading.run_format)
        lines = chosen.lines_of(source)
        return None if lines is None else (chosen.name, lines, are_scattered(lines, source))
    except (ExcerptError, OSError):
        return None


def _head(path: str) -> bytes:
    """Return whole lines from the beginning of a file, enough for the detection of its format."""
    head = b""
    for piece in pieces(path, 2 * HEAD_BYTES):
        head += piece
        if len(head) >= 2 * HEAD_BYTES:
            return head[: head.rfind(b"\n") + 1]
    return head
