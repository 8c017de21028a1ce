"""Corpus sources from paths: folders, patterns, archives, files of documents."""

from __future__ import annotations

import glob
import os
import stat
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn, get_args

from excerpt.corpus.document import (
    LAYOUT,
    Document,
    DocumentSource,
    Elements,
    Numbered,
    Opened,
    decode,
    with_elements,
)
from excerpt.documents.archives import is_tar
from excerpt.documents.cuts import Cutting, Form, cut, is_trec, mapped, trec_cutting
from excerpt.documents.storage import Files, FolderFiles, StoredFile, TarFiles, ZipFiles
from excerpt.documents.walk import ZIP, list_folder, opening
from excerpt.errors import ExcerptError, FormatError, plural
from excerpt.files import STDIN, Stamp, compression_of, decompress, require_path
from excerpt.gold.file import Context, GoldFile
from excerpt.model.document_names import (
    EXTENSIONS,
    Ids,
    document_id,
    duplicate_id,
    is_packed,
    is_xml,
    kind_of,
)
from excerpt.notices import Faults
from excerpt.parse.expat import Malformed, require_safe_expat
from excerpt.parse.text import ParsedDocument, read_document

_EXPECTED = (
    f"documents ({', '.join(EXTENSIONS)}), JSON Lines of documents, a .zip or .tar of documents, or a folder"
)
#: File that every index has.
_DESCRIPTION = "index.json"
#: Other files that may contain documents, but are read only if they are named.
_ONLY_NAMED = (".jsonl", ".ndjson", ".json", ".zip", ".tar", ".gz")


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    ids: Ids,
    context: Context = "paragraph",
    document_tag: str | None = None,
    id_from: str | None = None,
) -> Opened:
    """Open the documents of all paths, which may be patterns with `*`, `?` or `[…]`."""
    if ids not in ("stem", "path"):
        raise ExcerptError(f"ids is {ids!r}, expected stem or path")
    if context not in get_args(Context):
        raise ExcerptError(f"context is {context!r}, expected paragraph or article")
    if not paths:
        raise ExcerptError("no path of a corpus given")
    named = document_tag is not None or id_from is not None
    opener = _Opener(ids, context, Cutting.of(document_tag, id_from, ids) if named else None)
    sources: list[DocumentSource] = []
    for path in paths:
        name = require_path(path, "corpus")
        with opening(name):
            sources += opener.open(name)
    with_documents = [source for source in sources if len(source)]
    if not with_documents:
        raise _no_documents(os.fspath(paths[0]), opener.others)
    return Opened(with_documents, opener.others.total(), tuple(paths), (ids, context, document_tag, id_from))


def _no_documents(path: str, others: Counter[str]) -> ExcerptError:
    only = f", only {plural(others.total(), 'file')} of other kinds" if others.total() else ""
    extension = next((extension for extension in _ONLY_NAMED if extension in others), "")
    hint = f"give the {extension} file by its name" if extension else ""
    return ExcerptError(f"contains no documents{only}; expected {_EXPECTED}", path=path, hint=hint)


class _Opener:
    """Opens paths and counts the files that are not documents, by extension."""

    def __init__(self, ids: Ids, context: Context, cutting: Cutting | None) -> None:
        self._ids, self._context, self._cutting = ids, context, cutting
        self.others: Counter[str] = Counter()

    def open(self, name: str) -> list[DocumentSource]:
        if name == STDIN:
            raise ExcerptError("this corpus cannot be read from standard input; give a file or a folder")
        if not os.path.lexists(name) and glob.has_magic(name):
            return self._open_pattern(name)
        mode = Path(name).stat().st_mode
        if stat.S_ISDIR(mode):
            return self._open_folder(name)
        if not stat.S_ISREG(mode):
            raise ExcerptError("found a pipe, a device or a socket, expected a file or a folder", path=name)
        return [self._open_file(name)]

    def _open_pattern(self, pattern: str) -> list[DocumentSource]:
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
            if kind_of(name)
        ]
        source = FileSource(FolderFiles(base, documents), self._ids)
        return [source, *(self._open_file(name) for name in files if not kind_of(name))]

    def _open_folder(self, folder: str) -> list[DocumentSource]:
        prefix = os.path.join(folder, "")  # noqa: PTH118  a Path per file is slow
        if Path(prefix + _DESCRIPTION).exists() and (found := self._open_index(folder)) is not None:
            return [found]
        if self._cutting is not None:
            many = list_folder(folder, is_xml, self._cutting).many
            return [self._cut([prefix + path for path, stamp, _ in many if stamp], self._cutting)]
        listing = list_folder(folder, kind_of)
        self.others += listing.others + Counter(special=len(listing.special))
        sources: list[DocumentSource] = [FileSource(FolderFiles(folder, listing.documents), self._ids)]
        if listing.many:
            sources.append(CutFiles([(prefix + path, cutting) for path, _, cutting in listing.many]))
        return sources

    def _open_index(self, folder: str) -> DocumentSource | None:
        """Open an index; None for another folder."""
        from excerpt.corpus.indexed import Indexed
        from excerpt.index.disk import is_index

        if not is_index(Path(folder)):
            return None
        if self._cutting is not None:
            self._reject_splitting("an index", folder)
        return Indexed(folder)

    def _cut(self, names: list[str], cutting: Cutting) -> DocumentSource:
        source = CutFiles([(name, cutting) for name in names])
        self.others.update(map(_extension, source.without))
        return source

    def _reject_splitting(self, kind: str, name: str) -> NoReturn:
        raise ExcerptError(
            f"found {kind}, expected files to split into documents",
            path=name,
            hint="leave ⟨document_tag⟩ out",
        )

    def _open_file(self, name: str) -> DocumentSource:
        """Open an archive, JSON Lines, both detected by content, or a single document."""
        if kind_of(name):
            cutting = self._cutting or (trec_cutting(name) if is_xml(name) else None)
            if cutting is not None:
                return CutFiles([(name, cutting)])
            folder, base = os.path.split(name)
            return FileSource(FolderFiles(folder, [(base, Stamp.of(Path(name).stat()))]), self._ids)
        return self._open_stored(StoredFile(name))

    def _open_stored(self, file: StoredFile) -> DocumentSource:
        head, name = file.head(), file.name
        is_zip = head.startswith(ZIP)
        is_archive = is_zip or is_tar(head)
        if self._cutting is not None:
            if is_archive:
                self._reject_splitting("an archive", name)
            return self._cut([name], self._cutting)
        if is_archive:
            return FileSource((ZipFiles if is_zip else TarFiles)(file, self._is_document), self._ids)
        if is_trec(head):
            return CutFiles([(name, Cutting())])
        first = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if first in (b"{", b"[") and (gold := _open_gold(file, self._context)) is not None:
            return gold
        if first == b"{":
            from excerpt.corpus.records import JsonLines

            return JsonLines(file)
        raise ExcerptError(f"found a file of an unknown kind, expected {_EXPECTED}", path=name)

    def _is_document(self, path: str) -> bool:
        """Check by its name if a file of an archive is a document; count others."""
        if kind_of(path):
            return True
        self.others[_extension(path)] += 1
        return False


def _extension(path: str) -> str:
    return os.path.splitext(path)[1].lower()  # noqa: PTH122  a Path per file is slow


class FileSource(Numbered):
    """Source for the files of a folder or an archive: XML, read as by the index, and plain text."""

    def __init__(self, files: Files, ids: Ids) -> None:
        self._files, self._id_choice = files, ids
        super().__init__(document_id(path, ids) for path in files.paths)

    def duplicate(self, identifier: str, first: int, second: int) -> ExcerptError:
        by_name = self._id_choice == "stem" and is_xml(self.path(second))
        return duplicate_id(identifier, self.location(first), self.location(second), by_name=by_name)

    def path(self, number: int) -> str:
        return self._files.paths[number]

    def location(self, number: int) -> str:
        return self._files.location(number)

    def check(self, number: int) -> None:
        self._files.check(number)

    def stored(self, number: int) -> bytes:
        return self._files.read(number)

    def document(self, number: int) -> Document:
        location, path = self.location(number), self.path(number)
        data = self.stored(number)
        if is_packed(path):
            data = decompress(data, location)
        if not is_xml(path):
            return Document("", decode(data, location), kind=kind_of(path))
        return _parse(data, "", location, hint="repair the document or leave it out")


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
