"""Open a document of a campaign in a real browser and highlight in it; print seconds as JSON.

python in_assess.py BROWSER FOLDER NAME TOPIC DOCUMENT REPEATS

Starts the server of the campaign. `opening` is from the change of the address to the painted text, each of
`saving` from the key to the first frame after the server has confirmed that it is on disk, when it is also
painted. The same characters are highlighted and unhighlighted in turn, so that each key has an effect.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.append(str(Path(__file__).resolve().parents[1]))

from assessor_client import Link, Server, add_people, excerpt
from work.in_browser import DRAWN, FLAGS, READY

OPEN = """(place) => new Promise(done => {
  const begun = performance.now();
  const look = () => document.querySelector("html[data-state=ready] #text")
    ? requestAnimationFrame(() => done((performance.now() - begun) / 1000)) : requestAnimationFrame(look);
  location.hash = place;
  look();
})"""
#: Selects the first characters and presses a key; times are of the browser's clock.
HIGHLIGHT = """([key, most]) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error("nothing was saved")), 20000);
  const text = document.getElementById("text");
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), first = walker.nextNode();
  let last = first, left = most;
  while (last.length < left) { left -= last.length; last = walker.nextNode(); }
  getSelection().setBaseAndExtent(first, 0, last, left);
  const saved = document.getElementById("saved");
  let begun = 0, busy = false;
  const watch = new MutationObserver(() => {
    if (saved.dataset.state !== "saved") busy = true;
    else if (busy) {
      watch.disconnect();
      requestAnimationFrame(() => done((performance.now() - begun) / 1000));
    }
  });
  watch.observe(saved, {attributes: true, attributeFilter: ["data-state"]});
  requestAnimationFrame(() => requestAnimationFrame(() => {
    begun = performance.now();
    text.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  }));
})"""
_PATIENCE = 60_000


def main() -> None:
    """Start the server, measure and stop it."""
    program, folder, name, topic, document, repeats = sys.argv[1:]
    link = add_people(Path(folder), [name])[0]
    with tempfile.TemporaryDirectory() as place:
        server = Server(excerpt("assess", "serve", folder, "--no-browser"), Path(place) / "errors")
        try:
            print(json.dumps(look(program, link, f"topic={topic}&doc={document}", int(repeats))))
        finally:
            server.stop()


def look(program: str, link: Link, place: str, repeats: int) -> dict[str, object]:
    """Measure opening and saving in one window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(_PATIENCE)
        page.goto(f"http://{link.host}:{link.port}/login#token={link.token}")
        page.wait_for_selector(READY, state="attached")
        page.evaluate(DRAWN)
        found = {"opening": float(page.evaluate(OPEN, place)), "saving": highlights(page, repeats)}
        browser.close()
    return found


def highlights(page: Page, repeats: int) -> list[float]:
    """Seconds of each highlight; at the end nothing is highlighted, so that it can be repeated."""
    page.evaluate(DRAWN)
    return [float(page.evaluate(HIGHLIGHT, [key, 500])) for _ in range(repeats) for key in "hu"]


if __name__ == "__main__":
    main()
