"""Gold files: their objects, with the line of each fault, and their content."""

from __future__ import annotations

import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from excerpt.errors import FormatError, short, short_list
from excerpt.model.judgments import OffsetUnit, Question
from excerpt.model.spans import MAX_OFFSET
from excerpt.notices import Faults
from excerpt.records.record import Odd, as_name, as_whole
from excerpt.records.rows import broken_json, header_of, objects, parse_json, table_rows
from excerpt.records.spellings import ROLES, RowKeys

NOWHERE = -1
#: Keys of the ids that questions of any file may have.
QUESTION_IDS = tuple(key for key in ROLES["question"]["topic"] if key.endswith("id") and key != "id")


@dataclass(slots=True, eq=False)
class GoldItem:
    """A JSON object, or a row of a table, with its line in the file."""

    file: GoldFile
    value: dict[str, Any]
    _path: Path = ()
    _line: int | None = None

    @property
    def line(self) -> int:
        """The line in which the item begins."""
        return self.file.places.line(self._path) if self._line is None else self._line

    def fault(self, message: str, hint: str = "") -> None:
        """Report a fault of the item."""
        self.file.faults.add(self.line, message, hint)

    def has(self, key: str) -> bool:
        """Return whether there is a value under a key that is not null."""
        return self.value.get(key) is not None

    def text(self, *keys: str, missing: str | None = None) -> str:
        """Return the text under the first of these keys; report a missing one if there is no default."""
        key = next((key for key in keys if self.has(key)), keys[0])
        value = self.value.get(key)
        if value is None and missing is not None:
            return missing
        if isinstance(value, str):
            return self._encodable(key, value)
        self._report(key, value, "text")
        return ""

    def _encodable(self, key: str, value: str) -> str:
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                self.fault(f"found half a surrogate pair at character {error.start} of {key}, expected text")
                return ""
        return value

    def name(self, *keys: str, missing: str | None = None) -> str:
        """Return the id (a text or a number) under the first of these keys; report a missing one."""
        key = next((key for key in keys if self.has(key)), keys[0])
        value = self.value.get(key)
        if value is None and missing is not None:
            return missing
        if isinstance(value, str) and value.strip():
            return self._encodable(key, value)
        try:
            return as_name("" if isinstance(value, str) else value)
        except Odd:
            self._report(key, value, "a name or a number")
            return ""

    def whole(self, key: str, missing: int | None = None, *, least: int = 0) -> int:
        """Return a whole number of at least `least`; report all other values and return -1."""
        value = self.value.get(key)
        if value is None and missing is not None:
            return missing
        try:
            return as_whole(value, least=least)
        except Odd as odd:
            self._report(key, value, odd.expected)
            return -1

    def each(self, key: str, *, needed: bool = True) -> list[GoldItem]:
        """Return the objects of a list; report all other values, and a missing list if it is `needed`."""
        return [
            self.part(key, number, value)
            for number, value in enumerate(self.values(key, needed=needed))
            if self._fits(value, dict, key, "objects")
        ]

    def rows(self, key: str, *, needed: bool = True) -> list[GoldItem]:
        """Return the objects of a list, or the rows of an object with a list per column."""
        if isinstance(self.value.get(key), dict):
            return self.inner(key).table()
        return self.each(key, needed=needed)

    def table(self) -> list[GoldItem]:
        """Return the rows of an object with a list per column."""
        columns = {name: values for name, values in self.value.items() if isinstance(values, list)}
        if len(set(map(len, columns.values()))) > 1:
            shown = ", ".join(f"{short(name)} {len(values)}" for name, values in columns.items())
            self.fault(f"found columns of different lengths ({shown}), expected equal lengths")
            return []
        return [
            self.here(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)
        ]

    def texts(self, key: str, *, needed: bool = False) -> list[str]:
        """Return the texts of a list; report all other values."""
        values = self.values(key, needed=needed)
        return [self._encodable(key, value) for value in values if self._fits(value, str, key, "texts")]

    def inner(self, key: str) -> GoldItem:
        """Return the object under a key; report a missing one and return an empty object."""
        value = self.value.get(key)
        if not isinstance(value, dict):
            self._report(key, value, "an object")
            value = {}
        return GoldItem(self.file, value, (*self._path, key), self._line)

    def part(self, key: str, number: int, value: dict[str, Any]) -> GoldItem:
        """Return an object in place of the value of a list, with its line."""
        return GoldItem(self.file, value, (*self._path, key, number), self._line)

    def here(self, value: dict[str, Any]) -> GoldItem:
        """Return another object with the same line."""
        return GoldItem(self.file, value, self._path, self._line)

    def note_unknown(self, known: set[str]) -> None:
        """Record keys that are not among the known ones."""
        if not self.value.keys() <= known:
            self.file.unknown.update(key for key in self.value if key not in known)

    def values(self, key: str, *, needed: bool = False) -> list[Any]:
        """Return a list; report all other values, and a missing list if it is `needed`."""
        value = self.value.get(key)
        if isinstance(value, list):
            return value
        if value is not None or needed:
            self._report(key, value, "a list")
        return []

    def _fits(self, value: Any, kind: type, key: str, expected: str) -> bool:
        if not isinstance(value, kind):
            self.fault(f"found {show(value)} in {key}, expected {expected}")
        return isinstance(value, kind)

    def _report(self, key: str, value: Any, expected: str) -> None:
        if value is None:
            keys = short_list([key for key, value in self.value.items() if value is not None], 6)
            self.fault(f"key {key} is missing, expected {expected}; the object has {keys or 'no keys'}")
        else:
            self.fault(f"found {key} {show(value)}, expected {expected}")


def show(value: Any) -> str:
    """Return a value as JSON writes it, shortened if it is long."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return short(json.dumps(value, ensure_ascii=False))


#: Keys and numbers that lead from the root to a value.
Path: TypeAlias = tuple[str | int, ...]

_END = re.compile("\n")
_BLANK = re.compile(r"[ \t\n\r]*")
_NEXT = re.compile(r"[ \t\n\r]*[,:]?[ \t\n\r]*")


class JsonPlaces:
    r"""The offsets of the values of a valid JSON text; each object or list is scanned once.

    >>> JsonPlaces('{"a": [1,\n 2]}').line(("a", 1))
    2
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._inside: dict[Path, dict[str | int, int]] = {}

    def line(self, path: Path) -> int:
        """Return the line, from 1, in which a value begins."""
        return bisect_left(self._ends, self._offset(path)) + 1

    @cached_property
    def _ends(self) -> list[int]:
        return [match.start() for match in _END.finditer(self._text)]

    def _offset(self, path: Path) -> int:
        if not path:
            return self._after(0, _BLANK)
        return self._children(path[:-1]).get(path[-1], self._offset(path[:-1]))

    def _children(self, path: Path) -> dict[str | int, int]:
        if path not in self._inside:
            self._inside[path] = self._scan(self._offset(path))
        return self._inside[path]

    def _scan(self, offset: int) -> dict[str | int, int]:
        """Return the offsets of the values of an object or a list."""
        offsets: dict[str | int, int] = {}
        named = self._text[offset] == "{"
        offset = self._after(offset + 1, _BLANK)
        while self._text[offset] not in "]}":
            key: str | int = len(offsets)
            if named:
                key, offset = self._decoder.raw_decode(self._text, offset)
                offset = self._after(offset, _NEXT)
            offsets[key] = offset
            _, offset = self._decoder.raw_decode(self._text, offset)
            offset = self._after(offset, _NEXT)
        return offsets

    def _after(self, offset: int, skipped: re.Pattern[str]) -> int:
        match = skipped.match(self._text, offset)
        return match.end() if match else offset


#: The documents of a file that has articles of several paragraphs.
Context: TypeAlias = Literal["paragraph", "article"]

_FILLED = re.compile(r"\S")
_HEAD = 1 << 16
_BEGIN = re.compile(r"[ \t\r\n]*[\[{]")
_COMPRESSED = re.compile(r"(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)


@dataclass(eq=False, repr=False)
class GoldFile:
    """A gold file: its text as JSON, as JSON Lines or as a table."""

    name: str
    text: str
    faults: Faults
    context: Context = "paragraph"
    #: The ids of the documents of the user's corpus.
    corpus: Container[str] = ()
    #: The rows of the file, if they are no text.
    given: Sequence[Mapping[str, Any]] | None = None
    #: Unknown keys of its objects.
    unknown: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.head = self.text[:_HEAD]

    @property
    def stem(self) -> str:
        """The name of the file without folders and extensions; empty for input that is no file."""
        base = posixpath.basename(_COMPRESSED.sub("", self.name.replace("\\", "/")))
        return "" if base.startswith("<") else posixpath.splitext(base)[0]

    @cached_property
    def _first_line(self) -> tuple[int, int]:
        """Begin and end of the first line that is not blank."""
        begin = len(self.text) - len(self.text.lstrip())
        end = self.text.find("\n", begin)
        return begin, len(self.text) if end < 0 else end

    @cached_property
    def first(self) -> Any:
        """The first JSON value: that of the first line, else of the whole text; None if it is not JSON."""
        if self.given is not None:
            return list(self.given)
        if not _BEGIN.match(self.text):
            return None
        begin, end = self._first_line
        value = parse_json(self.text[begin:end])
        return parse_json(self.text) if value is None else value

    @cached_property
    def is_lines(self) -> bool:
        """True if there is one value per line, and more than one line."""
        if self.given is not None:
            return False
        begin, end = self._first_line
        return _FILLED.search(self.text, end) is not None and parse_json(self.text[begin:end]) is not None

    def object(self) -> GoldItem:
        """Return the file as one JSON object; raise if it is none."""
        value = self.first
        if value is None or self.is_lines:
            raise broken_json(self.text, self.name, "one object")
        if not isinstance(value, dict):
            raise FormatError("found a JSON list, expected an object", path=self.name, line=1)
        return GoldItem(self, value)

    def whole(self) -> list[GoldItem]:
        """Return the file as one JSON object; report a file that is none, and return nothing."""
        try:
            return [self.object()]
        except FormatError as error:
            self.faults.add(error.line, error.message, error.hint)
            return []

    def objects(self) -> Iterator[GoldItem]:
        """Yield the objects of a file: one per line, those of a list, or the whole file as one."""
        if not self.is_lines and self.first is not None:
            if not isinstance(self.first, list):
                yield GoldItem(self, self.first)
                return
            self.faults.unit = "row"
            for number, value in enumerate(self.first, 1):
                if isinstance(value, dict):
                    yield GoldItem(self, value, (), number)
                else:
                    self.faults.add(number, f"found {short(repr(value))}, expected an object")
            return
        for line, value in objects(self.text.encode(), self.faults):
            yield GoldItem(self, value, (), line)

    @cached_property
    def columns(self) -> list[str]:
        """The names in the first row of a table."""
        return header_of(self.head, named=False)

    def rows(self, words: RowKeys) -> Iterator[GoldItem]:
        """Yield the rows of a table whose first row names the columns."""
        for line, row in table_rows(self.text, words, self.faults):
            yield GoldItem(self, row, (), line)

    @cached_property
    def places(self) -> JsonPlaces:
        """The lines of JSON values."""
        return JsonPlaces(self.text)


class Evidence(NamedTuple):
    """A passage that answers a question, as the file gives it."""

    topic: str
    document: str
    #: -1 if the file has only the text.
    start: int
    end: int
    #: Empty if the file has only the offsets.
    quote: str
    item: GoldItem
    #: The number of the need inside its question, shared by alternatives; -1 for a need of its own.
    need: int = -1
    #: The number of the alternative inside its need, shared by its parts; -1 for an alternative of its own.
    alternative: int = -1


@dataclass(eq=False)
class Gold:
    """The content of a gold file: questions by id, in the order of the file, evidence and documents."""

    file: GoldFile
    documents: dict[str, str] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)
    #: Pairs of question and document that were judged, with or without evidence.
    judged: list[tuple[str, str]] = field(default_factory=list)
    #: The unit of the offsets.
    unit: OffsetUnit = "char"
    _lines: dict[str, GoldItem] = field(default_factory=dict)
    _asked: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Questions without an id that repeat an earlier question, each with the id of the first.
    repeated: list[tuple[str, str]] = field(default_factory=list)

    def add_question(self, item: GoldItem, topic: str, text: str, group: str = "") -> str:
        """Add a question; report an id that is used already."""
        if topic in self.questions:
            first = self._lines[topic].line
            item.fault(f"found question {short(topic)} again (first in line {first}), expected each id once")
        elif topic:
            self.questions[topic] = Question(topic, text, group)
            self._lines[topic] = item
        return topic

    def add_numbered(self, item: GoldItem, text: str, group: str = "") -> str:
        """Add a question, with its id if the file has one, else with its number, from 1, as id."""
        if key := next(filter(item.has, QUESTION_IDS), None):
            return self.add_question(item, item.name(key), text, group)
        topic = self.add_question(item, str(len(self.questions) + 1), text, group)
        first = self._asked.setdefault((text, group), topic)
        if first != topic:
            self.repeated.append((topic, first))
        return topic

    def add_evidence(
        self,
        item: GoldItem,
        topic: str,
        document: str,
        start: int = NOWHERE,
        end: int = NOWHERE,
        quote: str = "",
        need: int = -1,
        alternative: int = -1,
    ) -> None:
        """Add evidence: its offsets, its text, or both; evidence of one need is alternative."""
        if start != NOWHERE and not 0 <= start < end <= MAX_OFFSET:
            item.fault(f"found a start at {start} and an end at {end}, expected an end after the start")
        elif topic and (document or quote):
            self.evidence.append(Evidence(topic, document, start, end, quote, item, need, alternative))

    def add_judged(self, topic: str, document: str) -> None:
        """Record that a document was judged for a question."""
        if topic and document:
            self.judged.append((topic, document))

    def add_document(self, item: GoldItem, document: str, text: str) -> None:
        """Add the text of a document; report another text under the same id."""
        if document and self.documents.setdefault(document, text) != text:
            item.fault(f"found document {short(document)} again with another text, expected each id once")


class Titles:
    """Documents by title and text, numbered in the order of the file.

    >>> titles = Titles([("Bridges", "one"), ("Bridges", "two"), ("Locks", "three"), ("Locks", "three")])
    >>> titles.name("Bridges", "two"), titles.name("Locks", "three")
    ('Bridges#2', 'Locks')
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        #: The number of each text, by title.
        self.numbers: dict[str, dict[str, int]] = {}
        for title, text in documents:
            texts = self.numbers.setdefault(title, {})
            texts.setdefault(text, len(texts) + 1)

    def name(self, title: str, text: str) -> str:
        """Return the id of a document."""
        return numbered(title, self.numbers[title][text], len(self.numbers[title]))


def numbered(title: str, number: int, count: int) -> str:
    """Return the id of a paragraph or page: its title, and its number if several have the title.

    >>> numbered("Bridges", 2, 3), numbered("Bridges", 1, 1)
    ('Bridges#2', 'Bridges')
    """
    return title if count == 1 else f"{title}#{number}"


@dataclass(frozen=True)
class GoldFormat:
    """A format of gold files."""

    name: str
    #: One line that shows its layout, and its description.
    layout: str
    description: str
    #: A small file in the format.
    example: str
    read: Callable[[GoldFile], Gold]
    #: Test of the first JSON value of a file.
    fits: Callable[[Any], bool] | None = None
    #: Keys at the beginning of such a file, by which a broken file is detected.
    keys: tuple[str, ...] = ()
    #: Test of a file that is not JSON.
    looks: Callable[[GoldFile], bool] | None = None
    #: True if files contain the text of the documents.
    has_texts: bool = False
    #: True if documents may be paragraphs or articles.
    has_articles: bool = False

    def recognise(self, file: GoldFile) -> bool:
        """Return whether a file is of this format."""
        if self.looks is not None:
            return self.looks(file)
        if file.first is not None:
            return self.fits is not None and self.fits(file.first)
        return bool(self.keys) and all(re.search(rf'"{key}"\s*:', file.head) is not None for key in self.keys)


def lists(value: Any, key: str, *keys: str) -> bool:
    """Return whether an object has a list under `key` whose first object, if any, has one of `keys`.

    >>> [lists(value, "data", "a", "b") for value in ({"data": [{"b": 1}]}, {"data": []}, {"data": [1]}, [])]
    [True, True, False, False]
    """
    values = value.get(key) if isinstance(value, dict) else None
    if not isinstance(values, list):
        return False
    return not values or (isinstance(values[0], dict) and any(key in values[0] for key in keys))


def has_record(value: Any, *keys: str) -> bool:
    """Return whether a value is an object with all of these keys, or a list that begins with one.

    >>> [has_record(value, "a", "b") for value in ({"a": 1, "b": 2}, [{"a": 1, "b": 2}], [], {"a": 1})]
    [True, True, False, False]
    """
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and first.keys() >= set(keys)
