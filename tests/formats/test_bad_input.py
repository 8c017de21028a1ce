"""Bad input of every kind: one line says where, what was found and what was expected; never a traceback."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import ExcerptError, FormatError
from excerpt.formats import judgments_formats, read_judgments, read_run, run_formats
from excerpt.formats.reader import judgments_from, run_from
from excerpt.formats.source import Source
from excerpt.notices import Notices

Open = Callable[..., Source]
Save = Callable[[str, str | bytes], str]

LINE = "1 Q0 A 1 0.5 r 0 5"
FOL = "topic Q0 document rank score tag offset length"
MANY = "".join(f"1 Q0 D{row} {row} {1000 - row} r {row} 5\n" for row in range(1, 1000))
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstandard.ZstdCompressor().compress,
}


def message(name: str, **options: Any) -> str:
    """Return the error of reading a run."""
    with pytest.raises(ExcerptError) as caught:
        read_run(name, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_files(save: Save, kind: str) -> None:
    """Whole ones are read whatever they are called; cut ones are refused."""
    packed = COMPRESS[kind](MANY.encode())
    assert len(read_run(save("a.run", packed))) == 999
    for cut in (len(packed) // 2, len(packed) - 3, 12):
        text = message(save("a.run", packed[:cut]))
        assert text.startswith(f"a.run: found damaged or truncated {kind} data (")
        assert text.endswith("), expected a complete file; copy or download the file again")


def test_damaged_gzip(save: Save) -> None:
    """A flipped byte is noticed by the checksum."""
    packed = bytearray(gzip.compress(MANY.encode(), mtime=0))
    packed[-6] ^= 1
    assert message(save("a.run", bytes(packed))).startswith("a.run: found damaged or truncated gzip data (")


def test_binary_file(save: Save) -> None:
    """Something else than text."""
    found = message(save("a.run", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"))
    assert found == "a.run:3: found binary data, expected text; is it the right file?"


@pytest.mark.parametrize("width", [1, 7, 9])
def test_wrong_number_of_columns_in_a_late_line(save: Save, width: int) -> None:
    """The line is found behind a thousand good ones."""
    bad = " ".join((LINE + " x").split()[:width])
    columns = "1 column" if width == 1 else f"{width} columns"
    assert (
        message(save("a.run", MANY + bad + "\n" + LINE)) == f"a.run:1000: found {columns}, expected 8 ({FOL})"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 Q0 A x 0.5 r 0 5", "found rank 'x', expected a whole number"),
        ("1 Q0 A 1 high r 0 5", "found score 'high', expected a number"),
        ("1 Q0 A 1 nan r 0 5", "found score 'nan', expected a number"),
        ("1 Q0 A 1 0.5 r 0.5 5", "found offset '0.5', expected a whole number"),
        ("1 Q0 A 1 0.5 r 0 -5", "found length '-5', expected a number that is not negative"),
        ("1 Q0 A 1 0.5 r 2147483648 5", "found offset '2147483648', expected a number up to 2147483647"),
        (f"1 Q0 A 1 0.5 r 0 {10**30}", f"found length '{10**30}', expected a number up to 2147483647"),
        (
            f"1 Q0 A {'9' * 100_000} 0.5 r 0 5",
            f"found rank '{'9' * 59}…', expected a number up to 2147483647",
        ),
    ],
)
def test_numbers(save: Save, line: str, said: str) -> None:
    """Each bad number is named with its column."""
    assert message(save("a.run", f"{LINE}\n{line}\n{LINE}\n"), format="fol") == f"a.run:2: {said}"


def test_the_largest_numbers_are_fine(save: Save) -> None:
    """An offset and a length of 2**31-1 fit."""
    run = read_run(save("a.run", "1 Q0 A 2147483647 0.5 r 2147483647 2147483647\n"))
    assert (run[0].start, run[0].end, int(run.rank[0])) == (2**31 - 1, 2**32 - 2, 2**31 - 1)


@pytest.mark.parametrize("name", ["empty", "blank"])
def test_empty_files(save: Save, name: str) -> None:
    """A file without content is no run."""
    content = {"empty": "", "blank": "\ufeff \r\n\t\n"}[name]
    assert message(save(name, content)) == f"{name}: the file is empty, expected a run or judgments"


def test_compressed_nothing(save: Save) -> None:
    """Nothing stays nothing when it is compressed."""
    assert message(save("a.gz", gzip.compress(b""))) == "a.gz: the file is empty, expected a run or judgments"


def test_topics_in_several_blocks(save: Save) -> None:
    """They are joined in the order of the file, and a notice says so."""
    notices = Notices()
    lines = (f"{topic} Q0 {document} 1 0.5 r 0 5\n" for topic, document in ("1A", "2B", "1C"))
    run = read_run(save("a.run", "".join(lines)), notices=notices)
    assert [result.document for result in run] == ["A", "C", "B"]
    assert list(notices) == ["1 topic has its results in several blocks, which are joined (topic 1 of a.run)"]


def test_line_numbers_with_mixed_line_ends(save: Save) -> None:
    """Every way to end a line counts as one."""
    content = f"\ufeff{LINE}\n{LINE}\r\n{LINE}\r\r\n\n{LINE}\n\r{LINE} x"
    assert message(save("a.run", content)) == f"a.run:8: found 9 columns, expected 8 ({FOL})"


def test_byte_order_mark_is_no_part_of_the_topic(save: Save) -> None:
    """The mark goes, the topic stays."""
    assert read_run(save("a.run", b"\xef\xbb\xbf" + LINE.encode())).topics == ("1",)


def test_invalid_utf8(save: Save) -> None:
    """The byte and its line are named."""
    content = f"{LINE}\r{LINE}\n".encode() + "1 Q0 Ä".encode("latin-1")
    said = "a.run:3: found byte 0xc4, expected UTF-8 text; convert it to UTF-8 first"
    assert message(save("a.run", content)) == said


def test_no_such_file(save: Save) -> None:
    """The system's reason is given in words."""
    save("other", "x")
    assert message("nowhere.run") == "nowhere.run: cannot be read: no such file or directory"


def test_no_permission(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the tests run as a user who may read everything."""

    def refuse(name: str, _mode: str) -> None:
        raise PermissionError(13, "Permission denied", name)

    name = save("a.run", LINE)
    monkeypatch.setattr("builtins.open", refuse)
    assert message(name) == "a.run: cannot be read: permission denied"


def test_directory(save: Save) -> None:
    """A folder is no file."""
    save("runs/a", LINE)
    assert message("runs") == "runs: found a directory, expected a file; give the files in it one by one"


def test_names_with_nul() -> None:
    """A name that no file can have."""
    assert message("a\0b").startswith(r"a\x00b: is not a file name: ")


def test_duplicate_judgments(save: Save) -> None:
    """The second line is named, and the first."""
    with pytest.raises(FormatError) as caught:
        read_judgments(save("q", "1 Q0 A 0 9\n1 Q0 B 0 9\n1 Q0 A 5 9 0 0:5\n"))
    assert str(caught.value) == (
        "q:3: found document A of topic 1 again (first in line 1), expected one line per topic and document"
    )


def test_xml_cut_in_the_middle(save: Save) -> None:
    """The line where it ends is named."""
    text = "<inex-submission run-id='r'>\n<topic topic-id='1'>\n<result><file>A</fi"
    assert message(save("a.xml", text)) == (
        "a.xml:3: found XML that is broken here (unclosed token), expected well-formed XML"
    )


def test_json_cut_in_the_middle(save: Save) -> None:
    """The broken line is shown."""
    good = '{"topic": 1, "document": "A", "score": 1}\n'
    assert message(save("a.jsonl", good + good[:20])) == (
        'a.jsonl:2: found \'{"topic": 1, "docume\', expected one JSON object per line'
    )


@pytest.mark.parametrize(
    "name", sorted(run_formats().keys() - {"contexts", "langfuse", "traces"})
)  # it needs a corpus first
def test_all_faults_of_every_run_format_are_sorted(opened: Open, name: str) -> None:
    """Garbage in any format gives faults in the order of the lines, and no other exception."""
    source = opened("x\ny z\n\n{]\n1 2 3 4 5 6 7 8 9\n", keep=True)
    run_from(source, name)
    lines = [fault.line or 0 for fault in source.faults.found]
    assert lines
    assert lines == sorted(lines)


_SHREDS = st.sampled_from(
    [
        "1",
        "Q0",
        "A",
        "0.5",
        "-1",
        "X",
        "nan",
        "/a[1]",
        "0:5",
        "5:",
        ":",
        "",
        "\t",
        "\n",
        "\r",
        "\ufeff",
        "\u2028",
        "{",
        "}",
        '"topic"',
        '"document"',
        '"spans"',
        "[[1,2]]",
        ":1,",
        "null",
        "<inex-submission>",
        "<topic topic-id='1'>",
        "<result>",
        "</result>",
        "<file>A</file>",
        "<path>/a[1]</path>",
        "</topic>",
        "</inex-submission>",
        "&x;",
        "<![CDATA[",
        "<assessments topic='1'>",
        "<file name='A'>",
        "</file>",
        "</assessments>",
        "<element path='/a[1]'/>",
        "<!DOCTYPE a [",
    ]
)
_GARBAGE = st.one_of(
    st.lists(_SHREDS, max_size=40).map(" ".join).map(str.encode),
    st.lists(_SHREDS, max_size=40).map("".join).map(str.encode),
    st.binary(max_size=60),
)


@given(_GARBAGE, st.sampled_from([None, *run_formats()]), st.booleans())
def test_garbage_never_breaks_the_readers_of_runs(
    opened: Open, content: bytes, name: str | None, keep: bool
) -> None:
    """Whatever the bytes, a reader reads or refuses them."""
    try:
        run_from(opened(content, keep=keep), name)
    except ExcerptError as error:
        assert str(error).startswith("f")  # noqa: PT017 - either is fine


@given(_GARBAGE, st.sampled_from([None, *judgments_formats()]), st.booleans())
def test_garbage_never_breaks_the_readers_of_judgments(
    opened: Open, content: bytes, name: str | None, keep: bool
) -> None:
    """Whatever the bytes, a reader reads or refuses them."""
    try:
        judgments_from(opened(content, keep=keep), name)
    except ExcerptError as error:
        assert str(error).startswith("f")  # noqa: PT017 - either is fine
