"""Takes the pictures of docs/assess and docs/report from the real pages: `python3 docs/screenshots.py`.

Two campaigns on the embedded collection are judged by made-up people from its own judgments, then served and
looked at in Chromium, as are the demo's report and docs/report/demo.html. Needs what the browser tests need,
and Pillow.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import excerpt
from excerpt import collection
from excerpt.assess.campaign import Campaign
from excerpt.pooling.pools import Pool

TOPICS = ("CU08", "CU05", "CU16", "CU19", "CU26")
GRADED = ("CU16", "C0128")
SIZE = (1440, 900)
COLOURS = 128
#: What each of the people has finished of each topic.
PACE = {"ann": (6, 5, 0, 0, 0), "bob": (8, 8, 3, 0, 0), "eve": (8, 6, 6, 2, 1)}
MARGIN = {"ann": 0, "bob": 40, "eve": 15}


class Clock:
    """Time as the campaign is told."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """The moment."""
        return self.now


def small_pool() -> Pool:
    """Eight documents of each topic."""
    runs = [run.path for run in collection.runs("focused") if "random" not in run.name]
    whole = excerpt.pool(runs, documents=8)
    items = [item for item in whole.items if item.topic in TOPICS and item.order <= 8]
    return Pool.of(
        sorted(items, key=lambda item: (TOPICS.index(item.topic), item.order)),
        inputs=whole.inputs,
        settings=whole.settings,
    )


def relevant() -> dict[tuple[str, str], list[tuple[int, int]]]:
    """The passages of the collection's judgments, by topic and document."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for line in collection.qrels().read_text().splitlines():
        topic, _, document, *rest = line.split()
        for start, size in (map(int, passage.split(":")) for passage in rest[3:]):
            found.setdefault((topic, document), []).append((start, start + size))
    return found


class People:
    """Those who judge in a campaign."""

    def __init__(self, campaign: Campaign, clock: Clock) -> None:
        self.campaign, self.clock = campaign, clock
        self.found = relevant()

    def do(self, name: str, topic: str, document: str, kind: str, **fields: Any) -> None:
        """One event on the current version."""
        self.clock.now += 7
        base = self.campaign.document_for(name, topic, document)["state"]["version"]
        pair = {"topic": topic, "document": document, "base": base, "kind": kind}
        if "end" in fields:
            fields["quote"] = self.campaign.corpus[document][fields["start"] : fields["end"]]
        self.campaign.record(name, {"id": str(uuid.uuid4()), **pair, **fields})

    def judge(self, name: str, topic: str, document: str, *, finish: bool = True) -> None:
        """Judge a document as the collection has it, with some more text around each passage."""
        length, more = self.campaign.lengths[document], MARGIN[name]
        spans = self.found.get((topic, document), [])
        for start, end in spans:
            whole = max(0, start - more), min(length, end + more)
            self.do(name, topic, document, "highlight", start=whole[0], end=whole[1])
        self.campaign.trace(name, topic, document, "work", {"seconds": 70 + int(document[1:]) % 120})
        if spans and self.campaign.settings.procedure == "inex2007":
            self.do(name, topic, document, "bep", start=max(0, spans[0][0] - more))
        if finish:
            self.do(name, topic, document, "done")


def make_campaigns(place: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Both campaigns, judged in part; the tokens of the people in each."""
    clock = Clock(time.time() - 5400)
    texts: dict[str, Any] = {"corpus": collection.corpus(), "topics": collection.topics(), "clock": clock}
    with Campaign.create(place / "2007", **texts, pool=small_pool(), title="Clauses of contracts") as made:
        tokens = {name: made.add_person(name) for name in PACE}
        people = People(made, clock)
        for name, pace in PACE.items():
            for topic, many in zip(TOPICS, pace, strict=True):
                for document in made.contents.documents(topic)[:many]:
                    people.judge(name, topic, document)
        people.judge("ann", "CU08", "C0038", finish=False)
    with Campaign.create(
        place / "2005", **texts, pool=small_pool(), procedure="inex2005", title="Clauses of contracts"
    ) as made:
        graded = {"ann": made.add_person("ann")}
        people = People(made, clock)
        people.judge("ann", *GRADED, finish=False)
        people.do("ann", *GRADED, "close-phase")
        for path, grade in zip(made.document_for("ann", *GRADED)["state"]["owed"], (2, 1, 1), strict=False):
            people.do("ann", *GRADED, "grade", path=path, grade=grade)
    return tokens, graded


class Served:
    """A campaign that is served, and where."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "excerpt", "assess", "serve", str(folder), "--no-browser"]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen(command, **pipes)  # noqa: S603 - our own command
        assert self.process.stdout is not None
        self.address, _, self.organiser = self.process.stdout.readline().strip().partition("/login#token=")

    def open(self, browser: Browser, token: str, view: str = "", height: int = SIZE[1]) -> Page:
        """A page of somebody, signed in."""
        page = browser.new_context(
            viewport={"width": SIZE[0], "height": height}, color_scheme="light", locale="en-GB"
        ).new_page()
        page.goto(f"{self.address}/login#token={token}")
        page.wait_for_url(f"{self.address}/")
        page.goto(f"{self.address}/#{view}")
        page.reload()
        page.wait_for_selector("html[data-state=ready]")
        return page

    def end(self) -> None:
        """No more answers."""
        self.process.kill()
        self.process.wait()


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """Serve a campaign for a while."""
    server = Served(folder)
    try:
        yield server
    finally:
        server.end()


def keep(page: Page, target: Path) -> None:
    """A picture of what is in the window, in few colours."""
    page.wait_for_timeout(400)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    small = picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(target, optimize=True)
    print(target.name, target.stat().st_size)


def show_first(page: Page) -> None:
    """Bring the first highlighted passage into sight."""
    page.locator("summary", has_text="List of passages").click()
    page.locator(".passages button").first.click()
    page.locator("summary", has_text="List of passages").click()
    page.locator("#text").focus()


def look(browser: Browser, place: Path, target: Path) -> None:
    """All pictures."""
    tokens, graded = make_campaigns(place)
    with served(place / "2007") as server:
        keep(server.open(browser, server.organiser, height=700), target / "organiser.png")
        keep(server.open(browser, tokens["ann"], height=440), target / "topics.png")
        page = server.open(browser, tokens["ann"], "topic=CU08&doc=C0038")
        page.keyboard.press("/")
        page.keyboard.type("laws")
        page.keyboard.press("Enter")
        show_first(page)
        keep(page, target / "document.png")
        other = server.open(browser, tokens["ann"], "topic=CU08&doc=C0038")
        show_first(other)
        highlight_sentence(other, 2)
        other.wait_for_selector("#saved[data-state=saved]")
        highlight_sentence(page, 1)
        page.wait_for_selector("dialog.conflict")
        keep(page, target / "conflict.png")
    with served(place / "2005") as server:
        page = server.open(browser, graded["ann"], "topic={}&doc={}".format(*GRADED))
        show_first(page)
        keep(page, target / "grades.png")


def look_at_reports(browser: Browser, place: Path, target: Path) -> None:
    """Overview and topic in the demo's report, a document in the live report of the docs."""
    demo, live = place / "report.html", Path(__file__).resolve().parent / "report" / "demo.html"
    subprocess.run([sys.executable, "-m", "excerpt", "demo", "--report", str(demo), "--quiet"], check=True)  # noqa: S603
    missed = "topic=CU17&runs=sent-bm25&doc=C0115&at=13209-13489"
    for name, report, view in (
        ("overview", demo, ""),
        ("topic", demo, "topic=CU17&runs=sent-bm25,mix-bm25"),
        ("document", live, missed),
    ):
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
        page.goto(f"{report.as_uri()}#{view}")
        page.wait_for_selector("html[data-state=ready]")
        keep(page, target / f"{name}.png")


def highlight_sentence(page: Page, after: int) -> None:
    """The sentence so many after the one at the caret."""
    for key in ("s", *["ArrowRight"] * after, "h"):
        page.keyboard.press(key)


def main() -> None:
    """Take the pictures into the folders of the docs, or of another folder."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        look_at_reports(browser, Path(folder), target / "report")
        look(browser, Path(folder), target / "assess")
        browser.close()


if __name__ == "__main__":
    main()
