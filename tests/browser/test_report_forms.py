"""Other forms of the report: a folder, a notebook's cell, without text, in browsers that lack something."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.browsing import Pages, go, painted_characters, text_of

import excerpt
from excerpt import Judgments, Result, Run, Span

TEXT = "one 😀 two\r\nthree </script> four " * 20
RELEVANT, RETURNED = (3, 50), (20, 90)
DOCUMENT = "topic=1&runs=mine&doc=A"
EXPECTED = {
    "hit": set(range(20, 50)),
    "missed": set(range(3, 20)),
    "vain": set(range(50, 90)),
}


@pytest.fixture(scope="module")
def made() -> excerpt.render.report.Report:
    """A small report."""
    judgments = Judgments.of([("1", Span("A", *RELEVANT)), ("2", Span("A", 0, 5))])
    runs = [Run.of(name, [Result("1", "A", *RETURNED), Result("2", "A", 2, 6)]) for name in ("mine", "other")]
    return excerpt.report(judgments, runs, ["charP", "charR"], corpus={"A": TEXT})


def test_a_folder_is_read_from_the_disk(
    open_page: Pages, made: excerpt.render.report.Report, tmp_path: Path
) -> None:
    """Too large for one file: the same view; its parts are files next to it, read on demand."""
    saved = made.save(tmp_path / "large.html", limit=1000)
    assert saved.folder
    page = open_page(tmp_path / "large" / "index.html", DOCUMENT, beside=tmp_path / "large")
    assert text_of(page) == TEXT
    assert painted_characters(page) == EXPECTED
    for view in ("", "topic=1", "view=passages", "view=pair"):
        go(page, view)
        expect(page.locator("main h1")).to_be_visible()


def test_a_folder_has_many_documents_in_a_file(
    open_page: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topics and documents are found in the bundle that has them: the first, the last and one between."""
    monkeypatch.setattr("excerpt.render.report._BUNDLE", 2000)
    names = [f"D{number}" for number in range(40)]
    judgments = Judgments.of([(f"t{number}", Span(name, 0, 9)) for number, name in enumerate(names)])
    run = Run.of("mine", [Result(f"t{number}", name, 2, 6) for number, name in enumerate(names)])
    report = excerpt.report(
        judgments, [run], ["charP"], corpus={name: f"Text of {name}. " * 9 for name in names}
    )
    report.save(tmp_path / "large.html", limit=1000)
    files = [path.stem.split("-")[0] for path in (tmp_path / "large" / "data").iterdir()]
    assert 2 < files.count("document") < 20
    assert 2 < files.count("topic") < 40
    page = open_page(tmp_path / "large" / "index.html", beside=tmp_path / "large")
    for number in (0, 1, 17, 39):
        go(page, f"topic=t{number}&runs=mine&doc=D{number}")
        assert text_of(page) == f"Text of D{number}. " * 9


def test_a_cell_of_a_notebook_shows_the_place(open_page: Pages, made: excerpt.render.report.Report) -> None:
    """In a frame of its own, which can do nothing to the notebook."""
    cell = made.show("1", "A", runs=["mine"])._repr_html_()
    page = open_page(f"<!doctype html><meta charset=utf-8><h1>notebook</h1>{cell}", ready=False)
    frame = page.frames[1]
    frame.wait_for_selector("html[data-state=ready] #text", timeout=15_000)
    assert frame.evaluate("() => document.getElementById('text').textContent") == TEXT
    assert (
        frame.evaluate("() => { try { return parent.document.title; } catch { return 'closed'; } }")
        == "closed"
    )
    frame.locator("#text").click()
    page.keyboard.press("]")
    frame.wait_for_selector("html[data-state=ready] main:not(:has(#text))", timeout=15_000)
    expect(page.get_by_role("heading", name="notebook")).to_be_visible()


def test_without_text_there_are_numbers_and_offsets(open_page: Pages, tmp_path: Path) -> None:
    """For collections that may not be passed on: the page says so where text would be."""
    judgments = Judgments.of([("1", Span("A", *RELEVANT))], sizes={"A": len(TEXT)})
    run = Run.of("mine", [Result("1", "A", *RETURNED)])
    report = excerpt.report(judgments, [run], ["charP"], corpus={"A": TEXT}, text=False)
    report.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    for view in ("", "topic=1", DOCUMENT, "view=passages"):
        go(page, view)
        assert "three" not in page.locator("body").inner_text()
    go(page, DOCUMENT)
    expect(page.locator("main")).to_contain_text("without text")


@pytest.mark.parametrize(
    "lacking",
    [
        "Object.defineProperty(CSS, 'highlights', {value: undefined}); delete window.Highlight;",
        "delete Document.prototype.caretPositionFromPoint;",
        "CSS.supports = () => false;",
    ],
)
def test_older_browsers_get_the_numbers(
    open_page: Pages, made: excerpt.render.report.Report, tmp_path: Path, lacking: str
) -> None:
    """Every view is drawn; a sentence names what cannot be painted, and words replace it."""
    made.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", before=lacking)
    assert page.locator("[data-run=mine][data-topic=all]").count() >= 1
    for view in ("topic=1", DOCUMENT, "view=passages", "view=pair"):
        go(page, view)
        expect(page.locator("main h1")).to_be_visible()
    go(page, DOCUMENT)
    assert page.evaluate("() => document.getElementById('text').textContent") == TEXT
    if "highlights" in lacking:
        expect(page.locator("body")).to_contain_text("This browser cannot highlight")


def test_a_page_that_cannot_unpack_says_so(
    open_page: Pages, made: excerpt.render.report.Report, tmp_path: Path
) -> None:
    """Instead of nothing at all there is one sentence."""
    made.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", before="delete window.DecompressionStream;")
    open_page.watch(page).take()
    expect(page.locator("body")).to_contain_text("browser")


def test_names_are_escaped_in_the_cell(made: excerpt.render.report.Report) -> None:
    """The frame's page is one attribute of the cell."""
    cell = made._repr_html_()
    assert cell.count("<iframe") == 1
    assert "<script" not in cell
    assert html.unescape(cell).count("<script") == 1
