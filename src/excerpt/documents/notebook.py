"""Text of notebooks: their cells in order, without outputs."""

from __future__ import annotations

import json
from typing import Any

from excerpt.corpus.document import Document, decode, require_text
from excerpt.documents.unreadable import DAMAGED, Unreadable, damaged, without_text
from excerpt.errors import short

#: The version of the format that Jupyter has written since 2015.
_VERSION = 4


def read_notebook(data: bytes, location: str, _encoding: str | None = None) -> Document:
    """Read the cells of a notebook, with an empty line between them; nothing is run."""
    try:
        content = json.loads(decode(data, location))
    except (ValueError, RecursionError) as error:
        detail = "nested too deeply" if isinstance(error, RecursionError) else getattr(error, "msg", "")
        raise damaged(f"is not a notebook: not JSON ({detail})", location) from None
    cells = content.get("cells") if isinstance(content, dict) else None
    version = content.get("nbformat") if isinstance(content, dict) else None
    if isinstance(version, int) and version < _VERSION:
        message = f"found a notebook of version {version}, expected version {_VERSION}"
        hint = "open it in Jupyter and save it again, which makes it version 4"
        raise Unreadable(message, path=location, hint=hint, reason=DAMAGED)
    if not isinstance(cells, list):
        raise damaged("is not a notebook: it has no list of cells", location)
    texts = [_text_of(cell, number, location) for number, cell in enumerate(cells, start=1)]
    text = "\n\n".join(filter(None, texts))
    if not text:
        raise without_text("the notebook has no cells with text", location)
    return Document("", require_text(text, location), kind="ipynb")


def _text_of(cell: Any, number: int, location: str) -> str:
    """Return the text of a cell, without white space at its end."""
    source = cell.get("source", "") if isinstance(cell, dict) else None
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        shown = short(json.dumps(source))
        raise damaged(f"found {shown} as source of cell {number}, expected text", location)
    return "".join(lines).strip("\n").rstrip()
