"""Offsets that begin or end inside words: what else they may count, or that the text is another version."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import blanks, code_points

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.notices import Notices

#: Most spans that are compared with the words of their documents, and most documents of them.
_MOST_SPANS, _MOST_DOCUMENTS = 300, 50
#: Least spans that are compared, and least proportion of them that begin or end inside words.
_LEAST_SPANS, _LEAST_INSIDE = 10, 0.25
#: Most of these that another reading leaves inside words.
_MOST_LEFT = 0.2
#: Proportion of the places of a text inside words above which words have no borders, as in Chinese.
_NO_BORDERS = 0.85
#: Shares of spans of one length: most of them are windows, or nearly all.
_MOST, _NEARLY_ALL = 0.5, 0.8
#: Characters of each text by which that is decided.
_BEGINNING = 2000
#: What tells that the warning is about the texts and not about single results.
DOUBT = "offsets do not fit this text; is it another version?"


class OffsetSample(NamedTuple):
    """OffsetSample by the number of their text; starts and ends are the rows of one array."""

    texts: Sequence[str]
    which: IntArray
    ends: IntArray
    names: Sequence[str]
    #: Places in each text at which elements begin and end: in XML, words may have no blank between them.
    borders: Sequence[Container[int]] = ()

    def of(self, rows: BoolArray) -> OffsetSample:
        """Return some of the spans."""
        return self._replace(which=self.which[rows], ends=self.ends[:, rows])

    def inside(self) -> BoolArray:
        """Whether there is a letter or digit on both sides of each start and end, or no text."""
        places = zip(np.tile(self.which, 2).tolist(), self.ends.ravel().tolist(), strict=True)
        found = np.array([self._is_inside(text, at) for text, at in places], np.bool_)
        return found.reshape(self.ends.shape)

    def _is_inside(self, number: int, at: int) -> bool:
        text = self.texts[number]
        if not 0 < at < len(text):
            return not 0 <= at <= len(text)
        return text[at - 1 : at + 1].isalnum() and not (self.borders and at in self.borders[number])


def check_run(run: Run, corpus: Corpus, notices: Notices) -> None:
    """Raise if all results begin after the end of their documents, or if offsets count something else."""
    rows = np.flatnonzero(run.known & (run.element < 0))
    if run.kind != "spans" or run.whole or not len(rows):
        return
    _reject_beyond(run, rows, corpus)
    columns = run.document_code[rows], run.start[rows], run.end[rows]
    _check(corpus, run.documents, columns, ("result", run.source or run.name, run.fingerprints), notices)


def check_judgments(judgments: Judgments, corpus: Corpus, notices: Notices) -> None:
    """The same for relevant text that no quote has verified."""
    spans = judgments.spans
    if judgments.scale != "highlights" or judgments.unit != "char" or judgments.evidence or not len(spans):
        return
    columns = judgments.pair_document[spans.group], spans.start, spans.end
    about = "relevant passage", judgments.source or "the judgments", judgments.fingerprints
    _check(corpus, judgments.documents, columns, about, notices)


def _check(
    corpus: Corpus,
    documents: Sequence[str],
    columns: tuple[IntArray, IntArray, IntArray],
    about: tuple[str, str, object],
    notices: Notices,
) -> None:
    noun, where, known = about
    document, start, end = columns
    unknown = np.array([not known or name not in known for name in documents], np.bool_)  # type: ignore[operator]
    rows = np.flatnonzero(unknown[document] & (end > start))
    spans = _some(corpus, documents, document[rows], np.stack((start[rows], end[rows])))
    inside = spans.inside()
    count, compared = int(inside.any(axis=0).sum()), len(spans.which)
    if compared < _LEAST_SPANS or count < _LEAST_INSIDE * compared or _are_windows(spans, _NEARLY_ALL):
        return
    spans = spans._replace(borders=[_borders(corpus, spans.names[code]) for code in range(len(spans.texts))])
    inside = spans.inside()
    count = int(inside.any(axis=0).sum())
    if count < _LEAST_INSIDE * compared:
        return
    for reading in _READINGS:
        if _fits(reading, spans, inside):
            raise ExcerptError(
                f"{count} of {compared} {noun}s compared begin or end inside words, but not if offsets are "
                f"read as {reading.name}",
                path=None if where == "the judgments" else where,
                hint=reading.advice,
            )
    if not _are_windows(spans, _MOST) and not _lacks_borders(spans.texts):
        one, many = (
            f"{noun}{s} inside words (of {compared} compared): {DOUBT}" for s in (" begins", "s begin")
        )
        notices.add(
            one.replace("begins", "begins or ends"), many.replace("begin", "begin or end"), count, where=where
        )


def _some(corpus: Corpus, names: Sequence[str], document: IntArray, ends: IntArray) -> OffsetSample:
    """Return some of the spans, from all parts, with the texts of their documents."""
    chosen = np.zeros(len(names), np.bool_)
    chosen[_spread(np.flatnonzero(np.bincount(document, minlength=len(names))), _MOST_DOCUMENTS)] = True
    rows = _spread(np.flatnonzero(chosen[document]), _MOST_SPANS)
    codes, which = np.unique(document[rows], return_inverse=True)
    read = [_text(corpus, names[code]) for code in codes.tolist()]
    there = np.array([text is not None for text in read], np.bool_)[which]
    own = [names[code] for code in codes.tolist()]
    return OffsetSample([text or "" for text in read], which[there], ends[:, rows[there]], own)


def _borders(corpus: Corpus, name: str) -> Container[int]:
    """Places at which elements of a document begin or end."""
    elements = corpus.document(name).elements if name in corpus else None
    return {place for element in elements or () for place in (element.start, element.end)}


def _spread(values: IntArray, most: int) -> IntArray:
    """Return at most some of the values, from all parts of the array."""
    return values[np.linspace(0, len(values) - 1, min(len(values), most)).astype(np.int64)]


def _fits(reading: OffsetReading, spans: OffsetSample, inside: BoolArray) -> bool:
    """Return whether another reading of the spans that it changes leaves few of them inside words."""
    converted = reading.convert(spans)
    changed = np.asarray((converted != spans.ends).any(axis=0))
    if reading.side is not None and inside[reading.side].sum() < _LEAST_INSIDE * max(
        len(changed), _LEAST_SPANS
    ):
        return False
    given = np.asarray(inside[:, changed].any(axis=0))
    if (
        given.sum() < max(_LEAST_INSIDE * len(given), _LEAST_INSIDE * _LEAST_SPANS)
        or len(given) < _LEAST_SPANS
    ):
        return False
    left = spans._replace(ends=converted).of(changed).inside().any(axis=0)
    return bool(left.sum() <= _MOST_LEFT * given.sum())


def _are_windows(spans: OffsetSample, share: float) -> bool:
    """Return whether more than a share of the spans have one length."""
    _, counts = np.unique(spans.ends[1] - spans.ends[0], return_counts=True)
    return bool(counts.max(initial=0) > share * len(spans.which))


def _lacks_borders(texts: Sequence[str]) -> bool:
    """Return whether nearly all places are inside words."""
    joined = "\n".join(text[:_BEGINNING] for text in texts)
    letters = np.array([character.isalnum() for character in joined], np.bool_)
    return bool((letters[1:] & letters[:-1]).sum() > _NO_BORDERS * max(len(joined) - 1, 1))


def _reject_beyond(run: Run, rows: IntArray, corpus: Corpus) -> None:
    """Raise if all results begin after the end of their documents; the first one is mostly enough to know."""
    for row in rows.tolist():
        text = _text(corpus, run.documents[int(run.document_code[row])])
        # Without a text nothing is known about its results; an empty document has one place, its end.
        if text is None or run.start[row] < max(len(text), 1):
            return
    raise ExcerptError(
        f"all {len(rows)} results begin after the end of their documents",
        path=run.source or run.name,
        line=int(run.line[rows[0]]) or None,
        hint="do the offsets count bytes, or belong to another version of the text?",
    )


def _text(corpus: Corpus, document: str) -> str | None:
    try:
        return corpus.get(document)
    except ExcerptError:  # a broken document is reported when lengths are read
        return None


class OffsetReading(NamedTuple):
    """Another meaning of offsets: its name, how to turn them into characters, and the offsets turned."""

    name: str
    advice: str
    convert: Callable[[OffsetSample], IntArray]
    #: The side that must be inside words for it: starts (0), ends (1), or any.
    side: int | None = None


def _each(spans: OffsetSample, convert: Callable[[str, IntArray], IntArray]) -> IntArray:
    """Convert the offsets of each text by itself."""
    found = spans.ends.copy()
    for number, text in enumerate(spans.texts):
        rows = spans.which == number
        found[:, rows] = convert(text, spans.ends[:, rows])
    return found


def _by_sizes(sizes: Callable[[str], IntArray]) -> Callable[[OffsetSample], IntArray]:
    """Offsets that count units, of which each character has some."""

    def convert(text: str, ends: IntArray) -> IntArray:
        units = np.cumsum(sizes(text))
        return np.searchsorted(units, ends, side="right") + (ends > (units[-1] if len(units) else 0))

    return partial(_each, convert=convert)


def _of_bytes(text: str) -> IntArray:
    codes = code_points(text)
    return np.searchsorted((0x7F, 0x7FF, 0xFFFF), codes).astype(np.int64) + 1


def _of_utf_16(text: str) -> IntArray:
    return 1 + (code_points(text) > 0xFFFF).astype(np.int64)


def _marked(text: str, pattern: str, size: int) -> IntArray:
    """Sizes of characters: 1, but another one where a pattern begins."""
    sizes = np.ones(len(text), np.int64)
    sizes[[match.start() for match in re.finditer(pattern, text)]] = size
    return sizes


def _of_folded(text: str) -> IntArray:
    """Sizes of characters in the text with its white space folded, and stripped."""
    space = np.zeros(len(text), np.bool_)
    space[blanks(text)] = True
    sizes = np.ones(len(text), np.int64)
    sizes[space & np.append(True, space[:-1])] = 0
    return sizes


def _beside_title(sign: int, spans: OffsetSample) -> IntArray:
    """Offsets in the text without its first line, or with it once more in front."""

    def convert(text: str, ends: IntArray) -> IntArray:
        line = re.match(r"\s*[^\n]*\n*", text)
        return ends + sign * (len(line[0]) if line else 0)

    return _each(spans, convert)


def _shifted(first: int, last: int, spans: OffsetSample) -> IntArray:
    return np.asarray(spans.ends + np.array([[first], [last]]))


#: Other readings of offsets, in the order in which they are tried.
_READINGS = (
    OffsetReading("bytes", "write characters: len(data[:start].decode())", _by_sizes(_of_bytes)),
    OffsetReading(
        "UTF-16 code units",
        "write characters: len(text.encode('utf-16-le')[: 2 * start].decode('utf-16-le'))",
        _by_sizes(_of_utf_16),
    ),
    OffsetReading("1-based", "subtract 1 from start and end", partial(_shifted, -1, -1), 0),
    OffsetReading(
        "1-based, with the end that of the last character",
        "subtract 1 from start",
        partial(_shifted, -1, 0),
        0,
    ),
    OffsetReading("inclusive ends", "add 1 to end", partial(_shifted, 0, 1), 1),
    OffsetReading(
        "CRLF as one character",
        "read the documents with newline='' before they are cut",
        _by_sizes(partial(_marked, pattern="\r(?=\n)", size=0)),
    ),
    OffsetReading(
        "CRLF as two characters",
        "the documents have LF alone: cut these",
        _by_sizes(partial(_marked, pattern="(?<!\r)\n", size=2)),
    ),
    OffsetReading(
        "offsets in the text with its white space folded",
        "cut the text as it is; ⟨command=place⟩ locates texts without offsets",
        _by_sizes(_of_folded),
    ),
    OffsetReading(
        "offsets in the text without its first line",
        "add the length of the title to start and end; ⟨command=place⟩ locates texts without offsets",
        partial(_beside_title, 1),
    ),
    OffsetReading(
        "offsets in the text with a title in front",
        "subtract the length of the title from start and end; ⟨command=place⟩ locates texts without offsets",
        partial(_beside_title, -1),
    ),
)
