"""Corpus sources from paths: folders, patterns, archives, files of documents."""

from __future__ import annotations

import codecs
import glob
import json
import os
import stat
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from excerpt.corpus.corpus import Recent
from excerpt.corpus.document import (
    BYTE_ORDER_MARKS,
    LAYOUT,
    Document,
    DocumentSource,
    Elements,
    Numbered,
    Opened,
    decode,
    require_encoding,
    text_of,
    with_elements,
)
from excerpt.documents.archives import is_tar
from excerpt.documents.cuts import Cutting, Form, cut, is_trec, mapped, trec_cutting
from excerpt.documents.document_kinds import (
    converted,
    ending_of,
    is_plain,
    left_out,
    probe_kind,
    read_kind,
    unread,
)
from excerpt.documents.outputs import is_output
from excerpt.documents.storage import Files, FolderFiles, StoredFile, TarFiles, ZipFiles
from excerpt.documents.walk import ZIP, list_folder, opening
from excerpt.errors import ExcerptError, FormatError, listed, plural
from excerpt.files import STDIN, Stamp, compression_of, decompress, require_path, split_parser
from excerpt.gold.file import Context, GoldFile
from excerpt.model.document_names import (
    EXTENSIONS,
    Ids,
    document_id,
    duplicate_id,
    is_packed,
    is_xml,
    kind_of,
    yields_names,
)
from excerpt.notices import Faults
from excerpt.parse.expat import Malformed, require_safe_expat
from excerpt.parse.text import ParsedDocument, read_document

if TYPE_CHECKING:
    from excerpt.documents.parsers import DocumentParser, FileToParse
    from excerpt.documents.unreadable import Unreadable

_EXPECTED = (
    f"documents ({', '.join(EXTENSIONS)}, or any UTF-8 text), a table or JSON Lines of documents, a .zip or "
    ".tar of documents, or a folder"
)
#: Part that all Office files of Microsoft have.
_OFFICE_PART = "[Content_Types].xml"
_LINES, _COLUMNS = {"jsonl", "ndjson"}, {"csv", "tsv"}
#: Characters of extracted texts that are kept.
_ROOM = 1 << 24
#: FileToParse that every index has.
_DESCRIPTION = "index.json"
#: Other files that may contain documents, but are read only if they are named.
_ONLY_NAMED = (".jsonl", ".ndjson", ".json", ".zip", ".tar", ".gz")


class FileReading(NamedTuple):
    """How the documents of a corpus are read, as `Corpus.read` has it."""

    ids: Ids
    context: Context = "paragraph"
    cutting: Cutting | None = None
    include: tuple[str, ...] = ()
    encoding: str | None = None

    def takes(self, path: str) -> bool:
        """Return whether a file of a folder is a document by its path."""
        names = (path.rpartition("/")[2], path) if self.include else ()
        included = (fnmatchcase(name, pattern) for pattern in self.include for name in names)
        return bool(kind_of(path)) or any(included)


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    ids: Ids,
    context: Context = "paragraph",
    document_tag: str | None = None,
    id_from: str | None = None,
    include: Sequence[str] = (),
    encoding: str | None = None,
    parser: str | None = None,
) -> Opened:
    """Open the documents of all paths, which may be patterns (`*`, `?`, `[…]`) and end with `@parser`."""
    if ids not in ("stem", "path"):
        raise ExcerptError(f"ids is {ids!r}, expected stem or path")
    if context not in get_args(Context):
        raise ExcerptError(f"context is {context!r}, expected paragraph or article")
    if not paths:
        raise ExcerptError("no path of a corpus given")
    named = document_tag is not None or id_from is not None
    cutting = Cutting.of(document_tag, id_from, ids) if named else None
    patterns = listed(include, str, "include", "patterns such as *.py")
    opener = _Opener(FileReading(ids, context, cutting, patterns, require_encoding(encoding)))
    sources: list[DocumentSource] = []
    for path in paths:
        name, own = split_parser(require_path(path, "corpus"))
        with opening(name):
            sources += opener.open(name, own or parser or "")
    with_documents = [source for source in sources if len(source)]
    if not with_documents:
        raise _no_documents(os.fspath(paths[0]), opener)
    said = [(left_out(opener.others), False), (unread(opener.unread, opener.first), True)]
    return Opened(
        with_documents,
        opener.others,
        opener.unread,
        tuple(one for one in said if one[0]),
        tuple(dict.fromkeys(opener.parsers)),
        tuple(paths),
        (ids, context, document_tag, id_from, patterns, encoding, parser),
    )


def _no_documents(path: str, opener: _Opener) -> ExcerptError:
    others = opener.others
    if opener.unread:
        only = unread(opener.unread, opener.first)
        return ExcerptError(f"contains no documents; {only}", path=path, hint="are they of another kind?")
    only = f", only {plural(others.total(), 'file')} of other kinds" if others.total() else ""
    extension = next((extension for extension in _ONLY_NAMED if extension in others), "")
    hint = f"give the {extension} file by its name" if extension else ""
    return ExcerptError(f"contains no documents{only}; expected {_EXPECTED}", path=path, hint=hint)


def _unparsed(kind: str, name: str) -> ExcerptError:
    return ExcerptError(f"found {kind}, which a parser cannot read", path=name, hint="leave the @ out")


def _unsplit(kind: str, name: str) -> ExcerptError:
    message = f"found {kind}, expected files to split into documents"
    return ExcerptError(message, path=name, hint="leave ⟨document_tag⟩ out")


class _Opener:
    """Opens paths and counts the files that are no documents, by extension, or that cannot be read."""

    def __init__(self, reading: FileReading) -> None:
        self._reading = reading
        self._cutting = reading.cutting
        self.others: Counter[str] = Counter()
        self.unread: Counter[str] = Counter()
        self._is_office = False  # the archive that is opened is an Office file
        #: Names of the parsers of its sources.
        self.parsers: list[str] = []
        #: The first error of a file that cannot be read.
        self.fault: Unreadable | None = None

    @property
    def first(self) -> str:
        """The first file that cannot be read, and why."""
        return "" if self.fault is None else f"{self.fault.place}: {self.fault.message}"

    def open(self, name: str, parser: str) -> list[DocumentSource]:
        """Open the documents of a path, read by the parser of this name, or by their own reader."""
        if name == STDIN:
            raise ExcerptError("this corpus cannot be read from standard input; give a file or a folder")
        if not os.path.lexists(name) and glob.has_magic(name):
            return self._open_pattern(name, parser)
        mode = Path(name).stat().st_mode
        if stat.S_ISDIR(mode):
            return self._open_folder(name, parser)
        if not stat.S_ISREG(mode):
            raise ExcerptError("found a pipe, a device or a socket, expected a file or a folder", path=name)
        return [self._open_file(name, parser)]

    def _open_pattern(self, pattern: str, parser: str) -> list[DocumentSource]:
        """Open the matches of a pattern; paths are relative to its last folder without a wildcard."""
        matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  it may be absolute
        if not matches:
            raise ExcerptError("matches no file", path=pattern, hint=f"expected {_EXPECTED}")
        files = [name for name in matches if Path(name).is_file()]
        if self._cutting is not None:
            return [self._cut(files, self._cutting)]
        base = pattern
        while glob.has_magic(base):
            base = os.path.dirname(base)  # noqa: PTH120
        documents = [
            (os.path.relpath(name, base or ".").replace(os.sep, "/"), Stamp.of(Path(name).stat()))
            for name in files
            if kind_of(name) and not self._is_output(name)
        ]
        source = self._of_several(FolderFiles(base, documents), parser)
        return [source, *(self._open_file(name, parser) for name in files if not kind_of(name))]

    def _open_folder(self, folder: str, parser: str) -> list[DocumentSource]:
        prefix = os.path.join(folder, "")  # noqa: PTH118  a Path per file is slow
        if Path(prefix + _DESCRIPTION).exists() and (found := self._open_index(folder)) is not None:
            if parser:
                raise _unparsed("an index", folder)
            return [found]
        if self._cutting is not None:
            many = list_folder(folder, is_xml, self._cutting).many
            return [self._cut([prefix + path for path, stamp, _ in many if stamp], self._cutting)]
        listing = list_folder(folder, self._reading.takes)
        self.others += listing.others + Counter(special=len(listing.special))
        documents = [(path, stamp) for path, stamp in listing.documents if not self._is_output(prefix + path)]
        sources: list[DocumentSource] = [self._of_several(FolderFiles(folder, documents), parser)]
        if listing.many:
            if parser:
                raise _unparsed("files of many documents", folder)
            sources.append(CutFiles([(prefix + path, cutting) for path, _, cutting in listing.many]))
        return sources

    def _is_output(self, name: str) -> bool:
        """Check if a file is a report, a table, gold, a run or scores, which no folder has as documents."""
        found = is_output(name)
        if found:
            self.others[_extension(name)] += 1
        return found

    def _parser_of(self, name: str) -> DocumentParser | None:
        if not name:
            return None
        from excerpt.documents.parsers import parser_of

        self.parsers.append(name)
        return parser_of(name)

    def _of_several(self, files: Files, parser: str) -> FileSource:
        """Make a source of files, of which those that cannot be read are left out."""
        source = FileSource(files, self._reading, self._parser_of(parser))
        self.others.update(map(_extension, source.without_name))
        for fault in source.leave_out_unreadable():
            self.unread[fault.reason] += 1
            self.fault = self.fault or fault
        return source

    def _open_index(self, folder: str) -> DocumentSource | None:
        """Open an index; None for another folder."""
        from excerpt.corpus.indexed import Indexed
        from excerpt.index.disk import is_index

        if not is_index(Path(folder)):
            return None
        if self._cutting is not None:
            raise _unsplit("an index", folder)
        return Indexed(folder)

    def _cut(self, names: list[str], cutting: Cutting) -> DocumentSource:
        source = CutFiles([(name, cutting) for name in names])
        self.others.update(map(_extension, source.without))
        return source

    def _open_file(self, name: str, parser: str) -> DocumentSource:
        """Open an archive, JSON Lines, both detected by content, a table, or a single document."""
        if self._cutting is None and (converted(name) or (kind_of(name) and parser)):
            return self._of_one(name, parser)
        if kind_of(name):
            cutting = self._cutting or (trec_cutting(name) if is_xml(name) else None)
            if cutting is not None:
                return CutFiles([(name, cutting)])
            return self._of_one(name, parser)
        return self._open_stored(StoredFile(name), parser)

    def _of_one(self, name: str, parser: str) -> FileSource:
        """Make a source of a file whose error is raised at once if it cannot be read."""
        folder, base = os.path.split(name)
        files = FolderFiles(folder, [(base, Stamp.of(Path(name).stat()))])
        source = FileSource(files, self._reading, self._parser_of(parser))
        for fault in source.leave_out_unreadable():
            raise fault
        return source

    def _open_stored(self, file: StoredFile, parser: str) -> DocumentSource:
        """Open a file of another ending by its content."""
        from excerpt.documents.document_tables import is_table

        head, name = file.head(), file.name
        is_zip = head.startswith(ZIP)
        is_archive = is_zip or is_tar(head)
        if self._cutting is not None:
            if is_archive:
                raise _unsplit("an archive", name)
            return self._cut([name], self._cutting)
        if is_archive:
            return self._open_archive(file, parser, is_zip=is_zip)
        if is_trec(head):
            if parser:
                raise _unparsed("a file of many documents", name)
            return CutFiles([(name, Cutting())])
        column = parser if is_table(name) else ""
        if (rows := self._open_rows(file, head, column)) is not None:
            return rows
        is_text = b"\0" not in head or head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        if not is_text and self._reading.encoding is None and not parser:
            raise ExcerptError(f"found a file of an unknown kind, expected {_EXPECTED}", path=name)
        return self._of_one(name, parser)

    def _open_archive(self, file: StoredFile, parser: str, *, is_zip: bool) -> DocumentSource:
        self._is_office = False
        files = (ZipFiles if is_zip else TarFiles)(file, self._is_document)
        if self._is_office:
            message = "found an Office file of another kind, expected .docx, .pptx or .xlsx"
            raise ExcerptError(message, path=file.name, hint="save it as one of these")
        return self._of_several(files, parser)

    def _open_rows(self, file: StoredFile, head: bytes, column: str) -> DocumentSource | None:
        """Open gold with texts, JSON Lines, or a table of documents; None for another file."""
        from excerpt.corpus.records import JsonLines
        from excerpt.documents.document_tables import PARQUET, is_table, read_table

        first = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        is_json = first in (b"{", b"[")
        if not column and (is_json or ending_of(file.name) in _COLUMNS):
            if (gold := _open_gold(file, self._reading.context)) is not None:
                return gold
            if first == b"{" and _is_lines(file):
                return JsonLines(file)
        if is_table(file.name) or is_json or head.startswith(PARQUET):
            return read_table(file, column or None, self._reading.encoding)
        return None

    def _is_document(self, path: str) -> bool:
        """Check by its name if a file of an archive is a document; count others."""
        self._is_office |= path == _OFFICE_PART
        if self._reading.takes(path):
            return True
        self.others[_extension(path)] += 1
        return False


def _is_lines(file: StoredFile) -> bool:
    """Return whether a file that begins with an object is JSON Lines: each line is one by itself."""
    from excerpt.corpus.records import IDS

    lines = (line for line in file.lines() if not line.isspace())
    try:
        first = json.loads(next(lines))
    except (ValueError, RecursionError):
        return ending_of(file.name) in _LINES
    several = next(lines, None) is not None
    return several or ending_of(file.name) in _LINES or not {*IDS}.isdisjoint(first) or not first


def _extension(path: str) -> str:
    return os.path.splitext(path)[1].lower()  # noqa: PTH122  a Path per file is slow


class FileSource(Numbered):
    """Source for the files of a folder or an archive: XML, read as by the index, text, and other kinds."""

    def __init__(self, files: Files, reading: FileReading, parser: DocumentParser | None = None) -> None:
        self._files, self._reading, self._parser = files, reading, parser
        #: Numbers of the documents among the files, and those left out since an XML document has their name.
        self._members: Sequence[int] = range(len(files.paths))
        ids = reading.ids
        taken = {document_id(path, ids) for path in files.paths if is_xml(path)}
        self.without_name = [path for path in files.paths if yields_names(path) and path in taken]
        if self.without_name:
            left = set(self.without_name)
            self._members = [row for row, path in enumerate(files.paths) if path not in left]
        #: Documents whose text was extracted.
        self._extracted: Recent[Document] = Recent(room=_ROOM, size=lambda document: len(document.text))
        self._number()

    def _number(self) -> None:
        super().__init__(document_id(self._files.paths[row], self._reading.ids) for row in self._members)

    def leave_out_unreadable(self) -> list[Unreadable]:
        """Leave out documents that cannot be read, and return their errors.

        Text and XML are read when they are needed, and what a function of the user reads is as it says.
        """
        if not any(converted(self._files.paths[row]) for row in self._members):
            return []
        from excerpt.documents.unreadable import Unreadable

        faults, kept = [], array("q")
        for row in range(len(self._members)):
            try:
                self._probe(row)
            except Unreadable as error:
                faults.append(error)
            else:
                kept.append(self._members[row])
        if faults:
            self._members = kept
            self._number()
        return faults

    def _parser_of(self, path: str) -> DocumentParser | None:
        """Return the parser if it reads a file."""
        return self._parser if self._parser is not None and self._parser.takes(path) else None

    def _probe(self, number: int) -> None:
        kind, parser = converted(self.path(number)), self._parser_of(self.path(number))
        if not kind or (parser is not None and parser.reads_all):
            return
        found = probe_kind(kind, self._data(number), self.location(number), self._reading.encoding)
        if found is not None and parser is None:
            self._extracted.get(self._members[number], lambda: found)

    def duplicate(self, identifier: str, first: int, second: int) -> ExcerptError:
        by_name = self._reading.ids == "stem" and is_xml(self.path(second))
        return duplicate_id(identifier, self.location(first), self.location(second), by_name=by_name)

    def path(self, number: int) -> str:
        return self._files.paths[self._members[number]]

    def location(self, number: int) -> str:
        return self._files.location(self._members[number])

    def file(self, number: int) -> int:
        return number if isinstance(self._files, FolderFiles) else 0

    def check(self, number: int) -> None:
        self._files.check(self._members[number])

    def stored(self, number: int) -> bytes:
        if self._parser is not None:  # another text of the same file
            return self.text(number).encode()
        return self._files.read(self._members[number])

    def _data(self, number: int) -> bytes:
        """Return the bytes of a file, decompressed."""
        data = self._files.read(self._members[number])
        return decompress(data, self.location(number)) if is_packed(self.path(number)) else data

    def document(self, number: int) -> Document:
        path, parser = self.path(number), self._parser_of(self.path(number))
        if parser is None and is_xml(path):
            hint = "repair the document or leave it out"
            return _parse(self._data(number), "", self.location(number), hint)

        def read() -> Document:
            if parser is not None:
                return parser.read(self._file_to_parse(number), self._reading.encoding)
            kind = converted(path) or kind_of(path) or ending_of(path)
            return read_kind(kind, self._data(number), self.location(number), self._reading.encoding)

        is_extracted = parser is not None or converted(path)
        return self._extracted.get(self._members[number], read) if is_extracted else read()

    def _is_plain(self, number: int) -> bool:
        return self._parser is None and is_plain(self.path(number))

    def with_text(self, number: int, text: str) -> Document | None:
        return Document("", text, kind=kind_of(self.path(number))) if self._is_plain(number) else None

    def _text_or_error(self, number: int) -> str | ExcerptError:
        """Return the text of a document, whose file is compared with its stamp as it is opened."""
        try:
            if not self._is_plain(number):
                return super()._text_or_error(number)
            return text_of(
                self._files.read(self._members[number]), self.location(number), self._reading.encoding
            )
        except ExcerptError as error:
            return error

    def plain(self, number: int) -> bytes | None:
        """The bytes of a file of UTF-8 are its text."""
        path = self.path(number)
        if self._parser_of(path) or converted(path) or is_xml(path) or self._reading.encoding is not None:
            return None
        data = self._data(number)
        return None if data.startswith(BYTE_ORDER_MARKS) else data

    def _file_to_parse(self, number: int) -> FileToParse:
        from excerpt.documents.parsers import FileToParse

        path, location = self.path(number), self.location(number)
        on_disk = isinstance(self._files, FolderFiles) and not is_packed(path)
        return FileToParse(path, location, lambda: self._data(number), location if on_disk else "")


def _parse(data: bytes, identifier: str, location: str, hint: str = "") -> Document:
    require_safe_expat()
    try:
        return from_xml(identifier, read_document([data], keep=LAYOUT))
    except Malformed as error:
        raise FormatError(error.message, path=location, line=error.line, hint=hint) from None


class CutFiles(Numbered):
    """Source for files that are split into documents; `without` are the files that contain none."""

    def __init__(self, files: Sequence[tuple[str, Cutting]]) -> None:
        files = sorted(files)
        self._files = FolderFiles("", [(name, Stamp.of(Path(name).stat())) for name, _ in files])
        self._unpacked: dict[int, StoredFile] = {}
        self._forms: list[Form] = []
        self.without: list[str] = []
        self._file_numbers, self._offsets, self._sizes = array("q"), array("q"), array("q")
        super().__init__(self._scan(files))

    def _scan(self, files: Sequence[tuple[str, Cutting]]) -> Iterator[str]:
        """Yield the ids of all documents and note their positions."""
        for file, (name, cutting) in enumerate(files):
            count = len(self._file_numbers)
            self._forms.append(Form())
            with Path(name).open("rb") as raw:
                if compression_of(raw.read(8)) is not None:
                    self._unpacked[file] = StoredFile(name)
                with mapped(self._unpacked[file].file if file in self._unpacked else raw) as data:
                    for piece in cut(data, cutting, name):
                        self._file_numbers.append(file)
                        self._offsets.append(piece.start)
                        self._sizes.append(piece.end - piece.start)
                        self._forms[-1] = piece.form  # all documents of a file have the same
                        yield piece.id
            if len(self._file_numbers) == count:
                self.without.append(name)

    def location(self, number: int) -> str:
        return f"{self._file_location(number)}!{self.id(number)}"

    def _file_location(self, number: int) -> str:
        return self._files.location(self._file_numbers[number])

    def duplicate(self, identifier: str, first: int, second: int) -> ExcerptError:
        return duplicate_id(identifier, self._file_location(first), self._file_location(second))

    def file(self, number: int) -> int:
        return self._file_numbers[number]

    def check(self, number: int) -> None:
        self._files.check(self._file_numbers[number])

    def stored(self, number: int) -> bytes:
        file, offset, size = self._file_numbers[number], self._offsets[number], self._sizes[number]
        if file in self._unpacked:
            return self._unpacked[file].read(offset, size)
        return self._files.read(file, offset, size)

    def document(self, number: int) -> Document:
        data = self._forms[self._file_numbers[number]].as_file(self.stored(number))
        return _parse(data, self.id(number), self.location(number))  # it may be nested too deeply


def _open_gold(file: StoredFile, context: Context) -> DocumentSource | None:
    """Read the documents of a gold file into memory; None for other files."""
    from excerpt.corpus.records import DocumentRecords
    from excerpt.gold.quote_rows import kind_of as gold_kind_of

    if not _may_be_gold(file, context):
        return None
    gold_file = _gold_file(file, b"".join(file.lines()), context)
    kind = gold_kind_of(gold_file)
    if kind is None:
        return None
    if not kind.has_texts:
        raise ExcerptError(
            f"found questions without the text of their documents ({kind.name}), expected a corpus",
            path=file.name,
            hint="give the documents that the questions were made for",
        )
    if context != "paragraph" and not kind.has_articles:
        raise ExcerptError(
            f"context {context} needs a file with articles; {kind.name} has none",
            path=file.name,
            hint="leave ⟨context⟩ out",
        )
    texts = kind.read(gold_file).documents
    gold_file.faults.settle()
    return DocumentRecords((Document(name, text, kind="gold") for name, text in texts.items()), file.name)


def _may_be_gold(file: StoredFile, context: Context) -> bool:
    """Check if the first line that is not blank is of a gold file, or is not JSON by itself."""
    from excerpt.gold.quote_rows import kind_of as gold_kind_of

    first = next((line for line in file.lines() if not line.isspace()), b"")
    try:
        gold_file = _gold_file(file, first, context)
    except FormatError:
        return False
    return gold_file.first is None or gold_kind_of(gold_file) is not None


def _gold_file(file: StoredFile, data: bytes, context: Context) -> GoldFile:
    text = decode(data, file.name).replace("\r\n", "\n")
    return GoldFile(file.name, text, Faults(file.name), context=context)


def from_xml(identifier: str, parsed: ParsedDocument) -> Document:
    """Make a document from parsed XML."""
    columns = parsed.elements
    elements = Elements(
        parsed.names, columns.tag, columns.level.astype("i8"), columns.start, columns.end, parsed.attributes
    )
    return with_elements(identifier, parsed.text, elements)
