"""Parsers that a corpus is read with instead of its own: renderings of the same documents, by name."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.corpus.document import Document, decode, require_text
from excerpt.documents.document_kinds import converted, read_kind
from excerpt.documents.paged import of_pages
from excerpt.documents.unreadable import in_time
from excerpt.errors import ExcerptError, FormatError, UnknownName, short

#: The file as it is; PDFium; Microsoft's converter to Markdown.
SOURCE, PDFIUM, MARKITDOWN = "source", "pypdfium2", "markitdown"
NAMES = (MARKITDOWN, PDFIUM, SOURCE)
#: Kinds of files that are text themselves.
_TEXTUAL = {"", "html", "ipynb"}
_FORMS = ("module:function", "file.py:function")


class FileToParse(NamedTuple):
    """A file that a parser reads: its path in the corpus, where it is, and its bytes."""

    path: str
    location: str
    data: Callable[[], bytes]
    #: Its own path on the disk; empty inside of an archive, and for a compressed file.
    on_disk: str


class DocumentParser(NamedTuple):
    """A parser: its name, and which files it reads."""

    name: str
    takes: Callable[[str], bool]
    read: Callable[[FileToParse, str | None], Document]
    #: Whether it reads the files that excerpt's own reader cannot read.
    reads_all: bool = False


def parser_of(name: str) -> DocumentParser:
    """Return a parser by its name: one that excerpt knows, or `module:function`, `file.py:function`."""
    if name == SOURCE:
        return DocumentParser(
            name,
            lambda path: converted(path) in _TEXTUAL,
            lambda file, encoding: Document("", decode(file.data(), file.location, encoding), kind="txt"),
            reads_all=True,
        )
    if name == PDFIUM:
        return DocumentParser(
            name,
            lambda path: converted(path) == "pdf",
            lambda file, encoding: read_kind("pdf", file.data(), file.location, encoding),
        )
    if name == MARKITDOWN:
        return _markitdown()
    module, colon, function = name.rpartition(":")
    if not colon or not module or not function:
        raise UnknownName("parser", name, (*NAMES, *_FORMS))
    return _own(name, _function(name, module, function))


def _markitdown() -> DocumentParser:
    """Microsoft's markitdown, without plug-ins and without the network."""
    try:
        library: Any = importlib.import_module(MARKITDOWN)
    except ImportError:
        message = f"the parser {MARKITDOWN} is not installed"
        raise ExcerptError(message, hint="pip install 'markitdown[all]'") from None

    def convert(path: Path) -> Any:
        return library.MarkItDown(enable_plugins=False).convert_local(str(path)).text_content

    def read(file: FileToParse, _encoding: str | None) -> Document:
        return in_time(lambda: _read_by(convert, MARKITDOWN, file), file.location)

    return DocumentParser(MARKITDOWN, lambda path: converted(path) != "", read)


def _own(name: str, function: Callable[[Path], Any]) -> DocumentParser:
    """A function of the user: path → text, or a list of pages."""
    return DocumentParser(
        name, lambda _: True, lambda file, _encoding: _read_by(function, name, file), reads_all=True
    )


def _read_by(function: Callable[[Path], Any], name: str, file: FileToParse) -> Document:
    with _path_of(file) as path:
        try:
            result = function(path)
            result = list(result) if isinstance(result, tuple) else result
        except Exception as error:  # noqa: BLE001 - the code of the user, or of a dozen libraries
            message = f"the parser {short(name)} raised {_detail(error)}"
            raise FormatError(message, path=file.location) from None
    return _document(result, name, file)


def _detail(error: Exception) -> str:
    return short(" ".join(f"{type(error).__name__}: {error}".split()), 200)


def _document(result: Any, name: str, file: FileToParse) -> Document:
    """Make a document of what a parser returned."""
    is_pages = isinstance(result, list) and all(isinstance(page, str) for page in result)
    if not isinstance(result, str) and not is_pages:
        shown = "None" if result is None else short(repr(result))
        message = f"the parser {short(name)} returned {shown}, expected text or a list of pages"
        raise FormatError(message, path=file.location)
    found = Document("", result) if isinstance(result, str) else of_pages(result)
    return found._replace(text=require_text(found.text, file.location), kind="md")


@contextlib.contextmanager
def _path_of(file: FileToParse) -> Iterator[Path]:
    """Give the path of a file; one of an archive is written to a temporary folder for it."""
    if file.on_disk:
        yield Path(file.on_disk)
        return
    name = os.path.basename(file.path)  # noqa: PTH119 - a path inside of an archive
    with tempfile.TemporaryDirectory(prefix="excerpt-") as folder:
        path = Path(folder) / (name[:-3] if name.lower().endswith(".gz") else name)
        path.write_bytes(file.data())
        yield path


def _function(name: str, module: str, function: str) -> Callable[[Path], Any]:
    """Load a function from a module, or from a Python file."""
    try:
        loaded = _from_file(module) if module.endswith(".py") else _from_module(module)
    except ExcerptError:
        raise
    except Exception as error:  # noqa: BLE001 - the code of the user
        raise ExcerptError(f"the parser {short(name)} cannot be loaded ({_detail(error)})") from None
    found = getattr(loaded, function, None)
    if not callable(found):
        message = f"the parser {short(name)} cannot be loaded: {module} has no function {short(function)}"
        raise ExcerptError(message, hint="a parser takes a path and returns text, or a list of pages")
    return found  # type: ignore[no-any-return]


def _from_file(path: str) -> Any:
    if not Path(path).is_file():
        raise ExcerptError(f"the parser's file {short(path)} does not exist")
    spec = util.spec_from_file_location(f"_parser_{abs(hash(os.path.realpath(path)))}", path)
    assert spec is not None, "it ends with .py"
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _from_module(name: str) -> Any:
    """Import a module, also of the working folder, as Python itself would in a script there."""
    folder = os.getcwd()  # noqa: PTH109
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)
