"""Open a report, then a long document of another one, in a real browser; print the seconds as JSON.

python in_browser.py BROWSER REPORT LONG

BROWSER is the program, a chromium. CPU is that of all of the browser's processes, from the address to the
drawn view; wall is the browser's own clock, from the change of the address to the painted text.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

#: Software rendering, and no traffic of the browser itself.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
READY = "html[data-state=ready]"
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
OPEN = """() => new Promise(done => {
  const begun = performance.now();
  const look = () => document.querySelector("html[data-state=ready] #text")
    ? requestAnimationFrame(() => done((performance.now() - begun) / 1000)) : requestAnimationFrame(look);
  location.hash = "topic=1&doc=A";
  look();
})"""


def main() -> None:
    """Measure both in one browser, each in its own window."""
    program, report, long = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        found = {"first": first_view(browser, Path(report)), "document": long_document(browser, Path(long))}
        browser.close()
    print(json.dumps(found))


def first_view(browser: Browser, report: Path) -> float:
    """CPU seconds from opening the address to the drawn view."""
    session = browser.new_browser_cdp_session()

    def used() -> float:
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        return float(sum(process["cpuTime"] for process in processes))

    page = new_page(browser)
    before = used()
    show(page, report)
    after = used()
    page.context.close()
    return after - before


def long_document(browser: Browser, report: Path) -> float:
    """Wall seconds from the change of the address to the painted text."""
    page = new_page(browser)
    show(page, report)
    taken = float(page.evaluate(OPEN))
    page.context.close()
    return taken


def new_page(browser: Browser) -> Page:
    """Open an empty page, so that its processes are running."""
    page = browser.new_context(offline=True, viewport={"width": 1280, "height": 800}).new_page()
    page.goto("about:blank")
    page.evaluate(DRAWN)
    return page


def show(page: Page, report: Path) -> None:
    """Open a report and wait until its first view is drawn."""
    page.goto(report.resolve().as_uri())
    page.wait_for_selector(READY, state="attached")
    page.evaluate(DRAWN)


if __name__ == "__main__":
    main()
