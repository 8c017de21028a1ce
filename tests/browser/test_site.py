"""The site of the docs in a browser: nothing from elsewhere, nothing cut, found by search, no barriers."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
#: What is typed into the search, and the page or place that comes first.
FIRST_FOUND = {
    "MAiP": "measures.html",
    "charR": "measures.html#charr",
    "overlap": "commands/shared.html#cmdoption-excerpt-overlap",
    "segments": "commands/shared.html#cmdoption-excerpt-segments",
}
#: Pages on which barriers are looked for.
LOOKED_AT = ("index", "gate", "measures", "commands/evaluate", "api/Run")
#: Code blocks with lines that are wider than they are.
_CUT = "() => [...document.querySelectorAll('pre')].filter(one => one.scrollWidth > one.clientWidth).length"
_BARRIERS = """async only => (await axe.run(document, only)).violations.map(({id, nodes}) =>
  `${id}: ${nodes.slice(0, 3).map(({html}) => html.slice(0, 160)).join(" ")}`)"""
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that is overridden
        """Print no line for each request."""


@pytest.mark.slow
def test_the_site(tmp_path: Path, browser: Browser) -> None:
    """All in one test, since the site is built for it."""
    build(tmp_path)
    check_sources(tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        check_code(page, address, tmp_path)
        check_search(page, address)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            for name in LOOKED_AT:
                check_barriers(page, f"{address}/{name}.html")
    finally:
        page.close()
        server.shutdown()
        server.server_close()


def build(folder: Path) -> None:
    """Build the pages without a warning."""
    # As `python -m sphinx`, but with fewer searches for garbage, which take a sixth of the time.
    code = "import gc, sys; from sphinx.cmd.build import main; gc.set_threshold(100_000); "
    sphinx = [sys.executable, "-c", code + "sys.exit(main(sys.argv[1:]))"]
    command = [*sphinx, "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def check_sources(site: Path) -> None:
    """The pages load no script, style, font or picture from the network."""
    loaded = re.compile(r'(?:<(?:script|img|iframe|source)[^>]*\bsrc|<link[^>]*\bhref)="(?:https?:)?//[^"]+"')
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for one in pages:
        assert loaded.search(one.read_text(encoding="utf-8")) is None, one.name
    assert "<math" in (site / "measures" / "focused.html").read_text(encoding="utf-8")
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style


def check_code(page: Page, address: str, site: Path) -> None:
    """At 1440 px every line of every block is read without scrolling sideways, and blocks can be copied."""
    cut = []
    for file in sorted(site.rglob("*.html")):
        name = file.relative_to(site).as_posix()
        if "<pre" in file.read_text(encoding="utf-8") and not name.startswith(("_", "report/", "commands/")):
            page.goto(f"{address}/{name}")
            cut += [name] if page.evaluate(_CUT) else []
    assert cut == []
    page.goto(f"{address}/gate.html")
    page.wait_for_selector("button.copybtn", state="attached")
    assert page.locator("button.copybtn").count() == page.locator("div.highlight pre").count()


def check_search(page: Page, address: str) -> None:
    """A measure leads to its definition, an option to what it does."""
    for words, place in FIRST_FOUND.items():
        page.goto(f"{address}/search.html?q={words}")
        first = page.locator("#search-results ul.search > li > a").first
        assert (first.get_attribute("href") or "").startswith(place), words


def check_barriers(page: Page, address: str) -> None:
    """By all rules of axe, and in the dark by those that depend on colours."""
    page.goto(address)
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate(_BARRIERS, {"resultTypes": ["violations"]})
    page.emulate_media(color_scheme="dark")
    found += page.evaluate(_BARRIERS, COLOURS)
    page.emulate_media(color_scheme="light")
    assert found == [], address
