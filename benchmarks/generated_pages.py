"""Generated pages of Markdown, edits of them, and the same pages as PDF and HTML; equal for equal seeds."""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

_LETTERS = "aeioudlmnrst"
_WORDS = 3000
#: Lines of a page of a PDF, and characters of a line.
_LINES, _LINE = 48, 90
_MARKS = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`#]|^- ", re.MULTILINE)


class Pages:
    """Pages of headings, paragraphs with emphasis, code and links, and lists."""

    def __init__(self, seed: int = 1) -> None:
        self._rng = random.Random(seed)
        self._words = ["".join(self._rng.choices(_LETTERS, k=self._rng.randint(2, 9))) for _ in range(_WORDS)]

    def page(self, characters: int) -> str:
        """A page of about so many characters."""
        parts = [f"# {self.words(3)}\n"]
        size = 0
        while size < characters:
            kind = self._rng.random()
            parts.append(
                self._heading() if kind < 0.15 else self._list() if kind < 0.25 else self.paragraph()
            )
            size += len(parts[-1]) + 1
        return "\n".join(parts)

    def paragraph(self) -> str:
        """A paragraph of two to six sentences."""
        return " ".join(self._sentence() for _ in range(self._rng.randint(2, 6))) + "\n"

    def words(self, count: int) -> str:
        """So many words."""
        return " ".join(self._rng.choices(self._words, k=count))

    def edited(self, page: str, edits: int) -> str:
        """The page with so many edits: sentences put in, words replaced, paragraphs left out."""
        blocks = page.split("\n\n")
        for _ in range(edits):
            number, kind = self._rng.randrange(len(blocks)), self._rng.random()
            if kind < 0.4:
                blocks[number] += " " + self._sentence()
            elif kind < 0.9:
                words = blocks[number].split(" ")
                words[self._rng.randrange(len(words))] = self.words(1)
                blocks[number] = " ".join(words)
            elif len(blocks) > 1:
                del blocks[number]
        return "\n\n".join(blocks)

    def _sentence(self) -> str:
        words = [self._word() for _ in range(self._rng.randint(6, 18))]
        return " ".join(words).capitalize() + "."

    def _word(self) -> str:
        word, kind = self.words(1), self._rng.random()
        if kind < 0.04:
            return f"**{word}**"
        if kind < 0.08:
            return f"`{word}`"
        return f"[{word}]({word}.md)" if kind < 0.1 else word

    def _heading(self) -> str:
        return f"## {self.words(3)}\n"

    def _list(self) -> str:
        return "".join(f"- {self.words(6)}\n" for _ in range(self._rng.randint(2, 6)))


def plain(text: str) -> str:
    """A text of `Pages` without its marks."""
    return _MARKS.sub(lambda mark: mark[1] or "", text)


def write_folder(folder: Path, pages: Mapping[str, str]) -> Path:
    """Write pages as files of a new folder; return it."""
    folder.mkdir()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """Write JSON Lines; return their path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def as_html(text: str) -> str:
    """The paragraphs of a page as HTML, between a menu and a footer."""
    blocks = "".join(f"<p>{html.escape(block)}</p>\n" for block in plain(text).split("\n\n"))
    menu = "".join(f"<li><a href='{number}.html'>{number}</a></li>" for number in range(40))
    body = f"<nav><ul>{menu}</ul></nav><main>{blocks}</main><footer>end</footer>"
    return f"<!doctype html><title>Page</title>{body}"


def as_pdf(text: str) -> bytes:
    """The words of a page as PDF: lines of Helvetica on as many pages as they need."""
    lines = _wrapped(plain(text))
    pages = [lines[begin : begin + _LINES] for begin in range(0, len(lines), _LINES)]
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        content = f"BT /F1 10 Tf 50 760 Td 14 TL {' '.join(f'({line}) Tj T*' for line in page)} ET".encode()
        box = b"/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(b"<< /Type /Page /Parent 2 0 R %s /Contents %d 0 R >>" % (box, 5 + 2 * number))
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    made, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(made))
    return bytes(made) + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def _wrapped(text: str) -> list[str]:
    """Lines of at most `_LINE` characters."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= _LINE:
            lines.append("")
        lines[-1] += f"{word} "
    return lines
