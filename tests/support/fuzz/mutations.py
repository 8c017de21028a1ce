"""Damage that knows the structure of what it damages: fields of lines, tags, attributes, values of JSON."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import re
import sqlite3
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from support.fuzz import samples

Mutation = Callable[[random.Random, bytes], bytes]

#: What stands where something else is expected.
ODD = (
    *(
        "",
        "0",
        "-1",
        "1",
        "+3",
        "007",
        "1.5",
        "-0.0",
        "1e308",
        "1e400",
        "-1e400",
        "nan",
        "NaN",
        "inf",
        "-inf",
    ),
    *("2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "9" * 400),
    *(
        "0x10",
        "1_000",
        "\u0663",
        "\u00bd",
        "\u00b2",
        "\u22121",
        "a" * 3000,
        "\x00",
        "\x1b[31m",
        "\u00e9",
        "\u2028",
    ),
    *(
        ":",
        "1:2",
        "1:-2",
        "5:99999999999",
        "3:5 4:9",
        "/",
        "//",
        "/a[0]",
        "/a[-1]",
        "/a[99999999999999999999]",
    ),
    *(
        "/article[1]/text()[1].99999999999",
        "/article[1]/p[1]/text()[1].-1",
        "Q0",
        "#",
        "?",
        "U",
        "null",
        "../A",
    ),
)
PIECES = (
    *(
        b"\xff",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\x00",
        b"\r",
        b"\r\n",
        b"\x0b",
        b"\x85",
        b"\xc2\xa0",
        b"\xef\xbb\xbf",
    ),
    *(
        b" ",
        b"\t",
        b"\n\n",
        b"<",
        b">",
        b"&",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"\\",
        b"\\ud800",
        b"%",
        b"%ff",
        b"%ED%A0%80",
    ),
    *(b"&amp;", b"&#0;", b"&#x110000;", b"&nosuch;", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?x", b"?>"),
    b"<!DOCTYPE a [<!ENTITY x '0123456789'><!ENTITY y '&x;&x;&x;&x;&x;&x;&x;&x;'>]>",
    b'<?xml version="1.0" encoding="utf-16"?>',
    b'<?xml version="1.1" encoding="nosuch"?>',
)
MAGIC = (b"\xef\xbb\xbf", b"\x1f\x8b", b"PK\x03\x04", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
ENCODINGS = ("utf-16", "utf-16-le", "latin-1", "utf-32", "cp500", "utf-7")


def mutate(rng: random.Random, data: bytes, others: tuple[bytes, ...], kind: str) -> bytes:
    """One to four mutations, of the kind of file and of any file."""
    own = STRUCTURED[kind]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        if rng.random() < 0.06:
            data = _splice(rng, data, rng.choice(others))
        else:
            choice = rng.choice(own) if own and rng.random() < 0.65 else rng.choice(ANY)
            data = choice(rng, data)
    return data


def _odd(rng: random.Random) -> bytes:
    return rng.choice(ODD).encode("utf-8", "surrogatepass")


def _spot(rng: random.Random, data: bytes) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((0, 1, 1, 2, 5, 20, 100)))


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _delete(rng: random.Random, data: bytes) -> bytes:
    start, end = _spot(rng, data)
    return data[:start] + data[end:]


def _insert(rng: random.Random, data: bytes) -> bytes:
    start, _ = _spot(rng, data)
    return data[:start] + rng.choice(PIECES) + data[start:]


def _flip(rng: random.Random, data: bytes) -> bytes:
    start, end = _spot(rng, data)
    return data[:start] + bytes(byte ^ (1 << rng.randrange(8)) for byte in data[start:end]) + data[end:]


def _repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = _spot(rng, data)
    return data[:end] + data[start:end] * rng.choice((1, 2, 50)) + data[end:]


def _replace_match(rng: random.Random, data: bytes, pattern: bytes, new: Callable[[bytes], bytes]) -> bytes:
    found = list(re.finditer(pattern, data))
    if not found:
        return data
    match = rng.choice(found)
    return data[: match.start()] + new(match[0]) + data[match.end() :]


def _odd_token(rng: random.Random, data: bytes) -> bytes:
    return _replace_match(rng, data, rb"[\w.+/\[\]()-]+", lambda _: _odd(rng))


def _odd_number(rng: random.Random, data: bytes) -> bytes:
    return _replace_match(rng, data, rb"\d+", lambda _: _odd(rng))


def _other_digits(rng: random.Random, data: bytes) -> bytes:
    """A digit in another script: Arabic, wide or raised; all are digits to Python, and to no C library."""
    zero = rng.choice((0x660, 0xFF10, 0x2080))
    return _replace_match(rng, data, rb"\d", lambda digit: chr(zero + int(digit)).encode())


def _lines(rng: random.Random, data: bytes) -> bytes:
    """Lines dropped, doubled, swapped, joined, many times over, or with other ends."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(7):
        case 0:
            del lines[place]
        case 1:
            lines.insert(other, lines[place])
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case 3:
            lines[place] = lines[place].rstrip()
        case 4:
            lines[place] *= 300
        case 5:
            lines = [line.rstrip() + rng.choice((b"\r\n", b"\r", b"\n")) for line in lines]
        case _:
            lines.insert(place, rng.choice((b"\n", b"# comment\n", b" \t\n", b"\x1a\n")))
    return b"".join(lines)


def _whole(rng: random.Random, data: bytes) -> bytes:
    """The file in another encoding, compressed (and cut short), empty, or after something else."""
    packed = rng.choice((gzip.compress, bz2.compress))(data)
    return rng.choice(
        (
            data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace"),
            packed,
            packed[: rng.randrange(len(packed) + 1)],
            b"",
            data[: rng.randrange(len(data) + 1)],
            rng.choice(MAGIC) + data,
        )
    )


def _fields(rng: random.Random, data: bytes) -> bytes:
    """A line of columns with one less, one more, two swapped, an odd one, or other blanks."""
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    fields = lines[place].split(b" ")
    one, two = rng.randrange(len(fields)), rng.randrange(len(fields))
    match rng.randrange(6):
        case 0:
            del fields[one]
        case 1:
            fields.insert(one, fields[two])
        case 2:
            fields[one], fields[two] = fields[two], fields[one]
        case 3:
            fields[one] = fields[one] + rng.choice((b"\t", b"  ", b"\xc2\xa0", b"\x0c"))
        case _:
            fields[one] = _odd(rng)
    lines[place] = b" ".join(fields)
    return b"\n".join(lines)


def _tags(rng: random.Random, data: bytes) -> bytes:
    """A tag dropped, doubled, renamed, nested deeply, or with something before it."""
    return _replace_match(
        rng,
        data,
        rb"<[^<>]*>",
        lambda tag: rng.choice(
            (
                b"",
                tag * 2,
                re.sub(rb"\w+", b"other", tag, count=1),
                b"<x>" * 400 + tag + b"</x>" * 400,
                rng.choice(PIECES) + tag,
                tag.replace(b"/>", b">") if b"/>" in tag else tag[:-1] + b"/>",
                tag.swapcase(),
            )
        ),
    )


def _attributes(rng: random.Random, data: bytes) -> bytes:
    """An attribute dropped, doubled, renamed, or with an odd value."""

    def damage(attribute: bytes) -> bytes:
        name, _, value = attribute.partition(b"=")
        odd = name + b"=" + value[:1] + _odd(rng).translate(None, b"\x00<&") + value[:1]
        return rng.choice((b"", attribute + b" " + attribute, name + b"x=" + value, odd, odd))

    return _replace_match(rng, data, rb"[\w-]+=(?:'[^']*'|\"[^\"]*\")", damage)


def _texts(rng: random.Random, data: bytes) -> bytes:
    """Text between two tags, replaced."""
    return _replace_match(rng, data, rb"(?<=>)[^<>]+(?=<)", lambda _: _odd(rng))


def _values(rng: random.Random, data: bytes) -> bytes:
    """A line of JSON, or a whole file of it, with one value changed."""
    lines = data.split(b"\n")
    try:
        whole = [json.loads(data)]
        place = None
    except (ValueError, RecursionError):
        place = rng.randrange(len(lines))
        try:
            whole = [json.loads(lines[place])]
        except (ValueError, RecursionError):
            return _odd_token(rng, data)
    _change(rng, whole)
    text = json.dumps(whole[0] if whole else None, ensure_ascii=rng.random() < 0.5)
    new = text.encode("utf-8", "surrogatepass")
    if place is None:
        return new
    return b"\n".join([*lines[:place], new, *lines[place + 1 :]])


def _change(rng: random.Random, whole: list[Any]) -> None:
    """Change the value at a random place, which may be an object or a list."""
    places, open_ = [], [whole]
    while open_:
        inside = open_.pop()
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        places += [(inside, key) for key in keys]
        open_ += [inside[key] for key in keys if isinstance(inside[key], dict | list)]
    if not places:
        return
    inside, key = rng.choice(places)
    match rng.randrange(5):
        case 0:
            del inside[key]
        case 1 if isinstance(inside, dict):
            inside[rng.choice(("other", "", f"{key}x", "\ud800"))] = inside.pop(key)
        case 2:
            inside[key] = [inside[key]]
        case _:
            inside[key] = rng.choice(JSON_ODD)


JSON_ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        1.5,
        -0.0,
        1e308,
        float("nan"),
        float("inf"),
        2**31,
        2**63,
        10**400,
        1e-320,
    ),
    *("", "0", "-1", "a" * 3000, "\x00", "\x1b[31m", "\ud800", "\u00e9", [], {}, [[]], [1, 2], [[1, 2, 3]]),
    *(
        [["0", "1"]],
        [[5, 3]],
        {"a": 1},
        [None],
        "/a[0]",
        "/article[1]/p[1]",
        json.loads("[" * 200 + "]" * 200),
        json.loads("[" * 600 + "]" * 600),
    ),
)


def _broken_json(rng: random.Random, data: bytes) -> bytes:
    """Invalid or extreme JSON: deep nesting, keys twice, numbers without end."""
    return _replace_match(
        rng,
        data,
        rb"-?\d+(?:\.\d+)?|\"[^\"]*\"",
        lambda found: rng.choice(
            (
                b"[" * 5000,
                b"[" * 100_000 + b"]" * 100_000,
                b'{"a":' * 3000,
                b"9" * 5000,
                b"1e" + b"9" * 30,
                found + b": 1, " + found,
                b"NaN",
                b"'x'",
            )
        ),
    )


def _bytes(rng: random.Random, data: bytes) -> bytes:
    """A few bytes anywhere with other values: damage of a medium."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 10))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.choice(
                (0, 1, 0x20, 0x7F, 0x80, 0xFF, rng.randrange(256))
            )
    return bytes(changed)


def _toml_values(rng: random.Random, data: bytes) -> bytes:
    """A value of TOML of another type, extreme, or nested deeply."""
    odd: tuple[bytes, ...] = (
        b"-1",
        b"9" * 30,
        b"1e400",
        b"nan",
        b"true",
        b"[]",
        b"{}",
        b'"\\u0000"',
        b"1979-05-27",
        b'"/"',
        b'""',
    )
    odd += (b"[" * 600 + b"]" * 600, b"[" * 5000, b"{a = 1}", b'["a", 1]')
    return _replace_match(rng, data, rb"(?<== )[^\n]+", lambda _: rng.choice(odd))


def _cells(rng: random.Random, data: bytes) -> bytes:
    """A database with a cell changed, a row or a table removed."""
    store = sqlite3.connect(":memory:")
    try:
        store.deserialize(data[:18] + b"\1\1" + data[20:])  # without a write-ahead log, which needs a file
        names = [row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = rng.choice(names)
        columns = [row[1] for row in store.execute(f'PRAGMA table_info("{table}")')]
        order = f"(rowid * {rng.randrange(1, 99)}) % 97"
        row = f'rowid = (SELECT rowid FROM "{table}" ORDER BY {order} LIMIT 1)'
        value = rng.choice([*JSON_ODD[:15], *ODD, b"\xff", "{}", "[]", "[[1, 2, 3]]", '{"start": -1}'])
        value = str(value) if isinstance(value, int) and abs(value) >= 2**63 else value
        for change in ("update", "delete"):
            store.execute(f'DROP TRIGGER IF EXISTS "{table}_no_{change}"')
        match rng.randrange(8):
            case 0:
                store.execute(f'DROP TABLE "{table}"')
            case 1:
                store.execute(f'DELETE FROM "{table}" WHERE {row}')
            case _:
                store.execute(f'UPDATE "{table}" SET "{rng.choice(columns)}" = ? WHERE {row}', (value,))
        store.commit()
        return store.serialize()
    except (sqlite3.Error, IndexError, UnicodeError):  # damaged before, or a constraint
        return _bytes(rng, data)
    finally:
        store.close()


def _tabs(rng: random.Random, data: bytes, mark: bytes = b"\t") -> bytes:
    """Damage of columns that TABs separate, or another mark."""
    return (
        _fields(rng, data.replace(b" ", b"\x01").replace(mark, b" "))
        .replace(b" ", mark)
        .replace(b"\x01", b" ")
    )


def _commas(rng: random.Random, data: bytes) -> bytes:
    """Damage of columns that commas or semicolons separate, and of their quotation marks."""
    mark = b";" if b";" in data.partition(b"\n")[0] else b","
    if rng.random() < 0.3:
        other = rng.choice((b'"', b'""', b"'", mark + mark, b'"' + mark, b"\n", b""))
        return _replace_match(rng, data, b'["' + mark + b"]", lambda _: other)
    return _tabs(rng, data, mark)


def _columns(rng: random.Random, data: bytes) -> bytes:
    """A Parquet file with a value changed, a column renamed or of another type."""
    try:
        rows = pq.read_table(io.BytesIO(data)).to_pylist()
        if rng.random() < 0.4:
            key, odd = rng.choice(list(rows[0])), rng.choice(JSON_ODD)
            rows = [{**row, key: odd} for row in rows]
        else:
            _change(rng, rows)
        return samples.parquet_of(rows)
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, LookupError, AttributeError):
        return _bytes(rng, data)  # damaged before, or not to be written


ANY: tuple[Mutation, ...] = (
    *(_delete, _insert, _flip, _repeat, _odd_token, _odd_number, _other_digits, _lines, _whole),
)
STRUCTURED: dict[str, tuple[Mutation, ...]] = {
    "columns": (_fields, _fields, _odd_number, _lines),
    "xml": (_tags, _attributes, _texts, _odd_number),
    "json": (_values, _values, _broken_json),
    "tabs": (_tabs, _tabs, _odd_number, _other_digits, _lines),
    "toml": (_toml_values, _toml_values, _odd_token, _odd_number, _lines, _insert),
    "sqlite": (_cells, _cells, _cells, _bytes, _flip),
    "commas": (_commas, _commas, _commas, _odd_number, _lines),
    "parquet": (_columns, _columns, _columns, _columns, _bytes),
    "binary": (_bytes, _bytes, _bytes, _flip),
}
