"""Text views for tests: a document shown by the page's own modules, in an empty window."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from support.browsing import Modules
from support.span_sets import TEXTS

from excerpt.corpus import Document
from excerpt.render.blocks import blocks_of

Block = list[Any]
#: What may lie in what; all else lies anywhere but in tables.
_INSIDE = {"table": ["row", "caption"], "row": ["cell", "head"]}
_FREE = [
    "section",
    "heading",
    "paragraph",
    "list",
    "item",
    "table",
    "caption",
    "quote",
    "code",
    "figure",
    "text",
]
_EXTRA: dict[str, list[Any]] = {"heading": [2], "cell": [[2, 1]]}
#: Opens a text view over the whole window; events are kept in `window.seen`.
_OPEN = """(module, [page, layers, marks, cursor]) => {
  window.view?.dispose();
  window.seen = [];
  const host = document.createElement("div"), keep = name => at => seen.push([name, at]);
  host.className = "paper";
  document.body.replaceChildren(host);
  window.view = new module.TextView(host, {onPoint: keep("point"), onCursor: keep("cursor")});
  window.view.show(page, {folded: false});
  window.view.cursor(cursor);
  return window.view.paint(layers, marks);
}"""
_STYLE = """names => Promise.all(names.map(name => new Promise(done => {
  const link = document.createElement("link");
  if (document.querySelector(`link[href="${name}"]`)) return done();
  document.head.append(Object.assign(link, {rel: "stylesheet", href: name, onload: done}));
})))"""


def style(js: Modules) -> Modules:
    """A window with the page's style sheets."""
    js.page.evaluate(_STYLE, ["base.css", "text_view.css", "document.css"])
    return js


def show(
    js: Modules,
    text: str | None,
    blocks: list[Block],
    *,
    layers: object = (),
    marks: object = (),
    cursor: object = None,
) -> list[str]:
    """Show a text; the names of layers that cover so much of it that only the margin shows them."""
    page = {"text": text, "size": 100 if text is None else len(text), "blocks": blocks}
    quiet: list[str] = js.run(["text_view"], _OPEN, [page, layers, marks, cursor])
    return quiet


def in_pieces(text: str) -> list[Block]:
    """Blocks of plain text, as a report has them."""
    return blocks_of(Document("", text, "", "txt", None))


def frame(js: Modules) -> None:
    """Wait until what was asked for is drawn."""
    js.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@st.composite
def blocks_in(draw: st.DrawFn, start: int, end: int, depth: int = 0, around: str = "") -> list[Block]:
    """Blocks of a stretch of text: disjoint, in order, others inside them."""
    rows: list[Block] = []
    at = start
    for _ in range(draw(st.integers(0, 3))):
        first = draw(st.integers(at, end))
        at = draw(st.integers(first, end))
        kind = draw(st.sampled_from(_INSIDE.get(around, _FREE)))
        rows.append([kind, depth, first, at, *_EXTRA.get(kind, [])])
        if depth < 3:
            rows += draw(blocks_in(first, at, depth + 1, kind))
    return rows


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[Block]]:
    """A text with blocks."""
    text = draw(TEXTS)
    return text, draw(blocks_in(0, len(text))) if text else []
