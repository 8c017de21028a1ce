"""Target filter: keep only results that the topics' NEXI queries name."""

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


#: Interpretation of a query's target.
Aim: TypeAlias = Literal["ignore", "vague", "strict"]
AIMS: tuple[Aim, ...] = ("ignore", "vague", "strict")
#: Number of documents whose elements are compared at a time, to limit memory.
_AT_ONCE = 1000


def check_aim(target: str | None) -> Aim:
    """Check the name of an interpretation of targets; None means ignore."""
    for aim in AIMS:
        if target in (None, aim):
            return aim
    raise UnknownName("target", str(target), AIMS)


@dataclass(frozen=True)
class TargetFilter:
    """Targets of queries by topic; topics without a query keep all results."""

    targets: Mapping[str, Target]
    vague: bool = False

    @classmethod
    def of(cls, topics: AnyTopics | None, aim: Aim, choice: TopicChoice, notices: Notices) -> TargetFilter:
        """Read the targets of the chosen topics; raise if no topic has a target or a query is not NEXI."""
        from excerpt.queries import read_topics

        if topics is None:
            raise ExcerptError(f"the target {aim} needs topics with NEXI queries", hint="give ⟨topics⟩")
        read = read_topics(topics, notices=notices)
        targets = {}
        for name in choice.kept(tuple(read)):
            try:
                target = read[name].target
            except FormatError as error:
                error.hint = f"leave it out: ⟨exclude={short(name)}⟩"
                raise
            if target is not None:
                targets[name] = target
        if not targets:
            message = "no topic has a castitle; a target needs topics with NEXI queries"
            raise ExcerptError(message, path=read.source)
        return cls(targets, aim == "vague")

    def of_run(self, run: Run, index: OffsetIndex | None, notices: Notices) -> Run:
        """Return the run with only the elements that its topics' queries name; count the other results."""
        targets = [self._target(name) for name in run.topics]
        filtered = np.array([target is not None for target in targets], np.bool_)[run.topic_code]
        if not filtered.any():
            return run
        elements = _Elements.of(run, index, np.flatnonzero(filtered))
        kept = ~filtered
        fitting: dict[Target, BoolArray] = {}
        for code, target in enumerate(targets):
            if target is None:
                continue
            if target not in fitting:
                fits = [target.fits(name, vague=self.vague) for name in elements.names]
                fitting[target] = np.array([*fits, False], np.bool_)
            rows = slice(*np.searchsorted(run.topic_code, (code, code + 1)))
            kept[rows] = elements.are(rows, fitting[target])
        one = "result is not an element that its topic's query names and is left out"
        many = "results are not elements that their topics' queries name and are left out"
        notices.add_marked(one, many, ~kept, run.place)
        return run if kept.all() else run.take(np.flatnonzero(kept))

    def _target(self, name: str) -> Target | None:
        target = self.targets.get(name)
        if target is None and name.isdecimal():  # files of the same year may differ in leading zeros
            same = [target for other, target in self.targets.items() if other.lstrip("0") == name.lstrip("0")]
            target = same[0] if len(same) == 1 else None
        return target


@dataclass(frozen=True, eq=False)
class _Elements:
    """Elements of a run's results."""

    #: Distinct paths without positions.
    names: Sequence[str]
    #: The name of each result's element (-1 if it is not an element), and its row in the index.
    name: IntArray
    row: IntArray
    #: Elements with the same text as one around them: the row of the outermost, and their own name.
    outer: IntArray
    inner: IntArray

    @classmethod
    def of(cls, run: Run, index: OffsetIndex | None, filtered: IntArray) -> _Elements:
        """Determine the elements by the run's paths, else by the index."""
        paths = ["" if " " in path or "text()" in path else bare_path(path) for path in run.paths]
        names, code = encode(paths)
        by_path = np.array([*(place if names[place] else -1 for place in code.tolist()), -1], np.int64)
        name, row = by_path[run.element], np.full(len(run), -1, np.int64)
        without = filtered[run.element[filtered] < 0]
        if not len(without):
            return cls(names, name, row, without, without)
        if index is None or run.kind == "entry points":
            fault = f"a result has no element path ({run.place(int(without[0]))})"
            hint = "" if index is not None else "give ⟨index⟩ to look up elements by span"
            raise MissingData(f"{fault}, but the target of a query needs elements", hint=hint)
        from excerpt.index.element_spans import with_rows

        placed = with_rows(run.take(without), index, Notices())
        assert placed.row is not None
        row[without] = placed.row
        documents = np.unique(index.document_codes(run.documents)[run.document_code[without]])
        outer, inner = _elements_with_same_text(index, documents)
        inside = np.isin(outer, placed.row)
        outer, inner = outer[inside], inner[inside]
        all_names = dict.fromkeys(names)
        codes = []
        for rows in (row, inner):
            distinct, first, which = np.unique(index.path_codes(rows), return_index=True, return_inverse=True)
            bare = [bare_path(path) for path in index.path(rows[first])]
            all_names |= dict.fromkeys(bare)
            places = {text: place for place, text in enumerate(all_names)}
            codes.append(np.where(distinct < 0, -1, [places[text] for text in bare])[which])
        return cls(tuple(all_names), np.where(row >= 0, codes[0], name), row, outer, codes[1])

    def are(self, rows: slice, fits: BoolArray) -> BoolArray:
        """Mark results whose element's name fits, or that have the same text as such an element inside."""
        marked: BoolArray = fits[self.name[rows]]
        if len(self.outer):
            marked = marked | ((self.row[rows] >= 0) & np.isin(self.row[rows], self.outer[fits[self.inner]]))
        return marked


def _elements_with_same_text(index: OffsetIndex, documents: IntArray) -> tuple[IntArray, IntArray]:
    """Elements with the same text as their parent: the outermost element with that text, and themselves."""
    documents, pairs = documents[documents >= 0], [np.zeros((2, 0), np.int64)]
    for first in range(0, len(documents), _AT_ONCE):
        _, inner = index.elements_of(documents[first : first + _AT_ONCE])
        outer = inner
        above = index.parents(outer)
        while len(same := np.flatnonzero(_same_text(index, outer, above))):
            outer = outer.copy()
            outer[same] = above[same]
            above = index.parents(outer)
        pairs.append(np.stack((outer, inner))[:, outer != inner])
    outermost, same_text = np.concatenate(pairs, axis=1)
    return outermost, same_text


def _same_text(index: OffsetIndex, rows: IntArray, others: IntArray) -> BoolArray:
    (start, end), (first, last) = index.spans(rows), index.spans(others)
    same: BoolArray = (others >= 0) & (start == first) & (end == last)
    return same
