"""Elements of judgments and runs, placed by the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from excerpt.errors import ExcerptError, short_list
from excerpt.index.offsets import OffsetIndex
from excerpt.model.elements import GradedElements
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray
from excerpt.notices import Notices

_EXHAUSTIVE = 2  # what INEX 2006 gave every element with highlighted text


def relevant_elements(
    index: OffsetIndex, judgments: Judgments, *, drop_tags: Iterable[str] = (), notices: Notices | None = None
) -> Judgments:
    """The judgments with every element that contains a highlighted character, as INEX derived them in 2006.

    Sizes and highlighted text are counted in the unit of the index; elements named in `drop_tags` are left
    out. Documents that are not in the index have no elements.
    """
    _check(index, judgments)
    pairs = _indexed_pairs(index, judgments, notices)
    codes = index.document_codes(judgments.documents)[judgments.pair_document[pairs]]
    which, row = index.elements_of(codes)
    pair = pairs[which]
    start, end = index.spans(row)
    relevant = judgments.spans.overlap(pair, start, end)
    kept = np.flatnonzero(relevant)
    dropped = tuple(drop_tags)
    if dropped:
        unwanted = [code for code, name in enumerate(index.tag_names) if name in dropped]
        kept = kept[~np.isin(index.tags(row[kept]), unwanted)]
    _notice_unknown(dropped, index.tag_names, notices)
    same = np.full(len(kept), UNKNOWN, np.int64)
    elements = GradedElements(
        pair=pair[kept],
        path=same,
        paths=(),
        exhaustivity=np.full(len(kept), _EXHAUSTIVE, np.int64),
        specificity=same,
        size=(end - start)[kept],
        relevant=relevant[kept],
        row=row[kept],
    )
    return replace(judgments, elements=replace(elements, parent=_parents(index, elements, row[kept])))


def _parents(index: OffsetIndex, elements: GradedElements, rows: IntArray) -> IntArray:
    """The nearest element around each that is among them, -1 where there is none."""
    parents = np.full(len(elements), -1, np.int64)
    waiting, above = np.arange(len(elements)), index.parents(rows)
    while len(waiting):
        waiting, above = waiting[above >= 0], above[above >= 0]
        found = elements.find_rows(elements.pair[waiting], above)
        parents[waiting] = found
        waiting, above = waiting[found < 0], index.parents(above[found < 0])
    return parents


def _check(index: OffsetIndex, judgments: Judgments) -> None:
    if judgments.scale != "highlights":
        raise ExcerptError(
            f"found judgments by {judgments.scale}, expected highlighted text", path=judgments.source or None
        )
    if judgments.unit != index.unit:
        raise ExcerptError(
            f"found judgments that count {judgments.unit}s beside an index that counts {index.unit}s",
            path=judgments.source or None,
            hint=f"make the index again with ⟨unit={judgments.unit}⟩",
        )


def _indexed_pairs(index: OffsetIndex, judgments: Judgments, notices: Notices | None) -> IntArray:
    """The judged pairs with highlighted text whose document is in the index."""
    pairs = np.flatnonzero(judgments.relevant_by_pair)
    documents = np.unique(judgments.pair_document[pairs])
    known = np.zeros(len(judgments.documents), np.bool_)
    known[documents] = index.document_codes([judgments.documents[code] for code in documents.tolist()]) >= 0
    missing = documents[~known[documents]]
    if len(missing) and notices is not None:
        notices.add(
            "document with highlighted text is not in the index, its elements are not known",
            len(missing),
            where=f"document {judgments.documents[int(missing[0])]} of {judgments.source or 'the judgments'}",
        )
    return pairs[known[judgments.pair_document[pairs]]]


def _notice_unknown(tags: Iterable[str], names: Iterable[str], notices: Notices | None) -> None:
    """Say which of the tags to drop no element has."""
    unknown = sorted(set(tags) - set(names))
    if unknown and notices is not None:
        notices.add(f"no element is called {short_list(unknown)}, so none was dropped")


def drop_tags(judgments: Judgments, tags: Iterable[str], *, notices: Notices | None = None) -> Judgments:
    """The judgments without the listed elements of these names; needs no index.

    >>> from excerpt.model.elements import GradedElement
    >>> listed = [GradedElement("1", "A", path, 2) for path in ("/a[1]", "/a[1]/weblink[3]")]
    >>> len(drop_tags(Judgments.graded(listed, scale="exhaustivity 0-2"), ["weblink"]).elements)
    1
    """
    elements = judgments.elements
    if elements is None:
        return judgments
    unwanted = set(tags)
    names = [path.rpartition("/")[2].partition("[")[0] for path in elements.paths]
    _notice_unknown(unwanted, names, notices)
    # One more for elements without a path, which keep their place.
    wanted = np.array([*(name not in unwanted for name in names), True], np.bool_)
    return replace(judgments, elements=_only(elements, wanted[elements.path]))


def _only(elements: GradedElements, wanted: BoolArray) -> GradedElements:
    kept = np.flatnonzero(wanted)
    columns = ("pair", "path", "exhaustivity", "specificity", "size", "relevant", "row", "parent")
    present = {name: getattr(elements, name) for name in columns if getattr(elements, name) is not None}
    taken = {name: column[kept] for name, column in present.items()}
    if elements.parent is not None:
        above = elements.parent
        while len(lost := np.flatnonzero((above >= 0) & ~wanted[above])):
            above = above.copy()
            above[lost] = elements.parent[above[lost]]
        taken["parent"] = np.where(above >= 0, np.cumsum(wanted)[above] - 1, -1)[kept]
    return replace(elements, **taken)


def element_rows(
    index: OffsetIndex, documents: Sequence[str], document: IntArray, paths: Sequence[str], path: IntArray
) -> IntArray:
    """The row of the element of each (document code, path code); -1 where there is none, or no path."""
    rows = np.full(len(path), -1, np.int64)
    asked = np.flatnonzero(_are_elements(paths)[path])
    if len(asked):
        codes = index.document_codes(documents)[document[asked]]
        rows[asked] = index.resolve(codes, [paths[code] for code in path[asked].tolist()]).element
    return rows


def with_rows(run: Run, index: OffsetIndex, notices: Notices | None = None) -> Run:
    """The run with the element that each result names: by its path, else as the outermost with its span.

    A run of elements becomes one of spans; a document is its root element, an entry point no element. Text
    between the ends of elements is counted in `notices`.
    """
    if not len(run) or run.kind == "entry points":
        return replace(run, row=np.full(len(run), -1, np.int64))
    codes = index.document_codes(run.documents)[run.document]
    if run.kind == "documents":
        return replace(run, row=index.elements_at(codes, np.zeros_like(codes), index.document_sizes(codes)))
    row = element_rows(index, run.documents, run.document, run.paths, run.element)
    if run.kind == "elements":
        run = _place(run, index, codes, row)
    spans = np.flatnonzero(~_are_elements(run.paths)[run.element])
    row[spans] = index.elements_at(codes[spans], run.start[spans], run.end[spans])
    run = replace(run, row=row)
    if notices is not None:
        notices.add_marked(
            "result is text that is no element, so it gains nothing under measures of elements",
            (row < 0) & (codes >= 0) & (run.end > run.start),
            lambda place: f"topic {run.topics[int(run.topic[place])]}, {run.place(place)}",
        )
    return run


def _are_elements(paths: Sequence[str]) -> BoolArray:
    """Which paths name one element, not a range or a text node; one more, False, for code -1."""
    return np.array([*(" " not in path and "text()" not in path for path in paths), False], np.bool_)


def _place(run: Run, index: OffsetIndex, codes: IntArray, row: IntArray) -> Run:
    """The run of elements with the span of each; -1 where a result names something that does not exist."""
    start, end = run.start.copy(), run.end.copy()
    named = np.flatnonzero(run.element >= 0)
    start[named], end[named] = index.spans(row[named])
    others = named[row[named] < 0]
    ends = [run.paths[code].split(" ") for code in run.element[others].tolist()]
    low = index.resolve_pointers(codes[others], [pointers[0] for pointers in ends], end=False)
    high = index.resolve_pointers(codes[others], [pointers[-1] for pointers in ends], end=True)
    good = (low >= 0) & (high >= low)
    start[others], end[others] = np.where(good, low, -1), np.where(good, high, -1)
    return replace(run, start=start, end=end, kind="spans")
