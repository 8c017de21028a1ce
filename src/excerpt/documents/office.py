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
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import unquote

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


class _Package:
    """The parts of an Office file."""

    def __init__(self, data: bytes, location: str, kind: str) -> None:
        self.location, self._kind = location, kind
        if data.startswith(_COMPOUND):
            message = f"is encrypted, or of an Office before 2007, expected a .{kind} without a password"
            hint = "save it again without the password, or leave it out"
            raise Unreadable(message, path=location, hint=hint, reason=ENCRYPTED)
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
            hint = "save it again without the password, or leave it out"
            raise Unreadable("is encrypted", path=self.location, hint=hint, reason=ENCRYPTED)
        try:
            return self._zip.read(info)
        except (*_DAMAGE, RuntimeError) as error:
            raise damaged(f"is damaged in {name} ({error})", self.location) from None

    def parse(
        self,
        name: str,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None] = lambda _: None,
        text: Callable[[str], None] = lambda _: None,
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

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the parts that a part refers to, by their ids, each with its type."""
        folder, base = posixpath.split(name)
        relations = f"{folder}/_rels/{base}.rels".lstrip("/")
        found: dict[str, tuple[str, str]] = {}
        if relations not in self._zip.namelist():
            return found

        def start(tag: str, attributes: Attributes) -> None:
            if tag == "Relationship" and attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", "")))
                found[attributes.get("Id", "")] = target[1:], attributes.get("Type", "").rpartition("/")[2]

        self.parse(relations, start)
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
        if name not in self._zip.namelist():
            return ""
        inside, found = [""], list[str]()

        def start(tag: str, _: Attributes) -> None:
            inside[0] = tag

        self.parse(
            name, start, lambda _: start("", {}), lambda piece: found.extend([piece][: inside[0] == "title"])
        )
        return tidy("".join(found))


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
    ids: list[str] = []

    def start(tag: str, attributes: Attributes) -> None:
        if tag == item:
            ids.append(attributes.get("relation", ""))

    package.parse(main, start)
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
        hint = "save it again without the password, or leave it out"
        raise Unreadable("is encrypted", path=package.location, hint=hint, reason=ENCRYPTED)
    return _document(package, package.blocks("content.xml", _ODF), "odt", package.title("meta.xml"))


def _read_epub(package: _Package) -> Document:
    if "META-INF/rights.xml" in package.names():
        raise Unreadable("is encrypted", path=package.location, hint="leave it out", reason=ENCRYPTED)
    roots: list[str] = []
    files: dict[str, str] = {}
    spine: list[str] = []

    def container(tag: str, attributes: Attributes) -> None:
        if tag == "rootfile":
            roots.append(attributes.get("full-path", ""))

    def content(tag: str, attributes: Attributes) -> None:
        if tag == "item":
            files[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif tag == "itemref":
            spine.append(attributes.get("idref", ""))

    package.parse("META-INF/container.xml", container)
    if not roots:
        raise damaged("is no .epub file: it names no content", package.location)
    package.parse(roots[0], content)
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
    names: list[str] = []
    epoch = [datetime(1899, 12, 30)]  # noqa: DTZ001 - a sheet has no time zone

    def start(tag: str, attributes: Attributes) -> None:
        if tag == "sheet":
            names.append(attributes.get("name", ""))
        elif tag == "workbookPr" and attributes.get("date1904") in {"1", "true"}:
            epoch[0] = datetime(1904, 1, 1)  # noqa: DTZ001

    package.parse(main, start)
    sheets = [
        _Sheet(strings, dates, epoch[0]).read(package, part) for part in _in_order(package, main, "sheet")
    ]
    blocks = [f"{name}\n{text}" for name, text in zip(names, sheets, strict=False) if text]
    return _document(package, blocks, "xlsx", package.title())


def _shared_strings(package: _Package, part: str) -> list[str]:
    """Return the texts that cells share; a text may be in pieces, and have its pronunciation."""
    strings: list[list[str]] = []
    state = {"text": 0, "spoken": 0}

    def start(tag: str, _: Attributes) -> None:
        if tag == "si":
            strings.append([])
        state["text"] += tag == "t"
        state["spoken"] += tag == "rPh"

    def end(tag: str) -> None:
        state["text"] -= tag == "t"
        state["spoken"] -= tag == "rPh"

    def text(piece: str) -> None:
        if strings and state["text"] and not state["spoken"]:
            strings[-1].append(piece)

    package.parse(part, start, end, text)
    return ["".join(pieces) for pieces in strings]


def _date_styles(package: _Package, part: str) -> list[bool]:
    """Return whether each style of cells is of dates."""
    own: dict[str, str] = {}
    styles: list[bool] = []
    inside = [False]

    def start(tag: str, attributes: Attributes) -> None:
        if tag == "numFmt":
            own[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif tag == "cellXfs":
            inside[0] = True
        elif tag == "xf" and inside[0]:
            number = attributes.get("numFmtId", "0")
            code = _QUOTED.sub("", own.get(number, ""))
            styles.append(
                bool(_DATE.search(code)) if number in own else number.isdecimal() and int(number) in _DATES
            )

    def end(tag: str) -> None:
        if tag == "cellXfs":
            inside[0] = False

    package.parse(part, start, end)
    return styles


class _Sheet:
    """The rows of a sheet, while it is parsed: cells that have a value, separated by tabs."""

    def __init__(self, strings: list[str], dates: list[bool], epoch: datetime) -> None:
        self._strings, self._dates, self._epoch = strings, dates, epoch
        self._lines: list[str] = []
        self._cells: list[str] = []
        self._kind, self._style, self._value = "n", "", list[str]()
        self._inside = 0

    def read(self, package: _Package, part: str) -> str:
        """Return the text of a sheet."""
        package.parse(part, self._start, self._end, self._text)
        return "\n".join(self._lines)

    def _start(self, tag: str, attributes: Attributes) -> None:
        if tag == "row":
            self._cells = []
        elif tag == "c":
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._value = []
        elif tag in {"v", "t"}:
            self._inside += 1

    def _end(self, tag: str) -> None:
        if tag in {"v", "t"}:
            self._inside -= 1
        elif tag == "c" and (shown := self._shown("".join(self._value))):
            self._cells.append(" ".join(shown.split()))
        elif tag == "row" and self._cells:
            self._lines.append("\t".join(self._cells))

    def _text(self, piece: str) -> None:
        if self._inside:
            self._value.append(piece)

    def _shown(self, value: str) -> str:
        """Return a value as text: a shared string, a truth value, a date, a number as it is stored."""
        if self._kind == "s":
            row = int(value) if value.isdecimal() and len(value) < 10 else -1
            return self._strings[row] if 0 <= row < len(self._strings) else ""
        if self._kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        style = int(self._style) if self._style.isdecimal() and len(self._style) < 10 else -1
        if self._kind == "n" and 0 <= style < len(self._dates) and self._dates[style]:
            return self._date(value)
        return value

    def _date(self, value: str) -> str:
        """Return a date or a time of day in ISO form.

        >>> [_Sheet([], [], datetime(1899, 12, 30))._date(text) for text in ("45000", "45000.5", "0.25")]
        ['2023-03-15', '2023-03-15 12:00:00', '06:00:00']
        """
        try:
            days = float(value)
            when = self._epoch + timedelta(seconds=round(days * 86400))
        except (ValueError, OverflowError):
            return value
        if 0 <= days < 1:
            return str(when.time())
        return str(when if days % 1 else when.date())


_READERS: Mapping[str, Callable[[_Package], Document]] = {
    "docx": _read_docx,
    "pptx": _read_pptx,
    "xlsx": _read_xlsx,
    "odt": _read_odt,
    "epub": _read_epub,
}
