"""Files of chunks in JSON Lines, before and after placement."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, json_text, plural, short
from excerpt.files import display_name, read_bytes, write_bytes
from excerpt.model.run import encode
from excerpt.model.spans import IntArray
from excerpt.model.texts import by_document, fold_characters, squeeze
from excerpt.notices import Faults, Gathering
from excerpt.placing import chunk_rows
from excerpt.placing.chunk_places import HOWS, ChunkOccurrence
from excerpt.placing.chunks import Chunks, seen_of
from excerpt.placing.markup import are_equal
from excerpt.placing.scattered import are_words_of
from excerpt.records.record import Coded, Records
from excerpt.records.results import fingerprints_in
from excerpt.records.rows import RowTable, apart, is_absent, objects

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

_SHOWN = 3
#: The field that names the field with the text that was placed.
_TEXT_KEY = "text_key"
#: Extensions that are not part of the name of chunks.
_EXTENSIONS = (".jsonl", ".json", ".ndjson", ".placed")


#: Keys whose values are those of this placement, whatever the chunk had.
_OWN_KEYS = (
    *("document", "start", "end", "how", "why", "characters", "lead"),
    *(_TEXT_KEY, "fingerprint", "sha256"),
)


def write_placed(chunks: Chunks, path: str | os.PathLike[str]) -> None:
    """Write chunks with their fields and positions."""
    known = {name: chunks.fingerprints.get(name) for name in chunks.documents}
    write_bytes(path, b"".join(_line(chunks, row, known) for row in range(len(chunks))))


def _line(chunks: Chunks, row: int, fingerprints: Mapping[str, str | None]) -> bytes:
    chunk = chunks[row]
    given: Any = chunks.given[row] if chunks.given else None
    given = given._asdict() if hasattr(given, "_asdict") else given
    fields = {**given} if isinstance(given, dict | Mapping) else {}
    key = {} if not fields or chunks.text_key is None else {_TEXT_KEY: chunks.text_key}
    if chunk_rows.text_of(fields, key.get(_TEXT_KEY)) is None:
        fields["text"] = chunk.text
    for name in _OWN_KEYS:
        fields.pop(name, None)
    if (own := chunks.own_ids[row]) is not None and chunk_rows.id_of(fields) is None:
        fields["id"] = own
    if chunks.tokens is not None and chunk_rows.value_of(fields, "tokens") != chunks.tokens[row]:
        fields["tokens"] = int(chunks.tokens[row])
    position = {"start": chunk.start, "end": chunk.end} if chunk.start >= 0 else {}
    if chunk.how == "trimmed":
        position |= {"characters": len(chunk.text), "lead": int(chunks.lead[row])}
    why = {"why": chunks.why[row]} if chunks.why and chunks.why[row] else {}
    known = fingerprints[chunk.document]
    of_text = {} if known is None else {"fingerprint": known[:16]}
    written = {"document": chunk.document, **fields, **key, **position, "how": chunk.how, **why, **of_text}
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


def name_of_chunks(path: str) -> str:
    """Name of chunks by the name of their file.

    >>> name_of_chunks("a/words-200.jsonl.gz")
    'words-200'
    """
    name = os.path.basename(path)  # noqa: PTH119 - it may not be a path
    for extension in (".gz", ".bz2", ".xz", ".zst", *_EXTENSIONS):
        name = name.removesuffix(extension)
    return name or "chunks"


def read_placed(path: str | os.PathLike[str], corpus: Corpus | None, text: str | None) -> Chunks:
    """Read located chunks; with a corpus, every text is compared with the text at its position."""
    name = display_name(path)
    faults = Faults(name, keep=True, most=1)
    line, rows = apart(objects(read_bytes(path), faults))
    records = Records(RowTable.of(line, rows), "chunk", faults)
    placed = _Placed.of(records, rows, text)
    fingerprints = fingerprints_in(records, Coded(*encode(placed.documents)))
    if faults:
        (first,) = faults.found
        raise ExcerptError(first.message, path=name, line=first.line, hint=first.hint)
    documents, document = encode(placed.documents)
    seen = (0, 0) if corpus is None else _verify(placed, documents, document, corpus, name)
    with Gathering(None) as gathered:
        tokens = chunk_rows.token_column(chunk_rows.tokens_in(records), placed.texts, None, gathered)
    keys = set(placed.keys)
    return Chunks(
        name=name_of_chunks(name),
        documents=documents,
        document=document,
        start=placed.start,
        end=placed.end,
        lead=placed.lead,
        how=tuple(placed.how),
        texts=placed.texts,
        seen=seen,
        lost="count" if (placed.start < 0).any() else "error",
        text_key=keys.pop() if len(keys) == 1 else None,
        given=tuple(rows),
        own_ids=tuple(chunk_rows.ids_in(records)),
        claims=tuple(None if start < 0 else start for start in placed.start.tolist()),
        tokens=tokens,
        fingerprints=fingerprints,
    )


class _Placed(NamedTuple):
    """Located chunks as columns."""

    line: Sequence[int]
    documents: list[str]
    texts: list[str]
    #: The key of the text of each.
    keys: list[str | None]
    how: list[ChunkOccurrence]
    start: IntArray
    end: IntArray
    lead: IntArray

    @classmethod
    def of(cls, records: Records, rows: Sequence[dict[str, Any]], text: str | None) -> _Placed:
        """Read columns; report chunks that are not located."""
        how: list[Any] = records.values("how")
        wrong = [one not in HOWS for one in how]
        records.report(
            np.array(wrong, np.bool_),
            lambda row: _odd_how(how[row]),
            "excerpt place CORPUS FILE locates chunks",
        )
        is_lost = np.array([one == "lost" for one in how], np.bool_)
        start, end = (
            np.where(is_lost, -1, chunk_rows.offsets_in(records, role)) for role in ("start", "end")
        )
        records.report((end <= start) & ~is_lost, "found a chunk without a position, expected start < end")
        keys = [text or (key if isinstance(key, str) else None) for key in records.values("text_key")]
        if any(keys):
            pairs = zip(rows, keys, strict=True)
            texts = [chunk_rows.text_of(row, key) or "" for row, key in pairs]
        else:
            texts = [one or "" for one in chunk_rows.texts_in(records)]
        documents = chunk_rows.documents_in(records, rows)
        missing = "the {} is missing, expected a located chunk".format
        for role, values in (("document", documents), ("text", texts)):
            records.report(np.array([not value for value in values], np.bool_), missing(role))
        trimmed = np.array([one == "trimmed" for one in how], np.bool_)
        lead = np.where(trimmed, np.maximum(records.whole("lead"), 0), 0)
        return cls(records.table.line, documents, texts, keys, how, start, end, lead)


def _odd_how(how: object) -> str:
    found = "key how is missing" if is_absent(how) else f"found how {short(repr(how))}"
    return f"{found}, expected one of {', '.join(HOWS)}"


def _verify(
    placed: _Placed, documents: Sequence[str], document: IntArray, corpus: Corpus, name: str
) -> tuple[int, int]:
    """Count the characters in chunks, and all; raise an error if texts are not at their positions."""
    wrong, rows_of, seen = list[int](), dict[str, list[int]](), np.zeros(2, np.int64)
    for document_, rows in by_document(documents, document):
        own = corpus.resolve(document_)
        if own is None:
            message = f"found the document {short(document_)!r}, expected one of the corpus"
            raise ExcerptError(message, path=name, line=placed.line[int(rows[0])])
        rows_of.setdefault(own, []).extend(rows.tolist())
    for own, text in corpus.named_texts():
        here = rows_of.get(own, [])
        wrong += [row for row in here if not _is_at_position(placed, row, text)]
        seen += seen_of(text, [(int(placed.start[row]), int(placed.end[row])) for row in here])
    if wrong:
        wrong.sort(key=lambda row: (int(document[row]), row))
        shown = ", ".join(
            f"line {placed.line[row]}: {short(placed.texts[row], 30)!r}" for row in wrong[:_SHOWN]
        )
        are = "is not at its position" if len(wrong) == 1 else "are not at their positions"
        raise ExcerptError(
            f"{len(wrong)} of {plural(len(document), 'chunk')} {are} ({shown}), "
            "expected the documents in which the chunks were placed",
            path=name,
            hint="place the chunks again",
        )
    return int(seen[0]), int(seen[1])


def _is_at_position(placed: _Placed, row: int, text: str) -> bool:
    how, quote = placed.how[row], placed.texts[row]
    if how == "lost":
        return True
    passage = text[int(placed.start[row]) : int(placed.end[row])]
    if how in {"exact", "moved"}:
        return passage == quote
    if how == "markup":
        return are_equal(passage, quote)
    squeezed, chunk = (squeeze(fold_characters(part)) for part in (passage, quote))
    if how == "trimmed":
        return squeezed in chunk or are_words_of(quote, passage)
    return squeezed == chunk
