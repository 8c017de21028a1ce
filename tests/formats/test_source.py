"""Source: empty files, text or not, the first lines, faults in order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from excerpt import Corpus
from excerpt.errors import ExcerptError, FormatError
from excerpt.formats.source import Source, as_characters
from excerpt.index import OffsetIndex
from excerpt.notices import Faults

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]


@pytest.mark.parametrize("content", [b"", b" \n\r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_an_error(save: Save, content: bytes) -> None:
    """Blanks and a byte order mark are nothing."""
    with pytest.raises(FormatError) as caught:
        Source.open(save("empty", content))
    assert str(caught.value) == "empty: the file is empty, expected a run or judgments"


def test_text_has_one_kind_of_line_end(opened: Open) -> None:
    """The byte order mark goes, line ends become the same, other bytes stay."""
    assert opened(b"\xef\xbb\xbfa\r\nb\rc\nd\xc3\xa4").text == b"a\nb\nc\nd\xc3\xa4"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\r\nb\rc\0", "f:3: found binary data, expected text; is it the right file?"),
        (b"a\n\xc3", "f:2: found byte 0xc3, expected UTF-8 text; convert it to UTF-8 first"),
        ("a\nä".encode("latin-1"), "f:2: found byte 0xe4, expected UTF-8 text; convert it to UTF-8 first"),
        ("a b".encode("utf-16"), "f:1: found binary data, expected text; is it the right file?"),
    ],
)
def test_what_is_not_text_says_where(opened: Open, content: bytes, message: str) -> None:
    """The line of the first bad byte is named."""
    with pytest.raises(FormatError) as caught:
        _ = opened(content).text
    assert str(caught.value) == message


def test_head_has_the_columns_of_the_first_lines(opened: Open) -> None:
    """At most twenty lines, blank ones left out, cut where the readers cut: at no-break spaces not."""
    rows = opened("a b\n\n c\u00a0d \n" + "x\n" * 50).head
    assert rows[:2] == [["a", "b"], ["c\u00a0d"]]
    assert len(rows) == 20


def test_head_leaves_out_a_line_that_was_cut(opened: Open) -> None:
    """Of a long file only whole lines are looked at."""
    rows = opened("a b c\n" + "x" * 70_000).head
    assert rows == [["a", "b", "c"]]


@pytest.mark.parametrize(
    "content",
    [
        '<?xml version="1.0"?>',
        "<a>\n1 Q0 d 1 1 t 0 5\n</a>",
        '\n {"a": 1}',
        "{}",
        "\ufeff<!DOCTYPE a>",
        "<a/>".encode("utf-16"),
    ],
)
def test_xml_and_json_have_no_columns(opened: Open, content: str | bytes) -> None:
    """Lines that look like columns by chance do not make a file one of columns."""
    assert opened(content).head == []


@pytest.mark.parametrize("topic", ["<1", "{1", "[1"])
def test_odd_topics_have_columns(opened: Open, topic: str) -> None:
    """A topic may start with a bracket."""
    assert opened(f"{topic} 0 d 1\n").head == [[topic, "0", "d", "1"]]


def test_starts_with_skips_blanks(opened: Open) -> None:
    """Whitespace and the byte order mark do not hide the first character."""
    assert opened("\ufeff\r\n  {").starts_with(b"<", b"{")
    assert not opened("x{").starts_with(b"<", b"{")


def test_first_line(opened: Open) -> None:
    """The first line with text, for messages."""
    assert opened("\ufeff\r\n\n  what is this\nno\n").first_line == (3, "what is this")
    assert opened("\n").first_line == (1, "")


def test_faults_come_in_the_order_of_the_file() -> None:
    """The earliest fault is raised; kept ones are sorted."""
    for keep in (False, True):
        faults = Faults("f", keep)
        for line in (7, 2, 5):
            faults.add(line, f"found {line}")
        if keep:
            faults.settle()
            assert [fault.line for fault in faults.found] == [2, 5, 7]
            continue
        with pytest.raises(FormatError) as caught:
            faults.settle()
        assert str(caught.value) == "f:2: found 2"


def test_faults_are_bounded_but_all_counted() -> None:
    """Of a file that is wrong in every line the earliest faults are kept, whatever the order they come in."""
    faults = Faults("f", keep=True, most=3)
    faults.add_all(np.arange(10, 1_000_010), lambda number: f"found {number}")
    for line in (7, 5, 2_000_000):
        faults.add(line, "found another")
    assert faults.count == 1_000_003
    assert [str(fault) for fault in faults.found] == [
        "f:5: found another",
        "f:7: found another",
        "f:10: found 0",
    ]


def test_no_fault_settles_quietly() -> None:
    """A file without faults passes."""
    Faults("f").settle()


def test_need_index(opened: Open, index: OffsetIndex) -> None:
    """The error says how to get an index; where there is one it is given."""
    assert opened("x", index=index).need_index("this") is index
    with pytest.raises(ExcerptError) as caught:
        opened("x").need_index("this")
    assert str(caught.value) == (
        "f: this needs the offsets of elements; give index=OffsetIndex.open(…) (excerpt index builds it)"
    )


def test_bytes_and_characters() -> None:
    """Each letter of é is two bytes."""
    source = Source.open(b"x", corpus=Corpus({"A": "éé!", "B": "abc"}))
    codes, start, end = np.array([1, 0, 1]), np.array([0, 0, 2]), np.array([2, 2, 4])
    found = as_characters(source, ("B", "A"), codes, np.arange(3), start, end)
    assert [ends.tolist() for ends in found] == [[0, 0, 1], [1, 2, 2]]
    nothing = np.array([], np.int64)
    assert len(as_characters(source, (), nothing, nothing, nothing, nothing)[0]) == 0
    bare = Source.open(b"x")
    assert as_characters(bare, ("B", "A"), codes, np.arange(3), start, end) == (start, end)
    assert list(bare.notices) == [
        "offsets stay in bytes: converting them to characters needs a corpus (<bytes>)"
    ]


@pytest.mark.parametrize(
    ("document", "span", "message"),
    [
        (
            "A",
            (1, 5),
            "<bytes>:7: found bytes 1 to 5 of document A, expected whole characters, up to byte",
        ),
        ("A", (0, 9), "<bytes>:7: found bytes 0 to 9 of document A"),
        ("Z", (0, 1), "<bytes>:7: found document Z, expected one of the corpus, to convert its byte offsets"),
    ],
)
def test_faults(document: str, span: tuple[int, int], message: str) -> None:
    """Inside of a character, beyond the end, another document."""
    source = Source.open(b"x", corpus=Corpus({"A": "éé!"}))
    as_characters(source, (document,), np.array([0]), np.array([7]), *map(np.array, ([span[0]], [span[1]])))
    with pytest.raises(FormatError) as caught:
        source.faults.settle()
    assert str(caught.value).startswith(message)
