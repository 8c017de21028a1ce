"""Tables of documents: CSV, TSV, JSON and Parquet with a column of texts, a document per row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from excerpt.corpus.document import Document, decode, require_text
from excerpt.corpus.records import IDS, TEXTS, DocumentRecords, Mapped, read_record
from excerpt.documents.document_kinds import ending_of
from excerpt.documents.storage import StoredFile
from excerpt.errors import ExcerptError, FormatError, short, short_list
from excerpt.records.record import name_of

#: Endings of tables, and the characters that separate their columns.
_SEPARATORS = {"csv": ",", "tsv": "\t"}
#: First bytes of a Parquet file.
PARQUET = b"PAR1"
#: Longest cell of a CSV.
_LONGEST = 1 << 30


def is_table(name: str) -> bool:
    """Return whether a file is a table by its ending, so that what follows an @ is the name of a column."""
    return ending_of(name) in {*_SEPARATORS, "json", "jsonl", "ndjson", "parquet"}


def read_table(file: StoredFile, column: str | None, encoding: str | None) -> DocumentRecords | Mapped | None:
    """Read the documents of a table; None for a file that is none, unless a column is named."""
    ending, data = ending_of(file.name), b"".join(file.lines())
    found: DocumentRecords | Mapped | None
    if data.startswith(PARQUET):
        from excerpt.records.objects import parquet_rows

        found = _documents(parquet_rows(data, file.name), file.name, column, needed=True)
    elif ending in _SEPARATORS:
        rows = _csv_rows(decode(data, file.name, encoding), ending, file.name)
        found = _documents(rows, file.name, column, needed=column is not None)
    else:
        found = _of_value(_value_of(data, file.name, column), file.name, column)
    if found is None and column is not None:
        raise ExcerptError(f"found no table, expected one with a column {short(column)}", path=file.name)
    return found


def _csv_rows(text: str, ending: str, name: str) -> list[Mapping[str, Any]]:
    """Return the rows of a CSV with a head."""
    before = csv.field_size_limit(_LONGEST)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_SEPARATORS[ending])
        head = next(reader, [])
        rows: list[Mapping[str, Any]] = []
        for row in filter(None, reader):
            if len(row) != len(head):
                message = f"expected {len(head)} fields, as in the first line, found {len(row)}"
                raise FormatError(message, path=name, line=reader.line_num)
            rows.append(dict(zip(head, row, strict=True)))
    except csv.Error as error:
        raise FormatError(f"is no CSV: {error}", path=name, line=reader.line_num) from None
    finally:
        csv.field_size_limit(before)
    return rows


def _value_of(data: bytes, name: str, column: str | None) -> Any:
    """Return the value of a JSON file; of JSON Lines, the list of their objects if a column is named."""
    try:
        return json.loads(decode(data, name))
    except RecursionError:
        return None
    except ValueError:
        lines = enumerate(data.split(b"\n") if column is not None else (), start=1)
        return [_object(line, number, name) for number, line in lines if line.strip()] or None


def _of_value(value: Any, name: str, column: str | None) -> DocumentRecords | Mapped | None:
    """Make documents of a list of objects, of one object, or of an object of ids and texts."""
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return _documents(value, name, column, needed=column is not None)
    if not isinstance(value, dict) or not value:
        return None
    is_one = not set(IDS).isdisjoint(value) and not set(TEXTS).isdisjoint(value)
    if column is not None or is_one:
        return _documents([value], name, column, needed=True)
    return Mapped(value) if all(isinstance(text, str) for text in value.values()) else None


def _object(line: bytes, number: int, name: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise FormatError("is not a JSON object", path=name, line=number, hint="repair the line")
    return found


def _documents(
    rows: Sequence[Mapping[str, Any]], name: str, column: str | None, *, needed: bool
) -> DocumentRecords | None:
    """Make documents of rows; those without an id are numbered from 1."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    texts = [column] if column is not None else [key for key in TEXTS if key in keys]
    if not texts or texts[0] not in keys:
        if not needed and set(IDS).isdisjoint(keys):
            return None
        expected = f"a column {short(column)}" if column is not None else f"one of {short_list(TEXTS)}"
        example = next((key for key in keys if key not in IDS), "text")
        raise ExcerptError(
            f"found the columns {short_list(keys) or 'none'}, expected {expected} with the texts",
            path=name,
            hint=f"name the column of the texts as {short(name.rpartition('/')[2])}@{short(example)}",
        )
    numbered = set(IDS).isdisjoint(keys)
    return DocumentRecords(_rows(rows, name, texts[0], numbered=numbered), name)


def _rows(rows: Sequence[Mapping[str, Any]], name: str, text: str, *, numbered: bool) -> Iterator[Document]:
    for number, row in enumerate(rows, start=1):
        if numbered:
            yield Document(str(number), require_text(row.get(text), name, number))
            continue
        others = {key: value for key, value in row.items() if key not in TEXTS}
        found = read_record({**others, "text": row.get(text)}, name, number)
        own = (name_of(row[key]) for key in IDS if row.get(key) is not None)
        yield found._replace(id=next(filter(None, own), found.id))
