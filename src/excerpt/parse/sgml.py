"""Conversion of SGML documents, such as those of TREC, to well-formed XML with the same tags and text.

All that is not a tag is text, also a lone `&` or `<`. An entity of HTML becomes its character; an unknown
entity, and a character that XML does not allow, become `U+FFFD`. Comments and declarations are dropped. An
end tag ends the last open element of its name and the elements in it; without such an element it is dropped.
An element without an end tag ends at the next start tag of its name, or with its parent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"<!--.*?-->|<[!?][^<>]*>|<(/?)([A-Za-z][\w.:-]*)([^<>]*)>|&(#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|\w[\w.-]{0,31});",
    re.DOTALL | re.ASCII,
)
_ATTRIBUTE = re.compile(
    r"([A-Za-z_][\w.:-]*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'/]+(?:/[^\s\"'/]+)*))", re.ASCII
)
#: Characters that XML does not allow.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_QUOTED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
#: Elements of HTML that never have an end tag.
EMPTY = {"area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "isindex", "link", "meta"}
EMPTY |= {"param", "source", "track", "wbr"}
#: Entities of the Federal Register that HTML does not define, or defines differently.
_TREC_ENTITIES = {"blank": " ", "hyph": "-"}
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_DEEPEST = 200  # levels of elements without end tags


class _Tag(NamedTuple):
    """A tag; `matched` if its element has an end tag, `empty` if it cannot have one."""

    begin: int
    end: int
    name: str
    attributes: str
    closes: bool
    matched: bool = False
    empty: bool = False


def well_formed(data: bytes) -> bytes:
    r"""Convert a document, from its start tag on, to XML in UTF-8; bytes that are not UTF-8 are Latin-1.

    >>> well_formed(b"<DOC><P>AT&T &gt; 1<P>caf\xe9 &utah; <B>b</DOC>").decode()
    '<DOC><P>AT&amp;T &gt; 1</P><P>café � <B>b</B></P></DOC>'
    """
    text = decode(data)
    return "".join(_pieces(text, _match(text))).encode()


def decode(data: bytes) -> str:
    """Decode bytes as UTF-8, or else as Latin-1, in which every byte is a character."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _match(text: str) -> list[_Tag]:
    """Find all tags except end tags without a start tag, and match start tags with end tags."""
    tags: list[_Tag] = []
    opened: list[int] = []
    names: Counter[str] = Counter()
    for token in _TOKEN.finditer(text):
        slash, name, attributes, _ = token.groups()
        if name is None:
            continue
        key = name.lower()
        tag = _Tag(*token.span(), name, attributes, bool(slash))
        if not tag.closes:
            empty = key in EMPTY or attributes.endswith("/")
            if not empty:
                opened.append(len(tags))
                names[key] += 1
            tags.append(tag._replace(empty=empty))
        elif names[key]:
            last = ""
            while last != key:  # the elements in it have no end tag
                number = opened.pop()
                last = tags[number].name.lower()
                names[last] -= 1
            tags[number] = tags[number]._replace(matched=True)
            tags.append(tag)
    return tags


def _pieces(text: str, tags: list[_Tag]) -> Iterator[str]:
    """Yield the document in pieces, with all end tags; text after the end of the root is dropped."""
    opened: list[_Tag] = []
    offset = 0
    for tag in tags:
        if opened:
            yield _plain(text, offset, tag.begin)
        offset = tag.end
        if tag.closes:
            while opened:  # the last element of the name that has an end tag, and all elements in it
                last = opened.pop()
                yield f"</{last.name}>"
                if last.matched and last.name.lower() == tag.name.lower():
                    break
            if not opened:
                return
            continue
        unmatched = not tag.matched and not tag.empty
        if unmatched:
            yield from _end_before(opened, tag.name.lower())
        start = f"<{tag.name}{_attributes(tag.attributes)}"
        if tag.empty or (unmatched and len(opened) > _DEEPEST):
            yield f"{start}/>"
        else:
            opened.append(tag)
            yield f"{start}>"
    yield _plain(text, offset, len(text))
    while opened:
        yield f"</{opened.pop().name}>"


def _end_before(opened: list[_Tag], key: str) -> Iterator[str]:
    """End an element of a name without an end tag if another one begins in the same parent."""
    for depth in range(len(opened) - 1, 0, -1):  # never the root
        if opened[depth].matched:
            return
        if opened[depth].name.lower() == key:
            while len(opened) > depth:
                yield f"</{opened.pop().name}>"
            return


def _plain(text: str, begin: int, end: int) -> str:
    """Escape text between two tags for XML."""
    piece = text[begin:end]
    if "<" in piece or "&" in piece:
        piece = _TOKEN.sub(_character, piece)
    plain = _FORBIDDEN.sub(_UNKNOWN, piece)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _character(token: re.Match[str]) -> str:
    """The character of an entity; empty for comments and for end tags without a start tag."""
    name: str | None = token[4]
    if name is None:
        return ""
    import html.entities  # few documents need it

    if name.startswith("#"):
        return html.unescape(token[0]) or _UNKNOWN
    return _TREC_ENTITIES.get(name) or html.entities.html5.get(f"{name};", _UNKNOWN)


def _attributes(text: str) -> str:
    """Format the attributes of a tag for XML, each name once."""
    if "=" not in text:
        return ""
    import html

    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = next((part for part in match.groups()[1:] if part is not None), "")
        attributes.setdefault(match[1], _FORBIDDEN.sub(_UNKNOWN, html.unescape(value)).translate(_QUOTED))
    return "".join(f' {name}="{value}"' for name, value in attributes.items())
