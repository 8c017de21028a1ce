/** A document on paper: its text, layers of spans painted on it, a cursor, marks at the margin and a map.
 * Positions are code points. It knows nothing of runs, topics or assessors. */
import { buildText } from "./build.js";
import { make } from "./dom.js";
import { boxOf, drawMargin } from "./margin.js";
import { makeMap } from "./map.js";
import { astralOf, bisect, sliceText, toPoint, toUnit } from "./offsets.js";
import { countPoints } from "./spans.js";

/** Fills of levels hide the fill of `hit`, not its line. */
const PRIORITY = { again: 5, hit: 0 };
const WAIT = 80, QUIET = 0.6, NEAR = 6000;

/** The text node at a position (at an end: before it) and the offset in it. */
function boundary({ nodes, starts, startUnits, astral }, point, end) {
  const node = Math.max(0, bisect(nodes.length, (i) => starts[i], end ? point : point + 1) - 1);
  return [nodes[node], toUnit(astral, point) - startUnits[node], node];
}

/** The characters of a span as a range of the page. @param {Object} paper @param {number} start @param {number} end @returns {Range} */
export function rangeOf(paper, start, end) {
  const range = document.createRange(),
    [first, from] = boundary(paper, start),
    [last, to] = boundary(paper, end, end > start);
  range.setStart(first, from);
  range.setEnd(last, to);
  return range;
}

/** The rectangles of the characters of a span, text node by text node.
 * @param {Object} paper @param {number} start @param {number} end @returns {DOMRect[]} */
export function rectsOf(paper, start, end) {
  const rects = [], last = boundary(paper, end, true)[2];
  for (let i = boundary(paper, start)[2]; i <= last; i++) {
    const range = rangeOf(
      paper,
      Math.max(start, paper.starts[i]),
      Math.min(end, paper.starts[i + 1] ?? paper.size),
    );
    for (const rect of range.getClientRects()) if (rect.width > 0) rects.push(rect);
  }
  return rects;
}

/** The position at a height of the window, by the share of the piece that lies above it. */
function positionIn([node, start, end], height) {
  const box = boxOf(node);
  return start + Math.max(0, Math.min(1, (height - box.top) / (box.height || 1))) * (end - start);
}

/** A paper in an element.
 * @typedef {{name: string, spans: number[][], lane?: string, map?: string}} Layer  name of the highlight ("" for none),
 *   lane at the margin, sides of the map ("left", "right", "left right")
 * @typedef {{at: number, text: string, kind?: string}} Mark  kind: judged (an entry point), returned (one too), else a label */
export class Paper {
  /** @param {HTMLElement} host @param {{onPoint: function(?number), onCursor: function(?number)}} events */
  constructor(host, { onPoint, onCursor }) {
    let timer = 0;
    const pointermove = ({ clientX, clientY }) => {
      clearTimeout(timer);
      timer = setTimeout(() => onPoint(this.positionAt(clientX, clientY)), WAIT);
    };
    const click = ({ clientX, clientY }) =>
      getSelection().isCollapsed && onCursor(this.positionAt(clientX, clientY));
    Object.assign(this, { paper: { nodes: [] }, layers: [], marks: [], span: null, frame: 0 });
    this.text = make("div", { id: "text", tabindex: -1, on: { pointermove, click } });
    this.margin = make("div.margin", { "aria-hidden": "true" });
    this.map = makeMap((share) =>
      this.reveal([share * this.paper.size, share * this.paper.size + 99].map(Math.floor))
    );
    this.redraw = () => (this.frame ||= requestAnimationFrame(() => this.draw()));
    this.quote = ([start, end], most = Infinity) =>
      sliceText(this.paper.page.text ?? "", this.paper.astral, start, Math.min(end, start + most));
    host.append(make("div.folio", this.margin, this.text), this.map.node);
    this.watcher = new ResizeObserver(this.redraw);
    this.watcher.observe(this.text);
    addEventListener("scroll", this.redraw, { passive: true });
  }

  /** From where to where the pieces in sight go, and the first and the last position in the window.
   * @returns {{from: number, to: number, window: number[]}} */
  sight() {
    const { pieces, size } = this.paper,
      { top } = boxOf(this.map.node),
      find = (side, limit) => bisect(pieces.length, (i) => boxOf(pieces[i][0])[side], limit);
    const first = find("bottom", top), last = find("top", innerHeight) - 1;
    const window = [[first, top], [last, innerHeight]].map((
      [i, height],
    ) => (pieces[i] ? positionIn(pieces[i], height) : size));
    return { from: pieces[first - 1]?.[2] ?? 0, to: pieces[last + 1]?.[1] ?? size, window };
  }

  draw() {
    const { paper, marks } = this,
      layers = [...this.layers, { lane: "cursor", spans: this.span ? [this.span] : [] }];
    this.frame = 0;
    if (!paper.nodes.length) return;
    const sight = this.sight();
    this.map.frame(...sight.window.map((position) => position / paper.size));
    drawMargin(this.margin, { ...sight, layers, marks, rects: (start, end) => rectsOf(paper, start, end) });
  }

  /** Show a document. @param {Object} page @param {{folded: boolean}} how */
  show(page, { folded }) {
    if (this.paper.page !== page) {
      const text = page.text ?? "", astral = astralOf(text), length = toPoint(astral, text.length);
      this.text.replaceChildren();
      this.paper = {
        ...buildText(this.text, text, astral, length, text ? page.blocks : []),
        page,
        astral,
        size: text ? length : page.size,
      };
    }
    this.text.classList.toggle("folded", folded);
  }

  /** Paint layers and mark the margin. @param {Layer[]} layers @param {Mark[]} marks
   * @returns {string[]} the layers that cover so much of the text that only the margin shows them */
  paint(layers, marks) {
    const { size, nodes } = this.paper, quiet = [];
    for (const { name, spans } of layers) {
      if (!name || !CSS.highlights) continue;
      const highlight = new Highlight();
      if (countPoints(spans) > QUIET * size) quiet.push(name);
      highlight.priority = PRIORITY[name] ?? 1;
      for (const [start, end] of nodes.length ? spans : []) {
        if (start < size) highlight.add(rangeOf(this.paper, start, Math.min(end, size)));
      }
      CSS.highlights.set(name, highlight);
    }
    document.documentElement.dataset.quiet = quiet.join(" ");
    Object.assign(this, { layers, marks: [...marks].sort((a, b) => a.at - b.at) });
    this.map.draw(
      Math.max(size, 1, ...layers.map(({ spans }) => spans[spans.length - 1]?.[1] ?? 0)),
      layers,
      marks,
    );
    this.redraw();
    return quiet;
  }

  /** Put the cursor around a span. @param {?number[]} span */
  cursor(span) {
    this.span = span;
    this.redraw();
  }

  /** Bring the first line of a span into sight. @param {number[]} span */
  reveal([start, end]) {
    const { paper } = this, at = Math.min(start, paper.size - 1);
    if (!paper.nodes.length) return;
    for (const [node, from, to] of paper.pieces) {
      if (to > at - NEAR && from < at + NEAR) node.style.contentVisibility = "visible";
    }
    const [line] = rectsOf(paper, at, Math.min(Math.max(end, at + 1), paper.size));
    if (line) scrollBy(0, line.top - 0.3 * innerHeight);
  }

  /** The position at a place of the window. @returns {?number} */
  positionAt(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y) ?? {};
    const { offsetNode: node = caret.startContainer, offset = caret.startOffset } = caret,
      { nodes, startUnits, astral } = this.paper,
      i = nodes.indexOf(node);
    return i < 0 ? null : toPoint(astral, startUnits[i] + offset);
  }

  /** Stop watching, and take the paint away, if there is any of this paper. */
  dispose() {
    this.watcher.disconnect();
    removeEventListener("scroll", this.redraw);
    if (this.layers[0]) CSS.highlights?.clear();
  }
}
