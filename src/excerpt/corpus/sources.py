"""From paths to the sources of a corpus: folders, globs, archives, files of documents."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from excerpt.corpus.cut_files import CutFiles
from excerpt.corpus.files import FileSource
from excerpt.corpus.gold_files import open_gold
from excerpt.corpus.json_lines import JsonLines
from excerpt.corpus.source import Documents, Opened
from excerpt.documents.cuts import Cutting, is_trec
from excerpt.documents.entry import Ids
from excerpt.documents.many import may_be_trec, trec_cutting
from excerpt.documents.names import SUFFIXES, kind_of
from excerpt.documents.storage import FolderFiles, TarFiles, ZipFiles, open_folder
from excerpt.documents.stored_file import Stamp, StoredFile
from excerpt.documents.tars import BLOCK, is_tar
from excerpt.documents.walk import walk_files
from excerpt.errors import ExcerptError, plural
from excerpt.files import STDIN, describe, require_path
from excerpt.gold.file import Context
from excerpt.index.build.store import is_index

_ZIP = b"PK"
_EXPECTED = (
    f"documents ({', '.join(SUFFIXES)}), JSON Lines of documents, a .zip or .tar of documents, or a folder"
)


class _Counting:
    """Whether files are documents, by their names; counts those that are not."""

    def __init__(self, context: Context, cutting: Cutting | None) -> None:
        #: What a document is in files of questions with evidence.
        self.context: Context = context
        #: How files are cut into documents, where that was said.
        self.cutting = cutting
        self.others: dict[str, int] = {}

    def __call__(self, path: str) -> bool:
        if kind_of(path):
            return True
        self.count(path)
        return False

    def count(self, path: str, number: int = 1) -> None:
        """Count a file that is no document; or, after all, that it is."""
        suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122  a Path per file is slow
        self.others[suffix] = self.others.get(suffix, 0) + number


def open_paths(
    paths: Sequence[str | os.PathLike[str]],
    ids: Ids,
    context: Context = "paragraph",
    cutting: Cutting | None = None,
) -> Opened:
    """The documents of all paths; a pattern with `*`, `?` or `[…]` stands for what it matches."""
    if ids not in ("stem", "path"):
        raise ExcerptError(f"ids is {ids!r}, expected stem or path")
    if context not in get_args(Context):
        raise ExcerptError(f"context is {context!r}, expected paragraph or article")
    if not paths:
        raise ExcerptError("found no path, expected that of a corpus")
    counting = _Counting(context, cutting)
    sources: list[Documents] = []
    for path in paths:
        name = require_path(path, "corpus")
        try:
            sources += _open(name, ids, counting)
        except OSError as error:
            place = error.filename if isinstance(error.filename, str) else name
            raise ExcerptError(f"cannot be read: {describe(error)}", path=place) from None
        except ValueError as error:  # a NUL character in the name
            raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if not any(map(len, sources)):
        raise _empty(os.fspath(paths[0]), counting)
    some = [source for source in sources if len(source)]
    return Opened(some, sum(counting.others.values()), tuple(paths), ids, context, cutting)


def _open(name: str, ids: Ids, counting: _Counting) -> list[Documents]:
    if name == STDIN:
        raise ExcerptError("found standard input as corpus, expected the name of a file or a folder")
    if not os.path.lexists(name) and glob.has_magic(name):
        return _open_pattern(name, ids, counting)
    mode = Path(name).stat().st_mode
    if stat.S_ISDIR(mode):
        return _open_folder(name, ids, counting)
    if not stat.S_ISREG(mode):
        raise ExcerptError("found a pipe, a device or a socket, expected a file or a folder", path=name)
    return [_open_file(name, ids, counting)]


def _open_pattern(pattern: str, ids: Ids, counting: _Counting) -> list[Documents]:
    """What a pattern matches: documents are called by their paths from its last folder without a star on."""
    matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  it may be absolute
    if not matches:
        raise ExcerptError("matches no file", path=pattern, hint=f"expected {_EXPECTED}")
    base = pattern
    while glob.has_magic(base):
        base = os.path.dirname(base)  # noqa: PTH120
    if counting.cutting is not None:
        return [_cut_all([name for name in matches if Path(name).is_file()], counting)]
    files = [name for name in matches if kind_of(name) and Path(name).is_file()]
    others = [name for name in matches if not kind_of(name) and Path(name).is_file()]
    found = [(os.path.relpath(name, base or "."), Stamp.of(Path(name).stat())) for name in files]
    documents = FileSource(
        FolderFiles(base, [(path.replace(os.sep, "/"), stamp) for path, stamp in found]), ids
    )
    return [documents, *(_open_file(name, ids, counting) for name in others)]


def _cut_all(names: list[str], counting: _Counting) -> Documents:
    """The documents of files that are all cut as was said."""
    assert counting.cutting is not None
    found = CutFiles([(name, counting.cutting) for name in names])
    for name in found.without:
        counting.count(name)
    return found


def _open_folder(folder: str, ids: Ids, counting: _Counting) -> list[Documents]:
    prefix = os.path.join(folder, "")  # noqa: PTH118  a Path per file is slow
    if is_index(Path(folder)):
        from excerpt.corpus.indexed import Indexed

        if counting.cutting is not None:
            raise _not_to_cut("an index", folder)
        return [Indexed(folder)]
    if counting.cutting is not None:
        walked = walk_files(folder, lambda name: not name.startswith("."))
        return [_cut_all(sorted(prefix + name for name, item in walked if item.is_file()), counting)]
    files, special = open_folder(folder, counting)
    if special:
        counting.others["special"] = counting.others.get("special", 0) + special
    documents: Documents = FileSource(files, ids)
    many = _find_trec(prefix, counting)
    return [documents, many] if many else [documents]


def _find_trec(prefix: str, counting: _Counting) -> Documents | None:
    """The documents in files of TREC's, which are known by their content, not by their names."""
    if not counting.others:
        return None
    walked = walk_files(prefix, lambda name: not kind_of(name) and may_be_trec(name))
    found = sorted(prefix + name for name, item in walked if item.is_file())
    cuttings = [(name, cutting) for name in found if (cutting := trec_cutting(name)) is not None]
    for name, _ in cuttings:
        counting.count(name, -1)
    return CutFiles(cuttings) if cuttings else None


def _not_to_cut(what: str, name: str) -> ExcerptError:
    return ExcerptError(
        f"found {what}, expected files that can be cut into documents",
        path=name,
        hint="leave ⟨document_tag⟩ out",
    )


def _open_file(name: str, ids: Ids, counting: _Counting) -> Documents:
    """An archive, known by its content, JSON Lines, or a single document."""
    if kind_of(name):
        cutting = counting.cutting or (trec_cutting(name) if kind_of(name) == "xml" else None)
        if cutting is not None:
            return CutFiles([(name, cutting)])
        status = Path(name).stat()
        folder, base = os.path.split(name)
        return FileSource(FolderFiles(folder, [(base, Stamp.of(status))]), ids)
    file = StoredFile(name)
    source = _open_stored(file, ids, counting)
    file.forget_path()
    return source


def _open_stored(file: StoredFile, ids: Ids, counting: _Counting) -> Documents:
    head = file.head()
    is_archive = head.startswith(_ZIP) or (len(head) >= BLOCK and is_tar(head[:BLOCK]))
    if counting.cutting is not None:
        if is_archive:
            raise _not_to_cut("an archive", file.name)
        return _cut_all([file.name], counting)
    if head.startswith(_ZIP):
        return FileSource(ZipFiles(file, counting), ids)
    if is_archive:
        return FileSource(TarFiles(file, counting), ids)
    if is_trec(head):
        return CutFiles([(file.name, Cutting())])
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        gold = open_gold(file, counting.context)
        if gold is not None:
            return gold
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return JsonLines(file)
    raise ExcerptError(f"found a file of another kind, expected {_EXPECTED}", path=file.name)


def _empty(path: str, counting: _Counting) -> ExcerptError:
    others = sum(counting.others.values())
    found = (
        f"found no document, only {plural(others, 'file')} of other kinds" if others else "found no document"
    )
    lines = [
        suffix
        for suffix in (".jsonl", ".ndjson", ".json", ".zip", ".tar", ".gz")
        if suffix in counting.others
    ]
    hint = f"give the {lines[0]} file by its name" if lines else ""
    return ExcerptError(f"{found}, expected {_EXPECTED}", path=path, hint=hint)
