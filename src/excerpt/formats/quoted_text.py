"""Location of chunks in a corpus, and verification of quoted text against it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from excerpt.errors import ExcerptError, FormatError, plural, short
from excerpt.files import is_input
from excerpt.formats.source import AnyCorpus, open_corpus
from excerpt.model.rows import is_quoted
from excerpt.model.run import Run

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
