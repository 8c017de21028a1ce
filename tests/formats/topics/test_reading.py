"""Topics from anywhere, recognised by their content."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, read_topics
from excerpt.collection import folder, qrels, runs

SAMPLES = (
    b"1\tone\n2\ttwo\n",
    b'{"id": "1", "text": "one"}\n{"id": "2", "title": "two"}\n',
    b"<topics><topic id='1'><title>one</title></topic><topic id='2'>two</topic></topics>",
    b"<top>\n<num> Number: 1\n<title> one\n</top>\n<top>\n<num> Number: 2\n<title> two\n</top>\n",
)


@pytest.mark.parametrize("content", SAMPLES)
def test_every_format_comes_from_everywhere(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes, a file, a compressed one, an open one, standard input."""
    path = tmp_path / "topics"
    path.write_bytes(content)
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(content))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    for given_ in (content, path, str(packed), io.BytesIO(content), io.StringIO(content.decode()), "-"):
        assert [topic.title or topic.text for topic in read_topics(given_).values()] == ["one", "two"]
    assert read_topics(path).source == str(path)


def test_texts_by_id_are_topics() -> None:
    """As Python has them."""
    assert read_topics({"1": "one"})["1"].text == "one"


def test_a_folder_of_files(root: Path, tmp_path: Path) -> None:
    """One topic each, by the names of the files; a DTD beside them is none."""
    samples = tmp_path / "topics"
    shutil.copytree(root / "tests" / "data" / "topics" / "inex-folder", samples)
    assert list(read_topics(samples)) == ["05", "203"]
    shutil.copy(samples / "inex-2005.xml", samples / "z.xml")
    with pytest.raises(ExcerptError, match=r"z\.xml:3: found topic 203 again \(first in .*inex-2005\.xml\)"):
        read_topics(samples)
    (samples / "z.xml").write_bytes(SAMPLES[0])
    with pytest.raises(ExcerptError, match=r"found topics in columns \(.*z\.xml\) beside topics in XML \("):
        read_topics(samples)


def test_folders_without_topics(tmp_path: Path) -> None:
    """Empty, or with a DTD only."""
    with pytest.raises(ExcerptError, match="found a folder without files"):
        read_topics(tmp_path)
    (tmp_path / "a.dtd").write_text("x")
    with pytest.raises(ExcerptError, match="found no files of topics"):
        read_topics(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            qrels().read_bytes(),
            "<bytes>:1: found judgments, expected topics; topics are lines of id TAB text",
        ),
        (runs()[0].path.read_bytes(), "<bytes>:1: found a run, expected topics"),
        (b"query-id\tcorpus-id\tscore\nq1\td1\t1\n", "<bytes>:1: found judgments, expected topics"),
        (b"q1\td1\t1\nq1\td2\t0\n", "<bytes>:1: found 'q1\\td1\\t1', expected topics"),
        (b"  \n", "<bytes>: found an empty file, expected topics"),
        (b"Once upon a time\nthere was\n", "<bytes>:1: found 'Once upon a time', expected topics"),
        (b"[1]", "<bytes>:1: found a JSON list instead of one object per line, expected topics"),
        (b"\x89PNG\0\0", "<bytes>:1: found binary data, expected text; is it the right file?"),
        (
            "ä\tb\n".encode("latin-1"),
            "<bytes>:1: found byte 0xe4, expected UTF-8 text; convert it to UTF-8 first",
        ),
    ],
)
def test_what_holds_no_topics_is_called_what_it_is(content: bytes, message: str) -> None:
    """A run or judgments in the place of topics, and what nobody knows."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content)
    assert str(caught.value).startswith(message)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    """With its name."""
    with pytest.raises(ExcerptError, match="nowhere: cannot be read: no such file"):
        read_topics(tmp_path / "nowhere")


@given(
    st.sampled_from([*SAMPLES, (folder() / "topics.xml").read_bytes()[:900]]),
    st.lists(st.tuples(st.integers(0, 900), st.binary(max_size=3), st.integers(0, 5)), max_size=4),
)
def test_damaged_files_give_topics_or_one_line(content: bytes, damage: list[tuple[int, bytes, int]]) -> None:
    """Whatever is put in or cut out."""
    for place, more, less in damage:
        content = content[:place] + more + content[place + less :]
    try:
        topics = read_topics(content)
    except ExcerptError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is fine
    else:
        assert all(name and topic.id == name for name, topic in topics.items())
