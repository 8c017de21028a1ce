"""Chunks in memory or in a file, placed in a corpus or in one that is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt.errors import ExcerptError
from excerpt.files import is_input
from excerpt.formats.source import AnyCorpus, open_corpus

if TYPE_CHECKING:
    from excerpt.gold.file import Context
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
        from excerpt.placing.placed_files import place_file

        return place_file(
            opened,
            chunks,
            name=name,
            text=text,
            document=document,
            lost=lost,
            notices=notices,
        )
    return opened.place(
        chunks, name=name or "chunks", text=text, document=document, lost=lost, notices=notices
    )
