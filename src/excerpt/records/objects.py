"""Rows of Python as a table: data frames, Parquet, columns, rows by topic, objects of frameworks."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeAlias, TypeGuard

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.model.run import columns_of, is_frame
from excerpt.records.rows import WRAPPERS, RowTable, is_absent
from excerpt.records.spellings import EXACT, NESTED, ROLES, RowKeys, RowKind


def parquet_rows(data: bytes, name: str) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file; missing values are None."""
    arrow, parquet = import_pyarrow()
    try:
        return frame_rows(parquet.read_table(io.BytesIO(data)))
    except (arrow.ArrowException, ValueError, OSError):
        raise FormatError("found a broken Parquet file, expected a table", path=name) from None


def read_frame(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of a data frame by name; a missing value of any library is None."""
    try:
        import narwhals.stable.v1 as narwhals

        opened: Any = narwhals.from_native(frame)
    except (ImportError, TypeError):
        columns = _without_narwhals(frame)
    else:
        opened = opened.collect() if hasattr(opened, "collect") else opened
        columns = {str(name): opened.get_column(name).to_list() for name in opened.columns}
    return {
        name: [None if is_absent(value) else value for value in values] for name, values in columns.items()
    }


def frame_rows(frame: Any) -> list[dict[str, Any]]:
    """List the rows of a data frame or an Arrow table."""
    columns = read_frame(frame)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _without_narwhals(frame: Any) -> dict[str, list[Any]]:
    frame = frame.collect() if hasattr(frame, "collect") else frame  # a lazy frame
    return {str(name): column_values(frame[name]) for name in columns_of(frame)}


def column_values(column: Any) -> list[Any]:
    """List the values of a column of pandas, polars or Arrow."""
    for name in ("to_pylist", "to_list", "tolist"):
        if callable(method := getattr(column, name, None)):
            return list(method())
    if isinstance(column, Iterable):
        return list(column)
    raise ExcerptError(f"found a column of type {type(column).__name__}, expected a column of a data frame")


#: LlamaIndex, as a dictionary: the source of a node is among its relationships under 1.
_RELATIONS, _SOURCE = "relationships", ("1", "SOURCE")


def get(item: object, name: str) -> Any:
    """Return the value of an object under a name; None without one, and for methods."""
    if isinstance(item, dict | Mapping):  # `dict` makes the usual case much faster
        return item.get(name)
    kind: Any = type(item)
    field = _is_field(kind, name)
    value = item.__dict__.get(name) if field else getattr(item, name, None)
    return None if callable(value) else value


@cache
def _is_field(kind: type, name: str) -> bool:
    """Check if a name can only be a field of a pydantic type, on which `getattr` is slow if it is missing."""
    config = getattr(kind, "model_config", None)
    if not isinstance(config, dict) or config.get("extra") == "allow":
        return False
    return not hasattr(kind, name)


def is_plain(item: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is a dictionary that is no wrapper, which is the usual case."""
    return isinstance(item, dict) and WRAPPERS.isdisjoint(item)


def unwrap(item: object) -> object:
    """Return the object in a wrapper: a result of LlamaIndex, a point of Qdrant, or LangChain's JSON."""
    if is_plain(item):
        return item
    node = get(item, "node")
    if node is None and isinstance(item, dict) and "lc" in item:
        node = item.get("kwargs")
    elif node is None and isinstance(payload := get(item, "payload"), Mapping):
        node = payload
    return item if node is None or isinstance(node, str | int) else node


def source_of(item: object) -> Any:
    """Return the document that a framework names outside of keys and metadata: LlamaIndex, docling."""
    related = get(item, _RELATIONS)
    for name in _SOURCE if isinstance(related, Mapping) else ():
        if (node := get(related.get(name), "node_id")) is not None:
            return node
    origin = get(get(item, "meta"), "origin")
    return None if origin is None else get(origin, "filename")


def as_mapping(item: object, kind: RowKind) -> dict[str, Any] | None:
    """Return the fields of a row with names: a mapping, a named record, or an object of a framework.

    >>> from types import SimpleNamespace as Document
    >>> as_mapping(Document(page_content="One.", metadata={"source": "A"}), "result")
    {'page_content': 'One.', 'metadata': {'source': 'A'}}
    """
    if is_plain(item) or (isinstance(item, Mapping) and not isinstance(item, dict)):
        return dict(item)
    if isinstance(item, str | bytes | int | float | list | tuple | None) and not hasattr(item, "_asdict"):
        return None
    if hasattr(item, "_asdict"):
        ours = type(item).__module__.split(".")[0] == "excerpt"
        return None if ours else dict(item._asdict())
    inside = unwrap(item)
    if inside is item and isinstance(item, Mapping):
        return dict(item)
    found = _known_values([item] if inside is item else [item, inside], kind)
    for name in NESTED:
        if isinstance(metadata := get(inside, name), Mapping):
            found[name] = metadata
    if "document" not in found and (source := source_of(inside)) is not None:
        found["document"] = source
    if inside is item and found.keys().isdisjoint(NESTED):  # not an object of a framework
        found = {**_own_values(item), **found}
    return found or None


def _known_values(holders: Sequence[object], kind: RowKind) -> dict[str, Any]:
    """Return the first value of each role, and all of roles whose values may contradict each other."""
    found: dict[str, Any] = {}
    for role, names in ROLES[kind].items():
        given: list[tuple[str, Any]] = []
        for holder in holders:
            given = given or [(name, value) for name in names if (value := get(holder, name)) is not None]
        found.update(given if role in EXACT else given[:1])
    return found


def _own_values(item: object) -> dict[str, Any]:
    """Return the public fields of an object that has its values as fields or attributes."""
    names = [field.name for field in fields(item)] if is_dataclass(item) else getattr(item, "__dict__", ())
    own = {name: getattr(item, name, None) for name in names if name[:1] != "_"}
    return {name: value for name, value in own.items() if not callable(value)}


def plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row with values of Python instead of those of numpy, and None for missing ones."""
    return {
        str(key): None if is_absent(value) else value.tolist() if hasattr(value, "tolist") else value
        for key, value in row.items()
    }


def list_rows(given: object, expected: str) -> list[Any]:
    """List the rows of an iterable; raise for text and for values that are not iterable."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ExcerptError(f"found {short(repr(given))}, expected {expected}")
    return list(given)


#: Function that returns the values of a row in the order of the fields, or raises if they do not fit.
RowUnpacking: TypeAlias = Callable[[Any], tuple[Any, ...]]


def python_rows(
    given: object,
    kind: RowKind,
    keys: Sequence[str],
    unpack: RowUnpacking,
    expected: str,
    *,
    number: str = "score",
) -> RowTable:
    """Make a table of what a caller has: rows, rows by topic, columns, a data frame, framework objects.

    Rows without names have the values of `keys`; `{topic: {document: number}}` has a `number` for each.
    """
    if is_frame(given):
        return _of_columns(read_frame(given))
    if isinstance(given, Mapping):
        if is_columns(given, kind):
            return _of_columns({str(name): column_values(values) for name, values in given.items()})
        given = _by_topic(given, kind, expected, number)
    return RowTable.of(None, [_named(row, kind, keys, unpack) for row in list_rows(given, expected)])


def _named(row: Any, kind: RowKind, keys: Sequence[str], unpack: RowUnpacking) -> Mapping[str, Any]:
    fields_ = None if isinstance(row, tuple | list) and not hasattr(row, "_asdict") else as_mapping(row, kind)
    return dict(zip(keys, unpack(row), strict=False)) if fields_ is None else fields_


def _of_columns(columns: Mapping[str, list[Any]]) -> RowTable:
    lengths = {len(values) for values in columns.values()} or {0}
    if len(lengths) > 1:
        shown = ", ".join(f"{short(name)} {len(values)}" for name, values in list(columns.items())[:6])
        raise ExcerptError(f"found columns of different lengths ({shown}), expected equal lengths")
    count = lengths.pop()
    return RowTable(columns, count, range(1, count + 1))


def is_columns(given: Mapping[Any, Any], kind: RowKind) -> bool:
    """Return whether a mapping has columns by name, not rows by topic: topics and what belongs to them."""
    meaning = RowKeys(kind).meaning
    by_role = {meaning[key]: values for key, values in given.items() if key in meaning}
    if by_role.keys().isdisjoint(_ASKING) or by_role.keys().isdisjoint(_ANSWERING):
        return False
    lists = (by_role[role] for role in (*_ASKING, "document") if role in by_role)
    return all(hasattr(values, "__len__") and _has_plain_values(values) for values in lists)


_ASKING, _ANSWERING = ("topic", "question"), ("document", "text", "quote", "any_of")


def _has_plain_values(values: Any) -> bool:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        return False
    return not isinstance(next(iter(values), None), Mapping | list | tuple)


def _by_topic(given: Mapping[Any, Any], kind: RowKind, expected: str, number: str) -> Iterator[Any]:
    """Yield rows with their topic from rows by topic, or from numbers by topic and document."""
    for topic, value in given.items():
        if isinstance(value, Mapping):
            yield from ({"topic": topic, "document": name, number: one} for name, one in value.items())
            continue
        of = f"for topic {short(str(topic))}, expected {expected}"
        rows = frame_rows(value) if is_frame(value) else value
        if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
            raise ExcerptError(f"found {short(repr(value))} {of}, or numbers by document")
        for row in rows:
            if isinstance(row, str):
                yield {"topic": topic, "text": row}
            elif isinstance(row, tuple | list) and not hasattr(row, "_asdict"):
                yield (topic, *row)
            elif (named := as_mapping(row, kind)) is not None:
                yield {**named, "topic": topic}
            elif hasattr(row, "_fields"):
                yield (topic, *row)
            else:
                raise ExcerptError(f"found {short(repr(row))} {of}")


def import_pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its module of Parquet files; raise if it is not installed."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ExcerptError("Parquet files need pyarrow", hint="pip install 'excerpt[frames]'") from None
    return pa, parquet
