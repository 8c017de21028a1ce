"""Documents in SGML, such as those of TREC, made well-formed: tags stay tags, the text stays the text.

What is no tag is text, a lone `&` or `<` too. An entity that HTML knows is its character, another one is
`U+FFFD`, and so is a character that XML does not allow. Comments and declarations are no text. An end tag
ends the last open element of its name, and what is open in it; one that ends nothing is left out. An element
whose end tag is missing ends where the next one of its name begins, or with the element that it is in.
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
#: What XML does not allow.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_QUOTED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
#: Elements of HTML that never have an end.
_EMPTY = {"area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "isindex", "link", "meta"}
_EMPTY |= {"param", "source", "track", "wbr"}
#: Entities of the Federal Register that HTML does not know, or as something else.
_OF_TREC = {"blank": " ", "hyph": "-"}
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_DEEPEST = 200  # elements without end tags in each other


class _Tag(NamedTuple):
    """A tag, and what of its element is known: whether it has an end, or can have none."""

    begin: int
    end: int
    name: str
    attributes: str
    closes: bool
    matched: bool = False
    empty: bool = False


def well_formed(data: bytes) -> bytes:
    r"""One document, which begins with its start tag, as XML in UTF-8; other encodings are taken as Latin-1.

    >>> well_formed(b"<DOC><P>AT&T &gt; 1<P>caf\xe9 &utah; <B>b</DOC>").decode()
    '<DOC><P>AT&amp;T &gt; 1</P><P>café � <B>b</B></P></DOC>'
    """
    text = decode(data)
    return "".join(_pieces(text, _match(text))).encode()


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, else Latin-1, of which every byte is a character."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _match(text: str) -> list[_Tag]:
    """All tags that mean something; start tags know whether their elements have an end tag."""
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
            empty = key in _EMPTY or attributes.endswith("/")
            if not empty:
                opened.append(len(tags))
                names[key] += 1
            tags.append(tag._replace(empty=empty))
        elif names[key]:
            last = ""
            while last != key:  # what is open in it has no end tag
                number = opened.pop()
                last = tags[number].name.lower()
                names[last] -= 1
            tags[number] = tags[number]._replace(matched=True)
            tags.append(tag)
    return tags


def _pieces(text: str, tags: list[_Tag]) -> Iterator[str]:
    """The document in pieces, with every end tag; after the end of the root nothing counts."""
    opened: list[_Tag] = []
    place = 0
    for tag in tags:
        if opened:
            yield _plain(text, place, tag.begin)
        place = tag.end
        if tag.closes:
            yield from _close(opened, tag.name.lower())
            if not opened:
                return
            continue
        alone = not tag.matched and not tag.empty
        if alone:
            yield from _end_before(opened, tag.name.lower())
        start = f"<{tag.name}{_attributes(tag.attributes)}"
        if tag.empty or (alone and len(opened) > _DEEPEST):
            yield f"{start}/>"
        else:
            opened.append(tag)
            yield f"{start}>"
    yield _plain(text, place, len(text))
    while opened:
        yield f"</{opened.pop().name}>"


def _close(opened: list[_Tag], key: str) -> Iterator[str]:
    """End the last element of a name that has an end tag, and all in it."""
    while opened:
        tag = opened.pop()
        yield f"</{tag.name}>"
        if tag.matched and tag.name.lower() == key:
            return


def _end_before(opened: list[_Tag], key: str) -> Iterator[str]:
    """End an element of a name that has no end tag, where another one begins in the same element."""
    for depth in range(len(opened) - 1, 0, -1):  # never the root
        if opened[depth].matched:
            return
        if opened[depth].name.lower() == key:
            while len(opened) > depth:
                yield f"</{opened.pop().name}>"
            return


def _plain(text: str, begin: int, end: int) -> str:
    """Text between two tags as XML writes it."""
    piece = text[begin:end]
    if "<" in piece or "&" in piece:
        piece = _TOKEN.sub(_character, piece)
    plain = _FORBIDDEN.sub(_UNKNOWN, piece)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _character(token: re.Match[str]) -> str:
    """The character that an entity names; nothing for comments, and for end tags that end nothing."""
    name: str | None = token[4]
    if name is None:
        return ""
    import html.entities  # here: few documents need it

    if name.startswith("#"):
        return html.unescape(token[0]) or _UNKNOWN
    return _OF_TREC.get(name) or html.entities.html5.get(f"{name};", _UNKNOWN)


def _attributes(given: str) -> str:
    """The attributes of a tag as XML writes them, each name once."""
    if "=" not in given:
        return ""
    import html

    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(given):
        value = next((part for part in match.groups()[1:] if part is not None), "")
        found.setdefault(match[1], _FORBIDDEN.sub(_UNKNOWN, html.unescape(value)).translate(_QUOTED))
    return "".join(f' {name}="{value}"' for name, value in found.items())
