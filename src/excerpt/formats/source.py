"""Input files of readers: name, bytes, index and corpus, faults and warnings."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, FormatError, UnknownName, short
from excerpt.files import DATASET, Input, display_name, is_input, read_bytes, require_room
from excerpt.model.spans import BoolArray, IntArray
from excerpt.notices import Faults, Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.passage_ids import PassageIds
    from excerpt.gold.file import Context, GoldFile
    from excerpt.gold.file import GoldFormat as GoldKind
    from excerpt.index import OffsetIndex
    from excerpt.records.rows import ContentForm, RowTable
    from excerpt.records.spellings import RowKind


#: An index, or the path of one.
Index: TypeAlias = "OffsetIndex | str | os.PathLike[str]"
#: A corpus, the path of one, or texts by id.
AnyCorpus: TypeAlias = "Corpus | str | os.PathLike[str] | Mapping[str, str]"

#: The places of the text of evidence that count, if not only the marked one.
Copies: TypeAlias = Literal["any"]
#: What happens to quotes that do not occur in their documents.
Unplaced: TypeAlias = Literal["error", "drop", "miss"]

_CONTEXTS = ("paragraph", "article")

HEAD_BYTES = 1 << 16
HEAD_LINES = 20
#: First bytes of XML in UTF-16.
UTF16_XML = (codecs.BOM_UTF16_LE + b"<\0", codecs.BOM_UTF16_BE + b"\0<")
#: Forms in which a line that was cut can look whole.
_CUT_LINES = {"columns", "table"}
_BLANKS = b" \t\r\n\xef\xbb\xbf\0"
#: Files that may be Latin-1: lines of topic, document, start and length with tabs, as in TREC Genomics.
_LATIN_1 = re.compile(rb"^ *\d+ *\t[^\t\n]+(\t *\d+ *){2}\t", re.MULTILINE)
_MARKUP, _JSON = re.compile(rb"\s*<[?!A-Za-z_]"), re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"\]])')


def open_index(given: Index | None) -> OffsetIndex | None:
    """Return an index, opened if its path is given."""
    if given is None:
        return None
    from excerpt.index import OffsetIndex

    if isinstance(given, OffsetIndex):
        return given
    if isinstance(given, str | os.PathLike):
        return OffsetIndex.open(given)
    raise ExcerptError(f"found {short(repr(given))} as index, expected an OffsetIndex or its path")


def open_corpus(given: AnyCorpus | None, context: Context = "paragraph") -> Corpus | None:
    """Return a corpus, opened if its path is given, or made from texts by id."""
    if given is None:
        return None
    from excerpt.corpus import Corpus

    if isinstance(given, Corpus):
        return given
    return Corpus.read(given, context=context) if isinstance(given, str | os.PathLike) else Corpus(given)


#: What files of annotation tools have near their beginning.
_OF_TOOLS = re.compile(
    rb'"(label|labels|entities|annotations|completions|predictions|target|selector)"\s*:'
    rb"|relevanceCharacterRanges|^\s*(\xef\xbb\xbf)?T\d+\t|<(\w+:)?XMI[\s>]"
)


def _read(given: Input, kind: Literal["run", "judgments"] | None) -> bytes:
    """Return the bytes of a file, or the lines of a dataset."""
    # A file takes precedence over a dataset of the same name.
    if isinstance(given, str) and (given.startswith(DATASET) or not os.path.exists(given)):  # noqa: PTH110 - pathlib is not loaded for it
        datasets = offered("datasets")
        if datasets is not None and datasets.is_dataset(given):
            lines: bytes = datasets.dataset_lines(given, kind or "judgments")
            return lines
    return read_bytes(given)


def _released(data: bytes, name: str) -> bytes:
    """Return the judgments of an archive of `excerpt assess release`, compared with their checksum."""
    import hashlib
    import io
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            require_room(archive.getinfo("qrels.jsonl").file_size, len(data), "ZIP", name)
            sums, judgments = (archive.read(file) for file in ("SHA256SUMS", "qrels.jsonl"))
    except (KeyError, zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError):
        hint = "excerpt assess release writes such archives"
        raise FormatError("found a ZIP archive without released judgments", path=name, hint=hint) from None
    if hashlib.sha256(judgments).hexdigest().encode() not in sums:
        raise FormatError("qrels.jsonl differs from its checksum in SHA256SUMS", path=name)
    return judgments


def _line(offset: int, data: bytes) -> int:
    """Return the line of an offset."""
    return data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1


@dataclass(frozen=True, eq=False)
class Source:
    """The content of a file with everything that a reader may need."""

    name: str
    data: bytes
    index: OffsetIndex | None
    notices: Notices
    faults: Faults
    #: The text of the documents, if the user gave it.
    corpus: Corpus | None = None
    #: The documents of a gold file: its paragraphs, or its articles.
    context: Context = "paragraph"
    #: The mapping of passage ids to spans, if the user gave one.
    ids: PassageIds | None = None
    #: `any` if every place of the text of evidence counts.
    copies: Copies | None = None
    unplaced: Unplaced = "error"
    #: The topic of highlights of a tool that name none, and the layer that has them.
    topic: str = ""
    layer: str = ""
    #: The rows themselves, of a Parquet file or of the caller; None for text.
    given: Sequence[Mapping[str, Any]] | None = None
    #: Number of the lines of the file before these, if they are a part of it,
    before: int = 0
    #: or the number of each, and which ones stand behind another topic there, if they were gathered from it.
    gathered: tuple[IntArray, BoolArray] | None = None

    @classmethod
    def open(
        cls,
        given: Input | Sequence[Mapping[str, Any]],
        *,
        index: Index | None = None,
        notices: Notices | None = None,
        keep_faults: int = 0,
        expected: str = "a run or judgments",
        corpus: AnyCorpus | None = None,
        context: Context | None = None,
        copies: Copies | None = None,
        unplaced: Unplaced | None = None,
        topic: str | None = None,
        layer: str | None = None,
        kind: Literal["run", "judgments"] | None = None,
    ) -> Source:
        """Read a file, bytes, or rows; an empty file is an error. Up to `keep_faults` faults are kept.

        If the id of a dataset is given, `kind` chooses its run or its judgments.
        """
        rows: Sequence[Mapping[str, Any]] | None = None
        if is_input(given):
            name, data = display_name(given), _read(given, kind)
        else:
            name, data, rows = "<rows>", b"", cast("Sequence[Mapping[str, Any]]", given)
        if data.startswith(b"PAR1"):
            from excerpt.records.objects import parquet_rows

            rows = parquet_rows(data, name)
        if data.startswith(b"PK\3\4") and kind == "judgments":
            data = _released(data, name)
        # The beginning comes first: stripping a large file copies it.
        empty = not data[:HEAD_BYTES].strip(_BLANKS) and not data.strip(_BLANKS) if rows is None else not rows
        if empty:
            raise FormatError(f"the file is empty, expected {expected}", path=name)
        faults = Faults(name if data else "", keep=bool(keep_faults), most=keep_faults)
        faults.unit = "line" if rows is None else "row"
        context = context or "paragraph"
        if context not in _CONTEXTS:
            raise UnknownName("context", str(context), _CONTEXTS)
        if unplaced is not None and unplaced not in get_args(Unplaced):
            raise UnknownName("unplaced", str(unplaced), get_args(Unplaced))
        notices, opened = Notices() if notices is None else notices, open_corpus(corpus, context)
        if unplaced is None:  # a parser that lost a quote must not gain by it
            unplaced = "miss" if opened is not None and opened.parsers else "error"
        where = open_index(index), notices, faults, opened, context, None, copies, unplaced
        return cls(name, data, *where, topic or "", layer or "", rows)

    @cached_property
    def text(self) -> bytes:
        """The text in UTF-8 without byte order mark, line ends as `\\n`; an error if it is not text."""
        if self.given is not None and not self.data:
            raise ExcerptError("found rows, expected a file in this format", hint="leave the format out")
        data = self.data.removeprefix(codecs.BOM_UTF8)
        if b"\0" in data:
            self._fail(data.index(b"\0"), data, "found binary data, expected text")
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError as error:
                if not _LATIN_1.search(data[:HEAD_BYTES]):
                    self._fail(
                        error.start, data, f"found byte 0x{data[error.start]:02x}, expected UTF-8 text"
                    )
                self.notices.add(
                    "the file is not UTF-8 and is read as Latin-1",
                    where=f"{self.name}:{_line(error.start, data)}",
                )
                data = data.decode("latin-1").encode()
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not data.endswith(b"\n") and self.name[:1] != "<" and self.form in _CUT_LINES:
            self.notices.add("the last line has no line break; is the file complete?", where=self.name)
        return data

    def _fail(self, offset: int, data: bytes, message: str) -> None:
        hint = "convert it to UTF-8 first" if "UTF-8" in message else "is it the right file?"
        raise FormatError(message, path=self.name, line=_line(offset, data), hint=hint)

    @cached_property
    def head(self) -> list[list[str]]:
        """The columns of the first lines that are not blank, for the detection of the format.

        XML, JSON and tables with names have none, since their lines can look like columns by chance.
        """
        if self.form != "columns":
            return []
        rows = [line.split() for line in self.beginning.split(b"\n") if line.strip()]
        return [[column.decode("utf-8", "replace") for column in row] for row in rows]

    @cached_property
    def form(self) -> ContentForm:
        """The form of the content: XML, JSON, a table whose first row names its columns, rows, or columns."""
        if self.given is not None:
            return "rows"
        start = self.data[:HEAD_BYTES].removeprefix(codecs.BOM_UTF8)
        if _MARKUP.match(start) or self.data.startswith(UTF16_XML):
            return "xml"
        if _JSON.match(start):
            return "json"
        return "table" if self.header else "columns"

    @cached_property
    def header(self) -> list[str]:
        """The names of the columns of CSV or TSV; none if the first line is no header."""
        line = self.data[:HEAD_BYTES].removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n").partition(b"\n")[0]
        if not line[:1].isalpha() and not line.startswith((b'"', b"_", b",", b";", b"\t")):
            return []
        if not any(mark in line for mark in (b"\t", b",", b";")):
            return []
        from excerpt.records.rows import header_of

        return header_of(line.decode("utf-8", "replace").rstrip("\r"))

    @cached_property
    def is_list(self) -> bool:
        """Whether the content is one list of JSON."""
        return self.form == "json" and self.starts_with(b"[")

    def objects(self, kind: RowKind) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the rows of records, each with its line or its number; report what is no row."""
        from excerpt.records import rows
        from excerpt.records.spellings import RowKeys

        found: Iterable[tuple[int, Mapping[str, Any]]]
        if self.given is not None:
            found = enumerate(self.given, 1)
        elif self.is_list:
            self.faults.unit = "row"
            found = rows.json_list(self.text, self.faults)
        elif self.form == "table":
            found = rows.table_rows(self.text.decode(), RowKeys(kind), self.faults)
        else:
            found = rows.objects(self.text, self.faults)
        if kind == "chunk":  # they are written as they are, with their places
            return iter(found)
        return ((number, rows.unwrapped(row, kind)) for number, row in found)

    def table(self, kind: RowKind) -> RowTable:
        """Return the rows of records as columns."""
        from excerpt.records import rows
        from excerpt.records.spellings import RowKeys

        if self.form == "json" and not self.is_list:
            table = rows.json_lines(self.text, RowKeys(kind, self.corpus is not None), self.faults)
            if self.before or self.gathered is not None:
                table.line = self.numbered(np.array(table.line)).tolist()
        else:
            table = rows.RowTable.of(*rows.apart(self.objects(kind)))
        if self.corpus is None or {"page", "any_of"}.isdisjoint(table.keys):
            return table
        return cast("rows.RowTable", offered("pages").with_pages(table, kind, self.corpus, self.faults))

    def numbered(self, line: IntArray) -> IntArray:
        """Return the numbers in the file of some of these lines."""
        return line + self.before if self.gathered is None else self.gathered[0][line - 1]

    @cached_property
    def first_rows(self) -> list[Any]:
        """The first rows of records, for the detection of the format; None for a line that is broken."""
        if self.form in {"xml", "columns"}:
            return []
        if self.given is not None:
            return list(self.given[:HEAD_LINES])
        from excerpt.records.rows import list_values, parse_json, table_rows
        from excerpt.records.spellings import RowKeys

        if self.form == "table":
            scratch = Faults(self.name, keep=True)
            beginning = self.text[:HEAD_BYTES].decode("utf-8", "replace")
            found = table_rows(beginning, RowKeys("result"), scratch)
            return [row for _, row in islice(found, HEAD_LINES)] or [dict.fromkeys(self.header)]
        if self.is_list:
            with suppress(ValueError, RecursionError):
                return list(islice(list_values(self.text.decode()), HEAD_LINES))
            return []
        lines = self.text[:HEAD_BYTES].decode("utf-8", "replace").split("\n")[:HEAD_LINES]
        if len(self.text) > HEAD_BYTES and len(lines) < HEAD_LINES and len(lines) > 1:
            lines.pop()  # cut in the middle
        return [parse_json(line) for line in lines if line.strip()]

    @cached_property
    def is_beir(self) -> bool:
        """Whether the first row has the keys of BEIR's judgments, and no others."""
        from excerpt.records.spellings import BEIR

        first = next(iter(self.first_rows), None)
        return isinstance(first, Mapping) and first.keys() == BEIR

    @cached_property
    def beginning(self) -> bytes:
        """The first lines of the text, up to twenty that are not blank."""
        lines = self.text[:HEAD_BYTES].split(b"\n")
        if len(self.text) > HEAD_BYTES and len(lines) > 1:
            lines.pop()  # cut in the middle
        filled = [number for number, line in enumerate(lines, 1) if line.strip()][:HEAD_LINES]
        return b"\n".join(lines[: filled[-1] if filled else 0])

    @property
    def first_line(self) -> tuple[int, str]:
        """Number and beginning of the first line that is not blank, for messages."""
        lines = self.data[:HEAD_BYTES].decode("utf-8-sig", "replace").splitlines()
        filled = ((number, short(line.strip())) for number, line in enumerate(lines, 1) if line.strip())
        return next(filled, (1, ""))

    @cached_property
    def gold_file(self) -> GoldFile:
        """The content as a gold file."""
        from excerpt.gold.file import GoldFile

        corpus = () if self.corpus is None else self.corpus
        if self.given is None:
            return GoldFile(self.name, self.text.decode(), self.faults, self.context, corpus)
        from excerpt.records.objects import plain

        given = [plain(row) if isinstance(row, Mapping) else row for row in self.given]
        return GoldFile(self.name, "", self.faults, self.context, corpus, given)

    @cached_property
    def has_places(self) -> bool:
        """Whether the rows are results or judgments by the keys of the first ones."""
        if not self.first_rows:
            return False
        from excerpt.records.spellings import are_places

        return are_places(self.first_rows)

    @cached_property
    def has_quotes(self) -> bool:
        """Whether the rows are questions with quotes by the keys of the first one."""
        if self.tool:
            return False
        from excerpt.gold.quote_rows import are_quotes

        return are_quotes(self.gold_file)

    @cached_property
    def tool(self) -> str:
        """Name of the annotation tool that wrote the file, by its keys; empty for other files."""
        if self.given is not None or not _OF_TOOLS.search(self.data[:HEAD_BYTES]):
            return ""
        bridge = offered("tool_of")
        return "" if bridge is None else str(bridge(self))

    @cached_property
    def gold_kind(self) -> GoldKind | None:
        """The format of the gold file; None if it is no gold file."""
        if self.form == "xml" or self.has_places or self.tool:
            return None
        if self.has_quotes:
            from excerpt.gold.quote_rows import KIND

            return KIND
        from excerpt.gold.quote_rows import kind_of

        return kind_of(self.gold_file)

    def text_of(self, document: str) -> str | None:
        """Return the text of a document; None without a corpus, or if the corpus lacks it."""
        return None if self.corpus is None else self.corpus.get(document)

    def starts_with(self, *beginnings: bytes) -> bool:
        """Return whether the content, after whitespace and byte order mark, starts with one of these."""
        return self.data[:1024].removeprefix(codecs.BOM_UTF8).lstrip().startswith(beginnings)

    def need_index(self, purpose: str) -> OffsetIndex:
        """Return the index; raise an error that says how to get one if it is missing."""
        if self.index is None:
            message = f"{purpose} needs the offsets of elements"
            raise ExcerptError(message, path=self.name, hint="give ⟨index⟩ (excerpt index builds it)")
        return self.index


_BYTES_KEPT = "offsets stay in bytes: converting them to characters needs a corpus"


def as_characters(
    source: Source,
    documents: Sequence[str],
    document: IntArray,
    line: IntArray,
    start: IntArray,
    end: IntArray,
) -> tuple[IntArray, IntArray]:
    """Convert starts and ends in bytes to characters; `document` and `line` are those of each row."""
    if source.corpus is None:
        source.notices.add(_BYTES_KEPT, where=source.name)
        return start, end
    from excerpt.gold.verification import to_characters
    from excerpt.model.texts import by_document

    start, end = start.copy(), end.copy()
    for name, rows in by_document(documents, document):
        text = source.corpus.get(name)
        if text is None:
            message = f"found document {short(name)}, expected one of the corpus, to convert its byte offsets"
            source.faults.add(int(line[rows[0]]), message)
            continue
        data = text.encode()
        for row in rows.tolist():
            first, last = (to_characters(text, data, int(offset[row])) for offset in (start, end))
            if first is None or last is None or end[row] > len(data):
                found = f"found bytes {start[row]} to {end[row]} of document {short(name)}"
                message = f"{found}, expected whole characters, up to byte {len(data)}"
                source.faults.add(int(line[row]), message, "is it the same version of the document?")
                continue
            start[row], end[row] = first, last
    return start, end
