"""Files of chunks in JSON Lines, before and after placement."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from excerpt.errors import ExcerptError, json_text, plural, short
from excerpt.files import Input, display_name, read_bytes, write_bytes
from excerpt.model.folding import fold_characters
from excerpt.model.run import encode
from excerpt.model.texts import squeeze
from excerpt.notices import Gathering
from excerpt.placing import chunk_rows
from excerpt.placing.chunks import HOWS, Chunks, How, TextsById, count_seen
from excerpt.placing.placement import place_chunks

_SHOWN = 3
#: The field that names the field with the text that was placed.
_TEXT_KEY = "text_key"
#: Extensions that are not part of the name of chunks.
_EXTENSIONS = (".jsonl", ".json", ".ndjson", ".placed")


def place_file(corpus: TextsById, path: Input, *, name: str | None = None, **how: Any) -> Chunks:
    """Locate the chunks of a file, which has one per line in JSON; other arguments as in `place_chunks`."""
    rows, file = list(read_lines(path)), display_name(path)
    origin = chunk_rows.Origin(file, [line for line, _ in rows])
    chunks = [fields for _, fields in rows]
    return place_chunks(corpus, chunks, name=name or _name_of(file), origin=origin, **how)


def read_lines(path: Input) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file, each with its line; blank lines are skipped, other lines are errors."""
    name = display_name(path)
    try:
        lines = read_bytes(path).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ExcerptError(f"is not UTF-8: {error.reason} at byte {error.start}", path=name) from None
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError):
                fields = None
            if not isinstance(fields, dict):
                message = f"found {short(line.strip())!r}, expected one JSON object per line"
                raise ExcerptError(message, path=name, line=number)
            yield number, fields


def write_placed(chunks: Chunks, path: str | os.PathLike[str]) -> None:
    """Write chunks with their fields and positions."""
    write_bytes(path, b"".join(_line(chunks, row) for row in range(len(chunks))))


def _line(chunks: Chunks, row: int) -> bytes:
    chunk = chunks[row]
    given: Any = chunks.given[row] if chunks.given else None
    given = given._asdict() if hasattr(given, "_asdict") else given
    fields = {**given} if isinstance(given, Mapping) else {}
    key = {} if not fields or chunks.text_key is None else {_TEXT_KEY: chunks.text_key}
    if chunk_rows.text_of(fields, key.get(_TEXT_KEY)) is None:
        fields["text"] = chunk.text
    for name in ("document", "start", "end", "how", "characters", "lead", _TEXT_KEY):
        fields.pop(name, None)
    if (own := chunks.own_ids[row]) is not None and chunk_rows.id_of(fields) is None:
        fields["id"] = own
    if chunks.tokens is not None and chunk_rows.tokens_of(fields) != chunks.tokens[row]:
        fields["tokens"] = int(chunks.tokens[row])
    position = {"start": chunk.start, "end": chunk.end} if chunk.start >= 0 else {}
    if chunk.how == "trimmed":
        position |= {"characters": len(chunk.text), "lead": int(chunks.lead[row])}
    written = {"document": chunk.document, **fields, **key, **position, "how": chunk.how}
    try:
        return json_text(written, nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):  # some fields may not be representable in JSON
        plain = {name: value for name, value in written.items() if _is_json({name: value})}
        return json.dumps(plain).encode() + b"\n"


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def read_placed(path: str | os.PathLike[str], corpus: TextsById | None, text: str | None) -> Chunks:
    """Read located chunks; with a corpus, every text is compared with the text at its position."""
    name = display_name(path)
    rows = [_Row(fields, name, line, text) for line, fields in read_lines(path)]
    keys = {row.text_key for row in rows}
    documents, document = encode([row.document for row in rows])
    own = [] if corpus is None else _verify(rows, documents, corpus, name)
    start = np.array([row.start for row in rows], np.int64)
    end = np.array([row.end for row in rows], np.int64)
    texts = [row.text for row in rows]
    with Gathering(None) as gathered:
        tokens = chunk_rows.token_column([row.tokens for row in rows], texts, None, gathered)
    return Chunks(
        name=_name_of(name),
        documents=documents,
        document=document,
        start=start,
        end=end,
        lead=np.array([row.lead for row in rows], np.int64),
        how=tuple(row.how for row in rows),
        texts=texts,
        seen=(0, 0) if corpus is None else count_seen(corpus, own, document, start, end),
        lost="count" if (start < 0).any() else "error",
        text_key=keys.pop() if len(keys) == 1 else None,
        given=tuple(row.fields for row in rows),
        own_ids=tuple(chunk_rows.id_of(row.fields) for row in rows),
        claims=tuple(None if row.start < 0 else row.start for row in rows),
        tokens=tokens,
    )


def _name_of(path: str) -> str:
    """Name of chunks by the name of their file.

    >>> _name_of("a/words-200.jsonl.gz")
    'words-200'
    """
    name = os.path.basename(path)  # noqa: PTH119 - it may not be a path
    for extension in (".gz", ".bz2", ".xz", ".zst", *_EXTENSIONS):
        name = name.removesuffix(extension)
    return name or "chunks"


class _Row:
    def __init__(self, fields: dict[str, Any], path: str, line: int, text: str | None) -> None:
        self.fields, self.line = fields, line
        key = fields.get(_TEXT_KEY)
        self.text_key = text or (key if isinstance(key, str) else None)
        try:
            self.document = chunk_rows.document_of(fields) or ""
            self.text, self.how = chunk_rows.text_of(fields, self.text_key) or "", _how(fields)
            self.start, self.end = _span(fields, lost=self.how == "lost")
            self.lead = (chunk_rows.read_offset(fields.get("lead", 0)) or 0) if self.how == "trimmed" else 0
            self.tokens = chunk_rows.tokens_of(fields)
        except ExcerptError as error:
            raise ExcerptError(error.message, path=path, line=line, hint=error.hint) from None
        if not self.document or not self.text:
            message = f"the {'text' if self.document else 'document'} is missing, expected a located chunk"
            raise ExcerptError(message, path=path, line=line)


def _how(fields: dict[str, Any]) -> How:
    how = fields.get("how")
    if how not in HOWS:
        found = "key how is missing" if how is None else f"found how {short(repr(how))}"
        raise ExcerptError(
            f"{found}, expected one of {', '.join(HOWS)}", hint="excerpt place CORPUS FILE locates chunks"
        )
    return cast("How", how)


def _span(fields: dict[str, Any], *, lost: bool) -> tuple[int, int]:
    start, end = (
        chunk_rows.read_offset(fields.get("start", -1)),
        chunk_rows.read_offset(fields.get("end", -1)),
    )
    if lost:
        return -1, -1
    if start is None or end is None or end <= start:
        raise ExcerptError("found a chunk without a position, expected start < end")
    return start, end


def _verify(rows: list[_Row], documents: Sequence[str], corpus: TextsById, name: str) -> list[str]:
    """Return the own ids of documents; raise an error if texts are not at their positions."""
    wrong, own_ids = [], []
    by_document: dict[str, list[_Row]] = {}
    for row in rows:
        by_document.setdefault(row.document, []).append(row)
    for document in documents:
        own, chunks = corpus.resolve(document), by_document[document]
        if own is None:
            message = f"found the document {short(document)!r}, expected one of the corpus"
            raise ExcerptError(message, path=name, line=chunks[0].line)
        own_ids.append(own)
        text = corpus[own]
        wrong += [row for row in chunks if not _is_at_position(row, text)]
    if wrong:
        shown = ", ".join(f"line {row.line}: {short(row.text, 30)!r}" for row in wrong[:_SHOWN])
        are = "is not at its position" if len(wrong) == 1 else "are not at their positions"
        raise ExcerptError(
            f"{len(wrong)} of {plural(len(rows), 'chunk')} {are} ({shown}), "
            "expected the documents in which the chunks were placed",
            path=name,
            hint="place the chunks again",
        )
    return own_ids


def _is_at_position(row: _Row, text: str) -> bool:
    if row.how == "lost":
        return True
    passage = text[row.start : row.end]
    if row.how in {"exact", "moved"}:
        return passage == row.text
    squeezed, chunk = (squeeze(fold_characters(part)) for part in (passage, row.text))
    return squeezed in chunk if row.how == "trimmed" else squeezed == chunk
