"""A process of its own that reads PDF files, run as a script: a file that hangs or crashes it harms no other.

It imports nothing of excerpt. A request is a line of JSON, `{"size": …, "all": …, "most": …}`, and the bytes
of a file; the answer is a line of JSON: the texts of the pages and a title, or what is wrong.
"""

from __future__ import annotations

import json
import sys
from typing import Any

#: The error code of PDFium for a password.
_PASSWORD = 4


def serve() -> None:
    """Answer requests until there are no more."""
    import pypdfium2

    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while line := requests.readline():
        request = json.loads(line)
        data = requests.read(request["size"])
        answers.write(json.dumps(_answer(pypdfium2, data, request)).encode() + b"\n")
        answers.flush()


def _answer(library: Any, data: bytes, request: dict[str, Any]) -> dict[str, Any]:
    try:
        document = library.PdfDocument(data)
    except library.PdfiumError as error:
        # PDFium keeps the code of an earlier error if the pages are missing.
        locked = getattr(error, "err_code", None) == _PASSWORD and b"/Encrypt" in data
        return {"error": "password" if locked else "broken"}
    try:
        if len(document) > request["most"]:
            return {"error": "pages", "count": len(document)}
        return _texts(document, every=request["all"])
    finally:
        document.close()


def _texts(document: Any, *, every: bool) -> dict[str, Any]:
    """Return the texts of all pages, or those up to the first page with text."""
    texts: list[str] = []
    for number in range(len(document)):
        try:
            page = document[number]
            text_page = page.get_textpage()
            texts.append(text_page.get_text_range())
        except Exception as error:  # noqa: BLE001 - each version of the library has its own
            return {"error": "page", "page": number + 1, "detail": str(error)[:100]}
        text_page.close()
        page.close()
        if texts[-1].strip() and not every:
            break
    return {"texts": texts, "count": len(document), "title": _title(document) if every else ""}


def _title(document: Any) -> str:
    try:
        return str(document.get_metadata_value("Title"))
    except Exception:  # noqa: BLE001 - a broken title is none
        return ""


if __name__ == "__main__":
    serve()
