"""Files of the programs of other tracks: lines and JSON, with the place of what a program cannot read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from excerpt.errors import FormatError, short
from excerpt.files import STDIN, Input, display_name, read_bytes
from excerpt.notices import Faults, Notices

if TYPE_CHECKING:
    from excerpt.gold.file import GoldFile, GoldItem


class TrackFault(FormatError):
    """A file that the official program cannot read; `excerpt check` has other rules."""

    listed_by = ""


@dataclass
class TrackFile:
    """The content of a file of a track, with its name in messages and the warnings about it."""

    name: str
    data: bytes
    notices: Notices = field(default_factory=Notices)

    @classmethod
    def open(cls, given: Input) -> TrackFile:
        """Read a file, which may be compressed."""
        return cls(display_name(given), read_bytes(given))

    def fault(self, message: str, line: int | None = None, hint: str = "") -> TrackFault:
        """Return the error for something that the official program cannot read."""
        return TrackFault(message, path=self.name, line=line, hint=hint)

    def place(self, line: int) -> str:
        """File and line, for warnings."""
        return f"{self.name}:{line}"

    def note(self, text: str, questions: Sequence[str], verbs: tuple[str, str] = ("has", "have")) -> None:
        """Warn about questions, if there are any; their number and a verb are put in front of the text."""
        where = f"question {short(questions[0])} of {self.name}" if questions else ""
        one, many = (
            f"{what} {verb} {text}" for what, verb in zip(("question", "questions"), verbs, strict=True)
        )
        self.notices.add(one, many, len(questions), where=where)

    @cached_property
    def text(self) -> str:
        """The content as text, line ends as `\\n`; an error if it is not UTF-8."""
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            message = f"found byte 0x{self.data[error.start]:02x}, expected UTF-8 text"
            raise self.fault(message, line, "convert it to UTF-8 first") from None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text; none of an empty file."""
        return self.text.removesuffix("\n").split("\n") if self.text else []

    @cached_property
    def _gold_file(self) -> GoldFile:
        from excerpt.gold.file import GoldFile  # not for files in columns

        return GoldFile(self.name, self.text, Faults(self.name))

    def records(self, expected: str) -> Iterator[GoldItem]:
        """Yield the object of each line; an empty line, or one without an object, is an error."""
        from excerpt.gold.file import GoldItem
        from excerpt.records.rows import parse_json

        if not self.lines:
            raise self.fault(f"the file is empty, expected {expected}")
        for number, line in enumerate(self.lines, 1):
            value = parse_json(line)
            if not isinstance(value, dict):
                found = repr(short(line.strip())) if line.strip() else "an empty line"
                raise self.fault(f"found {found}, expected {expected}", number)
            yield GoldItem(self._gold_file, value, (), number)

    def object(self, expected: str) -> GoldItem:
        """Return the whole file as one JSON object; an error for other values."""
        from excerpt.gold.file import GoldItem

        value = self._json(expected)
        if not isinstance(value, dict):
            raise self.fault(f"found other JSON, expected {expected}", 1)
        return GoldItem(self._gold_file, value)

    def objects(self, expected: str) -> list[GoldItem]:
        """Return the objects of a file that is one JSON list; an error for other values."""
        from excerpt.gold.file import GoldItem

        values = self._json(expected)
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise self.fault(f"found other JSON, expected {expected}", 1)
        return [GoldItem(self._gold_file, value, (number,)) for number, value in enumerate(values)]

    def _json(self, expected: str) -> Any:
        from excerpt.records.rows import broken_json, parse_json

        if not self.text.strip():
            raise self.fault(f"the file is empty, expected {expected}")
        value = parse_json(self.text)
        if value is None:
            broken = broken_json(self.text, self.name, expected)
            raise self.fault(broken.message, broken.line)
        return value

    def settle(self) -> None:
        """Raise the first fault of the objects."""
        for fault in self._gold_file.faults.found[:1]:
            raise self.fault(fault.message, fault.line, fault.hint)


def file_name(given: Input) -> str:
    """Return the name of a file without folders; `-` for standard input.

    >>> file_name("runs/Sys-1.v2.txt"), file_name("-")
    ('Sys-1.v2.txt', '-')
    """
    name = STDIN if given == STDIN else display_name(given)
    return name.replace("\\", "/").rpartition("/")[2]
