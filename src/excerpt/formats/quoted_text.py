"""Location of chunks in a corpus, and verification of quoted text against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural, short
from excerpt.files import is_input
from excerpt.formats.source import AnyCorpus, open_corpus
from excerpt.model.rows import Trimmed, is_quoted
from excerpt.model.run import Run
from excerpt.model.spans import MAX_OFFSET, BoolArray, IntArray
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
#: Least results whose offsets another reading changes, and least proportion of their ends inside words.
_LEAST_RESULTS, _LEAST_INSIDE = 20, 0.25
#: Another reading must leave at most this part of the ends inside words.
_MOST_LEFT = 0.2


def check_offsets(run: Run, corpus: Corpus, notices: Notices) -> None:
    """Raise if all results begin after the end of their documents; warn if offsets count something else.

    Offsets of another kind fall inside words. So do those of windows of a fixed size, but there no other
    reading puts them between words.
    """
    rows = np.flatnonzero(run.known & (run.element < 0))
    if run.kind != "spans" or run.whole or not len(rows):
        return
    _reject_beyond(run, rows, corpus)
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), _MOST_RESULTS)).astype(np.int64)]
    rows = rows[np.isin(run.document[rows], np.unique(run.document[rows])[:_MOST_DOCUMENTS])]
    ends = [
        (text, run.start[some], run.end[some])
        for some in (rows[run.document[rows] == code] for code in np.unique(run.document[rows]).tolist())
        if (text := _text(corpus, run.documents[int(run.document[some[0]])])) is not None
    ]
    given = [_inside_words(*one) for one in ends]
    if not given or sum(mask.sum() for mask in given) < _LEAST_INSIDE * sum(mask.size for mask in given):
        return
    for noun, read in _READINGS:
        others = [read(*one) for one in ends]
        changed = [(other != np.stack(one[1:])).any(axis=0) for one, other in zip(ends, others, strict=True)]
        inside = np.concatenate([mask[:, new] for mask, new in zip(given, changed, strict=True)], axis=1)
        left = np.concatenate(
            [
                _inside_words(text, *other[:, new])
                for (text, _, _), other, new in zip(ends, others, changed, strict=True)
            ],
            axis=1,
        )
        enough = inside.shape[1] >= _LEAST_RESULTS and inside.sum() >= _LEAST_INSIDE * inside.size
        if enough and left.sum() <= _MOST_LEFT * inside.sum():
            count, compared = int(inside.any(axis=0).sum()), plural(inside.shape[1], "result")
            end = f"inside words (of {compared} compared), but not if the offsets {noun}: do they?"
            where = run.source or run.name
            notices.add(f"result begins or ends {end}", f"results begin or end {end}", count, where=where)
            return


def _reject_beyond(run: Run, rows: IntArray, corpus: Corpus) -> None:
    """Raise if all results begin after the end of their documents; most runs need one document for that."""
    first = np.full(len(run.documents), MAX_OFFSET + 1, np.int64)
    np.minimum.at(first, run.document[rows], run.start[rows])
    lengths = ((code, _text(corpus, run.documents[code])) for code in np.unique(run.document[rows]).tolist())
    known = 0
    for code, text in lengths:
        if text is not None and first[code] < len(text):
            return
        known += text is not None
    if known:
        row = int(rows[0])
        raise ExcerptError(
            f"all {len(rows)} results begin after the end of their documents",
            path=run.source or run.name,
            line=int(run.line[row]) or None,
            hint="do the offsets count bytes, or belong to another version of the text?",
        )


def _text(corpus: Corpus, document: str) -> str | None:
    try:
        return corpus.get(document)
    except ExcerptError:  # a broken document is reported when lengths are read
        return None


def _inside_words(text: str, start: IntArray, end: IntArray) -> BoolArray:
    """Return for starts and ends whether there is a letter or digit on both sides."""
    both = [[text[max(at - 1, 0) : at + 1] for at in offsets.tolist()] for offsets in (start, end)]
    return np.array([[len(pair) == 2 and pair.isalnum() for pair in pairs] for pairs in both], np.bool_)


def _by_width(text: str, start: IntArray, end: IntArray, limits: Sequence[int]) -> IntArray:
    """Offsets in characters from offsets in units; a character above a limit is one unit wider."""
    if text.isascii():
        return np.stack((start, end))
    codes = code_points(text)
    after = np.cumsum(1 + sum((codes > limit).astype(np.int64) for limit in limits))
    return np.searchsorted(after, np.stack((start, end)), side="right")


#: Other readings of offsets, in the order in which they are tried.
_READINGS: tuple[tuple[str, Callable[[str, IntArray, IntArray], IntArray]], ...] = (
    ("count bytes", partial(_by_width, limits=(0x7F, 0x7FF, 0xFFFF))),
    ("count UTF-16 code units", partial(_by_width, limits=(0xFFFF,))),
    ("are 1-based", lambda _, start, end: np.stack((start - 1, end - 1))),
    ("are 1-based", lambda _, start, end: np.stack((start - 1, end))),  # the end is the last character
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
