"""Opinions of assessors on documents, and their merging into judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from excerpt.assess.events import Spans, State, depths, is_relevant, length_of
from excerpt.assess.folder import SETTINGS, MergeRequired
from excerpt.bridges.judged_rows import JudgedRow
from excerpt.errors import UnknownName, plural, short, short_list
from excerpt.files import Input
from excerpt.formats.source import AnyCorpus, open_corpus
from excerpt.judging.judge_table import Judge, judge_of_rows
from excerpt.model.elements import COVERAGE, TOO_SMALL, GradedElement, GradedElements
from excerpt.model.judgments import Judgments, collect_judgments
from excerpt.model.run import encode
from excerpt.model.spans import UNKNOWN

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.recorder import JudgedState

#: Rules for merging judgments of several assessors.
Merge: TypeAlias = Literal["one", "union", "majority", "intersection", "adjudicated"]
#: The rule that takes decisions of adjudicators, which opinions alone do not know.
ADJUDICATED = "adjudicated"
MERGES: tuple[Merge, ...] = ("one", "union", "majority", "intersection")
HighlightSpan: TypeAlias = tuple[int, int]
#: A grade of an element: 0 to 3 or `?`; or two of them, the second also a coverage N, S, L, E.
Grade: TypeAlias = "int | str | tuple[int | str, ...]"
MergedValue = TypeVar("MergedValue")

#: Codes of grades that are not numbers: too small, and the order of coverage in INEX 2002.
_ORDER = {"?": TOO_SMALL, **{letter: grade for grade, letter in enumerate(COVERAGE)}}


class Label(NamedTuple):
    """A labelled span and its assessor."""

    start: int
    end: int
    label: str
    note: str
    assessor: str


class JudgedPair(NamedTuple):
    """A topic and a document to be judged for it."""

    topic: str
    document: str


@dataclass(frozen=True)
class Opinion:
    """The opinion of one assessor, or the merged opinion of several, on a document for a topic."""

    pair: JudgedPair
    assessors: tuple[str, ...]
    #: True if the document is finished.
    done: bool = True
    #: Highlighted spans: sorted, disjoint, not adjacent.
    highlights: tuple[HighlightSpan, ...] = ()
    bep: int | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict)
    #: Grades that follow from the given grades.
    inferred: Mapping[str, Grade] = field(default_factory=dict)
    labels: tuple[Label, ...] = ()
    #: Assessors with their notes.
    notes: tuple[tuple[str, str], ...] = ()
    #: Highlighted text that was suggested by a machine and highlighted only afterwards.
    confirmed: tuple[HighlightSpan, ...] = ()
    #: Who decided between the assessors, if anybody did.
    adjudicator: str = ""
    #: Grade that a machine suggested for the whole document.
    whole: int | None = None

    @property
    def relevant(self) -> bool:
        """True if text is highlighted or, without highlighting, an element is graded above 0.

        The grade of the whole document decides, if it has one.
        A single grade refers to highlighted text and does not count without it, which merging may remove.
        """
        if self.whole is not None:
            return self.whole > 0
        double = (grade for grade in self.grades.values() if isinstance(grade, tuple))
        return bool(self.highlights) or any(map(is_relevant, double))

    @property
    def all_grades(self) -> dict[str, Grade]:
        """The grades of elements, with those that follow from them."""
        return {**self.inferred, **self.grades}

    @property
    def human(self) -> tuple[HighlightSpan, ...]:
        """Text that an assessor highlighted without a machine's suggestion."""
        return without(self.highlights, self.confirmed)


def merge(opinions: Sequence[Opinion], rule: Merge) -> Opinion:
    """Merge the opinions of several assessors on one pair.

    Text is relevant if any (`union`), all (`intersection`) or more than half (`majority`) of the assessors
    highlighted it. The entry point is the lower median, moved to the nearest relevant character; a grade is
    the lower median. With double grades, an element that an assessor left ungraded counts as not relevant,
    except under `union`; under `intersection` one such opinion is enough. All labels and notes are kept. A
    single opinion is returned unchanged.

    >>> a = Opinion(JudgedPair("1", "A"), ("ann",), highlights=((0, 10),), bep=0)
    >>> b = Opinion(JudgedPair("1", "A"), ("bob",), highlights=((5, 20),), bep=7)
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
    least = {"union": 1, "intersection": len(opinions), "majority": len(opinions) // 2 + 1}[rule]
    highlights = covered([opinion.highlights for opinion in opinions], least)
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
    """Raise an error for an unknown rule."""
    if rule not in MERGES:
        raise UnknownName("merge", rule, MERGES)


def covered(sets: Iterable[Sequence[HighlightSpan]], least: int) -> tuple[HighlightSpan, ...]:
    """Return the characters that are in at least `least` sets of disjoint spans, as few spans as possible.

    >>> covered([[(0, 4), (4, 6)], [(3, 9)]], 2)
    ((3, 6),)
    """
    spans: list[HighlightSpan] = []
    for start, end, depth in depths(sets):
        if depth >= least and spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        elif depth >= least:
            spans.append((start, end))
    return tuple(spans)


def without(spans: Sequence[HighlightSpan], others: Sequence[HighlightSpan]) -> tuple[HighlightSpan, ...]:
    """Return the characters of disjoint spans that are not in `others`.

    >>> without([(0, 10)], [(2, 4), (9, 12)])
    ((0, 2), (4, 9))
    """
    left = Spans(spans)
    for start, end in others:
        left.remove(start, end)
    return tuple(left)


def _merge_entries(entries: Iterable[int | None], highlights: Sequence[HighlightSpan]) -> int | None:
    """Lower median of the entry points, moved to the nearest relevant character; of two the first."""
    given = [entry for entry in entries if entry is not None]
    if not given or not highlights:
        return None
    median = lower_median(given)
    nearest = [min(max(median, start), end - 1) for start, end in highlights]
    return min(nearest, key=lambda offset: (abs(offset - median), offset))


def _merge_grades(opinions: Sequence[Opinion], rule: Merge) -> tuple[dict[str, Grade], dict[str, Grade]]:
    """Return the merged grades of elements that an assessor graded, and of elements with inferred grades."""
    by_path: dict[str, list[Grade]] = {}
    by_hand: set[str] = set()
    for opinion in opinions:
        by_hand.update(opinion.grades)
        for path, grade in opinion.all_grades.items():
            by_path.setdefault(path, []).append(grade)
    merged = {path: _merge_grade(grades, len(opinions), rule) for path, grades in by_path.items()}
    given = {path: grade for path, grade in merged.items() if path in by_hand}
    return given, {path: grade for path, grade in merged.items() if path not in by_hand}


def _merge_grade(grades: Sequence[Grade], assessors: int, rule: Merge) -> Grade:
    """Merge the grades that some of the assessors gave to an element.

    >>> _merge_grade([(3, "L"), (2, "E")], 3, "majority"), _merge_grade([(3, "L")], 2, "majority")
    ((2, 'L'), (0, 'N'))
    """
    first = grades[0]
    if not isinstance(first, tuple):  # the rule was applied to its highlighted text
        return _middle(grades)
    irrelevant: Grade = (0, "N" if isinstance(first[1], str) else 0)
    ungraded = [] if rule == "union" else [irrelevant] * (assessors - len(grades))
    if rule == "intersection" and not all(map(is_relevant, [*grades, *ungraded])):
        return irrelevant
    return _middle([*grades, *ungraded])


def _middle(grades: Sequence[Grade]) -> Grade:
    """Lower median; of double grades per dimension, which is valid: 0 goes with 0 (or N) only."""
    if isinstance(grades[0], tuple):
        return tuple(lower_median(column) for column in zip(*grades, strict=True))
    return lower_median(grades)


def lower_median(values: Iterable[MergedValue]) -> MergedValue:
    """Lower median in the order of grades.

    >>> lower_median([3, 1, 2]), lower_median([4, 1]), lower_median(["L", "N", "E"])
    (2, 1, 'L')
    """
    ordered = sorted(values, key=order_of)
    return ordered[(len(ordered) - 1) // 2]


def order_of(grade: Any) -> int:
    """Return the rank of a single grade: `?` is -1, coverage N, S, L, E are 0 to 3.

    >>> [order_of(grade) for grade in (2, "?", "L")]
    [2, -1, 2]
    """
    return grade if isinstance(grade, int) else _ORDER[grade]


def opinion_of(judged: JudgedState, state: State | None = None) -> Opinion:
    """Return the opinion of an assessor on a document, in its current or another `state`."""
    state = judged.state if state is None else state
    highlights = tuple((start, end) for start, end in state.highlights)
    name = judged.assessor
    return Opinion(
        pair=JudgedPair(judged.topic, judged.document),
        assessors=(name,),
        done=state.done,
        highlights=highlights,
        bep=state.bep,
        grades=_grades(state.grades),
        inferred=_grades(state.inferred),
        labels=tuple(Label(start, end, label, note, name) for start, end, label, note in state.labels),
        notes=((name, state.note),) if state.note else (),
        confirmed=covered((highlights, tuple((start, end) for start, end in state.added)), 2),
    )


def _grades(stored: Mapping[str, Any]) -> dict[str, Grade]:
    """Return complete grades, with tuples instead of lists; partly known grades are left out."""
    given = {path: tuple(grade) if isinstance(grade, list) else grade for path, grade in stored.items()}
    return {path: grade for path, grade in given.items() if not isinstance(grade, tuple) or None not in grade}


@dataclass(frozen=True)
class Opinions:
    """The opinions of assessors on the pairs of a pool."""

    #: All pairs of the pool, in its order.
    pairs: Sequence[JudgedPair]
    #: Opinions of each pair that was started, by assessor.
    by_pair: Mapping[JudgedPair, Sequence[Opinion]]

    @classmethod
    def of(cls, campaign: Campaign, assessor: str | None = None) -> Opinions:
        """Return the opinions of all assessors, or of one."""
        pairs = [JudgedPair(*pair) for pair in campaign.contents.pairs]
        with campaign.snapshot() as snapshot:
            judged, people = snapshot.judged(), snapshot.permissions.people().assessors()
        names = {person.name for person in people} | {item.assessor for item in judged}
        if assessor is not None and assessor not in names:
            raise UnknownName("assessor", assessor, names)
        return cls.collect(pairs, (opinion_of(item) for item in judged if assessor in {None, item.assessor}))

    @classmethod
    def collect(cls, pairs: Sequence[JudgedPair], opinions: Iterable[Opinion]) -> Opinions:
        by_pair: dict[JudgedPair, list[Opinion]] = {}
        for opinion in opinions:
            by_pair.setdefault(opinion.pair, []).append(opinion)
        return cls(pairs, by_pair)

    @cached_property
    def finished(self) -> dict[JudgedPair, list[Opinion]]:
        """Finished pairs with the opinions of the assessors who finished them."""
        done = ((pair, [one for one in self.by_pair.get(pair, ()) if one.done]) for pair in self.pairs)
        return {pair: opinions for pair, opinions in done if opinions}

    @cached_property
    def in_progress(self) -> dict[JudgedPair, list[Opinion]]:
        """Pairs that were started and that no assessor has finished."""
        unfinished = (pair for pair in self.pairs if pair in self.by_pair and pair not in self.finished)
        return {pair: list(self.by_pair[pair]) for pair in unfinished}

    @property
    def unjudged(self) -> int:
        """Number of pairs that no assessor has started."""
        return len(self.pairs) - len(self.finished) - len(self.in_progress)

    @property
    def several(self) -> dict[JudgedPair, list[Opinion]]:
        return {pair: opinions for pair, opinions in self.finished.items() if len(opinions) > 1}

    def merged(self, rule: Merge = "one", *, unfinished: bool = False) -> list[Opinion]:
        """Return one opinion per finished pair; `unfinished` adds pairs in progress."""
        check_merge(rule)
        chosen = self.finished | (self.in_progress if unfinished else {})
        if rule == "one":
            _reject_several({pair: several for pair, several in chosen.items() if len(several) > 1})
        return [merge(chosen[pair], rule) for pair in self.pairs if pair in chosen]


def _reject_several(several: Mapping[JudgedPair, Sequence[Opinion]]) -> None:
    if not several:
        return
    named = [
        f"topic {short(pair.topic)} document {short(pair.document)} "
        f"({', '.join(short(opinion.assessors[0]) for opinion in opinions)})"
        for pair, opinions in several.items()
    ]
    verb = "has" if len(several) == 1 else "have"
    message = f"{plural(len(several), 'document')} {verb} several assessors: {short_list(named, 4)}"
    hint = "choose ⟨merge=union⟩, ⟨merge=majority⟩ or ⟨merge=intersection⟩, or one ⟨assessor=NAME⟩"
    raise MergeRequired(message, hint=hint)


def judgments_of(campaign: Campaign, opinions: Sequence[Opinion]) -> Judgments:
    """Convert opinions, one per pair, into judgments to evaluate runs with."""
    procedure = campaign.procedure
    topics, topic = encode([opinion.pair.topic for opinion in opinions])
    documents, document = encode([opinion.pair.document for opinion in opinions])
    spans = [
        (row, *span) for row, opinion in enumerate(opinions) for span in (opinion.highlights or [(0, 0)])
    ]
    row, start, end = np.array(spans, np.int64).reshape(-1, 3).T
    size = np.array([campaign.lengths[opinion.pair.document] for opinion in opinions], np.int64)
    entry = np.array([UNKNOWN if opinion.bep is None else opinion.bep for opinion in opinions], np.int64)
    rows = (topics, documents, topic[row], document[row], start, end)
    judgments = collect_judgments(*rows, size=size[row], entry=entry[row], scale=procedure.exports)
    if not procedure.scale:
        return judgments
    graded = [element for opinion in opinions for element in _elements(campaign, opinion)]
    if not graded:
        return replace(judgments, scale="highlights") if procedure.marks else judgments
    pair = judgments.pairs(
        np.array([judgments.topic_codes[element.topic] for element in graded], np.int64),
        np.array([judgments.document_codes[element.document] for element in graded], np.int64),
    )
    return replace(judgments, elements=GradedElements.of(graded, pair))


def _elements(campaign: Campaign, opinion: Opinion) -> Iterator[GradedElement]:
    """Yield the graded elements of a document; with highlighting, those with highlighted text."""
    grades = opinion.all_grades
    if not grades:
        return
    for node in campaign.material(opinion.pair.document).structure.nodes:
        if node.path not in grades:
            continue
        grade, size, relevant = grades[node.path], 0, 0
        if campaign.procedure.marks:
            marked = covered((opinion.highlights, [(node.start, node.end)]), 2)
            size, relevant = node.end - node.start, length_of(marked)
            if not relevant:
                continue
        first, second = map(order_of, grade if isinstance(grade, tuple) else (grade, UNKNOWN))
        yield GradedElement(*opinion.pair, node.path, first, second, size, relevant)


def campaign_judges(folder: Input, corpus: AnyCorpus | None = None) -> list[Judge] | None:
    """Return the assessors of a campaign as judges; None if the folder is of no campaign."""
    if not isinstance(folder, str | os.PathLike) or not (Path(folder) / SETTINGS).exists():
        return None
    from excerpt.assess.campaign import Campaign

    opened = open_corpus(corpus, "paragraph")
    with Campaign.open(folder, corpus=opened) as campaign:
        campaign.check()
        opinions = Opinions.of(campaign)
        campaign.check_used(pair.document for pair in opinions.finished)
        return judges_of_opinions(campaign, opinions)


def judges_of_opinions(campaign: Campaign, opinions: Opinions) -> list[Judge]:
    """Return what each assessor finished: relevant or not, and the highlights if the procedure has them."""
    own: dict[str, list[JudgedRow]] = {}
    for pair, several in opinions.finished.items():
        for opinion in several:
            row = JudgedRow(*pair, opinion.highlights, int(opinion.relevant), opinion.assessors)
            sized = row._replace(size=campaign.lengths[pair.document])
            own.setdefault(opinion.assessors[0], []).append(sized)
    return [judge_of_rows(name, own[name], whole=not campaign.procedure.marks) for name in sorted(own)]
