"""Opinions of assessors, merged into judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np

from excerpt.assess.events import Spans, State, is_relevant
from excerpt.assess.folder import MergeRequired
from excerpt.errors import UnknownName, plural, short, short_list
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElement, GradedElements
from excerpt.model.judgments import Judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.recorder import Judged


#: How judgments of several assessors become one.
Merge: TypeAlias = Literal["one", "union", "majority", "intersection"]
MERGES: tuple[Merge, ...] = get_args(Merge)
Span: TypeAlias = tuple[int, int]
#: A grade of an element: 0 to 3 or `?`; or two of them, the second also a coverage N, S, L, E.
Grade: TypeAlias = "int | str | tuple[int | str, ...]"
Value = TypeVar("Value")

#: Grades that are no numbers, by what they come to: too small comes before 1, coverage as INEX 2002 meant it.
_ORDER = {"?": TOO_SMALL, **{letter: grade for grade, letter in enumerate(COVERAGE)}}


class Label(NamedTuple):
    """A labelled stretch, and who labelled it."""

    start: int
    end: int
    label: str
    note: str
    assessor: str


class Pair(NamedTuple):
    """A document judged for a topic."""

    topic: str
    document: str


@dataclass(frozen=True)
class Opinion:
    """What one assessor, or several together, said of a document for a topic."""

    pair: Pair
    assessors: tuple[str, ...]
    #: Whether it is finished.
    done: bool = True
    #: Sorted, disjoint, not touching.
    highlights: tuple[Span, ...] = ()
    bep: int | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict)
    #: Grades that follow from those that were given.
    inferred: Mapping[str, Grade] = field(default_factory=dict)
    labels: tuple[Label, ...] = ()
    #: Assessor and note.
    notes: tuple[tuple[str, str], ...] = ()
    #: Highlighted text that a machine suggested and nobody highlighted without it.
    confirmed: tuple[Span, ...] = ()

    @property
    def relevant(self) -> bool:
        """Whether something is highlighted or, where nothing ever is, an element is graded above 0.

        A single grade is of highlighted text: where that is gone, by merging too, it says nothing.
        """
        two = (grade for grade in self.grades.values() if isinstance(grade, tuple))
        return bool(self.highlights) or any(map(is_relevant, two))

    @property
    def human(self) -> tuple[Span, ...]:
        """Highlighted text that somebody marked without a machine's suggestion."""
        return without(self.highlights, self.confirmed)


def merge(opinions: Sequence[Opinion], rule: Merge) -> Opinion:
    """The opinions of several assessors on one pair as one.

    Text is relevant if it is so for any (`union`), all (`intersection`) or more than half of them
    (`majority`). The entry point is the lower median of theirs, moved to the nearest relevant character; a
    grade the lower median of theirs. Who finished a document without two grades of an element that others
    gave found nothing in it, which counts but for `union`; for `intersection` it takes all to find something.
    Labels and notes are all kept; so is the entry point of somebody who is alone.

    >>> a = Opinion(Pair("1", "A"), ("ann",), highlights=((0, 10),), bep=0)
    >>> b = Opinion(Pair("1", "A"), ("bob",), highlights=((5, 20),), bep=7)
    >>> merge([a, b], "union").highlights, merge([a, b], "intersection").highlights
    (((0, 20),), ((5, 10),))
    >>> merge([a, b], "union").bep, merge([a, b], "majority").bep
    (0, 5)
    """
    check_merge(rule)
    if len(opinions) == 1:
        return opinions[0]
    if rule == "one":
        raise ValueError(f"{len(opinions)} opinions of one pair")
    wanted = {"union": 1, "intersection": len(opinions), "majority": len(opinions) // 2 + 1}[rule]
    highlights = covered([opinion.highlights for opinion in opinions], wanted)
    grades, inferred = _merge_grades(opinions, rule)
    by_hand = covered([opinion.human for opinion in opinions], 1)
    return Opinion(
        pair=opinions[0].pair,
        assessors=tuple(name for opinion in opinions for name in opinion.assessors),
        done=all(opinion.done for opinion in opinions),
        highlights=highlights,
        bep=_merge_entries([opinion.bep for opinion in opinions], highlights),
        grades=grades,
        inferred=inferred,
        labels=tuple(sorted(label for opinion in opinions for label in opinion.labels)),
        notes=tuple(note for opinion in opinions for note in opinion.notes),
        confirmed=without(highlights, by_hand),
    )


def check_merge(rule: str) -> None:
    """An error where there is no such rule."""
    if rule not in MERGES:
        raise UnknownName("merge", rule, MERGES)


def covered(sets: Iterable[Sequence[Span]], wanted: int) -> tuple[Span, ...]:
    """The characters that are in at least so many sets, each of disjoint spans, as few spans as possible.

    >>> covered([[(0, 4), (4, 6)], [(3, 9)]], 2)
    ((3, 6),)
    """
    steps: Counter[int] = Counter()
    for spans in sets:
        for start, end in spans:
            steps[start] += 1
            steps[end] -= 1
    found: list[Span] = []
    depth, start = 0, -1
    for place in sorted(steps):
        depth += steps[place]
        if depth >= wanted and start < 0:
            start = place
        elif depth < wanted and start >= 0:
            found.append((start, place))
            start = -1
    return tuple(found)


def without(spans: Sequence[Span], others: Sequence[Span]) -> tuple[Span, ...]:
    """The characters of disjoint spans that are not in others.

    >>> without([(0, 10)], [(2, 4), (9, 12)])
    ((0, 2), (4, 9))
    """
    left = Spans(spans)
    for start, end in others:
        left.remove(start, end)
    return tuple(left)


def _merge_entries(entries: Iterable[int | None], highlights: Sequence[Span]) -> int | None:
    """The lower median of the entry points, moved to the nearest relevant character; of two the first."""
    known = [entry for entry in entries if entry is not None]
    if not known or not highlights:
        return None
    middle = lower_median(known)
    nearest = [min(max(middle, start), end - 1) for start, end in highlights]
    return min(nearest, key=lambda place: (abs(place - middle), place))


def _merge_grades(opinions: Sequence[Opinion], rule: Merge) -> tuple[dict[str, Grade], dict[str, Grade]]:
    """The grade of each element by all of them, and those which nobody gave but follow from others."""
    given: dict[str, list[Grade]] = {}
    asked: set[str] = set()
    for opinion in opinions:
        asked.update(opinion.grades)
        for path, grade in {**opinion.inferred, **opinion.grades}.items():
            given.setdefault(path, []).append(grade)
    merged = {path: _merge_grade(grades, len(opinions), rule) for path, grades in given.items()}
    by_hand = {path: grade for path, grade in merged.items() if path in asked}
    return by_hand, {path: grade for path, grade in merged.items() if path not in asked}


def _merge_grade(grades: Sequence[Grade], assessors: int, rule: Merge) -> Grade:
    """One grade of those that some of the assessors gave.

    >>> _merge_grade([(3, "L"), (2, "E")], 3, "majority"), _merge_grade([(3, "L")], 2, "majority")
    ((2, 'L'), (0, 'N'))
    """
    first = grades[0]
    if not isinstance(first, tuple):  # of highlighted text, for which the rule has decided
        return _middle(grades)
    nothing: Grade = (0, "N" if isinstance(first[1], str) else 0)
    silent = [] if rule == "union" else [nothing] * (assessors - len(grades))
    if rule == "intersection" and not all(map(is_relevant, [*grades, *silent])):
        return nothing
    return _middle([*grades, *silent])


def _middle(grades: Sequence[Grade]) -> Grade:
    """The lower median; of two grades that of each, which go together: only 0 has 0 (or N) beside it."""
    if isinstance(grades[0], tuple):
        return tuple(lower_median(column) for column in zip(*grades, strict=True))
    return lower_median(grades)


def lower_median(values: Iterable[Value]) -> Value:
    """The middle value, in the order of grades; of two the lower one.

    >>> lower_median([3, 1, 2]), lower_median([4, 1]), lower_median(["L", "N", "E"])
    (2, 1, 'L')
    """
    ordered = sorted(values, key=order_of)
    return ordered[(len(ordered) - 1) // 2]


def order_of(grade: Any) -> int:
    """What a single grade comes to: `?` is -1, coverage N, S, L, E are 0 to 3.

    >>> [order_of(grade) for grade in (2, "?", "L")]
    [2, -1, 2]
    """
    return grade if isinstance(grade, int) else _ORDER[grade]


def opinion_of(judged: Judged, state: State | None = None) -> Opinion:
    """What an assessor said of a document; another `state` is what was said at another time."""
    said = judged.state if state is None else state
    highlights = tuple((start, end) for start, end in said.highlights)
    name = judged.assessor
    return Opinion(
        pair=Pair(judged.topic, judged.document),
        assessors=(name,),
        done=said.done,
        highlights=highlights,
        bep=said.bep,
        grades=_grades(said.grades),
        inferred=_grades(said.inferred),
        labels=tuple(Label(start, end, label, note, name) for start, end, label, note in said.labels),
        notes=((name, said.note),) if said.note else (),
        confirmed=covered((highlights, tuple((start, end) for start, end in said.added)), 2),
    )


def _grades(given: Mapping[str, Any]) -> dict[str, Grade]:
    """Grades as values that can be compared; a grade of which only a part is known is none."""
    found = {path: tuple(grade) if isinstance(grade, list) else grade for path, grade in given.items()}
    return {path: grade for path, grade in found.items() if not isinstance(grade, tuple) or None not in grade}


@dataclass(frozen=True)
class Opinions:
    """The opinions of assessors on the pairs of a pool."""

    #: Every pair of the pool, in its order.
    pairs: Sequence[Pair]
    #: Those of which somebody said something, by assessor.
    said: Mapping[Pair, Sequence[Opinion]]

    @classmethod
    def of(cls, campaign: Campaign, assessor: str | None = None) -> Opinions:
        """What everybody said, or one assessor."""
        pairs = [Pair(*pair) for pair in campaign.contents.pairs]
        with campaign.at_one_moment() as still:
            judged, people = still.judged(), still.people()
        known = {person.name for person in people} | {item.assessor for item in judged}
        if assessor is not None and assessor not in known:
            raise UnknownName("assessor", assessor, known)
        return cls.collect(pairs, (opinion_of(item) for item in judged if assessor in {None, item.assessor}))

    @classmethod
    def collect(cls, pairs: Sequence[Pair], opinions: Iterable[Opinion]) -> Opinions:
        """Opinions by pair."""
        said: dict[Pair, list[Opinion]] = {}
        for opinion in opinions:
            said.setdefault(opinion.pair, []).append(opinion)
        return cls(pairs, said)

    @cached_property
    def finished(self) -> dict[Pair, list[Opinion]]:
        """Pairs that somebody finished, with the opinions of those who did."""
        found = {
            pair: [opinion for opinion in self.said.get(pair, ()) if opinion.done] for pair in self.pairs
        }
        return {pair: opinions for pair, opinions in found.items() if opinions}

    @cached_property
    def begun(self) -> dict[Pair, list[Opinion]]:
        """Pairs that somebody began and nobody finished."""
        unfinished = (pair for pair in self.pairs if pair in self.said and pair not in self.finished)
        return {pair: list(self.said[pair]) for pair in unfinished}

    @property
    def unjudged(self) -> int:
        """Pairs of which nobody said anything."""
        return len(self.pairs) - len(self.finished) - len(self.begun)

    @property
    def several(self) -> dict[Pair, list[Opinion]]:
        """Pairs that several finished."""
        return {pair: opinions for pair, opinions in self.finished.items() if len(opinions) > 1}

    def merged(self, rule: Merge = "one", *, unfinished: bool = False) -> list[Opinion]:
        """One opinion for each pair, of those who finished it; `unfinished` adds what nobody finished."""
        check_merge(rule)
        chosen = self.finished | (self.begun if unfinished else {})
        if rule == "one":
            _refuse_several({pair: several for pair, several in chosen.items() if len(several) > 1})
        return [merge(chosen[pair], rule) for pair in self.pairs if pair in chosen]


def _refuse_several(several: Mapping[Pair, Sequence[Opinion]]) -> None:
    if not several:
        return
    named = [
        f"topic {short(pair.topic)} document {short(pair.document)} "
        f"({', '.join(short(opinion.assessors[0]) for opinion in opinions)})"
        for pair, opinions in several.items()
    ]
    raise MergeRequired(
        f"found {plural(len(several), 'document')} judged by several assessors: {short_list(named, 4)}; "
        "expected one assessor for each",
        hint="give ⟨merge=union⟩, ⟨merge=majority⟩ or ⟨merge=intersection⟩, or one ⟨assessor=NAME⟩",
    )


def judgments_of(campaign: Campaign, opinions: Sequence[Opinion]) -> Judgments:
    """The judgments of one opinion per pair, that runs are evaluated with."""
    procedure = campaign.procedure
    topics, topic = encode([opinion.pair.topic for opinion in opinions])
    documents, document = encode([opinion.pair.document for opinion in opinions])
    spans = [
        (row, *span) for row, opinion in enumerate(opinions) for span in (opinion.highlights or [(0, 0)])
    ]
    row, start, end = np.array(spans, np.int64).reshape(-1, 3).T
    size = np.array([campaign.documents[opinion.pair.document][1] for opinion in opinions], np.int64)
    entry = np.array([UNKNOWN if opinion.bep is None else opinion.bep for opinion in opinions], np.int64)
    rows = (topics, documents, topic[row], document[row], start, end)
    judgments = Judgments.collect(*rows, size=size[row], entry=entry[row], scale=procedure.exports)
    if not procedure.scale:
        return judgments
    listed = [element for opinion in opinions for element in _elements(campaign, opinion)]
    if not listed:
        return replace(judgments, scale="highlights") if procedure.marks else judgments
    pair = judgments.pairs(
        np.array([judgments.topic_codes[element.topic] for element in listed], np.int64),
        np.array([judgments.document_codes[element.document] for element in listed], np.int64),
    )
    return replace(judgments, elements=GradedElements.of(listed, pair))


def _elements(campaign: Campaign, opinion: Opinion) -> Iterator[GradedElement]:
    """The graded elements of a document, in its order; where text is marked, those that have some."""
    grades = {**opinion.inferred, **opinion.grades}
    if not grades:
        return
    for part in campaign.material(opinion.pair.document).structure.parts:
        if part.path not in grades:
            continue
        grade, size, relevant = grades[part.path], 0, 0
        if campaign.procedure.marks:
            marked = covered((opinion.highlights, [(part.start, part.end)]), 2)
            size, relevant = part.end - part.start, sum(end - start for start, end in marked)
            if not relevant:
                continue
        first, second = map(order_of, grade if isinstance(grade, tuple) else (grade, UNKNOWN))
        yield GradedElement(*opinion.pair, part.path, first, second, size, relevant)
