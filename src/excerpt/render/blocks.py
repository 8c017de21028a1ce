"""Blocks of documents (sections, paragraphs, tables …) and the XML tags they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.files import Input

if TYPE_CHECKING:
    from excerpt.corpus import Document, Element

_TAGS = {
    "section": """
        sec ss1 ss2 ss3 section subsection subsubsection abs abstract trans-abstract ack acknowledgments app
        appendix notes glossary ref-list bibliography bib fn-group author-notes boxed-text statement vt
        part chapter preface sect1 sect2 sect3 sect4 sect5 simplesect refsection note tip warning caution
        important sidebar div aside nav footer""",
    "heading": "title st apt h h1 h1a h2 h2a h3 h4 h5 h6 bridgehead",
    "paragraph": """
        p p1 p2 p3 ip1 ip2 ip3 ip4 ip5 ilrj item-none para simpara formalpara indentation1 address
        license-p disp-formula fn table-wrap-foot attrib sig-block verse-line equation tf
        journal-id journal-title issn publisher article-id subj-group alt-title subtitle trans-title aff
        corresp pub-date volume issue elocation-id date copyright-statement copyright-year
        copyright-holder license funding-group funding-statement award-group custom-meta supplement conference
        counts hdr au fno doi""",
    "list": """
        list ul ol dl def-list l1 l2 l3 l4 l5 l6 l7 l8 l9 la lb lc ld le numeric-list numeric-rbrace
        bullet-list normallist numberlist definitionlist itemizedlist orderedlist variablelist simplelist
        contrib-group kwd-group""",
    "item": "item list-item li dt dd def-item definitionitem listitem varlistentry member glossentry contrib",
    "table": "table informaltable",
    "row": "row tr",
    "cell": "cell td",
    "head": "th",
    "caption": "caption figcaption fgc",
    "quote": "disp-quote blockquote quotation verse-group epigraph",
    "code": "pre preformat programlisting screen literallayout",
    "figure": "fig figure informalfigure table-wrap tbl example supplementary-material",
    "reference": "biblioentry bibliomixed bb",
}

#: Kinds of tags; `inline` makes no block. Blocks of kind `text` are parts of long texts without tags.
KINDS = (*_TAGS, "inline")
#: The kind of each tag.
BLOCK_TAGS: Mapping[str, str] = {tag: kind for kind, tags in _TAGS.items() for tag in tags.split()}

#: Tags whose kind depends on the parent element.
UNDER: Mapping[str, Mapping[str, str]] = {
    "article-title": {"title-group": "heading"},
    "atl": {"tig": "heading"},
    "name": {"article": "heading"},
    "title": {"formalpara": "inline"},
    "entry": {"row": "cell", "list": "item"},
    "col": {"row": "cell"},
    "kwd": {"kwd-group": "item"},
    "ref": {"ref-list": "reference"},
    "listitem": {"varlistentry": "inline"},
    "label": dict.fromkeys(("fig", "table-wrap", "supplementary-material"), "caption"),
}
#: Elements of front matter and references, in which parts such as names often touch each other.
_TOUCHING = {"contrib", "aff", "corresp", "pub-date", "date", "publisher", "subj-group", "award-group", "au"}
_TOUCHING |= {"custom-meta", "conference", "counts", "hdr", "ref", "bb", "biblioentry"}
_LINES = ("paragraph", "item", "reference")  # kinds of blocks that such elements may be
#: Elements in these that are parts of words.
_LETTERING = {"italic", "bold", "sub", "sc", "i", "b", "it", "tt"}
#: `[kind, depth, start, end]`, then the level of a heading, the [colspan, rowspan] of a cell, or the offsets
#: in another block at which a page shows a gap between words that touch each other.
Block: TypeAlias = list[Any]
_LONG = 5000  # text without blocks is split after line breaks into parts of about this many characters
_VERY = 4  # without line breaks, parts have at most this many times `_LONG` characters
_MOST_SPAN = 1000
_DEEPEST = 6
_CELLS = ("cell", "head")
#: Kinds allowed inside these blocks; other elements are inline there.
_ONLY = {"table": ("row", "caption"), "row": _CELLS, "reference": ()}
_NAMED = ("figure", "table", "list")  # blocks in which a title is a caption
#: Blocks in which a title is part of the text.
_RUNNING = ("caption", "heading", "paragraph", "item", "cell", "head", "code", "reference")


def local_name(tag: str) -> str:
    """A tag without prefix or namespace, in lower case.

    >>> local_name("mml:MTable"), local_name("{http://www.w3.org/1999/xhtml}p")
    ('mtable', 'p')
    """
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def heading_level(tag: str) -> int:
    """Level in the name of a heading tag; 0 if the level depends on the sections around it.

    >>> heading_level("h2"), heading_level("title"), heading_level("h1a")
    (2, 0, 0)
    """
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def parent_rules(tags: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """`UNDER` without the tags that the user has configured."""
    configured = set(tags)
    return {tag: kinds for tag, kinds in UNDER.items() if tag not in configured}


def blocks_of(document: Document, extra: Mapping[str, str] | None = None) -> list[Block]:
    """Blocks of a document; `extra` maps further tags to kinds (`{"clause": "paragraph"}`)."""
    if document.elements is None:
        return [["text", 0, start, end] for start, end in _cut(document.text, 0, len(document.text))]
    return _cut_long(document.text, _ElementWalk(extra or {}).blocks(document.elements, document.text))


def load_blocks(source: Input) -> dict[str, str]:
    """Read kinds of further tags from a TOML file: a table `[blocks]` of lines `clause = "paragraph"`."""
    import tomllib

    from excerpt.files import display_name, read_bytes

    name = display_name(source)
    try:
        content = tomllib.loads(read_bytes(source).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ExcerptError("found bytes that are not UTF-8, expected a TOML file", path=name) from error
    except tomllib.TOMLDecodeError as error:
        raise ExcerptError(f"not valid TOML ({error}), expected a table [blocks]", path=name) from error
    table = content.get("blocks")
    if not isinstance(table, dict) or content.keys() != {"blocks"}:
        keys = f"found {', '.join(map(short, content))}" if content else "table [blocks] is missing"
        raise ExcerptError(f"{keys}, expected one table [blocks] of tags and their kinds", path=name)
    for tag, kind in table.items():
        check_kind(tag, kind, name)
    return table


def check_kind(tag: str, kind: object, path: str | None = None) -> None:
    """Raise an error unless `kind` is a kind of tag."""
    if isinstance(kind, str) and kind in KINDS:
        return
    if isinstance(kind, str):
        raise UnknownName(f"kind of block for <{short(tag)}>", kind, KINDS, path=path)
    expected = "expected a kind of block, such as paragraph"
    raise ExcerptError(f"found {short(repr(kind))} for <{short(tag)}>, {expected}", path=path)


class _Open(NamedTuple):
    """An open element: its tag, and the block that it is or that contains it."""

    depth: int
    tag: str
    #: Kind of the innermost block; numbers of blocks and of sections around its content.
    kind: str
    block: int
    sections: int
    borders: set[int] | None = None  # ends of the elements in the block, if parts of it may touch each other


class _ElementWalk:
    """One pass over the elements of a document."""

    def __init__(self, extra: Mapping[str, str]) -> None:
        for tag, kind in extra.items():
            check_kind(tag, kind)
        own = {local_name(tag): kind for tag, kind in extra.items()}
        self._kinds = {**BLOCK_TAGS, **own}
        self._under = parent_rules(own)
        self._names: dict[str, str] = {}

    def blocks(self, elements: Sequence[Element], text: str) -> list[Block]:
        rows: list[Block] = []
        touching: list[tuple[Block, set[int]]] = []
        stack = [_Open(-1, "", "", 0, 0)]
        names = self._names
        for element in elements:
            tag, depth, start, end = element.tag, element.depth, element.start, element.end
            name = names.get(tag)
            if name is None:
                name = names[tag] = local_name(tag)
            while stack[-1].depth >= depth:
                stack.pop()
            around = stack[-1]
            kind = self._kind(name, around)
            if kind == "inline" or (start == end and kind not in {"row", *_CELLS}):
                inner = around._replace(depth=depth, tag=name)
                if around.borders is not None and name not in _LETTERING:
                    around.borders.update((start, end))
            else:
                deeper = around.sections + (kind == "section")
                borders: set[int] | None = set() if name in _TOUCHING and kind in _LINES else None
                inner = _Open(depth, name, kind, around.block + 1, deeper, borders)
                rows.append([kind, around.block, start, end, *_more(kind, name, element, around)])
                if borders is not None:
                    touching.append((rows[-1], borders))
            stack.append(inner)
        for row, borders in touching:
            if gaps := [
                at for at in sorted(borders) if row[2] < at < row[3] and _touch(text[at - 1 : at + 1])
            ]:
                row.append(gaps)
        return rows

    def _kind(self, name: str, around: _Open) -> str:
        """Kind of an element inside its parents."""
        kind = self._kinds.get(name, "inline")
        if name in self._under:
            kind = self._under[name].get(around.tag, kind)
        if kind == "heading":
            kind = _kind_of_title(name, around.kind)
        if around.kind in _ONLY:
            return kind if kind in _ONLY[around.kind] else "inline"
        return "paragraph" if kind == "row" or kind in _CELLS else kind


def _kind_of_title(name: str, around: str) -> str:
    if around in _NAMED:
        return "caption"
    stated = heading_level(name) and around not in {"caption", "heading", "code", "reference"}
    return "inline" if around in _RUNNING and not stated else "heading"


def _more(kind: str, name: str, element: Element, around: _Open) -> list[Any]:
    """Fifth value of a row, if it has one."""
    if kind == "heading":
        return [heading_level(name) or min(around.sections + 1, _DEEPEST)]
    if kind in _CELLS:
        spans = [_span(element.attributes.get(key, "")) for key in ("colspan", "rowspan")]
        return [] if spans == [1, 1] else [spans]
    return []


def _touch(pair: str) -> bool:
    """Return whether two characters at a border belong to words that touch each other.

    >>> _touch("yR"), _touch(".J"), _touch("(R"), _touch("y ")
    (True, True, False, False)
    """
    return (pair[0].isalnum() or pair[0] in ".,;:)") and pair[1].isalnum()


def _span(value: str) -> int:
    """Number of columns or rows of a cell; 1 unless it is a small integer."""
    value = value.strip()
    if not (value.isascii() and value.isdigit()) or len(value) > len(str(_MOST_SPAN)):
        return 1
    return min(max(int(value), 1), _MOST_SPAN)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a span after line breaks, or else anywhere: browsers take minutes for a block of a million."""
    while end - start > _LONG:
        limit = min(end, start + _VERY * _LONG)
        after = text.rfind("\n", start, start + _LONG) + 1 or text.find("\n", start + _LONG, limit) + 1
        if not after and limit < end:
            after = text.rfind(" ", start + _LONG, limit) + 1 or limit
        if not start < after < end:
            break
        yield start, after
        start = after
    if start < end:
        yield start, end


def _cut_long(text: str, rows: list[Block]) -> list[Block]:
    """Add blocks of kind `text` for long text outside of blocks; tables are not split."""
    filled: list[Block] = []
    #: Kind, end and last covered offset of the open blocks, from the outside in.
    ends: list[list[Any]] = [["", len(text), 0]]
    for row in [*rows, ["", 0, len(text), len(text)]]:
        kind, depth, start, end = row[:4]
        while len(ends) > depth + 1:
            filled += _texts(text, ends, ends[-1][2], ends[-1][1])
            ends.pop()
        filled += _texts(text, ends, ends[-1][2], start)
        ends[-1][2] = end
        ends.append([kind, end, start])
        filled.append(row)
    filled.pop()  # the end marker
    return filled


def _texts(text: str, ends: list[list[Any]], start: int, end: int) -> list[Block]:
    parts = [] if ends[-1][0] in {"table", "row"} else list(_cut(text, start, end))
    return [["text", len(ends) - 1, *part] for part in parts] if len(parts) > 1 else []
