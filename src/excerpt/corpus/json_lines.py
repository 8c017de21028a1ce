"""Documents in JSON Lines: one pass finds where each line is and its id; a line is read when it is asked for.

In most files the id comes first in a line, so that it is known without reading the line as JSON. It is
compared when the document is fetched.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from typing import Any

from excerpt.corpus.document import Document
from excerpt.corpus.records import FRAMEWORK_TEXTS, IDS, OF_NODES, read_record
from excerpt.corpus.source import Numbered, decode
from excerpt.documents.stored_file import StoredFile
from excerpt.errors import ExcerptError, FormatError, short

_KIND = "jsonl"
_BEGINNING = re.compile(
    rb'\s*\{\s*"(' + "|".join(IDS).encode() + rb')"\s*:\s*(?:"([^"\\\x00-\x1f]+)"|(0|[1-9]\d{0,17}))\s*[,}]'
)
#: What may stand later in a line and counts more than the key at its beginning.
_LATER = {
    name.encode(): [f'"{other}"'.encode() for other in (OF_NODES, *IDS[:place], *FRAMEWORK_TEXTS)]
    for place, name in enumerate(IDS)
}


class JsonLines(Numbered):
    """Documents in the lines of a file."""

    def __init__(self, file: StoredFile) -> None:
        self._file = file
        self._offsets, self._sizes, self._lines = array("q"), array("q"), array("q")
        super().__init__(self._scan())

    def _scan(self) -> Iterator[str]:
        """The ids of all lines, and where these are."""
        offset = 0
        for line, content in enumerate(self._file.lines(), start=1):
            if not content.isspace():
                self._offsets.append(offset)
                self._sizes.append(len(content))
                self._lines.append(line)
                yield _quick_id(content) or self._slow_id(content, line)
            offset += len(content)

    def _slow_id(self, content: bytes, line: int) -> str:
        return self._record(content, line).id

    def _record(self, content: bytes, line: int) -> Document:
        """The document of a line; an error with what to do about it."""
        try:
            return read_record(self._object(content, line), self._file.name, line)
        except FormatError as error:
            error.hint = error.hint or "repair the line, or leave it out"
            raise

    def _object(self, content: bytes, line: int) -> dict[str, Any]:
        try:
            found = json.loads(decode(content, self._file.name))
        except FormatError as error:
            error.line = line
            raise
        except (ValueError, RecursionError) as error:
            detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise FormatError(f"is not JSON: {detail}", path=self._file.name, line=line) from None
        if not isinstance(found, dict):
            shown = short(repr(found))
            raise FormatError(f"found {shown}, expected an object", path=self._file.name, line=line)
        return found

    def place(self, number: int) -> str:
        """The file and the line of a document."""
        return f"{self._file.name}:{self._lines[number]}"

    def check(self, _number: int) -> None:
        """An error where the file has changed."""
        self._file.check()

    def stored(self, number: int) -> bytes:
        """The line of a document."""
        return self._file.read(self._offsets[number], self._sizes[number])

    def document(self, number: int) -> Document:
        """A document."""
        line = self._lines[number]
        document = self._record(self.stored(number), line)
        if self.find(document.id) != number:
            raise ExcerptError(
                f"found a line with several ids, {short(document.id)!r} the last of them, expected one",
                path=self._file.name,
                line=line,
            )
        return document if document.kind else document._replace(kind=_KIND)


def _quick_id(content: bytes) -> str:
    """The id that a line begins with; empty where all of the line must be read to know it."""
    match = _BEGINNING.match(content)
    if match is None:
        return ""
    for key in _LATER[match[1]]:
        if key in content:
            return ""
    try:
        return (match[2] or match[3]).decode()
    except UnicodeDecodeError:
        return ""
