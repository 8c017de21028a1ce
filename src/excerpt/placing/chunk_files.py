"""Placed chunks in JSON Lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from excerpt.errors import ExcerptError, json_text, plural, short
from excerpt.files import Input, display_name, read_bytes, write_bytes
from excerpt.model.run import encode
from excerpt.model.texts import squeeze
from excerpt.notices import Notices
from excerpt.placing.chunk_rows import Origin, document_of, id_of, text_of, whole
from excerpt.placing.chunks import HOWS, Chunks, How, Lost, TextsById, count_seen
from excerpt.placing.placement import place_chunks

_SHOWN = 3
#: Where a line says what the text that was placed is called in it.
_TEXT_KEY = "text_key"
#: The names of files say what the chunks in them are called.
_ENDINGS = (".jsonl", ".json", ".ndjson", ".placed")


def place_file(
    corpus: TextsById,
    path: Input,
    *,
    name: str | None = None,
    text: str | None = None,
    document: str | None = None,
    lost: Lost = "error",
    notices: Notices | None = None,
) -> Chunks:
    """The chunks of a file, one a line in JSON, with their places."""
    rows, file = list(read_lines(path)), display_name(path)
    return place_chunks(
        corpus,
        [fields for _, fields in rows],
        name=name or _called(file),
        text=text,
        document=document,
        lost=lost,
        notices=notices,
        origin=Origin(file, [line for line, _ in rows]),
    )


def read_lines(path: Input) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, each with its line; blank lines are skipped, all else is an error."""
    name = display_name(path)
    try:
        lines = read_bytes(path).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ExcerptError(f"is not UTF-8: {error.reason} at byte {error.start}", path=name) from None
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                found = None
            if not isinstance(found, dict):
                message = f"found {short(line.strip())!r}, expected one JSON object per line"
                raise ExcerptError(message, path=name, line=number)
            yield number, found


def write_placed(chunks: Chunks, path: str | os.PathLike[str]) -> None:
    """Write chunks: each as it came, with its place."""
    write_bytes(path, b"".join(_line(chunks, row) for row in range(len(chunks))))


def _line(chunks: Chunks, row: int) -> bytes:
    chunk = chunks[row]
    given: Any = chunks.given[row] if chunks.given else None
    given = given._asdict() if hasattr(given, "_asdict") else given
    fields = {**given} if isinstance(given, Mapping) else {}
    key = {} if not fields or chunks.text_key is None else {_TEXT_KEY: chunks.text_key}
    if text_of(fields, key.get(_TEXT_KEY)) is None:
        fields["text"] = chunk.text
    for name in ("document", "start", "end", "how", _TEXT_KEY):
        fields.pop(name, None)
    place = {"start": chunk.start, "end": chunk.end} if chunk.start >= 0 else {}
    found = {"document": chunk.document, **fields, **key, **place, "how": chunk.how}
    try:
        return json_text(found, nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):  # what a chunk came with may be no JSON
        plain = {name: value for name, value in found.items() if _is_json({name: value})}
        return json.dumps(plain).encode() + b"\n"


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def read_placed(path: str | os.PathLike[str], corpus: TextsById | None, text: str | None) -> Chunks:
    """Read chunks that were written; with a corpus every text is compared with its place."""
    name = display_name(path)
    rows = [_Row(found, name, line, text) for line, found in read_lines(path)]
    keys = {row.text_key for row in rows}
    documents, document = encode([row.document for row in rows])
    own = [] if corpus is None else _verify(rows, documents, corpus, name)
    start = np.array([row.start for row in rows], np.int64)
    end = np.array([row.end for row in rows], np.int64)
    return Chunks(
        name=_called(name),
        documents=documents,
        document=document,
        start=start,
        end=end,
        how=tuple(row.how for row in rows),
        texts=tuple(row.text for row in rows),
        seen=(0, 0) if corpus is None else count_seen(corpus, own, document, start, end),
        lost="count" if (start < 0).any() else "error",
        text_key=keys.pop() if len(keys) == 1 else None,
        given=tuple(row.fields for row in rows),
        ids=tuple(id_of(row.fields) for row in rows),
        claims=tuple(None if row.start < 0 else row.start for row in rows),
    )


def _called(path: str) -> str:
    """The name of chunks by that of their file.

    >>> _called("a/words-200.jsonl.gz")
    'words-200'
    """
    name = os.path.basename(path)  # noqa: PTH119 - also of what is no path
    for ending in (".gz", ".bz2", ".xz", ".zst", *_ENDINGS):
        name = name.removesuffix(ending)
    return name or "chunks"


class _Row:
    """One line of a file."""

    def __init__(self, fields: dict[str, Any], path: str, line: int, text: str | None) -> None:
        self.fields, self.line = fields, line
        told = fields.get(_TEXT_KEY)
        self.text_key = text or (told if isinstance(told, str) else None)
        try:
            self.document = document_of(fields) or ""
            self.text, self.how = text_of(fields, self.text_key) or "", _how(fields)
            self.start, self.end = _span(fields, lost=self.how == "lost")
        except ExcerptError as error:
            raise ExcerptError(error.message, path=path, line=line, hint=error.hint) from None
        if not self.document or not self.text:
            raise ExcerptError(
                f"found no {'text' if self.document else 'document'}, expected a placed chunk",
                path=path,
                line=line,
            )


def _how(fields: dict[str, Any]) -> How:
    how = fields.get("how")
    if how not in HOWS:
        found = "no how" if how is None else f"how {short(repr(how))}"
        raise ExcerptError(
            f"found {found}, expected a placed chunk: {', '.join(HOWS)}",
            hint="excerpt place CORPUS FILE places chunks",
        )
    return cast("How", how)


def _span(fields: dict[str, Any], *, lost: bool) -> tuple[int, int]:
    start, end = whole(fields.get("start", -1)), whole(fields.get("end", -1))
    if lost:
        return -1, -1
    if start is None or end is None or end <= start:
        raise ExcerptError("found a chunk without its place, expected start and end")
    return start, end


def _verify(rows: list[_Row], documents: Sequence[str], corpus: TextsById, name: str) -> list[str]:
    """The own ids of documents; an error where texts do not stand at their places."""
    wrong, found = [], []
    by_document: dict[str, list[_Row]] = {}
    for row in rows:
        by_document.setdefault(row.document, []).append(row)
    for document in documents:
        own, some = corpus.resolve(document), by_document[document]
        if own is None:
            raise ExcerptError(
                f"found the document {short(document)!r}, expected one of the corpus",
                path=name,
                line=some[0].line,
            )
        found.append(own)
        text = corpus[own]
        wrong += [row for row in some if not _stands(row, text)]
    if wrong:
        shown = ", ".join(f"line {row.line}: {short(row.text, 30)!r}" for row in wrong[:_SHOWN])
        raise ExcerptError(
            f"found {plural(len(wrong), 'chunk')} of {len(rows)} whose text is not at its place ({shown}), "
            "expected the documents that they were placed in",
            path=name,
            hint="place them again",
        )
    return found


def _stands(row: _Row, text: str) -> bool:
    """Whether the text of a chunk is at its place."""
    if row.how == "lost":
        return True
    found = text[row.start : row.end]
    if row.how in {"exact", "moved"}:
        return found == row.text
    solid, whole_text = squeeze(found), squeeze(row.text)
    return solid in whole_text if row.how == "trimmed" else solid == whole_text
