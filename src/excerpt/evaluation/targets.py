"""Results filtered by the target of a topic's query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, FormatError, MissingData, UnknownName, short
from excerpt.model.run import Run, encode
from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.topic_choice import TopicChoice
from excerpt.nexi import Target, bare_path
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.evaluation.reading import AnyTopics
    from excerpt.index import OffsetIndex


#: How the target of a query is read.
Aim: TypeAlias = Literal["ignore", "vague", "strict"]
AIMS: tuple[Aim, ...] = ("ignore", "vague", "strict")
#: Documents whose elements are looked at together: memory stays small.
_AT_ONCE = 1000


def check_aim(target: str | None) -> Aim:
    """The reading of targets that somebody asked for; none is to ignore them."""
    for aim in AIMS:
        if target in (None, aim):
            return aim
    raise UnknownName("target", str(target), AIMS)


@dataclass(frozen=True)
class TargetFilter:
    """What each topic asks for, by its id; topics without a query take everything."""

    targets: Mapping[str, Target]
    vague: bool = False

    @classmethod
    def of(cls, topics: AnyTopics | None, aim: Aim, choice: TopicChoice, notices: Notices) -> TargetFilter:
        """The targets of the topics that count; an error where no topic has one, or a query is broken."""
        from excerpt.formats.topics import read_topics

        if topics is None:
            raise ExcerptError(
                f"found the target {aim}, but no topics, expected those whose queries name it",
                hint="give ⟨topics⟩",
            )
        given = read_topics(topics, notices=notices)
        targets = {}
        for name in choice.kept(tuple(given)):
            try:
                target = given[name].target
            except FormatError as error:
                error.hint = f"leave it out: ⟨exclude={short(name)}⟩"
                raise
            if target is not None:
                targets[name] = target
        if not targets:
            raise ExcerptError(
                "found no castitle, expected topics with queries in NEXI, which name a target",
                path=given.source,
            )
        return cls(targets, aim == "vague")

    def of_run(self, run: Run, index: OffsetIndex | None, notices: Notices) -> Run:
        """The results that are what their topics ask for; the others are counted."""
        asked = [self._target(name) for name in run.topics]
        mine = np.array([target is not None for target in asked], np.bool_)[run.topic]
        if not mine.any():
            return run
        elements = _Elements.of(run, index, np.flatnonzero(mine))
        kept = ~mine
        fitting: dict[Target, BoolArray] = {}
        for code, target in enumerate(asked):
            if target is None:
                continue
            if target not in fitting:
                fits = [target.fits(name, vague=self.vague) for name in elements.names]
                fitting[target] = np.array([*fits, False], np.bool_)
            rows = slice(*np.searchsorted(run.topic, (code, code + 1)))
            kept[rows] = elements.are(rows, fitting[target])
        message = "result is no element that its topic asks for and was left out"
        notices.add_marked(message, ~kept, run.place)
        return run if kept.all() else run.take(np.flatnonzero(kept))

    def _target(self, name: str) -> Target | None:
        found = self.targets.get(name)
        if found is None and name.isdecimal():  # with other zeros, as files of one year may have it
            same = [target for other, target in self.targets.items() if other.lstrip("0") == name.lstrip("0")]
            found = same[0] if len(same) == 1 else None
        return found


@dataclass(frozen=True, eq=False)
class _Elements:
    """What elements the results of a run are."""

    #: Paths without positions, each once.
    names: Sequence[str]
    #: The name of each result's element, -1 where it is none; and its row in the index.
    name: IntArray
    row: IntArray
    #: Elements with the same text as one around them: the row of the outermost, and their own name.
    outer: IntArray
    inner: IntArray

    @classmethod
    def of(cls, run: Run, index: OffsetIndex | None, asked: IntArray) -> _Elements:
        """By the paths that the run names, else by the index."""
        paths = ["" if " " in path or "text()" in path else bare_path(path) for path in run.paths]
        names, code = encode(paths)
        known = np.array([*(place if names[place] else -1 for place in code.tolist()), -1], np.int64)
        name, row = known[run.element], np.full(len(run), -1, np.int64)
        without = asked[run.element[asked] < 0]
        nothing = np.zeros(0, np.int64)
        if not len(without):
            return cls(names, name, row, nothing, nothing)
        if index is None or run.kind == "entry points":
            where = run.place(int(without[0]))
            raise MissingData(
                f"found a result without the path of an element ({where}), expected elements: "
                "these are what a query asks for",
                hint="" if index is not None else "give ⟨index⟩, which tells what elements have this text",
            )
        from excerpt.index.element_spans import with_rows

        placed = with_rows(run.take(without), index, Notices())
        assert placed.row is not None
        row[without] = placed.row
        outer, twins = _twins(index, np.unique(index.document_codes(run.documents)[run.document[without]]))
        inside = np.isin(outer, placed.row)
        outer, twins = outer[inside], twins[inside]
        all_names = dict.fromkeys(names)
        codes = []
        for rows in (row, twins):
            distinct, first, which = np.unique(index.path_codes(rows), return_index=True, return_inverse=True)
            told = [bare_path(path) for path in index.path(rows[first])]
            all_names |= dict.fromkeys(told)
            places = {text: place for place, text in enumerate(all_names)}
            codes.append(np.where(distinct < 0, -1, [places[text] for text in told])[which])
        return cls(tuple(all_names), np.where(row >= 0, codes[0], name), row, outer, codes[1])

    def are(self, rows: slice, fits: BoolArray) -> BoolArray:
        """Which results are elements whose names fit, or have the same text as such an element inside."""
        found: BoolArray = fits[self.name[rows]]
        if len(self.outer):
            found = found | ((self.row[rows] >= 0) & np.isin(self.row[rows], self.outer[fits[self.inner]]))
        return found


def _twins(index: OffsetIndex, documents: IntArray) -> tuple[IntArray, IntArray]:
    """Elements of documents that have the same text as their parent: the outermost such, and themselves."""
    documents, found = documents[documents >= 0], [np.zeros((2, 0), np.int64)]
    for first in range(0, len(documents), _AT_ONCE):
        _, inner = index.elements_of(documents[first : first + _AT_ONCE])
        outer = inner
        above = index.parents(outer)
        while len(same := np.flatnonzero(_same_text(index, outer, above))):
            outer = outer.copy()
            outer[same] = above[same]
            above = index.parents(outer)
        found.append(np.stack((outer, inner))[:, outer != inner])
    outermost, twins = np.concatenate(found, axis=1)
    return outermost, twins


def _same_text(index: OffsetIndex, rows: IntArray, others: IntArray) -> BoolArray:
    (start, end), (first, last) = index.spans(rows), index.spans(others)
    same: BoolArray = (others >= 0) & (start == first) & (end == last)
    return same
