"""The view of a document: what is painted, keys, address, legend, inspector, also without text and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.barriers import check
from support.browsing import Pages, go, painted, painted_characters, text_of, until_ready
from support.document_files import pdf
from support.span_sets import painting_of

import excerpt
from excerpt import Corpus, Judgments, Policy, Run

LINES = [f"Line {at:03} 😀 says something of rent, é, \u05e9\u05dc\u05d5\u05dd.\n" for at in range(120)]
TEXT = "".join(LINES)
PAGES = [(1, "ships"), (2, "rent"), (3, "keys"), (4, "gates")]
STARTS = [sum(map(len, LINES[:at])) for at in range(len(LINES))]


def line(first: int, last: int | None = None) -> tuple[int, int]:
    """The characters of some lines."""
    return STARTS[first], STARTS[(first if last is None else last) + 1] - 1


RELEVANT = [line(2), line(40, 42), line(80), line(100)]
FOUND = {
    "best": [line(2), line(5), line(41), line(80), line(80)],
    "second": [line(2), line(50, 60)],
    "third": [],
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs, three documents of the topic: relevant, not, unjudged."""
    return save(tmp_path_factory.mktemp("document") / "report.html")


def save(path: Path, **how: Any) -> Path:
    """A report of the small evaluation."""
    judgments = Judgments.of(
        [("t", "long", start, end) for start, end in RELEVANT],
        irrelevant=[("t", "other")],
        sizes={"long": len(TEXT), "other": len(TEXT)},
        entries={("t", "long"): RELEVANT[0][0]},
    )
    runs = [
        Run.of(name, [("t", "long", *span) for span in spans] + [("t", "other", 0, 9), ("t", "new", 3, 12)])
        for name, spans in FOUND.items()
    ]
    corpus = Corpus({"long": TEXT, "other": TEXT, "new": "Nobody judged this."})
    given = {"corpus": corpus, "policy": Policy(overlap="allow"), "topics": {"t": "Who pays?"}, **how}
    excerpt.report(judgments, runs, ["charF"], **given).save(path)
    return path


def press(page: Page, *keys: str) -> str:
    """Press keys, wait for what they do; the address then."""
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(20)
        until_ready(page)
    return page.url.partition("#")[2]


def told(page: Page) -> str:
    """Text that a screen reader reads out."""
    return page.locator("#status").inner_text()


def test_missed_passages_are_read_by_keys(open_page: Pages, report: Path) -> None:
    """`J` and `K` go round, are read out, and are in the address; Escape frees the cursor."""
    page = open_page(report, "topic=t&doc=long&runs=best")
    missed = painted(page)["missed"]
    assert missed == [(RELEVANT[1][0], line(41)[0]), (line(41)[1], RELEVANT[1][1]), RELEVANT[3]]
    base = "topic=t&runs=best&doc=long"
    assert press(page, "J") == f"{base}&at={missed[0][0]}-{missed[0][1]}"
    assert told(page).startswith(
        f"missed 1 of 3, {missed[0][1] - missed[0][0]} characters, not returned: Line 040"
    )
    expect(page.locator(".toolbar .steps")).to_contain_text("missed 1 of 3")
    assert press(page, "K") == f"{base}&at={missed[2][0]}-{missed[2][1]}"
    top = page.evaluate(
        "() => Array.from(CSS.highlights.get('missed')).at(-1).getBoundingClientRect().top / innerHeight"
    )
    assert 0.2 < top < 0.4
    assert press(page, "J", "J") == f"{base}&at={missed[1][0]}-{missed[1][1]}"
    assert press(page, "Escape") == base


def test_all_passages_are_read_by_keys(open_page: Pages, report: Path) -> None:
    """`j` and `k` stop at text in every state, in the order of the text; hidden states are left out."""
    page = open_page(report, "topic=t&doc=long&runs=best")
    spans = painted(page)
    pieces = sorted(
        (span, word)
        for name, word in {"hit": "found", "missed": "missed", "vain": "not relevant"}.items()
        for span in spans[name]
    )
    assert len(pieces) == 7
    for number, ((start, end), word) in enumerate(pieces, 1):
        assert press(page, "j").endswith(f"&at={start}-{end}")
        assert told(page).startswith(f"{word} {number} of 7, {end - start} characters")
        expect(page.locator(".toolbar .steps")).to_contain_text(f"passage {number} of 7")
    assert press(page, "j").endswith("&at={}-{}".format(*pieces[0][0]))
    assert press(page, "k").endswith("&at={}-{}".format(*pieces[-1][0]))
    page.locator(".legend [data-key=hit]").click()
    until_ready(page)
    press(page, "Escape")
    page.evaluate("() => scrollTo(0, 0)")
    assert press(page, "j", "j").endswith("&at={}-{}&hide=hit".format(*spans["missed"][0]))


def test_documents_open_where_they_are_best_entered(open_page: Pages, tmp_path: Path) -> None:
    """The entry point, else the first relevant text, else the first result; from links, rail, keys, cards."""
    texts = dict.fromkeys(("entry", "passage", "result"), TEXT)
    judgments = Judgments.of(
        [("t", "entry", *line(20)), ("t", "entry", *line(30)), ("t", "passage", *line(90))],
        irrelevant=[("t", "result")],
        sizes={name: len(TEXT) for name in texts},
        entries={("t", "entry"): line(30)[0]},
    )
    results = [("t", "passage", *line(100)), ("t", "result", *line(110)), ("t", "result", *line(40))]
    excerpt.report(judgments, [Run.of("r", results)], ["charP"], corpus=Corpus(texts)).save(
        tmp_path / "entries.html"
    )
    page = open_page(tmp_path / "entries.html", "topic=t")
    places = {"entry": 30, "passage": 90, "result": 110}

    def check(name: str) -> None:
        assert page.url.endswith(f"topic=t&doc={name}")
        at = page.evaluate(
            """start => {
              const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
              for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const place = node.data.indexOf(start), range = document.createRange();
                if (place < 0) continue;
                range.setStart(node, place);
                range.setEnd(node, place + 5);
                return range.getBoundingClientRect().top / innerHeight;
              }
            }""",
            f"Line {places[name]:03}",
        )
        assert 0.2 < at < 0.4, name

    page.locator(".card a").first.click()
    until_ready(page)
    check("entry")
    press(page, "n")
    check("passage")
    page.locator(".rail a", has_text="result").click()
    until_ready(page)
    check("result")
    page.evaluate("() => scrollTo(0, 40)")
    press(page, "p")
    check("passage")
    page.go_back()
    page.wait_for_url("**doc=result")
    until_ready(page)
    assert page.evaluate("() => scrollY") == 40
    check_page = open_page(tmp_path / "entries.html", "topic=t&doc=entry")
    page = check_page
    check("entry")


def test_relevant_text_goes_and_comes(open_page: Pages, report: Path) -> None:
    """`g` hides it, found or missed; retrieved text that is not relevant stays, and the legend says so."""
    page = open_page(report, "topic=t&doc=long&runs=best")
    before = painted(page)
    assert press(page, "g") == "topic=t&runs=best&doc=long&hide=hit-missed"
    shown = painted(page)
    assert shown == {name: spans for name, spans in before.items() if name not in {"hit", "missed"}}
    expect(page.get_by_role("button", name="missed", exact=False).first).to_have_attribute(
        "aria-pressed", "false"
    )
    assert press(page, "g") == "topic=t&runs=best&doc=long"
    assert painted(page) == before


def test_runs_are_chosen_by_digits(open_page: Pages, report: Path) -> None:
    """The best is chosen unasked; with several, how many returned each piece."""
    page = open_page(report, "topic=t&doc=long")
    assert painted_characters(page) == painting_of(RELEVANT, [FOUND["best"]], judged=True)
    assert press(page, "2") == "topic=t&runs=best,second&doc=long"
    both = [FOUND["best"], FOUND["second"]]
    assert painted_characters(page) == painting_of(RELEVANT, both, judged=True)
    assert press(page, "3") == "topic=t&runs=best,second,third&doc=long"
    assert painted_characters(page) == painting_of(RELEVANT, [*both, FOUND["third"]], judged=True)
    expect(page.locator(".levels")).to_have_text("returned by 1 to 3 runs")
    labels = page.locator(".margin .label").all_inner_texts()
    assert labels == ["2 of 3", *["1 of 3"] * 4]
    assert press(page, "1") == "topic=t&runs=second,third&doc=long"


def test_two_runs_stand_left_and_right(open_page: Pages, report: Path) -> None:
    """A's lane and ranks are left of the text, B's right; fills and counts say both, one of them, neither."""
    page = open_page(report, "topic=t&doc=long&runs=best,second", height=2600)
    a, b = ({at for start, end in FOUND[name] for at in range(start, end)} for name in ("best", "second"))
    relevant = {at for start, end in RELEVANT for at in range(start, end)}
    sets = {
        "both": a & b,
        "onlyA": a - b,
        "onlyB": b - a,
        "hit": relevant & (a | b),
        "missed": relevant - a - b,
    }
    words = {"both": "both", "onlyA": "A only", "onlyB": "B only", "hit": "relevant", "missed": "neither"}
    for name, chosen in sets.items():
        expect(page.locator(f".legend [data-key={name}]")).to_have_text(f"Aa{words[name]}{len(chosen)}")
    text = page.locator("#text").bounding_box()
    assert text is not None

    def boxes(part: str) -> list[dict[str, float]]:
        found: list[dict[str, float]] = page.locator(f".margin {part}").evaluate_all(
            "nodes => nodes.map(node => node.getBoundingClientRect().toJSON())"
        )
        return found

    assert {part: len(boxes(part)) for part in (".lane.is-A:not(.thin)", ".lane.is-B:not(.thin)")} == {
        ".lane.is-A:not(.thin)": 3,
        ".lane.is-B:not(.thin)": 1,
    }
    assert all(box["right"] <= text["x"] for box in boxes(".lane.is-A"))
    assert all(box["left"] >= text["x"] + text["width"] for box in boxes(".lane.is-B"))
    sides = {
        label: "right" in (kind or "")
        for label, kind in page.locator(".margin .label").evaluate_all(
            "nodes => nodes.map(node => [node.textContent, node.className])"
        )
    }
    assert sides == {"A1": False, "A2": False, "A3": False, "A4": False, "A5": False, "B1": True, "B2": True}
    assert len({box["top"] for box in boxes(".fill.is-onlyA")}) == 3
    assert len({box["top"] for box in boxes(".fill.is-onlyB")}) == 11
    rows = [" ".join(row.split()) for row in page.locator(".about tbody tr").all_inner_texts()]
    assert rows[0] == f"Both {len(a & b)} {len(a & b & relevant)}"
    assert rows[1] == f"A only best {len(a - b)} {len((a - b) & relevant)}"
    assert rows[3] == f"Neither {len(TEXT) - len(a | b):,} {len(relevant - a - b)}".replace(",", " ")
    page.locator(".legend [data-key=onlyB]").click()
    until_ready(page)
    assert boxes(".fill.is-onlyB") == []
    assert page.url.endswith("&hide=onlyB")


def test_results_appear_rank_by_rank(open_page: Pages, report: Path) -> None:
    """`.` and `,` and the slider show results 1 to k; the point on the curve is at k; the address says it."""
    page = open_page(report, "topic=t&doc=long&runs=best", width=1440)
    results = FOUND["best"]
    expect(page.locator(".rank-bar")).to_contain_text("all 7 results")
    for rank in range(1, 5):
        assert press(page, ".") == f"topic=t&runs=best&doc=long&upto={rank}"
        assert painted_characters(page) == painting_of(RELEVANT, [results[:rank]], judged=True)
        expect(page.locator(".points .curves g text")).to_contain_text(f"rank {rank}: recall 0.")
    assert told(page) == "Results 1 to 4 of 7"
    assert press(page, ",").endswith("&upto=3")
    assert painted_characters(page) == painting_of(RELEVANT, [results[:3]], judged=True)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    until_ready(page)
    expect(slider).to_be_focused()
    assert page.url.endswith("&upto=4")
    press(page, ".", ".")
    assert told(page) == "Results 1 to 6 of 7; this one is in another document"
    page.locator(".points button", has_text="other").click()
    until_ready(page)
    assert page.url.endswith("doc=other&upto=6")
    assert painted(page) == {"vain": [(0, 9)]}
    assert press(page, ".") == "topic=t&runs=best&doc=other"
    expect(page.locator(".points")).to_be_empty()


def copied(page: Page, act: Callable[[], object]) -> str:
    """Text that a page copies."""
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    act()
    page.wait_for_function("() => window.copied")
    return str(page.evaluate("() => window.copied"))


def test_a_passage_is_copied_as_markdown(open_page: Pages, report: Path) -> None:
    """Found and missed text, document, topic, run, rank, score; a page of a file has no link for others."""
    start, end = RELEVANT[1]
    page = open_page(report, f"topic=t&doc=long&runs=best&at={start}-{end}")
    text, rest = copied(page, lambda: page.keyboard.press("c")), LINES[0][8:-2]
    assert text == (
        f"> ~~Line 040{rest}~~. **Line 041{rest}**. ~~Line 042{rest}~~.\n>\n"
        f"> long, characters {start}\u2013{end} · topic t Who pays?\n>\n"
        "> **found**, ~~missed~~\n\n"
        "| Run | Rank | Found | charF |\n| :-- | --: | --: | --: |\n"
        "| best | 3 | 33 % | 0.5233 |"
    )
    expect(page.get_by_role("button", name="Copied as Markdown")).to_be_visible()


def test_documents_follow_each_other(open_page: Pages, report: Path) -> None:
    """`n` and `p` open them, back and forward return, with the place in the text."""
    page = open_page(report, f"topic=t&doc=long&runs=best&at={RELEVANT[3][0]}-{RELEVANT[3][1]}")
    expect(page.locator("#bar")).to_contain_text("document 1 of 3")
    expect(page.locator(".at .mono")).to_contain_text(f"{RELEVANT[3][0]}\u2013{RELEVANT[3][1]} · ")
    assert page.evaluate("() => scrollY") > 500
    assert press(page, "n") == "topic=t&runs=best&doc=other"
    assert page.evaluate("() => scrollY") == 0
    assert painted(page) == {"vain": [(0, 9)]}
    assert press(page, "n") == "topic=t&runs=best&doc=new"
    expect(page.locator(".caution")).to_contain_text("This document is not judged for t")
    assert painted(page) == {"unjudged": [(3, 12)]}
    assert press(page, "n", "p") == "topic=t&runs=best&doc=other"
    page.go_back()
    page.go_back()
    page.go_back()
    until_ready(page)
    expect(page.locator(".at .mono")).to_contain_text(f"{RELEVANT[3][0]}\u2013")
    assert text_of(page) == TEXT
    page.go_forward()
    until_ready(page)
    assert painted(page) == {"vain": [(0, 9)]}


def test_the_legend_counts_and_hides(open_page: Pages, report: Path) -> None:
    """Each name says how many characters it has; a click takes it away, never the others."""
    page = open_page(report, "topic=t&doc=long&runs=best")
    before = painted_characters(page)
    for name, word in {
        "hit": "found",
        "missed": "missed",
        "vain": "not relevant",
        "again": "repeated",
    }.items():
        button = page.locator(f".legend [data-key={name}]")
        expect(button).to_contain_text(f"{word}{len(before[name])}")
    page.locator(".legend [data-key=vain]").click()
    until_ready(page)
    assert painted_characters(page) == {name: chosen for name, chosen in before.items() if name != "vain"}
    assert page.url.endswith("&hide=vain")
    expect(page.locator(".legend [data-key=vain]")).to_be_focused()


def test_the_pointer_fills_the_inspector(open_page: Pages, report: Path) -> None:
    """It names passage, state, and every run with its ranks; a click fixes it without a jump."""
    page = open_page(report, "topic=t&doc=long&runs=best,second")
    box = page.evaluate("() => Array.from(CSS.highlights.get('hit'))[0].getBoundingClientRect().toJSON()")
    page.mouse.move(box["x"] + 30, box["y"] + 8)
    start, end = RELEVANT[0]
    expect(page.locator(".at .mono")).to_have_text(f"{start}\u2013{end} · {end - start} characters · found")
    assert [" ".join(row.split()) for row in page.locator(".at tbody tr").all_inner_texts()] == [
        "best 1 100 %",
        "second 1 100 %",
        "third document not found none \u2013",
    ]
    page.mouse.click(box["x"] + 30, box["y"] + 8)
    until_ready(page)
    assert page.url.endswith(f"&at={start}-{end}")
    assert page.evaluate("() => scrollY") == 0
    page.mouse.move(box["x"] + 30, box["y"] + 80)
    page.wait_for_timeout(150)
    expect(page.locator(".at .mono")).to_contain_text(f"{start}\u2013{end}")
    expect(page.locator(".at blockquote")).to_contain_text("Line 002 😀")


def test_the_pieces_are_there_in_words(open_page: Pages, report: Path) -> None:
    """For those who do not see paint: in order, each a link to its place."""
    page = open_page(report, "topic=t&doc=long&runs=best")
    page.get_by_text("List of passages").click()
    words = page.locator(".about li a")
    expect(words).to_have_count(sum(len(painted(page)[name]) for name in ("hit", "missed", "vain")))
    start, end = RELEVANT[0]
    expect(words.first).to_have_text(f"{start}\u2013{end} · {end - start} characters · found")
    words.last.click()
    until_ready(page)
    assert page.url.endswith(f"&at={RELEVANT[3][0]}-{RELEVANT[3][1]}")


def test_text_out_of_sight_is_found_by_the_browser(open_page: Pages, report: Path) -> None:
    """The search of the browser finds what is not drawn yet."""
    page = open_page(report, "topic=t&doc=long")
    assert page.evaluate("() => window.find('Line 117')")
    assert not page.evaluate("() => window.find('Line 777')")


def test_without_text_offsets_remain(open_page: Pages, tmp_path: Path) -> None:
    """The reason is shown; the map, the list of passages and the keys work."""
    page = open_page(save(tmp_path / "numbers.html", corpus=None, text=False), "topic=t&doc=long&runs=best")
    assert text_of(page) == ""
    assert page.locator(".caution").inner_text()
    assert page.locator(".text-map path").count() > 3
    expect(page.locator(".about li")).to_have_count(7)
    start, end = RELEVANT[1][0], line(41)[0]
    assert press(page, "J").endswith(f"&at={start}-{end}")
    expect(page.locator(".at .mono")).to_have_text(f"{start}\u2013{end} · {end - start} characters · missed")


def test_a_document_that_the_corpus_lacks(open_page: Pages, tmp_path: Path) -> None:
    """It is said, and where the results are; the others have their text."""
    path = save(tmp_path / "some.html", corpus=Corpus({"long": TEXT, "other": TEXT}))
    page = open_page(path, "topic=t&doc=new&runs=best")
    assert text_of(page) == ""
    expect(page.locator(".caution")).to_contain_text("The corpus does not contain this document.")
    expect(page.locator(".about li")).to_have_text("3\u201312 · 9 characters · unjudged")
    press(page, "p")
    assert text_of(page) == TEXT


def test_a_text_shorter_than_what_was_judged(open_page: Pages, tmp_path: Path) -> None:
    """A short text is shown and painted, with the reason above it; links beyond its end work."""
    short = TEXT[: STARTS[41] + 9]
    path = save(tmp_path / "short.html", corpus=Corpus({"long": short, "other": TEXT, "new": "Nobody."}))
    page = open_page(path, f"topic=t&doc=long&runs=best&at={RELEVANT[3][0]}-{RELEVANT[3][1]}")
    assert text_of(page) == short
    expect(page.locator(".caution")).to_contain_text(f"but judged text ends at {RELEVANT[3][1]}")
    painting = painting_of(RELEVANT, [FOUND["best"]], judged=True)
    inside = set(range(len(short)))
    assert painted_characters(page) == {
        name: chosen & inside for name, chosen in painting.items() if chosen & inside
    }
    press(page, "j", "k", "k", "J", "K")


def test_structure_is_shown_and_white_space_folded(open_page: Pages, tmp_path: Path) -> None:
    """Headings of XML are the contents; whitespace is unchanged after a click, and the text always."""
    (tmp_path / "docs").mkdir()
    article = "<article><title>All of it</title><sec><title>One</title><p>First\n     words.</p></sec>\n"
    article += "<sec><title>Two</title><p>More.</p></sec></article>"
    (tmp_path / "docs" / "x.xml").write_text(article, encoding="utf-8")
    judgments = Judgments.of([("t", "x", 0, 9)], sizes={"x": 50})
    corpus = Corpus.read(tmp_path / "docs")
    path = tmp_path / "xml.html"
    excerpt.report(judgments, [Run.of("r", [("t", "x", 4, 12)])], ["charP"], corpus=corpus).save(path)
    page = open_page(path, "topic=t&doc=x")
    assert text_of(page) == corpus["x"]
    assert page.locator(".rail button").all_inner_texts() == ["All of it", "One", "Two"]
    assert page.locator(".rail h2").all_inner_texts() == ["Documents", "Contents"]
    words = page.locator("#text p").first
    assert words.evaluate("node => getComputedStyle(node).whiteSpace") == "normal"
    page.get_by_label("Fold whitespace").click()
    until_ready(page)
    assert words.evaluate("node => getComputedStyle(node).whiteSpace") == "pre-wrap"
    assert page.url.endswith("hide=space")
    assert text_of(page) == corpus["x"]
    for name in corpus.names("x"):
        assert painted(open_page(path, f"topic=t&doc={name}")) == {
            "hit": [(4, 9)],
            "missed": [(0, 4)],
            "vain": [(9, 12)],
        }


@pytest.mark.parametrize("width", [320, 390, 1024])
def test_narrow_windows_show_all_of_it(open_page: Pages, report: Path, width: int) -> None:
    """Nothing scrolls sideways; the documents are in a drawer."""
    page = open_page(report, "topic=t&doc=long&runs=best", width=width, height=700)
    press(page, "j")
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    expect(page.locator(".rail")).not_to_be_visible()
    page.locator("summary", has_text="Documents").click()
    expect(page.locator(".rail")).to_be_visible()
    page.locator(".rail a").nth(1).click()
    until_ready(page)
    assert page.url.endswith("doc=other")
    page.set_viewport_size({"width": 1280, "height": 700})
    expect(page.locator(".rail")).to_be_visible()


def test_pages_of_a_document(open_page: Pages, tmp_path: Path) -> None:
    """Gold and results that name pages: the rail, the margin and the cursor say which ones."""
    pytest.importorskip("pypdfium2")
    (tmp_path / "docs").mkdir()
    pages = [f"Here begins page {number}.\nIt is about {name}." for number, name in PAGES]
    (tmp_path / "docs" / "book.pdf").write_bytes(pdf(pages))
    (tmp_path / "docs" / "notes.txt").write_text("No pages.", encoding="utf-8")
    judged = [{"topic": "t", "document": "book.pdf", "page": "2-3"}]
    rows = [{"topic": "t", "document": "book.pdf", "page": page} for page in (2, 4)]
    run = [*rows, {"topic": "t", "document": "notes.txt", "start": 0, "end": 3}]
    made = excerpt.report(judged, {"r": run}, ["charF"], corpus=Corpus.read(tmp_path / "docs"))
    made.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html", "view=doc&topic=t&doc=book.pdf")
    until_ready(page)
    rail = page.locator(".rail .pages li")
    expect(rail).to_have_text(
        [
            "Page 1",
            "Page 2 100 % of its relevant text 1 result",
            "Page 3 0 % of its relevant text",
            "Page 4 1 result",
        ]
    )
    expect(page.locator(".flag.right")).to_have_text(["p. 1", "p. 2", "p. 3", "p. 4"])
    rail.nth(2).get_by_role("button").click()
    page.keyboard.press("j")
    expect(page.locator(".inspector .at .mono")).to_contain_text("page 2 ·")
    other = open_page(tmp_path / "report.html", "view=doc&topic=t&doc=notes.txt")
    until_ready(other)
    expect(other.locator(".rail .pages")).to_have_count(0)


FRONT = (
    "<article><front><journal-meta><journal-id>BMC Pain</journal-id><issn>1471-2377</issn><publisher>"
    "<publisher-name>BioMed</publisher-name></publisher></journal-meta><article-meta><article-id>77</article-id>"
    "<article-categories><title>Research</title></article-categories><title-group>"
    "<article-title>Pain after operations</article-title></title-group></article-meta></front><body><sec>"
    "<title>Methods</title>" + "<p>Doses of morphine were counted.</p>" * 60 + "</sec></body></article>"
)


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of an article with an ISSN before its title; both runs return all of it."""
    folder = tmp_path_factory.mktemp("front")
    (folder / "a.xml").write_text(FRONT, encoding="utf-8")
    corpus = Corpus.read(folder)
    size, at = len(corpus["a"]), corpus["a"].index("1471")
    judgments = Judgments.of([("t", "a", 0, 40), ("t", "a", 90, 300)], sizes={"a": size})
    runs = [Run.of("all", [("t", "a", 0, size)]), Run.of("issn", [("t", "a", at, at + 9)])]
    excerpt.report(judgments, runs, ["charF"], corpus=corpus).save(folder / "report.html")
    return folder / "report.html"


@pytest.mark.parametrize("width", [1280, 390])
def test_an_article_begins_with_its_title(open_page: Pages, article: Path, width: int) -> None:
    """Ids, ISSN and publisher are folded in text and contents, until they are asked for; nothing is lost."""
    page = open_page(article, "topic=t&doc=a&runs=all", width=width)
    text, contents = page.locator("#text"), page.locator(".rail ul").last.locator("button")
    assert text.inner_text().strip().startswith("Pain after operations")
    assert text_of(page).startswith("BMC Pain1471-2377BioMed77Research")
    assert contents.all_text_contents()[0] == "Pain after operations"
    check(page)
    page.get_by_role("button", name="Show front matter").click()
    until_ready(page)
    assert text.inner_text().strip().startswith("BMC Pain")
    assert page.url.endswith("hide=front")
    assert contents.all_text_contents()[:2] == ["Research", "Pain after operations"]
    check(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Fold front matter").click()
    until_ready(page)
    assert "hide" not in page.url
    assert text.inner_text().strip().startswith("Pain after operations")


def test_a_place_in_front_matter_unfolds_it(open_page: Pages, article: Path) -> None:
    """An address or a key that leads into it; a passage that begins there and goes on does not."""
    at = text_of(page := open_page(article, "topic=t&doc=a&runs=issn")).index("1471")
    expect(page.get_by_role("button", name="Show front matter")).to_be_visible()
    go(page, f"topic=t&doc=a&runs=issn&at={at}-{at + 9}")
    expect(page.get_by_role("button", name="Fold front matter")).to_be_visible()
    expect(page.locator("#text")).to_contain_text("1471-2377")
    page.get_by_role("button", name="Fold front matter").click()
    until_ready(page)
    assert "at=" not in page.url
    go(page, "topic=t&doc=a&runs=issn&at=0-40")
    assert page.locator("#text").inner_text().strip().startswith("Pain after operations")


def test_a_document_without_front_matter_has_nothing_to_fold(open_page: Pages, report: Path) -> None:
    """Plain text begins at its beginning."""
    page = open_page(report, "topic=t&doc=long&runs=best")
    assert page.get_by_role("button", name="front matter").count() == 0
