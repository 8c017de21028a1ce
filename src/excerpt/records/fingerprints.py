"""Fingerprints: the version of a document's text to which offsets belong, carried by rows and compared.

A fingerprint is the SHA-256 of the text in UTF-8, in hexadecimal, or its first 16 digits or more.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from excerpt.errors import ExcerptError, plural, short
from excerpt.records.record import Coded, Odd, Records, show
from excerpt.records.rows import is_absent, parse_json

#: Digits of a fingerprint as it is written, and of a whole one.
SIZE, _WHOLE = 16, 64
_DIGITS = frozenset("0123456789abcdef")
#: Spellings of the role, the short one first.
_ROLES = ("fingerprint", "sha256")
#: Ending of the file beside one in columns, and the most that is read of it.
BESIDE = ".about.json"
_MOST_BESIDE = 1 << 28


def as_fingerprint(value: Any) -> str:
    """Return a fingerprint in lower case.

    >>> as_fingerprint("0123456789ABCDEF")
    '0123456789abcdef'
    """
    found = value.lower() if isinstance(value, str) else ""
    if not SIZE <= len(found) <= _WHOLE or not _DIGITS.issuperset(found):
        raise Odd(f"{SIZE} to {_WHOLE} hexadecimal digits")
    return found


def are_same(one: str, other: str) -> bool:
    """Return whether two fingerprints are of one text: equal, or one is the beginning of the other."""
    return one.startswith(other) or other.startswith(one)


def in_rows(records: Records, documents: Coded) -> dict[str, str]:
    """Return the fingerprint of each document of which a row has one, the longest; report faults."""
    found: dict[str, str] = {}
    for role in (role for role in _ROLES if records.has(role)):
        values = records.values(role)
        first = {pair: row for row, pair in _last_first(documents.code.tolist(), values)}
        for (code, value), row in sorted(first.items(), key=lambda item: item[1]):
            try:
                learn(found, documents.distinct[code], role, value)
            except Odd as odd:
                records.fault(row, f"found {role} {show(value)}, expected {odd.expected}", odd.hint)
    return found


def learn(found: dict[str, str], name: str, role: str, value: Any) -> None:
    """Add the fingerprint of a document to those found; raise for none, and for one of another text."""
    given = as_fingerprint(value)
    known = found.get(name, given)
    if not are_same(known, given):
        expected = f"{known[:SIZE]}, the {role} of document {short(name)} in another row"
        raise Odd(expected, "a file is made on one version of a text")
    found[name] = max(known, given, key=len)


def in_objects(given: Iterable[tuple[str, Mapping[str, Any], Callable[[str, str], None]]]) -> dict[str, str]:
    """Return the same of objects, each with its document and where its faults go."""
    found: dict[str, str] = {}
    for name, fields, fault in given:
        for role in (role for role in _ROLES if fields.get(role) is not None):
            try:
                learn(found, name, role, fields[role])
            except Odd as odd:
                fault(f"found {role} {show(fields[role])}, expected {odd.expected}", odd.hint)
    return found


def _last_first(codes: list[int], values: list[Any]) -> Iterator[tuple[int, tuple[int, Any]]]:
    """Yield rows with a fingerprint, the last one first, with their document."""
    for row in range(len(codes) - 1, -1, -1):
        value = values[row]
        if value and not is_absent(value):
            yield row, (codes[row], value if isinstance(value, str) else str(value))


def differing(
    named: Mapping[str, str], hash_of: Callable[[str], str | None], among: Iterable[str] | None = None
) -> list[str]:
    """Return the documents whose text has another hash; those without one are not compared."""
    found = []
    for name in named if among is None else filter(named.__contains__, among):
        now = hash_of(name)
        if now is not None and not are_same(named[name], now):
            found.append(name)
    return found


def other_version(file: str, documents: Sequence[str], count: int, other: str = "") -> str:
    """Say that a file was made on another version of some documents than its corpus, or than another file."""
    names = f"that it and {other} name" if other else "that it names"
    many = f"{len(documents)} of the {plural(count, 'document')} {names}"
    return f"{file} was made on another version of {many} (first: {short(documents[0])})"


class OtherVersionError(ExcerptError):
    """Offsets of a file that belong to another version of some documents than those of its partner."""

    def __init__(self, file: str, documents: Sequence[str], count: int, other: str = "") -> None:
        self.file, self.documents, self.count, self.other = file, tuple(documents), count, other
        hint = "make both on one version" if other else "give ⟨corpus⟩ of that version"
        hint += ", or carry its offsets over with ⟨command=align⟩"
        super().__init__(other_version(file, documents, count, other), hint=hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (dict(self.__dict__), str(self))


def _again(fields: dict[str, Any], _: str) -> OtherVersionError:
    error = OtherVersionError(fields["file"], fields["documents"], fields["count"], fields["other"])
    error.__dict__.update(fields)
    return error


def compare_texts(
    file: str, named: Mapping[str, str], hash_of: Callable[[str], str | None], documents: Sequence[str]
) -> None:
    """Raise if some of the documents that a file names have another text now."""
    if named and (differ := differing(named, hash_of, documents)):
        raise OtherVersionError(file, differ, len(documents))


def compare_files(files: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Raise if two files, pairs of name and fingerprints, name a document by those of different texts.

    >>> compare_files([("old.jsonl", {"A": "0" * 16}), ("new.jsonl", {"A": "1" * 16, "B": "2" * 16})])
    Traceback (most recent call last):
    excerpt.records.fingerprints.OtherVersionError: new.jsonl was made on another version of 1 of the 1 \
document that it and old.jsonl name (first: A); make both on one version, or carry its offsets over \
with align
    """
    first: dict[str, tuple[str, str]] = {}
    for file, own in files:
        common = [name for name in own if name in first]
        differ = [name for name in common if not are_same(own[name], first[name][0])]
        if differ:
            raise OtherVersionError(file, differ, len(common), first[differ[0]][1])
        for name, one in own.items() if isinstance(own, dict) else ():  # others are not yet computed
            first.setdefault(name, (one, file))


def beside(file: str) -> dict[str, str]:
    """Return the fingerprints of documents in `FILE.about.json`, if there is one about this file."""
    path = file + BESIDE
    if file[:1] in ("", "<") or not os.path.isfile(path) or os.path.getsize(path) > _MOST_BESIDE:  # noqa: PTH113, PTH202
        return {}
    with open(path, "rb") as stream:  # noqa: PTH123
        about = parse_json(stream.read())
    documents, digest = (
        about.get(key) if isinstance(about, dict) else None for key in ("documents", "sha256")
    )
    if isinstance(digest, str) and digest != _digest(file):
        return {}
    return read_documents(documents, path) if isinstance(documents, dict) else {}


def read_documents(documents: Mapping[str, Any], path: str = "") -> dict[str, str]:
    """Return fingerprints by document from an object of JSON; raise for a value that is none."""
    try:
        return {str(name): as_fingerprint(value) for name, value in documents.items()}
    except Odd as odd:
        wrong = next(value for value in documents.values() if not _is_fingerprint(value))
        message = f"found fingerprint {show(wrong)}, expected {odd.expected}"
        raise ExcerptError(message, path=path or None) from None


def _is_fingerprint(value: Any) -> bool:
    try:
        return bool(as_fingerprint(value))
    except Odd:
        return False


def _digest(file: str) -> str:
    with open(file, "rb") as stream:  # noqa: PTH123
        return hashlib.file_digest(stream, "sha256").hexdigest()


def about_text(file: str, fingerprints: Mapping[str, str], names: Iterable[str], version: str) -> bytes:
    """Return the content of `FILE.about.json`."""
    documents = {name: fingerprints[name][:SIZE] for name in names if name in fingerprints}
    about = {"excerpt": version, "sha256": _digest(file), "documents": documents}
    return json.dumps(about, ensure_ascii=False, indent=1).encode() + b"\n"
