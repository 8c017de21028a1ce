"""Barriers that axe finds on a page, light and dark."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

#: What axe leaves out by default.
RULES = {"label-content-name-mismatch": {"enabled": True}}
_RUN = """async options => {
  const {violations} = await axe.run(document, options);
  const why = ({any, all, none}) => [...any, ...all, ...none].map(({message}) => message).join("; ");
  return violations.map(({id, nodes}) => `${id}, ${nodes.length} times: ${
    nodes.slice(0, 3).map(node => `${node.html.slice(0, 160)} (${why(node)})`).join(", ")}`);
}"""
#: The part of the window that bars take which stay when the page is scrolled.
_BARS = """() => {
  scrollTo(0, 900);
  const lines = new Set();
  for (const node of document.querySelectorAll("body *")) {
    const {position, visibility} = getComputedStyle(node);
    const {top, bottom, left, right} = node.getBoundingClientRect();
    if (!/sticky|fixed/.test(position) || visibility === "hidden" || right - left < innerWidth / 2) continue;
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(innerHeight, bottom); y++) lines.add(y);
  }
  return lines.size / innerHeight;
}"""


def check(page: Page) -> None:
    """Raise an error for barriers: by all rules, and in the dark by those that depend on colours."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(_RUN, {"resultTypes": ["violations"], "rules": RULES})
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme=dark]")
    colours = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    dark: list[str] = page.evaluate(_RUN, {"resultTypes": ["violations"], "runOnly": colours})
    page.emulate_media(color_scheme="light")
    assert not found + dark, "\n".join([*found, *(f"dark: {one}" for one in dark)])
    if page.evaluate("() => innerWidth < 400"):
        assert page.evaluate(_BARS) <= 0.25
