"""Spans of the elements of judgments and runs, looked up in an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from excerpt.errors import ExcerptError, short_list
from excerpt.index.offsets import OffsetIndex
from excerpt.model.elements import GradedElements, is_element
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, BoolArray, IntArray
from excerpt.notices import Notices

_EXHAUSTIVE = 2  # the exhaustivity of every element with highlighted text at INEX 2006


def relevant_elements(
    index: OffsetIndex, judgments: Judgments, *, drop_tags: Iterable[str] = (), notices: Notices | None = None
) -> Judgments:
    """Add to judgments all elements that contain highlighted text, as INEX did in 2006.

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
    unknown = np.full(len(kept), UNKNOWN, np.int64)
    elements = GradedElements(
        pair=pair[kept],
        path=unknown,
        paths=(),
        exhaustivity=np.full(len(kept), _EXHAUSTIVE, np.int64),
        specificity=unknown,
        size=(end - start)[kept],
        relevant=relevant[kept],
        row=row[kept],
        start=start[kept],
    )
    return replace(judgments, elements=replace(elements, parent=_parents(index, elements, row[kept])))


def _parents(index: OffsetIndex, elements: GradedElements, rows: IntArray) -> IntArray:
    """Nearest ancestor of each element among the elements, -1 without one."""
    parents = np.full(len(elements), -1, np.int64)
    unresolved, above = np.arange(len(elements)), index.parents(rows)
    while len(unresolved):
        unresolved, above = unresolved[above >= 0], above[above >= 0]
        found = elements.find_rows(elements.pair[unresolved], above)
        parents[unresolved] = found
        unresolved, above = unresolved[found < 0], index.parents(above[found < 0])
    return parents


def _check(index: OffsetIndex, judgments: Judgments) -> None:
    if judgments.scale != "highlights":
        raise ExcerptError(
            f"found judgments by {judgments.scale}, expected highlighted text", path=judgments.source or None
        )
    if judgments.unit != index.unit:
        raise ExcerptError(
            f"the judgments count {judgments.unit}s, but the index counts {index.unit}s",
            path=judgments.source or None,
            hint=f"rebuild the index with ⟨unit={judgments.unit}⟩",
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
            "document with highlighted text is not in the index; its elements are unknown",
            "documents with highlighted text are not in the index; their elements are unknown",
            len(missing),
            where=f"document {judgments.documents[int(missing[0])]} of {judgments.source or 'the judgments'}",
        )
    return pairs[known[judgments.pair_document[pairs]]]


def _notice_unknown(tags: Iterable[str], names: Iterable[str], notices: Notices | None) -> None:
    unknown = sorted(set(tags) - set(names))
    if unknown and notices is not None:
        notices.add(f"no element is named {short_list(unknown)}, so none is dropped")


def drop_tags(judgments: Judgments, tags: Iterable[str], *, notices: Notices | None = None) -> Judgments:
    """Remove the listed elements with these names from judgments; needs no index.

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
    # The last entry is for elements without a path (code -1), which are kept.
    wanted = np.array([*(name not in unwanted for name in names), True], np.bool_)
    return replace(judgments, elements=elements.only(wanted[elements.path]))


def element_rows(
    index: OffsetIndex, documents: Sequence[str], document: IntArray, paths: Sequence[str], path: IntArray
) -> IntArray:
    """Row of the element of each (document code, path code), -1 without an element or a path."""
    rows = np.full(len(path), -1, np.int64)
    queries = np.flatnonzero(_are_elements(paths)[path])
    if len(queries):
        codes = index.document_codes(documents)[document[queries]]
        rows[queries] = index.resolve(codes, [paths[code] for code in path[queries].tolist()]).element
    return rows


def with_rows(run: Run, index: OffsetIndex, notices: Notices | None = None) -> Run:
    """Add to a run the element of each result: the one at its path, else the outermost with its span.

    A run of elements becomes a run of spans. A document is its root element, an entry point no element.
    Results that are not elements are counted in `notices`.
    """
    if not len(run) or run.kind == "entry points":
        return replace(run, row=np.full(len(run), -1, np.int64))
    codes = index.document_codes(run.documents)[run.document_code]
    if run.kind == "documents":
        return replace(run, row=index.elements_at(codes, np.zeros_like(codes), index.document_sizes(codes)))
    row = element_rows(index, run.documents, run.document_code, run.paths, run.element)
    if run.kind == "elements":
        run = _with_spans(run, index, codes, row)
    spans = np.flatnonzero(~_are_elements(run.paths)[run.element])
    row[spans] = index.elements_at(codes[spans], run.start[spans], run.end[spans])
    run = replace(run, row=row)
    if notices is not None:
        notices.add_marked(
            "result is not an element and gains nothing under element measures",
            "results are not elements and gain nothing under element measures",
            (row < 0) & (codes >= 0) & (run.end > run.start),
            lambda result: f"topic {run.topics[int(run.topic_code[result])]}, {run.place(result)}",
        )
    return run


def _are_elements(paths: Sequence[str]) -> BoolArray:
    """True for paths of one element, False for ranges and text nodes; a last False for code -1."""
    return np.array([*map(is_element, paths), False], np.bool_)


def _with_spans(run: Run, index: OffsetIndex, codes: IntArray, row: IntArray) -> Run:
    """Add to a run of elements the spans that it lacks, -1 for results that do not exist."""
    start, end = run.start.copy(), run.end.copy()
    named = np.flatnonzero((run.element >= 0) & ~run.known)
    start[named], end[named] = index.spans(row[named])
    others = named[row[named] < 0]
    ends = [run.paths[code].split(" ") for code in run.element[others].tolist()]
    low = index.resolve_pointers(codes[others], [pointers[0] for pointers in ends], end=False)
    high = index.resolve_pointers(codes[others], [pointers[-1] for pointers in ends], end=True)
    exists = (low >= 0) & (high >= low)
    start[others], end[others] = np.where(exists, low, -1), np.where(exists, high, -1)
    return replace(run, start=start, end=end, kind="spans")
