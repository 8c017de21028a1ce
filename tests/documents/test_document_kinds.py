"""Kinds of documents in a folder: what is read, what is left out, and what is said of it."""

from __future__ import annotations

import os
import pickle
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from support.document_files import ENCRYPTION, docx, epub, notebook, odt, paragraph, pdf, pptx, xlsx

from excerpt import Corpus
from excerpt.documents.storage import FolderFiles
from excerpt.errors import ExcerptError, ExcerptWarning

#: A document of every kind, with its text.
FILES: dict[str, tuple[bytes, str]] = {
    **{
        f"a{ending}": (b"Text", "Text") for ending in (".txt", ".md", ".mdx", ".rst", ".adoc", ".org", ".tex")
    },
    "a.xml": (b"<a>Text</a>", "Text"),
    "a.html": (b"<p>Text", "Text"),
    "a.ipynb": (notebook("Text"), "Text"),
    "a.docx": (docx(paragraph("Text")), "Text"),
    "a.pptx": (pptx(["Text"]), "Text"),
    "a.xlsx": (xlsx("<row><c><v>7</v></c></row>"), "Sums\n7"),
    "a.odt": (odt("<text:p>Text</text:p>"), "Text"),
    "a.epub": (epub(["<p>Text"]), "Text"),
    "a.pdf": (pdf(["Text"]), "Text"),
}
OTHERS = {"b.py": b"x = 1", "c.json": b"{}", "d.png": b"\x89PNG", "e.csv": b"a,b\n1,2\n", "Makefile": b"all:"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as people have it."""
    made = tmp_path / "docs"
    made.mkdir()
    for name, data in {**{name: data for name, (data, _) in FILES.items()}, **OTHERS}.items():
        (made / name).write_bytes(data)
    return made


def test_a_folder_gives_documents_of_prose(folder: Path) -> None:
    """Of every known ending; files of other kinds are counted by ending."""
    corpus = Corpus.read(folder)
    assert dict(corpus) == {name.removesuffix(".xml"): text for name, (_, text) in FILES.items()}
    assert corpus.others == {".py": 1, ".json": 1, ".png": 1, ".csv": 1, "": 1}
    assert corpus.left_out == 5
    assert dict(pickle.loads(pickle.dumps(corpus))) == dict(corpus)


@pytest.mark.parametrize("form", ["zip", "tar"])
def test_an_archive_gives_the_same(folder: Path, tmp_path: Path, form: str) -> None:
    """An Office file in it is one document."""
    path = tmp_path / f"docs.{form}"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in folder.iterdir():
                archive.write(file, file.name)
    else:
        with tarfile.open(path, "w") as tar:
            for file in folder.iterdir():
                tar.add(file, file.name)
    assert dict(Corpus.read(path)) == dict(Corpus.read(folder))


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_alone(folder: Path, name: str) -> None:
    """Gives the text that it has in the folder."""
    assert list(Corpus.read(folder / name).values()) == [FILES[name][1]]


def test_code_and_data_when_they_are_named_or_included(folder: Path) -> None:
    """Any text in UTF-8; patterns are of names or of paths."""
    assert dict(Corpus.read(folder / "b.py")) == {"b.py": "x = 1"}
    assert dict(Corpus.read(folder / "Makefile")) == {"Makefile": "all:"}
    assert Corpus.read(folder, include=["*.py", "Make*"])["b.py"] == "x = 1"
    assert "e.csv" in Corpus.read(folder, include="*.csv")
    (folder / "in").mkdir()
    (folder / "in" / "x.go").write_text("go")
    assert "in/x.go" in Corpus.read(folder, include=["in/*"])
    assert "in/x.go" not in Corpus.read(folder, include=["out/*"])


def test_what_a_tool_wrote_is_no_document(folder: Path) -> None:
    """Gold, runs and scores, also if a pattern includes them."""
    (folder / "gold.jsonl").write_text('{"question": "q", "document": "a", "quote": "Text"}\n')
    (folder / "run.jsonl").write_text('{"topic": "1", "document": "a", "start": 0, "end": 4, "score": 1}\n')
    (folder / "bm25.run").write_text("1 Q0 a 1 2.0 bm25\n")
    (folder / "scores.csv").write_text("run,topic,measure,score\nr,1,AP,0.5\n")
    (folder / "notes.csv").write_text("colour,shape\nred,round\n")
    corpus = Corpus.read(folder, include=["*.jsonl", "*.run", "*.csv"])
    assert set(corpus) - set(Corpus.read(folder)) == {"notes.csv", "e.csv"}


def test_later_kinds_take_no_name_of_an_earlier_one(tmp_path: Path) -> None:
    """`intro` is the Markdown page, as it was; each file has its own id."""
    for name, text in {
        "intro.md": "old",
        "intro.html": "<p>new",
        "INTRO.pdf": "",
        "only.html": "<p>x",
    }.items():
        (tmp_path / name).write_bytes(pdf(["new"]) if name.endswith("pdf") else text.encode())
    corpus = Corpus.read(tmp_path)
    assert [corpus[name] for name in ("intro", "intro.md", "Intro.MD", "intro.html", "only", "ONLY")] == [
        *("old", "old", "old", "new", "x", "x")
    ]
    assert corpus.names("intro.html") == ("intro.html",)


def test_an_xml_document_keeps_its_id(tmp_path: Path) -> None:
    """Also if it is the name of a file of a later kind, which is left out."""
    (tmp_path / "a.html.xml").write_text("<a>old</a>")
    (tmp_path / "a.html").write_text("<p>new")
    corpus = Corpus.read(tmp_path)
    assert (dict(corpus), corpus.others) == ({"a.html": "old"}, {".html": 1})


_BROKEN = {
    "scan.pdf": (pdf([""]), "no text"),
    "secret.pdf": (pdf(["x"], ENCRYPTION), "encrypted"),
    "cut.pdf": (pdf(["x"] * 9)[:500], "damaged"),
    "old.ipynb": (notebook(version=3), "damaged"),
    "no.docx": (b"no", "damaged"),
    "empty.html": (b"", "no text"),
}


def test_unreadable_files_of_a_folder_are_left_out(folder: Path) -> None:
    """Counted by reason, with a warning; alone each is an error."""
    for name, (data, _) in _BROKEN.items():
        (folder / name).write_bytes(data)
    with pytest.warns(
        ExcerptWarning, match="6 files that cannot be read left out: 3 damaged, 2 no text, 1 enc"
    ):
        corpus = Corpus.read(folder)
    assert corpus.unread == {"damaged": 3, "no text": 2, "encrypted": 1}
    assert len(corpus) == len(FILES)
    for name in _BROKEN:
        with pytest.raises(ExcerptError, match=name):
            Corpus.read(folder / name)


def test_a_folder_of_unreadable_files_only(tmp_path: Path) -> None:
    """Is no corpus."""
    (tmp_path / "a.pdf").write_bytes(pdf([""]))
    with pytest.raises(
        ExcerptError, match="contains no documents; 1 file that cannot be read left out: 1 no text"
    ):
        Corpus.read(tmp_path)


@pytest.mark.parametrize(("name", "library"), [("a.pdf", "pypdfium2"), ("a.html", "selectolax.lexbor")])
def test_without_the_extra(folder: Path, name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names it; the rest of the folder is read."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ExcerptError, match=r"is not installed; pip install 'excerpt\[documents\]'"):
        Corpus.read(folder / name)
    with pytest.warns(ExcerptWarning, match=r"without excerpt\[documents\]"):
        corpus = Corpus.read(folder)
    assert name not in corpus
    assert "a.docx" in corpus


@pytest.mark.parametrize("codec", ["cp1252", "latin-1", "utf-16-le"])
def test_other_encodings_are_named(tmp_path: Path, codec: str) -> None:
    """UTF-8 stays what it is; a byte order mark needs no name."""
    (tmp_path / "a.txt").write_bytes("né".encode(codec))
    (tmp_path / "b.txt").write_bytes("né".encode())
    (tmp_path / "c.txt").write_bytes("né".encode("utf-16"))
    corpus = Corpus.read(tmp_path, encoding=codec)
    assert list(corpus.values()) == ["né"] * 3
    with pytest.raises(ExcerptError, match="unknown encoding 'klingon'; known are utf-8, latin-1"):
        Corpus.read(tmp_path, encoding="klingon")
    if codec != "utf-16-le":
        with pytest.raises(ExcerptError, match='or leave it out, or name its encoding="cp1252"'):
            Corpus.read(tmp_path)["a.txt"]


def test_an_office_file_is_no_archive(tmp_path: Path) -> None:
    """Whatever its ending."""
    (tmp_path / "a.docm").write_bytes(docx(paragraph("x")))
    with pytest.raises(ExcerptError, match="found an Office file of another kind"):
        Corpus.read(tmp_path / "a.docm")


def test_a_large_folder_is_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file is looked up once, and each that must be tested is read once."""
    names = [f"{number}.{ending}" for number in range(100) for ending in ("md", "html", "py")]
    for name in names:
        (tmp_path / name).write_text("text")
    scanned: list[str] = []
    read: list[int] = []
    scan, take = os.scandir, FolderFiles.read

    def scandir(path: str) -> object:
        scanned.append(path)
        return scan(path)

    def read_one(files: FolderFiles, number: int) -> bytes:
        read.append(number)
        return take(files, number)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr(FolderFiles, "read", read_one)
    corpus = Corpus.read(tmp_path)
    assert scanned == [str(tmp_path)]
    assert len(read) == len(set(read)) == 100
    assert len(dict(corpus)) == 200
    assert len(read) == 200  # what was tested is kept
