"""Documents in files: XML as the index reads it, and plain text."""

from __future__ import annotations

from excerpt.corpus.document import LAYOUT, Document, from_xml
from excerpt.corpus.source import Numbered, decode, twice
from excerpt.documents.entry import Ids, is_packed
from excerpt.documents.names import kind_of, own_id
from excerpt.documents.storage import Files
from excerpt.errors import ExcerptError, FormatError
from excerpt.files.compression import decompress
from excerpt.index.parse.expat import Malformed, require_safe_expat
from excerpt.index.parse.text import read_document


class FileSource(Numbered):
    """Documents in the files of a folder or an archive."""

    def __init__(self, files: Files, ids: Ids) -> None:
        self._files, self._of = files, ids
        super().__init__(own_id(path, ids) for path in files.paths)

    def twice(self, identifier: str, first: int, second: int) -> ExcerptError:
        """The error for an id that two documents have."""
        places = self.place(first), self.place(second)
        if self._of == "stem" and places[0] != places[1] and kind_of(self.path(second)) == "xml":
            return twice(identifier, *places, "set ⟨ids=path⟩")
        return twice(identifier, *places)

    def path(self, number: int) -> str:
        """The path of a document inside of its folder or archive."""
        return self._files.paths[number]

    def place(self, number: int) -> str:
        """Where a document is, for messages."""
        return self._files.place(number)

    def check(self, number: int) -> None:
        """An error where the file of a document has changed."""
        self._files.check(number)

    def stored(self, number: int) -> bytes:
        """The bytes of the file of a document."""
        return self._files.read(number)

    def document(self, number: int) -> Document:
        """A document."""
        place, path = self.place(number), self.path(number)
        data = self._files.read(number)
        if is_packed(path):
            data = decompress(data, place)
        kind = kind_of(path)
        if kind != "xml":
            return Document("", decode(data, place), kind=kind)
        require_safe_expat()
        try:
            return from_xml("", read_document([data], keep=LAYOUT))
        except Malformed as error:
            raise FormatError(
                error.message, path=place, line=error.line, hint="repair the document or leave it out"
            ) from None
