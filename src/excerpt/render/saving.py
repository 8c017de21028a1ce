"""A report on disk: one file, or beyond a size a folder with a file for each part; whole or not at all."""

from __future__ import annotations

import base64
import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError
from excerpt.files import STDIN, SUFFIXES, describe, replacing_folder, require_path, writing
from excerpt.render.page import shell

#: Bytes of a report that is still one file: browsers open it at once, and mail takes it.
LIMIT = 25_000_000

#: What the data of a folder may define, and what marks a folder as a report of ours.
_CALL = "excerptPart"
_SOURCE = "folder"
_FOLDER, _BEGINNING = f'data-source="{_SOURCE}"'.encode(), 200
_POLICY_NAME = "excerpt-parts"
_INLINE = {"overview", "documents"}
#: Parts that wait to be compressed, at most.
_AHEAD = 2


class Saved(NamedTuple):
    """What was written: a file, or a folder to open by its index.html."""

    path: str
    size: int
    folder: bool


class Packed(NamedTuple):
    """One part of the data, as compressed JSON in base64."""

    name: str
    data: bytes

    def template(self) -> bytes:
        """As an element of the page."""
        return shell.template(self.name, self.data)

    def script(self) -> bytes:
        """As a script beside the page, which hands the data over when it is loaded."""
        return f'{_CALL}("{self.name}","'.encode() + self.data + b'");\n'


def pack(parts: Iterable[tuple[str, Any]]) -> Iterator[Packed]:
    """Parts of the data, compressed one after the other, beside the work that makes the next."""
    waiting: deque[tuple[str, Future[bytes]]] = deque()
    with ThreadPoolExecutor(1) as beside:
        for name, data in parts:
            waiting.append((name, beside.submit(_packed, shell.encode(data))))
            if len(waiting) > _AHEAD:
                yield Packed(waiting[0][0], waiting.popleft()[1].result())
        for name, done in waiting:
            yield Packed(name, done.result())


def _packed(content: bytes) -> bytes:
    return base64.b64encode(shell.compress(content))


def save(
    path: str | os.PathLike[str], title: str, parts: Iterable[tuple[str, Any]], *, limit: int = LIMIT
) -> Saved:
    """Write a page with its data into one file, or where that would be too large into a folder."""
    name = require_path(path, "name of a file to write")
    require_place(name)
    before, after = shell.head(title), shell.tail()
    held: list[Packed] = []
    size, packed = len(before) + len(after), pack(parts)
    for part in packed:
        held.append(part)
        size += len(part.template())
        if size > limit:
            return _save_folder(name, title, chain(held, packed))
    with writing(name) as stream:
        stream.write(before)
        for part in held:
            stream.write(part.template())
        stream.write(after)
    if name != STDIN and (folder := folder_of(name)) != Path(name):
        _remove_old(folder, name)
    return Saved(name, size, folder=False)


def require_place(name: str) -> None:
    """An error where a report cannot go: into a folder that is not there, or into a compressed file."""
    target = Path(name)
    if (suffix := target.suffix.lower()) in SUFFIXES:
        raise ExcerptError(
            f"found a name that ends in {suffix}, expected .html or .htm",
            path=name,
            hint="what a report holds is compressed already",
        )
    try:
        os.stat(f"{target.parent}{os.sep}")  # noqa: PTH116 - with the separator files are refused
    except OSError as error:
        hint = f"first make {target.parent}" if isinstance(error, FileNotFoundError) else ""
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name, hint=hint) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None


def folder_of(name: str) -> Path:
    """The folder for a report too large for the file of a name.

    >>> folder_of("out/x.html").as_posix(), folder_of("x").as_posix()
    ('out/x', 'x')
    """
    target = Path(name)
    return target.with_suffix("") if target.suffix.lower() in {".html", ".htm"} else target


def _save_folder(name: str, title: str, parts: Iterable[Packed]) -> Saved:
    if name == STDIN:
        raise ExcerptError(
            "found a report too large for one file, expected the name of a folder instead of standard output"
        )
    target = folder_of(name)
    try:
        _require_ours(target)
        with replacing_folder(target) as folder:
            size = _fill(folder, title, parts)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}", path=str(target), hint="nothing was left behind"
        ) from None
    if target != Path(name):
        _remove_old(Path(name), str(target))
    return Saved(str(target), size, folder=True)


def _fill(folder: Path, title: str, parts: Iterable[Packed]) -> int:
    """Write all files of a report; returns how many bytes they have."""
    (folder / "data").mkdir()
    inline, size = [], 0
    for part in parts:
        if part.name in _INLINE:
            inline.append(part.template())
            continue
        content = part.script()
        (folder / "data" / f"{part.name.replace('/', '-')}.js").write_bytes(content)
        size += len(content)
    rules = shell.policy(script="'self'", types=_POLICY_NAME)
    head = shell.head(title, attributes={"source": _SOURCE}, rules=rules)
    page = b"".join((head, *inline, shell.tail()))
    (folder / "index.html").write_bytes(page)
    return size + len(page)


def _require_ours(target: Path) -> None:
    """An error where something else than a report of ours has the name."""
    if target.exists() and not (target.is_dir() and _is_ours(target)):
        raise ExcerptError(
            "found something else where the folder of a large report goes, expected nothing or a report",
            path=str(target),
            hint="choose another name",
        )


def _is_ours(target: Path) -> bool:
    """Whether a file or a folder is a report."""
    if target.is_dir():
        page = target / "index.html"
        names = {entry.name for entry in target.iterdir()}
        return names == {page.name, "data"} and page.is_file() and _FOLDER in _beginning(page)
    return target.is_file() and _beginning(target).startswith(shell.START)


def _beginning(page: Path) -> bytes:
    with page.open("rb") as stream:
        return stream.read(_BEGINNING)


def _remove_old(old: Path, new: str) -> None:
    """Remove the report that the name stood for before, when it had the other form; nothing else."""
    try:
        ours = _is_ours(old)
    except OSError:  # what cannot be read is left alone
        return
    try:
        if ours and old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        elif ours:
            old.unlink()
    except OSError as error:
        raise ExcerptError(
            f"is an older report and cannot be removed: {describe(error)}",
            path=str(old),
            hint=f"remove it, the new one is {new}",
        ) from None
