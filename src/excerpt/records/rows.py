"""Rows of files as one table: JSON Lines, a JSON list, CSV, TSV; rows of Python are in `objects`.

Each form has a short adapter, which only finds the values; what they mean is read from the table.
"""

from __future__ import annotations

import ast
import csv
import json
import math
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from excerpt.errors import FormatError, short, short_list
from excerpt.records.spellings import LISTS, NESTED, NUMBERS, RowKeys, RowKind, folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from excerpt.model.spans import FloatArray, IntArray
    from excerpt.notices import Faults

#: Forms of content: a `table` has names of its columns, `columns` are separated by blanks and have none.
ContentForm: TypeAlias = Literal["xml", "json", "table", "rows", "columns"]


_RowItem = TypeVar("_RowItem")
_N = TypeVar("_N", np.int64, np.float64)


class _Absent:
    """The value of a key that a row does not have."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT = _Absent()
#: From so many lines on a faster parser is worth its start.
_MANY = 5000
_NEWLINE, _OPENS, _CLOSES = b"\n{}"
#: Lines at the beginning whose keys all lines are expected to have.
_FIRST = 20
#: Kinds of lines, by their keys, for which a parser is made.
_MOST_SHAPES = 16
#: Depth of nesting up to which the faster parser is used: how deep values may be must not depend on it.
_DEEPEST = 500
_MARK = re.compile(r"[ \t\r\n]*([\[,\]])[ \t\r\n]*")
_QUOTES, _DELIMITERS = '"', "\t,;"


def parse_json(text: str | bytes, **hooks: Any) -> Any:
    """Return the value of a JSON text; None if it is not JSON. `hooks` are those of `json.loads`."""
    try:
        return json.loads(text.decode() if isinstance(text, bytes) else text, **hooks)
    except (ValueError, RecursionError):
        return None


def list_values(content: str) -> Iterator[Any]:
    """Yield the values of a JSON list, each parsed alone; a ValueError where it is broken."""
    decode, expected, mark = json.JSONDecoder().raw_decode, "[", _MARK.match(content)
    while mark and mark[1] == expected:
        if content.startswith("]", mark.end()) and expected == "[":
            mark = _MARK.match(content, mark.end())
            break
        value, at = decode(content, mark.end())
        yield value
        expected, mark = ",", _MARK.match(content, at)
    if not mark or mark[1] != "]" or mark.end() < len(content) or "[" not in content:
        raise ValueError


#: The first makes the usual case fast.
_OBJECTS = (dict, Mapping)


class RowTable:
    """Rows as columns by key, `ABSENT` where a row lacks the key, with the line or number of each row."""

    def __init__(self, columns: Mapping[str, list[Any]], count: int, line: Sequence[int]) -> None:
        self._columns = columns
        self.count, self.line = count, line

    @classmethod
    def of(cls, line: Sequence[int] | None, rows: Sequence[Mapping[Any, Any]]) -> RowTable:
        """Make a table of mappings; without lines they are numbered from 1."""
        return _Mappings(rows, range(1, len(rows) + 1) if line is None else line)

    @property
    def keys(self) -> Sequence[str]:
        """Keys of all rows."""
        return list(self._columns)

    def values(self, key: str, step: int = 1) -> list[Any]:
        """Values of a key, those of every `step`-th row."""
        return self._columns[key] if step == 1 else self._columns[key][::step]

    def whole(self, _key: str) -> IntArray | None:
        """Values of a key as whole numbers, if it is known without a look at each that they are."""
        return None

    def numbers(self, _key: str) -> FloatArray | None:
        """Values of a key as numbers, if it is known without a look at each that they are."""
        return None

    def inner(self, words: RowKeys) -> dict[str, list[Any]]:
        """Return the columns of known keys inside of metadata; of two holders the first counts."""
        found: dict[str, list[Any]] = {}
        for holder in reversed([name for name in NESTED if name in self._columns]):
            inside = self.values(holder)
            objects_ = [one if isinstance(one, _OBJECTS) else {} for one in inside]
            for key in filter(words.meaning.__contains__, dict.fromkeys(chain.from_iterable(objects_))):
                own = [one.get(key, ABSENT) for one in objects_]
                others = found.get(key, own)
                found[key] = [
                    two if one is None or one is ABSENT else one for one, two in zip(own, others, strict=True)
                ]
        return found

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield line and fields of each row."""
        columns = [self.values(key) for key in self.keys]
        for line, row in zip(self.line, zip(*columns, strict=True), strict=True):
            yield (
                line,
                {key: value for key, value in zip(self.keys, row, strict=True) if value is not ABSENT},
            )


class _Mappings(RowTable):
    """Rows as they are; a column is made when it is asked for."""

    def __init__(self, rows: Sequence[Mapping[Any, Any]], line: Sequence[int]) -> None:
        self._rows = rows
        self._names = {str(key): key for key in dict.fromkeys(chain.from_iterable(rows))}
        super().__init__({key: [] for key in self._names}, len(rows), line)

    def values(self, key: str, step: int = 1) -> list[Any]:
        name = self._names[key]
        return [row.get(name, ABSENT) for row in (self._rows if step == 1 else self._rows[::step])]


class _Shape(NamedTuple):
    """Lines that are read by one structure: keys with the names of its fields, and the rows."""

    fields: dict[str, str]
    rows: list[Any]


class _Structures(RowTable):
    """Lines of JSON as structures of a few shapes, which takes a fraction of the time of dictionaries."""

    def __init__(self, shapes: Sequence[_Shape], line: Sequence[int], *, checked: bool) -> None:
        self._shapes, self._checked = shapes, checked
        self._known: dict[str, Any] = {}
        super().__init__({key: [] for shape in shapes for key in shape.fields}, len(line), line)

    def _each(self, key: str) -> Iterable[Any]:
        parts = [
            map(attrgetter(keys[key]), rows) if key in keys else repeat(ABSENT, len(rows))
            for keys, rows in self._shapes
        ]
        return parts[0] if len(parts) == 1 else chain.from_iterable(parts)

    def values(self, key: str, step: int = 1) -> list[Any]:
        from msgspec import DecodeError, Raw
        from msgspec.json import Decoder

        found = list(islice(self._each(key), 0, None, step))
        if Raw not in set(map(type, found)):
            return found
        decode = Decoder().decode
        try:
            return [decode(value) if type(value) is Raw else value for value in found]
        except (DecodeError, RecursionError):  # numbers of thousands of digits, very deep values
            return [parse_json(bytes(value)) if type(value) is Raw else value for value in found]

    def whole(self, key: str) -> IntArray | None:
        return self._typed(key, np.int64)

    def numbers(self, key: str) -> FloatArray | None:
        return self._typed(key, np.float64)

    def _typed(self, key: str, kind: type[_N]) -> NDArray[_N] | None:
        if self._checked and key not in self._known:
            try:
                self._known[key] = np.fromiter(self._each(key), kind, self.count)
            except (TypeError, OverflowError):  # some are missing, or too large
                self._known[key] = None
        column: NDArray[_N] | None = self._known.get(key)
        return None if column is None or column.dtype != kind else column.copy()


def objects(text: bytes, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and object of each line that is not blank; report lines without an object."""
    lines, number = _lines(text)
    for at, value in enumerate(_parsed(lines)):
        if isinstance(value, dict):
            yield number[at], value
        else:
            _report_line(faults, number[at], lines[at])


def apart(found: Iterable[tuple[int, _RowItem]]) -> tuple[list[int], list[_RowItem]]:
    """Return the lines or numbers of rows, and the rows; a list of pairs would take longer."""
    line, rows = list[int](), list[_RowItem]()
    for number, row in found:
        line.append(number)
        rows.append(row)
    return line, rows


def _lines(text: bytes) -> tuple[list[bytes], Sequence[int]]:
    """Return the lines that are not blank, and their numbers."""
    lines = text.removeprefix(BOM_UTF8).split(b"\n")
    if not lines[-1]:
        lines.pop()
    if all(lines) and not any(map(bytes.isspace, lines)):
        return lines, range(1, len(lines) + 1)
    number = [at for at, line in enumerate(lines, 1) if line and not line.isspace()]
    return [lines[at - 1] for at in number], number


def _parsed(lines: Sequence[bytes]) -> Iterator[Any]:
    """Yield the value of each line; None if it is not JSON."""
    if len(lines) < _MANY or any(map(_may_be_deep, lines)):
        yield from map(parse_json, lines)
        return
    from msgspec import DecodeError
    from msgspec.json import Decoder

    waiting, done, decode = iter(lines), 0, Decoder().decode
    while done < len(lines):
        try:
            for value in map(decode, waiting):
                done += 1
                yield value
        except DecodeError:  # what msgspec refuses is left to the json module: NaN, 1e999, long numbers
            yield parse_json(lines[done])
            done += 1


def _may_be_deep(line: bytes) -> bool:
    return len(line) > 2 * _DEEPEST and line.count(b"[") + line.count(b"{") > _DEEPEST


def _report_line(faults: Faults, number: int, line: bytes) -> None:
    text = line.decode(errors="replace").strip()
    faults.add(number, f"found {short(text)!r}, expected one JSON object per line")


def json_lines(text: bytes, words: RowKeys, faults: Faults) -> RowTable:
    """Read JSON Lines into columns; report lines without an object."""
    text = text.removeprefix(BOM_UTF8)
    codes = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(codes[: len(codes) - text.endswith(b"\n")] == _NEWLINE)
    if not len(ends) or len(ends) < _MANY:
        found = ((line, unwrapped(row, words.kind)) for line, row in objects(text, faults))
        return RowTable.of(*apart(found))
    plain = (codes[np.append(ends + 1, 0)] == _OPENS).all() and (codes[ends - 1] == _CLOSES).all()
    table = (_alike(text, ends, words) if plain else None) or _in_shapes(text, words, faults)
    if WRAPPERS.isdisjoint(table.keys):
        return table
    return RowTable.of(*apart((line, unwrapped(row, words.kind)) for line, row in table.rows()))


def _alike(text: bytes, ends: IntArray, words: RowKeys) -> RowTable | None:
    """Read lines that have the keys and types of the first ones at once; None if some have others."""
    from msgspec import DecodeError

    first = map(parse_json, text[: int(ends[:_FIRST][-1])].split(b"\n"))
    kind = _Structure.of([key for row in first if isinstance(row, dict) for key in row], words)
    try:
        rows = kind.decode_all(text)
    except (DecodeError, RecursionError):
        return None
    if len(rows) != len(ends) + 1:  # two objects in one line, or one in two
        return None
    return _Structures([_Shape(kind.keys, rows)], range(1, len(rows) + 1), checked=True)


def _in_shapes(text: bytes, words: RowKeys, faults: Faults) -> RowTable:
    """Read lines one by one, by a structure for each set of keys."""
    from msgspec import DecodeError

    lines, number = _lines(text)
    waiting, done, checked, wrong = iter(lines), 0, True, list[int]()
    shapes: list[_Shape] = []
    kind: Any = None
    rows: list[Any] = []
    decode: Callable[[bytes], Any] = _no_decoder
    while True:
        try:
            rows.extend(map(decode, waiting))
            break
        except (DecodeError, RecursionError):
            line = lines[at := done + len(rows)]
        value = parse_json(line)
        if not isinstance(value, dict):
            _report_line(faults, number[at], line)
            wrong.append(at)
            done += 1
            continue
        if kind is None or not value.keys() <= kind.keys.keys():
            if len(shapes) < _MOST_SHAPES or not value.keys() & words.meaning.keys() <= kind.keys.keys():
                kind = _Structure.of([*(kind.keys if kind else ()), *value], words)
                done, rows, decode = done + len(rows), [], kind.decode
                shapes.append(_Shape(kind.keys, rows))
            value = {key: one for key, one in value.items() if key in kind.keys}
        try:
            rows.append(decode(line))
        except (DecodeError, RecursionError):  # of other types: what it has is read value by value
            rows.append(kind.make(value))
            checked = False
    kept = np.delete(np.array(number, np.int64), wrong).tolist() if wrong else number
    return _Structures(shapes, kept, checked=checked)


def _no_decoder(_line: bytes) -> Any:
    from msgspec import DecodeError

    raise DecodeError


class _Structure(NamedTuple):
    """A structure for lines with some keys: its fields by key, its parser, and how to make one."""

    keys: dict[str, str]
    decode: Callable[[bytes], Any]
    decode_all: Callable[[bytes], list[Any]]
    make: Callable[[Mapping[str, Any]], Any]

    @classmethod
    def of(cls, keys: Iterable[str], words: RowKeys) -> _Structure:
        from msgspec import defstruct
        from msgspec.json import Decoder

        found = list(dict.fromkeys(keys))
        prefix = "f" * (max(map(len, found), default=0) + 1)  # a field is called as no key is
        named = {key: f"{prefix}{number}" for number, key in enumerate(found)}
        kind = defstruct(
            "Line",
            [(field, _type_of(key, words), ABSENT) for key, field in named.items()],
            rename={field: key for key, field in named.items() if not _ESCAPED.search(key)},
            forbid_unknown_fields=True,
            gc=False,
        )

        def make(values: Mapping[str, Any]) -> Any:
            return kind(**{named[key]: value for key, value in values.items()})

        decoder = Decoder(kind)
        return cls(named, decoder.decode, decoder.decode_lines, make)


#: In keys that JSON writes with escapes; the json module reads lines that have one.
_ESCAPED = re.compile('[\x00-\x1f"\\\\\ud800-\udfff]')


def _type_of(key: str, words: RowKeys) -> Any:
    """Return the type of the values of a key in lines without faults; texts and others are parsed later."""
    from msgspec import Raw

    if key in NESTED:
        return dict[str, Any] | None
    role = words.meaning.get(key)
    if role == "text" and words.texts:
        return Any
    if role in {None, "text"} and key not in WRAPPERS:
        return Raw
    if role in {"topic", "document", "run", "id"}:
        return str | int | None
    if role == "score":
        return float | None
    return int | None if role in NUMBERS else Any


def broken_json(text: str, name: str, expected: str) -> FormatError:
    """Return the error for a text that is not JSON."""
    try:
        json.loads(text)
    except RecursionError:
        return FormatError(f"found JSON that is nested too deeply, expected {expected}", path=name)
    except json.JSONDecodeError as error:
        message = f"found JSON that is broken here ({error.msg}), expected {expected}"
        return FormatError(message, path=name, line=error.lineno)
    except ValueError:
        return FormatError(f"found a number of thousands of digits, expected {expected}", path=name)
    return FormatError(f"found other JSON, expected {expected}", path=name, line=1)


def json_list(text: bytes, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and object of the rows of a JSON list; report other values."""
    content, number = text.decode(), 0
    try:
        for number, value in enumerate(list_values(content), 1):
            if isinstance(value, dict):
                yield number, value
            else:
                faults.add(number, f"found {short(repr(value))}, expected an object")
    except (ValueError, RecursionError) as error:
        raise broken_json(content, faults.name, "a list of objects") from error
    if not number:
        raise FormatError("found an empty list, expected a list of objects", path=faults.name)


def header_of(head: str, *, named: bool = True) -> list[str]:
    r"""Return the names of the columns of CSV or TSV; none if the first line is no header.

    >>> header_of("query-id\tcorpus-id\tscore\n"), header_of("1 Q0 A 1 1 run\n")
    (['query-id', 'corpus-id', 'score'], [])
    """
    line = head.removeprefix("\ufeff").lstrip("\n").partition("\n")[0].strip("\r")
    delimiter = delimiter_of(line) or ("" if named else ",")
    if not delimiter:
        return []
    try:
        names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []
    roles = [role for name in names if (role := _column_roles().get(folded(name)))]
    return names if not named or (len(roles) > 1 and not _TELLING.isdisjoint(roles)) else []


#: What a table of records has beside the ids of its rows; a table of topics has none of them.
_TELLING = {"document", "text", "quote", "list", "reference", "retrieved", "grade", "start", "path"}


@cache
def _column_roles() -> dict[str, str]:
    kinds: tuple[RowKind, ...] = ("question", "judgment", "result", "chunk")
    roles = {folded(name): role for kind in kinds for name, role in RowKeys(kind).meaning.items()}
    return {name: role for name, role in roles.items() if name != "title"}  # topics have it, too


def delimiter_of(line: str) -> str:
    """Return what separates the columns of a line: a tab, a comma or a semicolon; empty if nothing does."""
    return next((mark for mark in _DELIMITERS if mark in line), "")


def table_rows(text: str, words: RowKeys, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and values of the rows of CSV or TSV, whose first row names the columns."""
    roles = words.meaning
    for line, row in cells(text, faults):
        yield line, {key: cell_value(cell, roles.get(key, "")) for key, cell in row.items()}


def cells(text: str, faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells of the rows of a table whose first row names the columns.

    A column without a name, as pandas writes for its index, has no meaning.
    """
    text = text.removeprefix("\ufeff")
    limit = csv.field_size_limit(max(len(text), 1))
    begin = len(text) - len(text.lstrip("\n"))
    head = text[begin:].partition("\n")[0]
    delimiter = delimiter_of(head) or ","
    lines, line = (f"{one}\n" for one in text[begin:].split("\n")), begin + 1
    spaced = f"{delimiter} " in head  # after each delimiter, and not a part of the values
    try:
        reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=spaced)
        names: list[str] | None = None
        count = 0
        for row in reader:
            if names is None:
                names = [name.strip() for name in row]
                twice = next((name for name in names if name and names.count(name) > 1), None)
                if twice is not None:
                    faults.add(line, f"found column {short(twice)} twice, expected each column once")
            elif row:
                count += 1
                if len(row) == len(names):
                    yield line, {name: cell for name, cell in zip(names, row, strict=True) if name}
                else:
                    message = f"found {len(row)} columns, expected {len(names)} as in the first row"
                    faults.add(line, message, _COMMA if delimiter == "," and len(row) > len(names) else "")
            line = begin + reader.line_num + 1
        if not count:
            faults.add(begin + 1, "found a header alone, expected rows after it")
    except csv.Error as error:
        faults.add(line, f"found a broken row ({error}), expected a table with commas")
    finally:
        csv.field_size_limit(limit)


_COMMA = "text with a comma, and a number with a decimal comma, need quotation marks"
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf", re.ASCII)
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def cell_value(cell: str, role: str) -> Any:
    """Return what a cell means: a number, a list or object that JSON or Python wrote, or text."""
    text = cell.strip()
    if not text:
        return None
    if role in NUMBERS or role == "grade":
        if _WHOLE.fullmatch(text):
            return int(text)
        return float(text) if len(text) < 400 and _DECIMAL.fullmatch(text) else cell
    if role == "answerable":
        return _TRUTH.get(text.lower(), cell)
    if text[0] not in "[{" or role not in {*LISTS, ""}:
        return cell
    return _structure(text, cell, numbers=role in {"spans", "any_of", "elements"})


def _structure(text: str, cell: str, *, numbers: bool) -> Any:
    """Return a list or an object; the cell itself if it is none, or a list of `numbers` such as `[1]`."""
    value = parse_json(text)
    if value is None:  # as pandas writes lists and objects
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return cell
    cited = isinstance(value, list) and any(isinstance(one, int | float) for one in value)
    return value if isinstance(value, dict | list) and (numbers or not cited) else cell


def is_absent(value: object) -> bool:
    """Return whether a value is missing: None, or a data frame's marker of a missing value.

    >>> is_absent(None), is_absent(float("nan")), is_absent(0)
    (True, True, False)
    """
    missing = value is None or value is ABSENT or type(value).__name__ in {"NAType", "NaTType"}
    return missing or (isinstance(value, float) and math.isnan(value))


#: Keys of objects of frameworks with a row inside: of LlamaIndex, of LangChain as JSON, of Qdrant.
WRAPPERS = frozenset(("node", "lc", "payload"))


def unwrapped(row: Mapping[str, Any], kind: RowKind) -> Mapping[str, Any]:
    """Return a row of a file, which a framework may have wrapped."""
    if WRAPPERS.isdisjoint(row):
        return row
    from excerpt.records.objects import as_mapping

    return as_mapping(row, kind) or row


def describe_keys(row: Mapping[str, Any]) -> str:
    """Return the keys of a row that have a value, for messages."""
    return short_list([key for key, value in row.items() if not is_absent(value)], 6) or "no keys"
