"""Text of PDF files, page by page, with the place of each page in the text."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from excerpt.corpus.document import Document, tidy
from excerpt.documents import unreadable
from excerpt.documents.unreadable import ENCRYPTED, EXTRA, MISSING, Unreadable, damaged, without_text
from excerpt.errors import ExcerptError, plural

_LIBRARY = "pypdfium2"
#: What is between the texts of two pages.
_BETWEEN = "\n\n"
#: Line ends of PDFium, the hyphen at the end of a line, and characters that are no text.
_ENDS, _HYPHEN = re.compile(r"\r\n?"), re.compile("[\ufffe\x02]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|[\ud800-\udfff]")


def of_pages(pages: Iterable[str], kind: str = "", title: str = "") -> Document:
    """Make a document of the texts of its pages.

    >>> of_pages(["One.", "", "Three."])[1::4]
    ('One.\\n\\n\\n\\nThree.', ((0, 4), (6, 6), (8, 14)))
    """
    texts = list(pages)
    spans, start = [], 0
    for text in texts:
        spans.append((start, start + len(text)))
        start += len(text) + len(_BETWEEN)
    return Document("", _BETWEEN.join(texts), title, kind, pages=tuple(spans))


def read_pdf(data: bytes, location: str, _encoding: str | None = None) -> Document:
    """Read the text of all pages of a PDF; scripts, attachments and links are not looked at."""
    found = _ask(data, location, every=True)
    document = of_pages(map(_cleaned, found["texts"]), "pdf", tidy(_CONTROLS.sub("", found["title"])))
    if not document.text.strip():
        raise _only_images(found["count"], location)
    return document


def probe_pdf(data: bytes, location: str) -> None:
    """Raise the error of a PDF that has no text or cannot be read, without reading more than needed."""
    found = _ask(data, location, every=False)
    if not any(_cleaned(text).strip() for text in found["texts"]):
        raise _only_images(found["count"], location)


def _only_images(count: int, location: str) -> Unreadable:
    return without_text(f"{plural(count, 'page')} of images", location)


def _ask(data: bytes, location: str, *, every: bool) -> dict[str, Any]:
    """Return the texts of a PDF, of all pages or up to the first one with text; raise what is wrong."""
    if sys.modules.get(_LIBRARY, _LIBRARY) is None or find_spec(_LIBRARY) is None:
        message = f"needs {_LIBRARY}, which is not installed"
        raise Unreadable(message, path=location, hint=EXTRA, reason=MISSING)
    if not data:
        raise damaged("is empty", location)
    request = {"size": len(data), "all": every, "most": unreadable.MOST_PAGES}
    found = _READER.ask(request, data, location)
    problem = found.get("error")
    if problem == "password":
        hint = "remove the password, or leave the file out"
        message = "is encrypted, expected a PDF that opens without a password"
        raise Unreadable(message, path=location, hint=hint, reason=ENCRYPTED)
    if problem == "pages":
        unreadable.require_pages(found["count"], "pages", location)
    if problem == "page":
        raise damaged(f"is damaged on page {found['page']} ({found['detail']})", location)
    if problem is not None:
        raise damaged("is not a readable PDF, or is cut off", location)
    return found


class _Reader:
    """The process that reads PDF files, one at a time; it is started when it is needed, and again."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: dict[str, Any], data: bytes, location: str) -> dict[str, Any]:
        """Return the answer to a request; a file that takes too long, or crashes the process, is an error."""
        with self._turn:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            watch = threading.Timer(unreadable.MOST_SECONDS, process.kill)
            watch.start()
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n" + data)
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = b""
            in_time = watch.is_alive()
            watch.cancel()
            if line:
                answer: dict[str, Any] = json.loads(line)
                return answer
            self.close()
        if in_time:
            raise damaged("is no PDF that can be read: the reader ends with it", location)
        # Also in a folder, since what it contains must not depend on the speed of a machine.
        message = f"takes more than {unreadable.MOST_SECONDS:g} seconds to read, expected less"
        raise ExcerptError(message, path=location, hint="leave it out")

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process; one that another process has started belongs to that."""
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            script = str(Path(__file__).with_name("pdf_process.py"))
            paths = os.pathsep.join(path for path in sys.path if path)
            self._process = subprocess.Popen(  # noqa: S603 - our own script
                [sys.executable, script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths},
            )
            self._owner = os.getpid()
        return self._process

    def close(self) -> None:
        """End the process, if this one has started it."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        for pipe in filter(None, (process.stdin, process.stdout)):
            with contextlib.suppress(OSError):  # what was not read cannot be flushed
                pipe.close()
        process.wait()


_READER = _Reader()
atexit.register(_READER.close)


def _cleaned(text: str) -> str:
    r"""Return the text of a page with plain line ends, and words joined that a hyphen divides.

    >>> _cleaned("infor\ufffemation\r\nretrieval\x00")
    'information\nretrieval'
    """
    return _CONTROLS.sub("", _ENDS.sub("\n", _HYPHEN.sub("", text)))
