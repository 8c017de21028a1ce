"""PDF: the text of each page, its place, and files that cannot be read."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pypdfium2
import pytest
from support.document_files import ENCRYPTION, pdf

from excerpt import Corpus
from excerpt.documents import pdf_process, unreadable
from excerpt.documents.paged import of_pages, probe_pdf, read_pdf
from excerpt.documents.unreadable import Unreadable
from excerpt.errors import ExcerptError


def test_pages_are_spans_of_the_text() -> None:
    """An empty page is an empty span at its place."""
    found = read_pdf(pdf(["One (1)\nline two", "", "Café"]), "a.pdf")
    assert found.text == "One (1)\nline two\n\n\n\nCafé"
    assert [found.text[start:end] for start, end in found.pages] == ["One (1)\nline two", "", "Café"]
    assert found.kind == "pdf"


def test_a_word_that_a_hyphen_divides_is_whole() -> None:
    """As people quote it."""
    assert read_pdf(pdf(["of infor-\nmation retrieval"]), "a.pdf").text == "of information retrieval"


@pytest.mark.parametrize(
    ("data", "reason", "message"),
    [
        (b"", "damaged", "a.pdf: is empty"),
        (b"no pdf " * 50, "damaged", "a.pdf: is not a readable PDF"),
        (pdf(["One"] * 20)[:900], "damaged", "a.pdf: is not a readable PDF, or is cut off"),
        (
            pdf(["One"], ENCRYPTION),
            "encrypted",
            "a.pdf: is encrypted, expected a PDF that opens without a password",
        ),
        (pdf([""] * 12), "no text", "a.pdf: no text: 12 pages of images"),
        (pdf([""]), "no text", "a.pdf: no text: 1 page of images"),
    ],
)
@pytest.mark.parametrize("read", [read_pdf, probe_pdf])
def test_what_cannot_be_read(read: object, data: bytes, reason: str, message: str) -> None:
    """One line each, and the reason by which a folder counts it; the first look says the same."""
    with pytest.raises(Unreadable) as caught:
        (read_pdf if read is read_pdf else probe_pdf)(data, "a.pdf")
    assert str(caught.value).startswith(message)
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)


def test_the_first_look_is_short() -> None:
    """A page with text is enough."""
    request = {"all": False, "most": 9}
    assert pdf_process._answer(pypdfium2, pdf(["", "Two", "Three"]), request)["texts"] == ["", "Two"]


def test_pages_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a small file cannot have a million of them."""
    monkeypatch.setattr(unreadable, "MOST_PAGES", 2)
    with pytest.raises(Unreadable, match="found 3 pages, expected at most 2"):
        read_pdf(pdf(["One"] * 3), "a.pdf")


def bomb() -> bytes:
    """A PDF with a form that draws itself twice, and so on."""
    inner = b"/Resources << /XObject << /X 6 0 R >> >> /Length 11"
    form = b"6 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] " + inner + b" >>\n"
    form += b"stream\n/X Do /X Do\nendstream\nendobj\nxref\n"
    made = pdf(["One"]).replace(b" ET", b" ET /X Do").replace(b"xref\n", form, 1)
    return made.replace(b"/F1 3 0 R >>", b"/F1 3 0 R >> /XObject << /X 6 0 R >>")


def test_time_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in a folder, too: a slow machine must not change a corpus. Other files are read later."""
    monkeypatch.setattr(unreadable, "MOST_SECONDS", 0.7)
    (tmp_path / "a.pdf").write_bytes(bomb())
    (tmp_path / "b.pdf").write_bytes(pdf(["Two"]))
    with pytest.raises(ExcerptError, match=r"a.pdf: takes more than 0.7 seconds to read, expected less"):
        Corpus.read(tmp_path)
    monkeypatch.setattr(unreadable, "MOST_SECONDS", 60)
    assert dict(Corpus.read(tmp_path / "b.pdf")) == {"b.pdf": "Two"}


def test_a_crash_is_an_error_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next file is read by a new process."""
    assert read_pdf(pdf(["One"]), "a.pdf").text == "One"
    monkeypatch.setattr("excerpt.documents.paged.json.dumps", lambda _: "no json")
    with pytest.raises(Unreadable, match=r"a.pdf: is no PDF that can be read: the reader ends with it"):
        read_pdf(pdf(["One"]), "a.pdf")
    monkeypatch.undo()
    assert read_pdf(pdf(["One"]), "a.pdf").text == "One"


def test_threads_take_turns() -> None:
    """PDFium is not made for several at once."""
    data = pdf([f"Page {number}" for number in range(20)])
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: read_pdf(data, "a.pdf").text, range(12)))
    assert len(set(found)) == 1


def test_a_corpus_knows_pages(tmp_path: Path) -> None:
    """Also of a compressed file, of an archive, and after it was sent to another process."""
    (tmp_path / "a.pdf").write_bytes(pdf(["One", "Two"]))
    corpus = Corpus.read(tmp_path)
    assert corpus.pages("a") == ((0, 3), (5, 8))
    assert Corpus({"a": "One"}).pages("a") == ()
    assert corpus.hash("a.pdf") == Corpus({"a": "One\n\nTwo"}).hash("a")


def test_pages_of_texts() -> None:
    """Joined by an empty line."""
    assert of_pages([]).text == ""
    assert of_pages(["a", "b"], "pdf").pages == ((0, 1), (3, 4))


@pytest.mark.slow
def test_a_long_file_takes_little_more_than_the_library(tmp_path: Path) -> None:
    """300 pages of 45 lines: at most 1.3 times its own time, opening the folder included.

    Most of it passes in the process of the library, so that the clock counts, not the time of this process.
    """
    line = "alpha beta gamma delta information retrieval focused passage of the text"
    (tmp_path / "a.pdf").write_bytes(pdf(["\n".join([line] * 45)] * 300))

    def own() -> float:
        begin = time.perf_counter()
        for page in pypdfium2.PdfDocument(tmp_path / "a.pdf"):
            page.get_textpage().get_text_range()
        return time.perf_counter() - begin

    def ours() -> float:
        begin = time.perf_counter()
        assert len(Corpus.read(tmp_path)["a.pdf"]) > 300 * 45 * len(line)
        return time.perf_counter() - begin

    assert min(ours() for _ in range(3)) <= 1.3 * min(own() for _ in range(3))
