"""Parsers as renderings of the same documents, and quotes that a parser lost."""

from __future__ import annotations

import json
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest
from support.document_files import pdf

from excerpt import Corpus, evaluate, kept_evidence, read_judgments
from excerpt.errors import ExcerptError

_PARSER = """
def text(path):
    return path.read_text().upper() if path.suffix == ".md" else ["One", "Tw0 pages"]
def nothing(path): return None
def wrong(path): return ["a", 1]
def broken(path): raise RuntimeError("no\\nluck")
constant = 7
"""


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PDF, a page and a parser."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(pdf(["One page", "Two pages"]))
    (folder / "b.md").write_text("# Head\nbody")
    (folder / "c.html").write_text("<p>Seen</p>")
    (tmp_path / "my_parser.py").write_text(_PARSER)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize("name", ["my_parser.py:text", "my_parser:text"])
def test_a_function_makes_a_rendering(docs: Path, name: str) -> None:
    """Of the same documents, by path or by argument; a list has the pages."""
    (docs / "c.html").unlink()
    expected = {"a.pdf": "One\n\nTw0 pages", "b.md": "# HEAD\nBODY"}
    for corpus in (Corpus.read(f"docs@{name}"), Corpus.read(docs, parser=name)):
        assert dict(corpus) == expected
        assert corpus.pages("a") == ((0, 3), (5, 14))
        assert corpus.resolve("a") == "a.pdf"
        assert corpus.parsers == (name,)
    assert Corpus.read(f"docs@{name}").hash("b") == Corpus({"b": expected["b.md"]}).hash("b")
    assert Corpus.read(f"docs@{name}").fingerprint() != Corpus.read(docs).fingerprint()


def test_a_file_in_an_archive_has_a_path(docs: Path, tmp_path: Path) -> None:
    """A temporary one, with its name."""
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as archive:
        archive.write(docs / "b.md", "in/b.md")
    assert dict(Corpus.read(f"{tmp_path}/docs.zip@my_parser.py:text")) == {"in/b.md": "# HEAD\nBODY"}


def test_known_parsers(docs: Path) -> None:
    """PDFium reads PDF only; `source` gives files of text as they are."""
    own = dict(Corpus.read(docs))
    assert dict(Corpus.read(f"{docs}@pypdfium2")) == own
    assert dict(Corpus.read(f"{docs}@source")) == {**own, "c.html": "<p>Seen</p>"}


def test_a_path_that_exists_is_taken_whole(tmp_path: Path) -> None:
    """The last @ splits."""
    for name in ("docs@source", "a@b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.html").write_text("<p>x")
    assert dict(Corpus.read(tmp_path / "docs@source")) == {"c.html": "x"}
    assert dict(Corpus.read(tmp_path / "a@b@source")) == {"c.html": "<p>x"}
    with pytest.raises(ExcerptError, match="cannot be read: no such file"):
        Corpus.read(tmp_path / "no@source")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nowhere",
            "unknown parser 'nowhere'; known: file.py:function, markitdown, module:function, pypdfium2",
        ),
        (
            "my_parser.py:nothing",
            "a.pdf: the parser my_parser.py:nothing returned None, expected text or a list",
        ),
        (
            "my_parser.py:wrong",
            r"a.pdf: the parser my_parser.py:wrong returned \['a', 1\], expected text or a list",
        ),
        ("my_parser.py:broken", "a.pdf: the parser my_parser.py:broken raised RuntimeError: no luck"),
        (
            "my_parser.py:constant",
            "the parser my_parser.py:constant cannot be loaded: my_parser.py has no function",
        ),
        ("my_parser.py:absent", "the parser my_parser.py:absent cannot be loaded"),
        ("no_file.py:text", "the parser's file no_file.py does not exist"),
        ("no_module_here:text", "the parser no_module_here:text cannot be loaded .ModuleNotFoundError"),
        ("markitdown", "the parser markitdown is not installed; pip install 'markitdown"),
    ],
)
def test_parsers_that_do_not_work(docs: Path, name: str, message: str) -> None:
    """One line each."""
    with pytest.raises(ExcerptError, match=message) as caught:
        dict(Corpus.read(f"{docs}@{name}"))
    assert "\n" not in str(caught.value)


def test_an_index_has_no_parser(tmp_path: Path) -> None:
    """Nor have files of many documents."""
    (tmp_path / "ft1").write_text("<DOC><DOCNO>T-1</DOCNO>x</DOC>")
    with pytest.raises(ExcerptError, match="found a file of many documents, which a parser cannot read"):
        Corpus.read(tmp_path / "ft1@source")


_GOLD = [
    {"id": "1", "question": "q", "document": "a.pdf", "quote": "Two pages"},
    {"id": "1", "question": "q", "document": "a.pdf", "quote": "One"},
    {"id": "2", "question": "r", "document": "a.pdf", "quote": "page Two"},
    {
        "id": "3",
        "question": "s",
        "any_of": [{"document": "a.pdf", "quote": "One page"}, {"document": "b.md", "quote": "body"}],
    },
    {
        "id": "4",
        "question": "t",
        "any_of": [{"document": "a.pdf", "quote": "lost here"}, {"document": "b.md", "quote": "lost there"}],
    },
]


def _lines(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_a_lost_quote_is_a_miss(docs: Path) -> None:
    """The need stays with the length of its quote; a need with an alternative that is placed is no miss."""
    corpus = {"a.pdf": "One\n\nTw0 pages", "b.md": "# Head\nbody"}
    every = [
        {"topic": str(topic), "document": name, "start": 0, "end": len(text), "score": 1}
        for topic in range(1, 5)
        for name, text in corpus.items()
    ]
    table = evaluate(_lines(_GOLD), _lines(every), ["charR", "found"], corpus=corpus, unplaced="miss")  # type: ignore[arg-type]
    expected = [Fraction(3, 3 + 9), Fraction(0), Fraction(1), Fraction(0)]
    assert table.values[0, :, 0].tolist() == [float(one) for one in expected]
    assert table.values[0, :, 1].tolist() == [0.5, 0.0, 1.0, 0.0]
    judgments = read_judgments(_lines(_GOLD), corpus=corpus, unplaced="miss")  # type: ignore[arg-type]
    assert judgments.evidence["unplaced"] == 5
    assert len(judgments.topics) == 4


def test_a_rendering_counts_misses_unless_it_is_told_otherwise(docs: Path) -> None:
    """Without a parser a lost quote is an error."""
    gold = _lines([{"question": "q", "document": "a.pdf", "quote": "Two pages"}])
    rendering = Corpus.read(f"{docs}@my_parser.py:text")
    assert read_judgments(gold, corpus=rendering).evidence["unplaced"] == 1
    with pytest.raises(ExcerptError, match="does not occur in document a"):
        read_judgments(gold, corpus=rendering, unplaced="error")
    with pytest.raises(ExcerptError, match="does not occur in document a"):
        read_judgments(gold, corpus={"a.pdf": "Tw0"})


def test_documents_that_a_rendering_lacks_are_missed(docs: Path) -> None:
    """So is a quote that names no document and occurs nowhere."""
    gold = [
        {"id": "1", "question": "q", "document": "gone.pdf", "quote": "four"},
        {"id": "1", "question": "q", "document": "a", "quote": "One"},
    ]
    gold += [{"id": "2", "question": "r", "quote": "nowhere"}]
    run = _lines(
        [
            {"topic": "1", "document": "a", "start": 0, "end": 3, "score": 1},
            {"topic": "2", "document": "a", "start": 0, "end": 3, "score": 1},
        ]
    )
    table = evaluate(_lines(gold), run, ["charR"], corpus={"a": "One"}, unplaced="miss")  # type: ignore[arg-type]
    assert table.values[0, :, 0].tolist() == [3 / 7, 0.0]


def test_what_each_corpus_keeps(docs: Path) -> None:
    """Quotes by likeness, characters, and the lost ones with what stands there."""
    gold = _lines(
        [
            {"question": "q", "document": "a.pdf", "quote": "Two pages"},
            {"question": "q", "document": "b", "quote": "“body”".strip("“”")},
        ]
    )
    found = kept_evidence(gold, {"own": docs, "mine": f"{docs}@my_parser.py:text"})
    assert found.to_dict()["corpora"] == {
        "own": {
            "exact": 2,
            "folded": 0,
            "markup": 0,
            "lost": 0,
            "characters": 13,
            "kept": 1.0,
            "missing": [],
        },
        "mine": {
            "exact": 0,
            "folded": 0,
            "markup": 0,
            "lost": 2,
            "characters": 0,
            "kept": 0.0,
            "missing": [
                {"topic": "1", "document": "a.pdf", "quote": "Two pages", "instead": "Tw0 pages"},
                {"topic": "1", "document": "b", "quote": "body", "instead": "BODY"},
            ],
        },
    }
