"""Events of assessors: parsing, validation, and the states that result."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from excerpt.assess.folder import InvalidEvent
from excerpt.errors import plural, short

if TYPE_CHECKING:
    from excerpt.assess.rules import Rules

#: Quotes with more characters than this are stored as hashes.
LONGEST_QUOTE = 1_000
LONGEST_NOTE = 10_000
_LONGEST_NAME = 100
_DAY = 86_400
_LONGEST_PATH = 10_000
_HASH = "sha256:"


@dataclass(frozen=True)
class Event:
    """An action of an assessor on a version (`base`) of a document: its kind and its fields (`body`)."""

    id: str
    topic: str
    document: str
    base: int
    kind: str
    body: Mapping[str, Any] = field(default_factory=dict)


def _text(most: int, *, least: int = 0) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return isinstance(value, str) and least <= len(value) <= most and is_text(value)

    return fits


def seconds_in(body: Mapping[str, Any]) -> float:
    """Return the reported working time in seconds."""
    seconds = body.get("seconds", 0)
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= _DAY:
        raise InvalidEvent(f"found {short(repr(seconds))} seconds, expected 0 to {_DAY}")
    return float(seconds)


def is_text(value: str) -> bool:
    """Return True if a string has no lone surrogates, which cannot be stored."""
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_grade(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    plain = all(part is None or _is_number(part) or _text(_LONGEST_NAME)(part) for part in parts)
    return plain and len(parts) <= 2


_POSITION = (_is_number, "a whole number of characters")
_FLAG = (lambda value: isinstance(value, bool), "true or false")
#: Fields with the test of their values and the expected value in words.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "start": _POSITION,
    "end": _POSITION,
    "quote": (_text(2**31), "the text of the span"),
    "relevant": _FLAG,
    "suggestion": (_is_number, "the number of a suggestion"),
    "path": (_text(_LONGEST_PATH, least=1), "the path of an element"),
    "grade": (_is_grade, "a grade"),
    "rest": _FLAG,
    "sure": _FLAG,
    "label": (lambda value: value is None or _text(_LONGEST_NAME, least=1)(value), "a label"),
    "note": (_text(LONGEST_NOTE), f"text of at most {LONGEST_NOTE} characters"),
    "made": (_text(_LONGEST_NAME), "the time on the client's clock"),
}
_SPAN = ("start", "end", "quote")
#: Kinds of events with their required and their optional fields.
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "highlight": (_SPAN, ("suggestion", "label", "note")),
    "unhighlight": (_SPAN, ()),
    "decide": (("start", "end", "relevant"), ("quote",)),
    "bep": (("start",), ("end", "quote")),
    "no-bep": ((), ()),
    "grade": (("path",), ("grade", "rest", "sure")),
    "label": ((*_SPAN, "label"), ("note",)),
    "close-phase": ((), ()),
    "reopen-phase": ((), ()),
    "note": (("note",), ()),
    "reject": (("suggestion",), ()),
    "done": ((), ()),
    "reopen": ((), ()),
    "undo": ((), ()),
    "redo": ((), ()),
}
#: Kinds of events that end a phase, with True if highlighting is closed then.
PHASES = {"close-phase": True, "reopen-phase": False}
_COMMON = {
    "id": (_text(_LONGEST_NAME, least=1), f"text of 1 to {_LONGEST_NAME} characters"),
    "topic": (_text(2**31), "the id of a topic"),
    "document": (_text(2**31), "the id of a document"),
    # Any whole number but the current version is stale.
    "base": (lambda value: type(value) is int, "the version that the event is based on"),
    "kind": (_text(_LONGEST_NAME), "the kind of an event"),
}

#: Fields that may be dropped without changing the meaning of an event: positions that its kind does not
#: need, and data on the client.
_IGNORED = frozenset({*_SPAN, "at", "client", "made"})


def parse_event(sent: object) -> Event:
    """Parse an event as sent by a client; a field that its kind does not have is an error unless empty.

    >>> parse_event({"id": "1", "topic": "7", "document": "a", "base": 0, "kind": "bep", "start": 5}).body
    {'start': 5}
    """
    if not isinstance(sent, Mapping):
        raise InvalidEvent(f"found {short(repr(sent))}, expected an event")
    head = {name: _value(sent, name, *check) for name, check in _COMMON.items()}
    if head["kind"] not in KINDS:
        raise InvalidEvent(f"found the kind {short(head['kind'])!r}, expected one of {', '.join(KINDS)}")
    required, optional = KINDS[head["kind"]]
    for name in sent.keys() - {*_COMMON, *required, *optional, *_IGNORED}:
        if sent[name] not in (None, ""):
            raise InvalidEvent(f"events of kind {head['kind']} have no field {short(str(name))!r}")
    given = [name for name in (*optional, "made") if name in sent]
    present = [name for name in given if sent[name] is not None or name == "grade"]
    body = {name: _value(sent, name, *_FIELDS[name]) for name in (*required, *present)}
    return Event(**head, body=body)


def _value(sent: Mapping[str, Any], name: str, fits: Callable[[Any], bool], expected: str) -> Any:
    if name not in sent:
        raise InvalidEvent(f"{name} is missing, expected {expected}")
    if not fits(sent[name]):
        raise InvalidEvent(f"found {short(repr(sent[name]))} as {name}, expected {expected}")
    return sent[name]


def check_text(event: Event, text: str) -> Event:
    """Verify the quote of an event against the text; return the event with a long quote as its hash."""
    if event.kind == "bep":
        return _check_entry(event, text)
    if "start" not in event.body:
        return event
    start, end = event.body["start"], event.body["end"]
    if not start < end <= len(text):
        expected = f"expected start < end <= {len(text)}, the length of the text"
        raise InvalidEvent(f"found the span [{start}, {end}), {expected}")
    return _check_quote(event, text[start:end]) if "quote" in event.body else event


def _check_entry(event: Event, text: str) -> Event:
    start, end = event.body["start"], event.body.get("end")
    if not start < len(text):
        message = f"found position {start}, expected a position before {len(text)}, the end of the text"
        raise InvalidEvent(message)
    if end is not None and not start <= end <= len(text):
        raise InvalidEvent(f"found end {end}, expected {start} to {len(text)}")
    if "quote" not in event.body:
        return event
    return _check_quote(event, text[start : start + len(event.body["quote"]) if end is None else end])


def _check_quote(event: Event, text: str) -> Event:
    quote = event.body["quote"]
    if len(text) <= LONGEST_QUOTE:
        if quote != text:
            message = f"found the quote {short(quote)!r}, expected {short(text)!r}, the text of the span"
            raise InvalidEvent(message)
        return event
    digest = hashlib.sha256(text.encode()).hexdigest()
    if quote != text and quote.removeprefix(_HASH).lower() != digest:
        expected = f"expected the {plural(len(text), 'character')} of the span, or their SHA-256"
        raise InvalidEvent(f"found the quote {short(quote)!r}, {expected}")
    return replace(event, body={**event.body, "quote": _HASH + digest})


class Spans:
    """A set of characters, stored as few half-open spans as possible.

    >>> spans = Spans([(0, 5), (10, 20)])
    >>> spans.add(5, 8); spans.remove(12, 14)
    >>> list(spans), spans.covers(0, 8), spans.meets(8, 10)
    ([(0, 8), (10, 12), (14, 20)], True, False)
    """

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            self.add(start, end)

    def copy(self) -> Spans:
        other = Spans()
        other._starts, other._ends = self._starts[:], self._ends[:]
        return other

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._starts, self._ends, strict=True)

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, start: int, end: int) -> None:
        """Add a span; spans that it touches are merged with it."""
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def remove(self, start: int, end: int) -> None:
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        if first >= last:
            return
        left, right = self._starts[first], self._ends[last - 1]
        kept = [(left, start)] if left < start else []
        kept += [(end, right)] if end < right else []
        self._starts[first:last] = [span[0] for span in kept]
        self._ends[first:last] = [span[1] for span in kept]

    def put_missing(self, start: int, end: int, others: Spans) -> None:
        """Add those characters of a span that are not in `others`.

        >>> spans = Spans()
        >>> spans.put_missing(0, 10, Spans([(2, 4), (8, 20)])); list(spans)
        [(0, 2), (4, 8)]
        """
        first, last = bisect_right(others._ends, start), bisect_left(others._starts, end)
        for left, right in zip(others._starts[first:last], others._ends[first:last], strict=True):
            if start < left:
                self.add(start, left)
            start = right
        if start < end:
            self.add(start, end)

    def meets(self, start: int, end: int) -> bool:
        """Return True if any character of the span is in the set."""
        first = bisect_right(self._ends, start)
        return start < end and first < len(self._starts) and self._starts[first] < end

    def covers(self, start: int, end: int) -> bool:
        """Return True if all characters of the span are in the set."""
        first = bisect_right(self._ends, start)
        return first < len(self._starts) and self._starts[first] <= start and end <= self._ends[first]


def depths(sets: Iterable[Iterable[tuple[int, int]]]) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of a text between the borders of spans, with the number of sets that have each.

    >>> list(depths([[(0, 4)], [(2, 6)]]))
    [(0, 2, 1), (2, 4, 2), (4, 6, 1)]
    """
    steps: Counter[int] = Counter()
    for start, end in chain.from_iterable(sets):
        steps[start] += 1
        steps[end] -= 1
    depth = 0
    for start, end in pairwise(sorted(steps)):
        depth += steps[start]
        yield start, end, depth


def length_of(spans: Iterable[tuple[int, int]]) -> int:
    """Return the number of characters of disjoint spans."""
    return sum(end - start for start, end in spans)


#: The version at which each assessor judged a document: what an adjudicator decides on.
Basis = Mapping[str, int]


@dataclass
class WorkingDecision:
    """What an adjudicator has decided and has still to decide."""

    basis: Basis
    #: Text that only some of the assessors highlighted, and that is not decided.
    undecided: Spans
    #: Text decided to be relevant, and not to be.
    kept: Spans = field(default_factory=Spans)
    refused: Spans = field(default_factory=Spans)

    def copy(self) -> WorkingDecision:
        spans = (self.undecided.copy(), self.kept.copy(), self.refused.copy())
        return WorkingDecision(self.basis, *spans)

    def decide(self, start: int, end: int, *, relevant: bool) -> None:
        into, out = (self.kept, self.refused) if relevant else (self.refused, self.kept)
        into.add(start, end)
        out.remove(start, end)
        self.undecided.remove(start, end)

    @property
    def decided(self) -> list[tuple[int, int, bool]]:
        """The decided spans in the order of the text, with True for relevant ones."""
        return sorted([(*span, True) for span in self.kept] + [(*span, False) for span in self.refused])


def digest_of(basis: Basis) -> str:
    """Return a short name of judgments to decide on, without the names of assessors."""
    text = repr(sorted(basis.items())).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]


#: A grade: a number, `?`, or two of them.
RawGrade = Any
#: A labelled span: start, end, label, note.
Labelled = tuple[int, int, str, str]


@dataclass
class WorkingState:
    """Highlights, entry point, grades and labels of a document while events are applied one by one."""

    highlights: Spans = field(default_factory=Spans)
    #: Text of confirmed suggestions, and the part of it that was not highlighted before.
    confirmed: Spans = field(default_factory=Spans)
    added: Spans = field(default_factory=Spans)
    bep: int | None = None
    grades: dict[str, RawGrade] = field(default_factory=dict)
    labels: list[Labelled] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)
    note: str = ""
    done: bool = False
    #: True if highlighting is closed, in procedures with phases.
    closed: bool = False
    #: Elements whose grades the last event removed, since they have no highlighted text any more.
    withdrawn: list[str] = field(default_factory=list)
    #: The part that only adjudicators have.
    decision: WorkingDecision | None = None

    def copy(self) -> WorkingState:
        spans = (self.highlights.copy(), self.confirmed.copy(), self.added.copy())
        lists = (self.labels[:], self.rejected[:])
        work = WorkingState(*spans, self.bep, dict(self.grades), *lists, self.note, self.done, self.closed)
        work.decision = None if self.decision is None else self.decision.copy()
        return work

    def change(self, event: Event, rules: Rules) -> None:
        """Apply an event, which has been validated before."""
        self.withdrawn = []
        if event.kind not in {"note", "reject"}:  # these do not change a judgment
            self.done = event.kind == "done" and self._is_current(event)
        if event.kind in PHASES:
            self.closed = PHASES[event.kind]
        if change := getattr(self, f"_{event.kind.removeprefix('no-')}", None):  # a method below
            change(event.body, rules)

    def _is_current(self, event: Event) -> bool:
        """Return True unless an adjudicator finished with judgments that have been changed since."""
        return self.decision is None or event.body.get("basis") == self.decision.basis

    def _decide(self, body: Any, rules: Rules) -> None:
        start, end = body["start"], body["end"]
        if body["relevant"]:
            self.highlights.add(start, end)
        else:
            self._unhighlight(body, rules)
        if self.decision is not None:
            self.decision.decide(start, end, relevant=body["relevant"])

    def _highlight(self, body: Any, rules: Rules) -> None:
        if "suggestion" in body:
            self._confirm(body, rules)
        self.highlights.add(body["start"], body["end"])
        if "label" in body:
            self._label(body, rules)

    def _confirm(self, body: Any, rules: Rules) -> None:
        start, end = rules.suggestions[body["suggestion"]]
        start, end = max(start, body["start"]), min(end, body["end"])
        self.confirmed.add(start, end)
        self.added.put_missing(start, end, self.highlights)
        self.rejected = [number for number in self.rejected if number != body["suggestion"]]

    def _unhighlight(self, body: Any, rules: Rules) -> None:
        start, end = body["start"], body["end"]
        self.highlights.remove(start, end)
        self.confirmed.remove(start, end)
        self.added.remove(start, end)
        _cut(self.labels, start, end)
        self.withdrawn = rules.grades_lost(self, start, end)
        for path in self.withdrawn:
            del self.grades[path]

    def _bep(self, body: Any, _rules: Rules) -> None:
        self.bep = body.get("start")

    def _grade(self, body: Any, rules: Rules) -> None:
        for path, grade in rules.grades_given(self, body):
            if grade is None:
                self.grades.pop(path, None)
            else:
                self.grades[path] = grade

    def _label(self, body: Any, _rules: Rules) -> None:
        start, end = body["start"], body["end"]
        _cut(self.labels, start, end)
        if body["label"] is not None:
            _put(self.labels, (start, end, body["label"], body.get("note", "")))

    def _note(self, body: Any, _rules: Rules) -> None:
        self.note = body["note"]

    def _reject(self, body: Any, _rules: Rules) -> None:
        self.rejected = sorted({*self.rejected, body["suggestion"]})


def _cut(labels: list[Labelled], start: int, end: int) -> None:
    """Remove a span from labelled spans, which are sorted and disjoint."""
    first = bisect_left(labels, (start,))
    first -= first > 0 and labels[first - 1][1] > start
    last = bisect_left(labels, (end,))
    kept = [(left, min(right, start), *rest) for left, right, *rest in labels[first:last] if left < start]
    kept += [(max(left, end), right, *rest) for left, right, *rest in labels[first:last] if right > end]
    labels[first:last] = kept  # type: ignore[assignment] # the rest is label and note


def _put(labels: list[Labelled], new: Labelled) -> None:
    """Add a labelled span where there is none; adjacent spans with the same label and note are merged."""
    start, end, *rest = new
    index = bisect_left(labels, new)
    first = index - (index > 0 and labels[index - 1][1] == start and [*labels[index - 1][2:]] == rest)
    last = index + (index < len(labels) and labels[index][0] == end and [*labels[index][2:]] == rest)
    touched = labels[first:last]
    joined = min([start, *(span[0] for span in touched)]), max([end, *(span[1] for span in touched)])
    labels[first:last] = [(*joined, *new[2:])]


#: Fields that only some procedures have, or only adjudicators.
_SOME = frozenset({"closed", "basis", "decided", "undecided"})
#: Fields of a state that are lists of spans.
_SPAN_FIELDS = ("highlights", "labels", "confirmed", "added")


@dataclass(frozen=True)
class State:
    """The judgment of a document by an assessor, at one version."""

    version: int = 0
    highlights: Sequence[tuple[int, int]] = ()
    bep: int | None = None
    grades: dict[str, RawGrade] = field(default_factory=dict)
    done: bool = False
    labels: Sequence[Labelled] = ()
    note: str = ""
    withdrawn: Sequence[str] = ()
    #: Elements whose grades are missing, in the order of the document.
    owed: Sequence[str] = ()
    #: Grades that follow from the given grades.
    inferred: dict[str, RawGrade] = field(default_factory=dict)
    #: How many events can be undone, and redone.
    undo: int = 0
    redo: int = 0
    #: Text of confirmed suggestions, the part of it that was not highlighted before, rejected suggestions.
    confirmed: Sequence[tuple[int, int]] = ()
    added: Sequence[tuple[int, int]] = ()
    rejected: Sequence[int] = ()
    #: Reasons why the document cannot be finished; none if it can.
    problems: Sequence[str] = ()
    #: True if highlighting is closed; None if the procedure has no phases.
    closed: bool | None = None
    #: Of adjudicators: the name of the judgments decided on, decided spans with True for relevant ones, text
    #: that is to be decided; None for assessors.
    basis: str | None = None
    decided: Sequence[tuple[int, int, bool]] | None = None
    undecided: Sequence[tuple[int, int]] | None = None

    @property
    def relevant(self) -> bool:
        """True if text is highlighted or an element is graded as relevant."""
        return bool(self.highlights) or any(map(is_relevant, self.grades.values()))

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain data, with lists instead of tuples."""
        plain = {name: [list(span) for span in getattr(self, name)] for name in _SPAN_FIELDS}
        plain |= {name: list(getattr(self, name)) for name in ("withdrawn", "owed", "rejected", "problems")}
        data = vars(self) | {"grades": dict(self.grades), "inferred": dict(self.inferred)} | plain
        plain = {name: [list(one) for one in data[name]] for name in ("decided", "undecided") if data[name]}
        return {
            name: value for name, value in (data | plain).items() if name not in _SOME or value is not None
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> State:
        data = {"added": data["confirmed"], **data}  # states of early versions lack `added`
        return cls(**data | {name: [tuple(span) for span in data[name]] for name in _SPAN_FIELDS})


def is_relevant(grade: RawGrade) -> bool:
    """Return True if a grade means relevant; `?` (too small) does.

    >>> is_relevant(0), is_relevant("?"), is_relevant((2, "L")), is_relevant([0, 0])
    (False, True, True, False)
    """
    return bool((grade[0] if isinstance(grade, list | tuple) else grade) != 0)


class History:
    """The events of one assessor on one document, with undo and redo, and the resulting state."""

    __slots__ = ("_done", "_rules", "_undone", "basis", "finished_once", "version", "work")

    def __init__(self, rules: Rules, basis: Basis | None = None) -> None:
        self._rules = rules
        #: What an adjudicator decided on at the last event; None for assessors.
        self.basis = basis
        self._done: list[Event] = []
        self._undone: list[Event] = []
        #: The current marks; read-only.
        self.work = rules.opening(basis)
        self.version = 0
        #: True if the document was ever finished, even if that was undone.
        self.finished_once = False

    @classmethod
    def of(cls, events: Iterable[Event], rules: Rules) -> History:
        """Return the history of events that were accepted before."""
        history = cls(rules)
        last = ""
        for event in events:
            _move(event, history._done, history._undone)
            history.version += 1
            history.finished_once |= event.kind == "done"
            last = event.kind
            history.basis = event.body.get("basis")
        history._fold(last)
        return history

    def apply(self, event: Event) -> History:
        """Return the history with one more event; raise an error if the event is invalid."""
        self._rules.check(self, event)
        after = History(self._rules, self.basis)
        after.version = self.version + 1
        after.finished_once = self.finished_once or event.kind == "done"
        after._done, after._undone = [*self._done], [*self._undone]
        _move(event, after._done, after._undone)
        if event.kind in {"undo", "redo"}:
            after._fold(event.kind)
        else:
            after.work = self.work.copy()
            after.work.change(event, self._rules)
        return after

    def rebased(self, basis: Basis) -> History:
        """Return the history of an adjudicator with the judgments that are to be decided on now."""
        if basis == self.basis:
            return self
        after = History(self._rules, basis)
        after.version, after.finished_once = self.version, self.finished_once
        after._done, after._undone = [*self._done], [*self._undone]
        after._fold("")
        return after

    def _fold(self, last: str) -> None:
        self.work = self._rules.opening(self.basis)
        for event in self._done:
            self.work.change(event, self._rules)
        if last == "undo":  # grades removed by an earlier event are not reported again
            self.work.withdrawn = []

    @property
    def state(self) -> State:
        work, rules = self.work, self._rules
        decision = work.decision
        return State(
            version=self.version,
            bep=work.bep,
            grades=rules.sorted(work.grades),
            done=work.done,
            note=work.note,
            owed=rules.missing_grades(work),
            inferred=rules.inferred(work),
            undo=len(self._done),
            redo=len(self._undone),
            problems=rules.problems(work),
            closed=work.closed if rules.procedure.phases else None,
            basis=None if decision is None else digest_of(decision.basis),
            decided=None if decision is None else decision.decided,
            undecided=None if decision is None else list(decision.undecided),
            **{name: list(getattr(work, name)) for name in (*_SPAN_FIELDS, "withdrawn", "rejected")},
        )


def _move(event: Event, done: list[Event], undone: list[Event]) -> None:
    """Move an event between done and undone for undo and redo; append any other and clear the undone."""
    source, target = (done, undone) if event.kind == "undo" else (undone, done)
    if event.kind not in {"undo", "redo"}:
        done.append(event)
        undone.clear()
    elif source:
        target.append(source.pop())
    else:
        raise InvalidEvent(f"there is nothing to {event.kind}")
