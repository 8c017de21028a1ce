"""Text of Office files: Word, PowerPoint, Excel, OpenDocument text and EPUB, read from their XML.

An Office file is a zip of XML. Its parts are read by expat within limits; a part with a document type, which
none has, is refused, so that there are no entities. Macros, pictures and links are not looked at.
"""

from __future__ import annotations

import io
import posixpath
import pyexpat
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element, TreeBuilder

from excerpt.corpus.document import Document, tidy
from excerpt.documents.paged import of_pages
from excerpt.documents.unreadable import (
    ENCRYPTED,
    Unreadable,
    damaged,
    in_time,
    require_pages,
    require_size,
    without_text,
)
from excerpt.documents.webpage import decoded, of_markup

#: The beginning of Office files before 2007, and of those with a password.
_COMPOUND = b"\xd0\xcf\x11\xe0"
_SEPARATOR = "|"
#: Most elements inside each other.
_DEEPEST = 1000
_DAMAGE = (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError, NotImplementedError, zlib.error)
Attributes = Mapping[str, str]


class _Words(NamedTuple):
    """The elements of a kind of file, by their names without namespace."""

    paragraphs: set[str]
    #: Elements whose characters are text; if there are none, all characters of paragraphs are.
    texts: set[str]
    #: Elements of which nothing is text.
    skipped: set[str]
    #: What elements stand for.
    signs: Mapping[str, str]
    table: str
    row: str
    cell: set[str]


_OOXML = _Words(
    {"p"},
    {"t"},
    {"pPr", "rPr", "tblPr", "Fallback", "del", "moveFrom"},
    {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""},
    "tbl",
    "tr",
    {"tc"},
)
_ODF = _Words(
    {"p", "h"},
    set(),
    {"tracked-changes", "annotation", "note-citation", "sequence-decls"},
    {"tab": "\t", "line-break": "\n", "s": " "},
    "table",
    "table-row",
    {"table-cell", "covered-table-cell"},
)


def read_office(data: bytes, location: str, _encoding: str | None = None) -> Document:
    """Read an Office file of any kind, which its ending in `location` names."""
    kind = re.sub(r"\.gz$", "", location.lower()).rpartition(".")[2]
    return in_time(lambda: _READERS[kind](_Package(data, location, kind)), location)


def _encrypted(
    location: str,
    message: str = "is encrypted",
    hint: str = "save it again without the password, or leave it out",
) -> Unreadable:
    return Unreadable(message, path=location, hint=hint, reason=ENCRYPTED)


class _Package:
    """The parts of an Office file."""

    def __init__(self, data: bytes, location: str, kind: str) -> None:
        self.location, self._kind = location, kind
        if data.startswith(_COMPOUND):
            message = f"is encrypted, or of an Office before 2007, expected a .{kind} without a password"
            raise _encrypted(location, message)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE:
            raise damaged(f"is no zip, which every .{kind} file is", location) from None
        self._room, self._packed = 0, len(data)

    def names(self) -> set[str]:
        """The names of all parts."""
        return set(self._zip.namelist())

    def bytes(self, name: str) -> bytes:
        """Read a part; all parts together have a limit."""
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            raise damaged(f"is no .{self._kind} file: it has no {name}", self.location) from None
        self._room += info.file_size
        require_size(self._room, self._packed, self.location)
        if info.flag_bits & 1:
            raise _encrypted(self.location)
        try:
            return self._zip.read(info)
        except (*_DAMAGE, RuntimeError) as error:
            raise damaged(f"is damaged in {name} ({error})", self.location) from None

    def parse(
        self,
        name: str,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None],
        text: Callable[[str], None],
    ) -> None:
        """Parse a part; names of elements and attributes come without their namespaces."""
        depth = 0

        def begin(tag: str, attributes: Mapping[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > _DEEPEST:
                raise damaged(f"has more than {_DEEPEST} elements inside each other", self.location)
            start(_local(tag), {_attribute(key): value for key, value in attributes.items()})

        def finish(tag: str) -> None:
            nonlocal depth
            depth -= 1
            end(_local(tag))

        def refuse(*_: object) -> None:
            raise damaged(f"has a document type in {name}, which no .{self._kind} file has", self.location)

        parser = pyexpat.ParserCreate(namespace_separator=_SEPARATOR)
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = begin, finish
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, refuse
        try:
            parser.Parse(self.bytes(name), True)
        except pyexpat.ExpatError as error:
            detail = pyexpat.ErrorString(error.code) or "not well-formed"
            raise damaged(f"is damaged in {name}, line {error.lineno} ({detail})", self.location) from None

    def each(self, name: str, tag: str, take: Callable[[Element], None]) -> None:
        """Call a function with each element of this name in a part, and all that is inside of it."""
        builder: TreeBuilder | None = None
        depth = 0

        def start(name: str, attributes: Attributes) -> None:
            nonlocal builder, depth
            if builder is None and name == tag:
                builder, depth = TreeBuilder(), 0
            if builder is not None:
                depth += 1
                builder.start(name, dict(attributes))

        def end(name: str) -> None:
            nonlocal builder, depth
            if builder is not None:
                depth -= 1
                builder.end(name)
                if not depth:
                    take(builder.close())
                    builder = None

        def text(piece: str) -> None:
            if builder is not None:
                builder.data(piece)

        self.parse(name, start, end, text)

    def all(self, name: str, tag: str) -> list[Element]:
        """Return the elements of this name in a part."""
        found: list[Element] = []
        self.each(name, tag, found.append)
        return found

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the parts that a part refers to, by their ids, each with its type."""
        folder, base = posixpath.split(name)
        relations = f"{folder}/_rels/{base}.rels".lstrip("/")
        found: dict[str, tuple[str, str]] = {}
        for one in self.all(relations, "Relationship") if relations in self.names() else ():
            if one.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, one.get("Target", "")))
                found[one.get("Id", "")] = target[1:], one.get("Type", "").rpartition("/")[2]
        return found

    def main(self) -> str:
        """Return the name of the main part of an OOXML file."""
        parts = [target for target, kind in self.related("").values() if kind == "officeDocument"]
        if not parts:
            raise damaged(f"is no .{self._kind} file: it names no main part", self.location)
        return parts[0]

    def blocks(self, name: str, words: _Words) -> list[str]:
        """Return the paragraphs and tables of a part."""
        blocks = _Blocks(words)
        self.parse(name, blocks.start, blocks.end, blocks.text)
        return blocks.all

    def title(self, name: str = "docProps/core.xml") -> str:
        """Return the title in the properties of a file; empty without one."""
        found = self.all(name, "title") if name in self.names() else []
        return tidy("".join(one.text or "" for one in found))


def _local(name: str) -> str:
    return name.rpartition(_SEPARATOR)[2]


def _attribute(name: str) -> str:
    """Return the name of an attribute; the id of a related part is called `relation`."""
    space, _, local = name.rpartition(_SEPARATOR)
    return "relation" if local == "id" and space.endswith("/relationships") else local


class _Blocks:
    """Paragraphs and tables of a part, while it is parsed."""

    def __init__(self, words: _Words) -> None:
        self._words = words
        self.all: list[str] = []
        #: Blocks around the place, rows of tables, cells of rows, pieces of paragraphs: the innermost last.
        self._around = [self.all]
        self._tables: list[list[str]] = []
        self._rows: list[list[str]] = []
        self._paragraphs: list[list[str]] = []
        self._skipped = self._texts = 0

    def start(self, tag: str, attributes: Attributes) -> None:
        words = self._words
        if self._skipped or tag in words.skipped:
            self._skipped += 1
        elif tag in words.paragraphs:
            self._paragraphs.append([])
        elif tag == words.table:
            self._tables.append([])
        elif tag == words.row:
            self._rows.append([])
        elif tag in words.cell:
            self._around.append([])
        elif tag in words.texts:
            self._texts += 1
        elif tag in words.signs and self._paragraphs:
            count = attributes.get("c", "1") if tag == "s" else "1"
            self._paragraphs[-1].append(
                words.signs[tag] * (int(count) if count.isdecimal() and len(count) < 4 else 1)
            )

    def end(self, tag: str) -> None:
        words = self._words
        if self._skipped:
            self._skipped -= 1
        elif tag in words.paragraphs:
            if text := "".join(self._paragraphs.pop()).strip():
                self._around[-1].append(text)
        elif tag in words.texts:
            self._texts -= 1
        else:
            self._end_of_table(tag)

    def _end_of_table(self, tag: str) -> None:
        """End a cell, a row or a table: cells are separated by tabs, rows are lines."""
        if tag in self._words.cell and len(self._around) > 1:
            cell = " ".join(" ".join(self._around.pop()).split())
            if self._rows:
                self._rows[-1].append(cell)
        elif tag == self._words.row and self._rows:
            line = "\t".join(self._rows.pop()).rstrip("\t")
            if self._tables and line.strip():
                self._tables[-1].append(line)
        elif tag == self._words.table and self._tables and (rows := self._tables.pop()):
            self._around[-1].append("\n".join(rows))

    def text(self, piece: str) -> None:
        if self._paragraphs and not self._skipped and (self._texts or not self._words.texts):
            self._paragraphs[-1].append(piece)


def _document(package: _Package, blocks: list[str], kind: str, title: str) -> Document:
    text = "\n\n".join(blocks)
    if not text:
        raise without_text(f"the .{kind} file has no paragraph with text", package.location)
    return Document("", text, title, kind)


def _read_docx(package: _Package) -> Document:
    main = package.main()
    blocks = package.blocks(main, _OOXML)
    related = package.related(main).values()
    for notes in ("footnotes", "endnotes"):
        for target in (target for target, kind in related if kind == notes):
            blocks += package.blocks(target, _OOXML)
    return _document(package, blocks, "docx", package.title())


def _in_order(package: _Package, main: str, item: str) -> list[str]:
    """Return the parts of slides or sheets in their order."""
    ids = [one.get("relation", "") for one in package.all(main, item)]
    related = package.related(main)
    require_pages(len(ids), f"{item}s", package.location)
    return [related[key][0] for key in ids if key in related]


def _read_pptx(package: _Package) -> Document:
    slides = _in_order(package, package.main(), "sldId")
    texts = ["\n\n".join(package.blocks(slide, _OOXML)) for slide in slides]
    if not any(texts):
        raise without_text("the slides have none", package.location)
    return of_pages(texts, "pptx", package.title())


def _read_odt(package: _Package) -> Document:
    manifest = "META-INF/manifest.xml"
    if manifest in package.names() and b"encryption-data" in package.bytes(manifest):
        raise _encrypted(package.location)
    return _document(package, package.blocks("content.xml", _ODF), "odt", package.title("meta.xml"))


def _read_epub(package: _Package) -> Document:
    if "META-INF/rights.xml" in package.names():
        raise _encrypted(package.location, hint="leave it out")
    roots = [one.get("full-path", "") for one in package.all("META-INF/container.xml", "rootfile")]
    if not roots:
        raise damaged("is no .epub file: it names no content", package.location)
    files = {one.get("id", ""): unquote(one.get("href", "")) for one in package.all(roots[0], "item")}
    spine = [one.get("idref", "") for one in package.all(roots[0], "itemref")]
    require_pages(len(spine), "chapters", package.location)
    folder = posixpath.dirname(roots[0])
    chapters = [posixpath.normpath(posixpath.join(folder, files[key])) for key in spine if key in files]
    return _document(package, list(_chapters(package, chapters)), "epub", package.title(roots[0]))


def _chapters(package: _Package, names: list[str]) -> Iterator[str]:
    for name in names:
        try:
            yield of_markup(decoded(package.bytes(name), package.location, None), package.location).text
        except Unreadable as error:
            if error.reason != "no text":  # such as a cover
                raise


#: Number formats that are dates, and letters of those that a file defines.
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
_DATE = re.compile(r"[dmyhs]", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]', re.IGNORECASE)


def _read_xlsx(package: _Package) -> Document:
    main = package.main()
    related = {kind: target for target, kind in package.related(main).values()}
    strings = _shared_strings(package, related["sharedStrings"]) if "sharedStrings" in related else []
    dates = _date_styles(package, related["styles"]) if "styles" in related else []
    names = [one.get("name", "") for one in package.all(main, "sheet")]
    since_1904 = any(one.get("date1904") in {"1", "true"} for one in package.all(main, "workbookPr"))
    epoch = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - no time zone
    cells = _Cells(strings, dates, epoch)
    sheets = [cells.text_of(package, part) for part in _in_order(package, main, "sheet")]
    blocks = [f"{name}\n{text}" for name, text in zip(names, sheets, strict=False) if text]
    return _document(package, blocks, "xlsx", package.title())


def _shared_strings(package: _Package, part: str) -> list[str]:
    """Return the texts that cells share; a text may be in pieces, and have its pronunciation."""
    strings: list[str] = []

    def take(item: Element) -> None:
        spoken = {part for reading in item.iter("rPh") for part in reading.iter("t")}
        strings.append("".join(part.text or "" for part in item.iter("t") if part not in spoken))

    package.each(part, "si", take)
    return strings


def _date_styles(package: _Package, part: str) -> list[bool]:
    """Return whether each style of cells is of dates."""
    formats = [one for listed in package.all(part, "numFmts") for one in listed.iter("numFmt")]
    own = {one.get("numFmtId", ""): one.get("formatCode", "") for one in formats}
    numbers = [one.get("numFmtId", "0") for cells in package.all(part, "cellXfs") for one in cells.iter("xf")]
    return [
        bool(_DATE.search(_QUOTED.sub("", own[number])))
        if number in own
        else number.isdecimal() and int(number) in _DATES
        for number in numbers
    ]


class _Cells(NamedTuple):
    """What values of cells stand for: shared strings, styles of dates, and the day from which dates count."""

    strings: Sequence[str]
    dates: Sequence[bool]
    epoch: datetime

    def text_of(self, package: _Package, part: str) -> str:
        """Return the rows of a sheet: cells that have a value, separated by tabs."""
        lines: list[str] = []

        def take(row: Element) -> None:
            cells = filter(None, (" ".join(self._shown(cell).split()) for cell in row.iter("c")))
            lines.append("\t".join(cells))

        package.each(part, "row", take)
        return "\n".join(filter(None, lines))

    def _shown(self, cell: Element) -> str:
        """Return a value as text: a shared string, a truth value, a date, a number as it is stored."""
        kind, value = (
            cell.get("t", "n"),
            "".join(one.text or "" for one in cell.iter() if one.tag in {"v", "t"}),
        )
        if kind == "s":
            row = _number(value)
            return self.strings[row] if 0 <= row < len(self.strings) else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        style = _number(cell.get("s", ""))
        is_date = kind == "n" and 0 <= style < len(self.dates) and self.dates[style]
        return self._date(value) if is_date else value

    def _date(self, value: str) -> str:
        """Return a date or a time of day in ISO form.

        >>> [_Cells([], [], datetime(1899, 12, 30))._date(text) for text in ("45000", "45000.5", "0.25")]
        ['2023-03-15', '2023-03-15 12:00:00', '06:00:00']
        """
        try:
            days = float(value)
            when = self.epoch + timedelta(seconds=round(days * 86400))
        except (ValueError, OverflowError):
            return value
        if 0 <= days < 1:
            return str(when.time())
        return str(when if days % 1 else when.date())


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else -1


_READERS: Mapping[str, Callable[[_Package], Document]] = {
    "docx": _read_docx,
    "pptx": _read_pptx,
    "xlsx": _read_xlsx,
    "odt": _read_odt,
    "epub": _read_epub,
}
