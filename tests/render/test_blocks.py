"""Blocks of documents: what each vocabulary looks like, and that blocks nest whatever the tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError
from excerpt.collection import corpus
from excerpt.render.blocks import (
    BLOCK_TAGS,
    KINDS,
    UNDER,
    blocks_of,
    load_blocks,
    local_name,
    parent_rules,
)

#: Any object with a text and elements is enough.
of_page: Any = blocks_of


@dataclass
class Node:
    """An element as blocks are made from."""

    tag: str
    depth: int
    start: int
    end: int
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Page:
    """A document with elements."""

    text: str
    elements: list[Node] | None


def parse(xml: str | bytes) -> Page:
    """The text and the elements of a document."""
    pieces: list[str] = []
    nodes: list[Node] = []
    opened: list[Node] = []
    size = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nodes.append(Node(tag, len(opened), size, size, attributes))
        opened.append(nodes[-1])

    def end(_tag: str) -> None:
        opened.pop().end = size

    def characters(text: str) -> None:
        nonlocal size
        pieces.append(text)
        size += len(text)

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.Parse(xml, True)
    return Page("".join(pieces), nodes)


def shown(xml: str, extra: Mapping[str, str] | None = None) -> list[str]:
    """Each block as an indented line: kind, what else it has, and its text."""
    page = parse(xml)
    return [
        "  " * depth + " ".join([kind, *map(str, more), page.text[start:end]])
        for kind, depth, start, end, *more in of_page(page, extra)
    ]


def assert_valid(blocks: list[list[Any]], size: int) -> None:
    """Blocks are inside their parents and after their elder siblings."""
    opened: list[tuple[int, int]] = [(0, size)]
    reached = [0]
    for kind, depth, start, end, *_ in blocks:
        assert depth < len(opened), "a block is at most one deeper than the one before"
        del opened[depth + 1 :], reached[depth + 1 :]
        assert opened[-1][0] <= start <= end <= opened[-1][1]
        assert start >= reached[-1]
        assert start < end or kind in {"row", "cell", "head"}
        reached[-1] = end
        opened.append((start, end))
        reached.append(start)


def assert_tables(blocks: list[list[Any]]) -> None:
    """Rows are in tables and cells in rows, with nothing else next to them but captions."""
    parents: list[str] = []
    for kind, depth, *_ in blocks:
        del parents[depth:]
        around = parents[-1] if parents else ""
        assert (kind in {"cell", "head"}) == (around == "row")
        assert kind in {"row", "caption"} if around == "table" else kind != "row"
        parents.append(kind)


TREES = st.recursive(
    st.text("ab \n", max_size=5),
    lambda inner: st.tuples(st.sampled_from([*BLOCK_TAGS, *UNDER, "b", "x:P", "TABLE"]), st.lists(inner)),
    max_leaves=30,
)


def written(tree: Any) -> str:
    """A generated tree as XML."""
    if isinstance(tree, str):
        return tree
    tag, inner = tree
    return f"<{tag}>{''.join(map(written, inner))}</{tag}>"


@given(st.lists(TREES))
def test_blocks_nest_whatever_the_tree(trees: list[Any]) -> None:
    """Parents before children, inside them and disjoint; tables are tables."""
    page = parse(f"<r xmlns:x='x'>{''.join(map(written, trees))}</r>")
    blocks = of_page(page)
    assert_valid(blocks, len(page.text))
    assert_tables(blocks)


@given(st.lists(TREES), st.integers(3, 40))
def test_long_texts_are_cut_after_line_breaks(trees: list[Any], long: int) -> None:
    """Whatever counts as long, blocks stay as they are and pieces end after lines or are very long."""
    page = parse(f"<r xmlns:x='x'>{''.join(map(written, trees))}</r>")
    with pytest.MonkeyPatch.context() as patch:
        whole = of_page(page)
        patch.setattr("excerpt.render.blocks._LONG", long)
        blocks = of_page(page)
    assert_valid(blocks, len(page.text))
    assert [block for block in blocks if block[0] != "text"] == whole
    for one, other in pairwise(blocks):
        if one[0] == other[0] == "text" and one[1] == other[1] and one[3] == other[2]:
            assert page.text[one[3] - 1] == "\n" or long < one[3] - one[2] <= 4 * long


@given(st.text("ab \n", max_size=300), st.integers(1, 20))
def test_plain_text_is_covered_by_pieces(text: str, long: int) -> None:
    """Pieces follow each other without a gap; of the length that was asked, or a line or cut from one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("excerpt.render.blocks._LONG", long)
        blocks = of_page(Page(text, None))
    assert "".join(text[start:end] for _, _, start, end in blocks) == text
    assert all(block[:2] == ["text", 0] for block in blocks)
    pieces = [text[start:end] for _, _, start, end in blocks]
    for piece in pieces[:-1]:
        broken = "\n" not in piece and (
            piece.endswith(" ") or (" " not in piece[long:] and len(piece) == 4 * long)
        )
        assert piece.endswith("\n") or broken
    assert all(len(piece) <= long or "\n" not in piece[:-1] for piece in pieces)
    assert all(len(piece) <= 4 * long for piece in pieces)


def test_words_of_front_matter_do_not_touch() -> None:
    """Gaps are between the parts of a name or address, not within words and not at signs or spaces."""
    xml = (
        "<article><contrib-group><contrib><name><surname>Smith</surname><given-names>J.</given-names></name>"
        "<xref>1</xref> <email>s@x.edu</email></contrib></contrib-group><aff><label>1</label>Dept of H<sub>2"
        "</sub>O (<country>USA</country>)</aff><p>See<xref>3</xref>there</p></article>"
    )
    assert shown(xml) == [
        "list SmithJ.1 s@x.edu",
        "  item [5, 7] SmithJ.1 s@x.edu",
        "paragraph [17] 1Dept of H2O (USA)",
        "paragraph See3there",
    ]


def test_article_of_jats() -> None:
    """Front matter, sections, a table with caption, spans and empty cells, a figure, references."""
    xml = (
        "<article><front><article-meta><article-id>7</article-id><title-group><article-title>On <italic>x"
        "</italic></article-title></title-group><contrib-group><contrib><name><surname>A</surname></name>"
        "</contrib></contrib-group><abstract><sec><title>Aim</title><p>why</p></sec></abstract></article-meta>"
        "</front><body><sec><title>Results</title><p>see<table-wrap><label>Table 1</label><caption><title>Who"
        "</title><p>all</p></caption><table><thead><tr><th colspan='2'/><th rowspan=' 3 '>n</th></tr></thead>"
        "<tbody><tr><td>a</td><td/></tr></tbody></table><table-wrap-foot><fn><p>f</p></fn></table-wrap-foot>"
        "</table-wrap>end</p><fig><caption><title>F</title></caption></fig></sec></body><back><ref-list>"
        "<title>References</title><ref><element-citation><article-title>T</article-title><volume>1</volume>"
        "</element-citation></ref></ref-list></back></article>"
    )
    assert shown(xml) == [
        "paragraph 7",
        "heading 1 On x",
        "list A",
        "  item A",
        "section Aimwhy",
        "  section Aimwhy",
        "    heading 3 Aim",
        "    paragraph why",
        "section ResultsseeTable 1WhoallnafendF",
        "  heading 2 Results",
        "  paragraph seeTable 1Whoallnafend",
        "    figure Table 1Whoallnaf",
        "      caption Table 1",
        "      caption Whoall",
        "        paragraph all",
        "      table na",
        "        row n",
        "          head [2, 1] ",
        "          head [1, 3] n",
        "        row a",
        "          cell a",
        "          cell ",
        "      paragraph f",
        "        paragraph f",
        "          paragraph f",
        "  figure F",
        "    caption F",
        "section ReferencesT1",
        "  heading 2 References",
        "  reference [53] T1",
    ]


def test_article_of_ieee() -> None:
    """The journals of INEX 2002 to 2005."""
    xml = (
        "<article><fm><tig><atl>Title</atl></tig><abs><p>a</p></abs></fm><bdy><sec><st>One</st><ip1>b</ip1>"
        "<ss1><st>Two</st><ss2><st>Three</st><p>c <l1><item><p>d</p></item></l1></p></ss2></ss1>"
        "<fig><fgc>e</fgc></fig></sec></bdy><bm><bib><bibl><h>Refs</h><bb><atl>f</atl></bb></bibl></bib></bm>"
        "</article>"
    )
    assert shown(xml) == [
        "heading 1 Title",
        "section a",
        "  paragraph a",
        "section OnebTwoThreec de",
        "  heading 2 One",
        "  paragraph b",
        "  section TwoThreec d",
        "    heading 3 Two",
        "    section Threec d",
        "      heading 4 Three",
        "      paragraph c d",
        "        list d",
        "          item d",
        "            paragraph d",
        "  figure e",
        "    caption e",
        "section Refsf",
        "  heading 2 Refs",
        "  reference f",
    ]


def test_article_of_wikipedia() -> None:
    """The encyclopaedia of INEX 2006 to 2008."""
    xml = (
        "<article><name>Name</name><body>lead <figure><caption>cap</caption></figure><section>"
        "<title>One</title><p>a <collectionlink>b</collectionlink></p><normallist><item>c</item></normallist>"
        "<table><caption>t</caption><row><cell>d</cell><cell></cell></row></table></section></body></article>"
    )
    assert shown(xml) == [
        "heading 1 Name",
        "figure cap",
        "  caption cap",
        "section Onea bctd",
        "  heading 2 One",
        "  paragraph a b",
        "  list c",
        "    item c",
        "  table td",
        "    caption t",
        "    row d",
        "      cell d",
        "      cell ",
    ]


def test_page_of_xhtml() -> None:
    """With a prefix and in capitals; stated levels of headings hold, also in items and cells."""
    xml = (
        "<h:html xmlns:h='x'><h:head><h:title>t</h:title></h:head><h:body><h:H3>three</h:H3><h:ul><h:li>"
        "<h:h4>four</h:h4>x</h:li></h:ul><h:pre>  c</h:pre><h:blockquote><h:p>q</h:p></h:blockquote>"
        "<h:span><h:p>in a span</h:p></h:span></h:body></h:html>"
    )
    assert shown(xml) == [
        "heading 1 t",
        "heading 3 three",
        "list fourx",
        "  item fourx",
        "    heading 4 four",
        "code   c",
        "quote q",
        "  paragraph q",
        "paragraph in a span",
    ]


def test_book_of_docbook() -> None:
    """Chapters deepen headings, titles of tables and paragraphs are none."""
    xml = (
        "<book><title>B</title><chapter><title>C</title><sect1><title>S</title><formalpara><title>F</title>"
        "<para>p</para></formalpara><variablelist><varlistentry><term>t</term><listitem><para>d</para>"
        "</listitem></varlistentry></variablelist><table><title>T</title><tgroup><thead><row><entry>e</entry>"
        "</row></thead></tgroup></table></sect1></chapter></book>"
    )
    assert shown(xml) == [
        "heading 1 B",
        "section CSFptdTe",
        "  heading 2 C",
        "  section SFptdTe",
        "    heading 3 S",
        "    paragraph Fp",
        "      paragraph p",
        "    list td",
        "      item td",
        "        paragraph d",
        "    table Te",
        "      caption T",
        "      row e",
        "        cell e",
    ]


def test_rows_and_cells_out_of_place_are_paragraphs() -> None:
    """A page can draw tables as tables: nothing else is called a row."""
    assert shown("<x><tr><td>a</td></tr><table><p>b</p><tr>c<p>d</p></tr></table></x>") == [
        "paragraph a",
        "  paragraph a",
        "table bcd",
        "  row cd",
    ]


def test_spans_of_cells_are_digits_within_limits() -> None:
    """Everything else counts as one."""
    cells = "".join(f"<td colspan='{value}'>x</td>" for value in ("0", "-2", "2", "9999", "99999", "2x", "²"))
    found = [line.strip() for line in shown(f"<table><tr>{cells}</tr></table>") if "cell" in line]
    assert found == ["cell x", "cell x", "cell [2, 1] x", "cell [1000, 1] x", "cell x", "cell x", "cell x"]


def test_headings_end_at_level_six() -> None:
    """However deep the sections."""
    xml = "<sec>" * 9 + "<title>t</title>" + "</sec>" * 9
    assert shown(xml)[-1].strip() == "heading 6 t"


def test_further_tags_are_as_the_user_says() -> None:
    """Also where a tag is known as something else, and `inline` takes a block away."""
    xml = "<a><Clause><title>t</title><name>n</name></Clause><p>x</p></a>"
    assert shown(xml, {"x:clause": "section", "name": "paragraph", "p": "inline"}) == [
        "section tn",
        "  heading 2 t",
        "  paragraph n",
    ]
    with pytest.raises(
        ExcerptError, match=r"unknown kind of block for <a> 'para'; did you mean 'paragraph'\?"
    ):
        of_page(parse("<a/>"), {"a": "para"})


def test_kinds_are_read_from_toml(tmp_path: Path) -> None:
    """A table of tags; what is none is one line that says so."""
    path = tmp_path / "blocks.toml"
    path.write_text('[blocks]\nclause = "section"\n"x.y" = "inline"\n')
    assert load_blocks(path) == {"clause": "section", "x.y": "inline"}
    bad = {
        "[blocks\n": "not valid TOML (Expected ']' at the end of a table declaration (at line 1,",
        "": "table [blocks] is missing, expected one table [blocks]",
        "a = 1\n": "found a, expected one table [blocks]",
        "[blocks]\na = 1\n": "found 1 for <a>, expected a kind of block",
        "[blocks]\na = 'sction'\n": "unknown kind of block for <a> 'sction'; did you mean 'section'?",
    }
    for content, message in bad.items():
        path.write_text(content)
        with pytest.raises(ExcerptError) as caught:
            load_blocks(path)
        assert str(caught.value).startswith(f"{path}: {message}")
    path.write_bytes(b"\xff")
    with pytest.raises(ExcerptError, match="bytes that are not UTF-8"):
        load_blocks(path)


def documents(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The XML files of an archive."""
    if archive.suffix == ".zip":
        import zipfile

        with zipfile.ZipFile(archive) as opened:
            yield from ((name, opened.read(name)) for name in opened.namelist() if name.endswith(".xml"))
    else:
        import tarfile

        with tarfile.open(archive) as tar:
            for member in tar:
                content = tar.extractfile(member)
                if content and member.name.endswith(".xml"):
                    yield member.name, content.read()


def test_contracts_have_valid_blocks() -> None:
    """Every document of the embedded collection: all its text is in blocks."""
    found = 0
    for _name, content in documents(corpus()):
        page = parse(content)
        blocks = of_page(page)
        assert_valid(blocks, len(page.text))
        assert {block[0] for block in blocks} <= {"section", "heading", "paragraph", "item", "text"}
        outside = page.text
        for block in blocks:
            if block[1] == 0:
                outside = outside[: block[2]] + " " * (block[3] - block[2]) + outside[block[3] :]
        assert outside.isspace()
        found += 1
    assert found == 40


@pytest.mark.slow
def test_real_articles_have_valid_blocks(shared: Path) -> None:
    """Every article: blocks nest, tables are tables, and it has a title."""
    for name, content in documents(shared / "evidence" / "docs.tar.gz"):
        page = parse(content)
        blocks = of_page(page)
        assert_valid(blocks, len(page.text))
        assert_tables(blocks)
        assert any(block[0] == "heading" and block[4] == 1 for block in blocks), name


def test_blocks_of_a_large_document() -> None:
    """A million characters with twenty thousand elements."""
    page = Page("word word \n" * 100_000, [Node("article", 0, 0, 1_100_000)])
    assert page.elements is not None
    for number in range(10_000):
        page.elements.append(Node("p", 1, number * 100, number * 100 + 90))
        page.elements.append(Node("italic", 2, number * 100 + 5, number * 100 + 9))
    blocks = of_page(page)
    assert len(blocks) > 10_000
    assert_valid(blocks, len(page.text))


def test_every_tag_has_a_kind_and_is_written_as_it_is_looked_up() -> None:
    """Kinds are known ones, and tags are in lower case without prefix."""
    assert set(BLOCK_TAGS.values()) <= set(KINDS)
    assert [tag for tag in BLOCK_TAGS if tag != local_name(tag)] == []
    under = {kind for kinds in UNDER.values() for kind in kinds.values()}
    assert under <= set(KINDS)


def test_no_tag_stands_in_two_lists() -> None:
    """Each tag is listed once, so the order of the lists means nothing."""
    from excerpt.render import blocks

    listed = [tag for tags in blocks._TAGS.values() for tag in tags.split()]
    assert len(listed) == len(set(listed))


def test_what_the_user_says_of_a_tag_holds_under_every_parent() -> None:
    """The kind of a tag that the user has named no longer depends on its parent."""
    assert "name" in parent_rules([])
    assert "name" not in parent_rules(["name"])
