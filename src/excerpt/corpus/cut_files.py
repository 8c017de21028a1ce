"""Documents of files that have many each, cut as the index cuts them: one pass finds where each is."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from excerpt.corpus.document import LAYOUT, Document, from_xml
from excerpt.corpus.source import Numbered, twice
from excerpt.documents.cuts import Cutting, Form
from excerpt.documents.many import Opened, pieces_of
from excerpt.documents.stored_file import Stamp, StoredFile, changed
from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe
from excerpt.files.compression import compression_of
from excerpt.index.parse.expat import Malformed, require_safe_expat
from excerpt.index.parse.text import read_document


class _File(NamedTuple):
    """A file: as it was when it was opened, or unpacked."""

    name: str
    stamp: Stamp
    unpacked: StoredFile | None

    def check(self) -> None:
        """An error where it has changed."""
        try:
            now = Stamp.of(Path(self.name).stat())
        except OSError as error:
            raise ExcerptError(f"cannot be read: {describe(error)}", path=self.name) from None
        if now != self.stamp:
            raise changed(self.name)

    def read(self, offset: int, size: int) -> bytes:
        """Some bytes of it."""
        if self.unpacked is not None:
            return self.unpacked.read(offset, size)
        self.check()
        with Path(self.name).open("rb") as raw:
            raw.seek(offset)
            return raw.read(size)


class CutFiles(Numbered):
    """Documents that are parts of files; `without` are the files that have none."""

    def __init__(self, files: Sequence[tuple[str, Cutting]]) -> None:
        self._files: list[_File] = []
        self._forms: list[Form] = []
        self.without: list[str] = []
        self._of, self._offsets, self._sizes = array("q"), array("q"), array("q")
        super().__init__(self._scan(files))

    def _scan(self, files: Sequence[tuple[str, Cutting]]) -> Iterator[str]:
        """The ids of all documents, and where these are."""
        for name, cutting in files:
            file, count = _open(name), len(self._of)
            self._files.append(file)
            self._forms.append(Form())
            with Opened(name if file.unpacked is None else file.unpacked.path) as data:
                for piece in pieces_of(data, cutting, name):
                    self._of.append(len(self._files) - 1)
                    self._offsets.append(piece.start)
                    self._sizes.append(piece.end - piece.start)
                    self._forms[-1] = piece.form  # the same one of all
                    yield piece.id
            if file.unpacked is not None:
                file.unpacked.forget_path()
            if len(self._of) == count:
                self.without.append(name)

    def place(self, number: int) -> str:
        """The file and the id of a document."""
        return f"{self._files[self._of[number]].name}!{self.id(number)}"

    def twice(self, identifier: str, first: int, second: int) -> ExcerptError:
        """The error for an id that two documents have."""
        return twice(identifier, *(self._files[self._of[number]].name for number in (first, second)))

    def check(self, number: int) -> None:
        """An error where the file of a document has changed."""
        self._files[self._of[number]].check()

    def stored(self, number: int) -> bytes:
        """The bytes of a document in its file."""
        return self._files[self._of[number]].read(self._offsets[number], self._sizes[number])

    def document(self, number: int) -> Document:
        """A document."""
        require_safe_expat()
        data = self._forms[self._of[number]].whole(self.stored(number))
        try:
            return from_xml(self.id(number), read_document([data], keep=LAYOUT))
        except Malformed as error:  # its file is well-formed, but it may be too deep
            raise FormatError(error.message, path=self.place(number), line=error.line) from None


def _open(name: str) -> _File:
    with Path(name).open("rb") as raw:
        packed = compression_of(raw.read(8)) is not None
    return _File(name, Stamp.of(Path(name).stat()), StoredFile(name) if packed else None)
