"""How a report was made, without what differs from machine to machine: no folder, date or host is in it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, cast

import excerpt
from excerpt.errors import ExcerptError
from excerpt.files import Readable, describe, display_name, is_input

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

#: More bytes than that are not hashed: a folder may be a whole library.
_MOST = 1 << 31


def versions() -> dict[str, str]:
    """The versions on which the figures depend."""
    import numpy as np

    return {"excerpt": excerpt.__version__, "numpy": np.__version__}


def base_name(given: object) -> str:
    """What a page calls an input: its name without folders.

    >>> base_name("a/b/qrels.fol"), base_name("runs/"), base_name(b"1 0 A 1")
    ('qrels.fol', 'runs', '<bytes>')
    """
    if is_input(given) and not isinstance(given, Mapping):
        return PurePath(display_name(given)).name or display_name(given)
    source = getattr(given, "source", "") or getattr(given, "name", "")
    return PurePath(str(source)).name if source else f"<{type(given).__name__}>"


def inputs(given: Iterable[object]) -> list[dict[str, str]]:
    """Name and SHA-256 of everything that was read; what is no file or is too large has no hash."""
    return [{"name": base_name(item), "sha256": _digest(item)} for item in given if item is not None]


def corpus_input(given: object, corpus: Corpus | None) -> list[dict[str, str]]:
    """Name and SHA-256 of a corpus: of its documents, whatever else lies in its folder.

    One that is too large or cannot be read as a whole has no hash.
    """
    if corpus is None:
        return []
    try:
        small = not isinstance(given, str | os.PathLike) or _size(Path(given)) <= _MOST
        digest = corpus.fingerprint() if small else ""
    except (ExcerptError, OSError, UnicodeError):  # what is wrong with a document is said where it is read
        digest = ""
    return [{"name": base_name(given), "sha256": digest}]


def _digest(given: Any) -> str:
    if isinstance(given, bytes | bytearray | memoryview):
        return hashlib.sha256(given).hexdigest()
    if isinstance(given, Mapping) or not is_input(given):
        return ""
    if not isinstance(given, str | os.PathLike):
        data: bytes | str = cast("Readable", given).read()  # kept content, which can be read at any time
        return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()
    try:
        return _digest_path(Path(given))
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=os.fspath(given)) from None


def _digest_path(path: Path) -> str:
    """The hash of a file, or of names and hashes of all files of a folder, in order."""
    if not path.exists() or _size(path) > _MOST:
        return ""
    if path.is_file():
        return _digest_file(path)
    whole = hashlib.sha256()
    for file in _files(path):
        whole.update(f"{file.relative_to(path).as_posix()}\0{_digest_file(file)}\n".encode(errors="replace"))
    return whole.hexdigest()


def _size(path: Path) -> int:
    """Bytes of a file or of all files of a folder; 0 for what is neither."""
    return sum(file.stat().st_size for file in _files(path)) if path.exists() else 0


def _digest_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield from [path] if stat.S_ISREG(path.stat().st_mode) else []
        return
    for file in sorted(path.rglob("*")):
        if file.is_file():
            yield file
