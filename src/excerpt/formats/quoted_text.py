"""Location of chunks in a corpus, and verification of quoted text against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural, short
from excerpt.files import is_input
from excerpt.formats.source import AnyCorpus, open_corpus
from excerpt.model.rows import Trimmed, is_quoted
from excerpt.model.run import Run
from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import code_points

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.gold.file import Context
    from excerpt.model.judgments import Unit
    from excerpt.notices import Notices
    from excerpt.placing.chunks import Chunks, Lost


def place(
    corpus: AnyCorpus,
    chunks: object,
    *,
    name: str | None = None,
    text: str | None = None,
    document: str | None = None,
    lost: Lost = "error",
    context: Context = "paragraph",
    notices: Notices | None = None,
) -> Chunks:
    """Locate chunks in the documents of a corpus; see `Corpus.place`.

    The corpus may be its path, or texts by id; chunks may be a file of JSON Lines, which gives them its name.
    `context` says what a document is (paragraph or article) if the corpus is a file of the SQuAD family.

    >>> place({"A": "One. Two."}, b'{"document": "A", "text": "Two."}')[0]
    Chunk(document='A', start=5, end=9, how='exact', text='Two.')
    """
    opened = open_corpus(corpus, context)
    if opened is None:
        raise ExcerptError("no corpus given, expected a Corpus, its path, or texts by id")
    if is_input(chunks):
        from excerpt.placing.chunk_files import place_file

        return place_file(opened, chunks, name=name, text=text, document=document, lost=lost, notices=notices)
    return opened.place(
        chunks, name=name or "chunks", text=text, document=document, lost=lost, notices=notices
    )


_SHOWN = 3
_HINT = "are they from another version of the text? ⟨command=place⟩ locates chunks"


def check_quotes(run: Run, corpus: Corpus, unit: Unit = "char") -> Run:
    """Return the run without its quotes; raise if a quote differs from the corpus."""
    if run.quotes is None:
        return run
    if run.kind == "spans" and not run.whole:
        quoted = np.array([quote is not None for quote in run.quotes.tolist()], np.bool_)
        rows = np.flatnonzero(quoted & run.known)
        wrong = [row for row in _by_document(run, rows) if not _is_at_offsets(run, row, corpus, unit)]
        if wrong:
            raise _wrong(run, sorted(wrong, key=lambda row: (int(run.line[row]), row)), len(rows))
    return replace(run, quotes=None)


#: Most results that are compared with the words of their documents, and most documents of them.
_MOST_RESULTS, _MOST_DOCUMENTS = 300, 50
#: Least results whose offsets another reading changes, and least proportion of their starts inside words.
_LEAST_RESULTS, _LEAST_INSIDE = 10, 0.25
#: Most starts and ends that another reading leaves inside words, as a proportion of those that are.
_MOST_LEFT = 0.2


def check_offsets(run: Run, corpus: Corpus, notices: Notices) -> None:
    """Raise if all results begin after the end of their documents; warn if offsets count something else.

    Such offsets fall inside words. So do those of windows of a fixed size, but no other reading puts these
    between words.
    """
    rows = np.flatnonzero(run.known & (run.element < 0))
    if run.kind != "spans" or run.whole or not len(rows):
        return
    _reject_beyond(run, rows, corpus)
    documents = _spread(np.flatnonzero(np.bincount(run.document[rows])), _MOST_DOCUMENTS)
    chosen = np.zeros(len(run.documents), np.bool_)
    chosen[documents] = True
    rows = _spread(rows[chosen[run.document[rows]]], _MOST_RESULTS)
    samples = [
        _Sample(text, np.stack((run.start[some], run.end[some])))
        for code in documents.tolist()
        if len(some := rows[run.document[rows] == code])
        and (text := _text(corpus, run.documents[code])) is not None
    ]
    if sum(sample.inside[0].sum() for sample in samples) < _LEAST_RESULTS * _LEAST_INSIDE:
        return
    for noun, read in _READINGS:
        changed = [sample.changed_by(read) for sample in samples]
        given = np.concatenate([before for before, _ in changed], axis=1)
        left = np.concatenate([after for _, after in changed], axis=1)
        compared = given.shape[1]
        often = compared >= _LEAST_RESULTS and given[0].sum() >= _LEAST_INSIDE * compared
        if often and left.sum() <= _MOST_LEFT * given.sum():
            end = f"inside words (of {compared} compared), but not if offsets are read as {noun}: "
            end += f"are they {noun}?"
            count, where = int(given.any(axis=0).sum()), run.source or run.name
            notices.add(f"result begins or ends {end}", f"results begin or end {end}", count, where=where)
            return


@dataclass(frozen=True)
class _Sample:
    """A text, and starts and ends of some of its results."""

    text: str
    ends: IntArray

    @cached_property
    def inside(self) -> BoolArray:
        """Whether there is a letter or digit on both sides of each start and end."""
        pairs = [self.text[max(at - 1, 0) : at + 1] for at in self.ends.ravel().tolist()]
        inside = [len(pair) == 2 and pair.isalnum() for pair in pairs]
        return np.array(inside, np.bool_).reshape(self.ends.shape)

    def changed_by(self, read: Callable[[str, IntArray], IntArray]) -> tuple[BoolArray, BoolArray]:
        """Of the results that another reading changes: which ends are inside words before and after."""
        ends = read(self.text, self.ends)
        changed = (ends != self.ends).any(axis=0)
        return self.inside[:, changed], _Sample(self.text, ends[:, changed]).inside


def _spread(values: IntArray, most: int) -> IntArray:
    """Return at most some of the values, from all parts of the array."""
    return values[np.linspace(0, len(values) - 1, min(len(values), most)).astype(np.int64)]


def _reject_beyond(run: Run, rows: IntArray, corpus: Corpus) -> None:
    """Raise if all results begin after the end of their documents; the first one is mostly enough to know."""
    lengths: dict[int, int] = {}
    for row in rows.tolist():
        code = int(run.document[row])
        if code not in lengths:
            text = _text(corpus, run.documents[code])
            if text is None:  # nothing is known about its results
                return
            lengths[code] = len(text)
        if run.start[row] < lengths[code]:
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


def _by_width(text: str, ends: IntArray, limits: Sequence[int]) -> IntArray:
    """Offsets in characters from offsets in units; a character has one unit more for each limit below it."""
    if text.isascii():
        return ends
    codes = code_points(text)
    after = np.cumsum(1 + sum((codes > limit).astype(np.int64) for limit in limits))
    return np.searchsorted(after, ends, side="right")


#: Other readings of offsets, in the order in which they are tried.
_READINGS: tuple[tuple[str, Callable[[str, IntArray], IntArray]], ...] = (
    ("bytes", partial(_by_width, limits=(0x7F, 0x7FF, 0xFFFF))),
    ("UTF-16 code units", partial(_by_width, limits=(0xFFFF,))),
    ("1-based", lambda _, ends: ends - 1),
    ("1-based", lambda _, ends: ends - np.array([[1], [0]])),  # the end is that of the last character
)


def warn_lengths(run: Run, unit: Unit, notices: Notices) -> None:
    """Warn about results whose text is longer or shorter than their offsets say."""
    if run.quotes is None or run.kind != "spans" or run.whole:
        return
    size, wrong = run.end - run.start, np.zeros(len(run), np.bool_)
    for row in np.flatnonzero(run.known & (run.quotes != None)).tolist():  # noqa: E711 - by element
        quote = run.quotes[row]
        texts = (quote, quote.strip()) if unit == "char" else (quote.encode(), quote.strip().encode())
        wrong[row] = size[row] not in map(len, texts) and not isinstance(quote, Trimmed)
    notices.add_marked(
        "result has a text of another length than its offsets say; the offsets count",
        "results have texts of another length than their offsets say; the offsets count",
        wrong,
        partial(_describe_lengths, run),
    )


def _describe_lengths(run: Run, row: int) -> str:
    assert run.quotes is not None
    quote, size = run.quotes[row], int(run.end[row] - run.start[row])
    unit = ": bytes?" if size == len(quote.encode("utf-8", "replace")) else ""
    return f"{len(quote)} characters of text, {size} by its offsets{unit}; {run.place(row)}"


def _by_document(run: Run, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    return list(map(int, rows[np.argsort(run.document[rows], kind="stable")].tolist()))


def _is_at_offsets(run: Run, row: int, corpus: Corpus, unit: Unit) -> bool:
    """Return whether the quote of a result occurs at its offsets; True if the document is not readable."""
    try:
        text = corpus.get(run.documents[int(run.document[row])])
    except ExcerptError:  # a broken document is reported when lengths are read
        text = None
    if text is None:
        return True
    assert run.quotes is not None
    span = slice(int(run.start[row]), int(run.end[row]))
    passage = text[span] if unit == "char" else text.encode()[span].decode(errors="replace")
    return is_quoted(run.quotes[row], passage) and (unit == "byte" or span.stop <= len(text))


def _wrong(run: Run, rows: list[int], count: int) -> FormatError:
    assert run.quotes is not None
    shown = [
        f"{short(run.quotes[row], 30)!r} at {run.start[row]} to {run.end[row]} of document "
        f"{short(run.documents[int(run.document[row])], 30)}"
        for row in rows[:_SHOWN]
    ]
    return FormatError(
        f"the text of {len(rows)} of {plural(count, 'result')} is not at its offsets ({'; '.join(shown)})",
        path=run.source or run.name,
        line=int(run.line[rows[0]]) or None,
        hint=_HINT,
    )
