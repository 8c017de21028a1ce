"""Chunks placed in a corpus, and quoted text verified against it."""

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
    """Where chunks stand in the documents of a corpus; see `Corpus.place`.

    The corpus may be its path, or texts by id; chunks may be a file of JSON Lines, which gives them its name.
    `context` is what a document is where the corpus is a file of the SQuAD family.

    >>> place({"A": "One. Two."}, b'{"document": "A", "text": "Two."}')[0]
    Chunk(document='A', start=5, end=9, how='exact', text='Two.')
    """
    opened = open_corpus(corpus, context)
    if opened is None:
        raise ExcerptError("found no corpus, expected one, its path, or texts by id")
    if is_input(chunks):
        from excerpt.placing.chunk_files import place_file

        return place_file(opened, chunks, name=name, text=text, document=document, lost=lost, notices=notices)
    return opened.place(
        chunks, name=name or "chunks", text=text, document=document, lost=lost, notices=notices
    )


_SHOWN = 3
_HINT = "are they of another version of the text? ⟨command=place⟩ finds where chunks stand"


def check_quotes(run: Run, corpus: Corpus, unit: Unit = "char") -> Run:
    """The run without its quotes; an error where their texts are not those of the corpus."""
    if run.quotes is None:
        return run
    if run.kind == "spans" and not run.whole:
        quoted = np.array([quote is not None for quote in run.quotes.tolist()], np.bool_)
        rows = np.flatnonzero(quoted & run.known)
        wrong = [row for row in _by_document(run, rows) if not _stands(run, row, corpus, unit)]
        if wrong:
            raise _wrong(run, sorted(wrong, key=lambda row: (int(run.line[row]), row)), len(rows))
    return replace(run, quotes=None)


def _by_document(run: Run, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    """The rows of one document after another: each is read once."""
    return list(map(int, rows[np.argsort(run.document[rows], kind="stable")].tolist()))


def _stands(run: Run, row: int, corpus: Corpus, unit: Unit) -> bool:
    """Whether the text of a result stands at its place, as far as the corpus can tell."""
    try:
        text = corpus.get(run.documents[int(run.document[row])])
    except ExcerptError:  # broken, which is said where documents are measured
        text = None
    if text is None:
        return True
    assert run.quotes is not None
    place = slice(int(run.start[row]), int(run.end[row]))
    found = text[place] if unit == "char" else text.encode()[place].decode(errors="replace")
    return is_quoted(run.quotes[row], found) and (unit == "byte" or place.stop <= len(text))


def _wrong(run: Run, rows: list[int], count: int) -> FormatError:
    assert run.quotes is not None
    shown = [
        f"{short(run.quotes[row], 30)!r} at {run.start[row]} to {run.end[row]} of document "
        f"{short(run.documents[int(run.document[row])], 30)}"
        for row in rows[:_SHOWN]
    ]
    found = (
        f"found {len(rows)} of {plural(count, 'result')} whose text is elsewhere in the corpus, or nowhere"
    )
    return FormatError(
        f"{found} ({'; '.join(shown)}), expected it at its offsets",
        path=run.source or run.name,
        line=int(run.line[rows[0]]) or None,
        hint=_HINT,
    )
