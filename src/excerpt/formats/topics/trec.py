"""Topics of TREC: `<top>` with `<num>`, `<title>`, `<desc>` and `<narr>`, SGML without end tags."""

from __future__ import annotations

import re

from excerpt.errors import short
from excerpt.formats.source import HEAD_BYTES, Source
from excerpt.formats.topics._gathering import Gathered
from excerpt.formats.topics.topic import Topic
from excerpt.model.texts import fold

LAYOUT = "<top> with <num> Number: …, <title>, <desc> Description:, <narr> Narrative:"

_FIELDS = {"num": "id", "title": "title", "desc": "text", "narr": "narrative"}
#: What stands before the text of a field, and is no part of it.
_LABELS = {
    "id": re.compile(r"\s*(number|topic)\s*:", re.IGNORECASE),
    "title": re.compile(r"\s*(topic|title)\s*:", re.IGNORECASE),
    "text": re.compile(r"\s*desc(ription)?\s*:", re.IGNORECASE),
    "narrative": re.compile(r"\s*narr(ative)?\s*:", re.IGNORECASE),
}
_TOP = re.compile(r"\ufeff?\s*(<\?xml[^>]*>\s*)?(<[a-z_-]+>\s*)?<top>", re.IGNORECASE)
#: A known tag anywhere, an unknown one where it begins a line.
_TAG = re.compile(r"<(/?)(top|num|title|desc|narr)>|^[ \t]*<(/?)([a-z]+)>", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
_ENTITY = re.compile(r"&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]+);", re.IGNORECASE)


def recognise(source: Source) -> bool:
    """Whether the first element, or the first inside of another, is `<top>`."""
    head = source.data[:HEAD_BYTES].decode("utf-8", "replace")
    return source.starts_with(b"<") and _TOP.match(_COMMENT.sub("", head)) is not None


class _Reader:
    """Goes through the tags of a file in order."""

    def __init__(self, source: Source) -> None:
        self.gathered = Gathered(source)
        self._texts: dict[str, str] = {}
        self._begun = 0  # the line of the topic at hand; 0 outside
        self._field = ""

    def read(self, text: str) -> None:
        """Every topic of a text."""
        reached, line = 0, 1
        for tag in _TAG.finditer(text):
            self._keep(text[reached : tag.start()])
            line += text.count("\n", reached, tag.end())
            reached = tag.end()
            self._turn(closing=bool(tag[1] or tag[3]), name=(tag[2] or tag[4]).lower(), line=line)
        self._keep(text[reached:])
        self._finish()

    def _turn(self, *, closing: bool, name: str, line: int) -> None:
        """What a tag means: a topic begins or ends, or a field."""
        if name == "top":
            self._finish()
            self._begun = 0 if closing else line
        self._field = "" if closing else _FIELDS.get(name, "")

    def _keep(self, text: str) -> None:
        if self._begun and self._field:
            label = _LABELS[self._field].match(text)
            self._texts.setdefault(self._field, fold(_plain(text[label.end() :] if label else text)))

    def _finish(self) -> None:
        if self._begun:
            name = self._texts.pop("id", "")
            if name.isdecimal():  # TREC wrote 051 where the judgments of the same year have 51
                name = name.lstrip("0") or "0"
            if len(name.split()) > 1:
                expected = "expected one id"
                self.gathered.source.faults.add(self._begun, f"found <num> {short(name)!r}, {expected}")
            self.gathered.add(self._begun, name, self._texts)
        self._texts, self._begun, self._field = {}, 0, ""


def _plain(text: str) -> str:
    from html import unescape

    return _ENTITY.sub(lambda match: unescape(match[0]), text)


def read(source: Source) -> dict[str, Topic]:
    """The topics of a file."""
    text = source.text.decode()
    # Comments are blanked, so that lines keep their numbers.
    text = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    reader = _Reader(source)
    reader.read(text)
    return reader.gathered.topics
