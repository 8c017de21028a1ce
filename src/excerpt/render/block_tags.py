"""What elements of XML look like on a page: a small map from tags to kinds of blocks; all else is inline.

It covers JATS, INEX's IEEE articles and Wikipedia, XHTML, DocBook and our own data. Tags are compared without
prefix and in lower case. A tag that means different things in different places is told by its parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: Kinds a tag can have; `inline` makes no block. Blocks of kind `text` are cut from long texts, not named.
KINDS = (
    "section",
    "heading",
    "paragraph",
    "list",
    "item",
    "table",
    "row",
    "cell",
    "head",
    "caption",
    "quote",
    "code",
    "figure",
    "reference",
    "inline",
)

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

#: The kind of each tag.
BLOCK_TAGS: Mapping[str, str] = {tag: kind for kind, tags in _TAGS.items() for tag in tags.split()}

#: Tags that have a kind (or lose theirs) only under certain parents.
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


def local_name(tag: str) -> str:
    """A tag without prefix or namespace, in lower case.

    >>> local_name("mml:MTable"), local_name("{http://www.w3.org/1999/xhtml}p")
    ('mtable', 'p')
    """
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def heading_level(tag: str) -> int:
    """The level that the name of a heading states; 0 where its place decides.

    >>> heading_level("h2"), heading_level("title"), heading_level("h1a")
    (2, 0, 0)
    """
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def parents_that_tell(tags: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """`UNDER` without the tags of which the user has said what they are."""
    said = set(tags)
    return {tag: kinds for tag, kinds in UNDER.items() if tag not in said}
