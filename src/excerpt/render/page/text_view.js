/** Text of a document with painted layers, a cursor, margin lanes and a map. */
import { make, svg } from "./dom.js";
import { appendSpan, astralOf, bisect, countPoints, sliceText, toPoint, toUnit } from "./spans.js";

// Blocks of a document → elements; every character of the text in a text node, nothing else beside them.
const TAGS = {
  section: "section",
  paragraph: "p",
  list: "ul",
  item: "li",
  table: "table",
  row: "tr",
  cell: "td",
  head: "th",
  caption: "caption",
  quote: "blockquote",
  code: "pre",
  figure: "figure",
  reference: "p",
};

/** Rows stand in tables and cells in rows only, but captions anywhere. */
function elementOf([kind, , , , extra], parent) {
  if (kind === "heading") return make(`h${Math.min(extra + 1, 6)}`);
  const [colspan, rowspan] = extra ?? [];
  return make(kind === "caption" && parent !== "table" ? "div.caption" : TAGS[kind] ?? "div", {
    colspan,
    rowspan,
  });
}

/** Fill an element with a text. `starts` and `startUnits` say where each text node begins, `pieces` are the blocks
 * [element, start, end] that the browser may leave undrawn while they are out of sight: disjoint and in order.
 * @param {HTMLElement} root @param {string} text @param {Uint32Array} astral @param {number} size @param {Array[]} blocks
 * @returns {{nodes: Text[], starts: number[], startUnits: number[], pieces: Array[]}} */
export function buildText(root, text, astral, size, blocks) {
  const nodes = [], starts = [], startUnits = [], pieces = [];
  let at = 0, next = 0;
  const write = (node, end) => {
    starts.push(at);
    startUnits.push(toUnit(astral, at));
    nodes.push(node.appendChild(document.createTextNode(sliceText(text, astral, at, end))));
    at = end;
  };
  const enlist = (node, start, end) => {
    node.classList.add("piece");
    node.style.containIntrinsicHeight = `auto ${27 * Math.ceil((end - start) / 75)}px`;
    pieces.push([node, start, end]);
  };
  const fill = (node, end, within) => {
    if (at >= end) return;
    if (node.className.includes("leaf") || !sliceText(text, astral, at, end).trim()) return write(node, end);
    const block = node.appendChild(make("div.leaf"));
    if (!within) enlist(block, at, end);
    write(block, end);
  };
  const walk = (parent, depth, limit, kind, within) => {
    while (blocks[next]?.[1] > depth) {
      const block = blocks[next++],
        [inner, deeper, start, end] = block,
        apart = inner !== "section" && !within;
      fill(parent, start, within);
      const node = elementOf(block, kind),
        outer = parent.appendChild(inner === "table" ? make("div.wide", node) : node);
      node.classList.toggle("leaf", !(blocks[next]?.[1] > deeper));
      if (apart && start < end) enlist(outer, start, end);
      walk(node, deeper, end, inner, within || apart);
    }
    fill(parent, limit, within);
  };
  walk(root, -1, size, "", false);
  return { nodes, starts, startUnits, pieces };
}

// The margin of a paper: lanes (the cursor is one), labels and flags beside the lines they belong to, for what is in sight.
/** Where an element or a range is in the window. @param {Element|Range} thing @returns {DOMRect} */
export const boxOf = (thing) => thing.getBoundingClientRect();
const GAP = 10, LABEL = 14, LATEST = 44;

/** Rectangles in reading order → stretches [top, bottom] of lines that follow each other. */
function stretches(rects) {
  const found = [];
  for (const { top, bottom } of rects) {
    const last = found[found.length - 1];
    if (last && top <= last[1] + GAP && bottom >= last[0]) last[1] = Math.max(last[1], bottom);
    else found.push([top, bottom]);
  }
  return found;
}

function rectsIn(spans, { from, to, rects }) {
  const found = [];
  for (let i = bisect(spans.length, (at) => spans[at][1], from + 1); spans[i]?.[0] < to; i++) {
    found.push(...rects(Math.max(spans[i][0], from), Math.min(spans[i][1], to)));
  }
  return found;
}

/** Labels beside their lines, one below the other where they would collide; what comes too late is left out. */
function labelsOf({ marks, from, to, rects }) {
  const shown = [];
  let free = -Infinity;
  for (const { at, text, kind = "label" } of marks) {
    const [rect] = at >= from && at < to ? rects(at, at + 1) : [];
    if (!rect) continue;
    if (kind === "judged") shown.push(["caret", "", rect.top, rect.height, rect.left]);
    if (free - rect.top > LATEST && kind === "label") continue;
    const top = Math.max(free, rect.top + 3);
    shown.push([`flag.${kind}`, text, top]);
    free = top + LABEL;
  }
  return shown;
}

/** Draw the margin anew.
 * @param {HTMLElement} margin it lies over the sheet
 * @param {{layers: Object[], marks: Object[], from: number, to: number, rects: function}} view */
export function drawMargin(margin, view) {
  const origin = boxOf(margin), shown = labelsOf(view);
  for (const { lane, spans } of view.layers.filter((layer) => layer.lane)) {
    const rects = rectsIn(spans, view);
    for (const [top, bottom] of stretches(rects)) shown.push([`lane.is-${lane}`, "", top, bottom - top]);
    if (!window.chrome) {
      for (const { top, left, width, height } of rects) {
        shown.push([`line.is-${lane}`, "", top, height, left, width]);
      }
    }
  }
  margin.replaceChildren(...shown.map(([kind, text, top, height, left, width]) => {
    const node = make(`div.${kind}`, text),
      places = { top: top - origin.top, height, left: left - origin.left, width };
    for (const side in places) node.style[side] = `${places[side]}px`;
    return node;
  }));
}

// The map beside a paper: the whole document by characters, the window framed; a click or a drag jumps.
const ROWS = 1000, SIDES = { left: 6, right: 26 };

/** Spans of a text as shapes on one side of the map; striped: every other line only. */
function shapeOf(spans, size, x, striped) {
  const rows = [], bar = (top, bottom) => `M${x} ${top}h12V${bottom}h-12z`;
  for (const [start, end] of spans) {
    const first = Math.floor((start / size) * ROWS);
    appendSpan(rows, first, Math.max(first + 3, Math.ceil((end / size) * ROWS)));
  }
  let shape = "";
  for (const [top, bottom] of rows) {
    for (let y = top; y < bottom; y += striped ? 6 : bottom) {
      shape += bar(y, striped ? Math.min(bottom, y + 3) : bottom);
    }
  }
  return shape;
}

/** Make a map. `draw` layers and marks of a text of a size, `frame` a part of it (shares of 1).
 * @param {function(number)} onJump gets the share of the text above the place that was chosen */
export function makeMap(onJump) {
  const drawing = svg("svg", {
      viewBox: `0 0 44 ${ROWS}`,
      width: "100%",
      height: "100%",
      preserveAspectRatio: "none",
    }),
    sight = make("div.sight");
  const jump = (event) => {
    const { top, height } = boxOf(node);
    if (!event.buttons) return;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    onJump(Math.max(0, (event.clientY - top) / height));
  };
  const node = make(
    "div.text-map",
    { "aria-hidden": "true", on: { pointerdown: jump, pointermove: jump } },
    drawing,
    sight,
  );
  return {
    node,
    draw(size, layers, marks) {
      drawing.replaceChildren(
        ...layers.flatMap(({ lane, map = "", spans }) =>
          map.split(" ").filter(Boolean).map((side) =>
            svg("path", { class: `is-${lane}`, d: shapeOf(spans, size, SIDES[side], lane === "missed") })
          )
        ),
        ...marks.filter(({ kind }) => kind === "judged").map(({ at }) =>
          svg("rect", { y: (at / size) * ROWS - 3, width: 6, height: 6 })
        ),
      );
    },
    frame(from, to) {
      sight.style.top = `${100 * from}%`;
      sight.style.height = `${100 * (to - from)}%`;
    },
  };
}

// What is selected on a paper, in code points.
/** The position of a boundary point of the document; in an element, that of the next text. */
function pointOf({ nodes, starts, startUnits, astral, size }, container, offset) {
  const mark = document.createRange();
  mark.setStart(container, offset);
  const next = bisect(nodes.length, (i) => mark.comparePoint(nodes[i], 0), 0),
    node = nodes[next] === container ? next : next - 1;
  return nodes[node] === container ? toPoint(astral, startUnits[node] + offset) : starts[next] ?? size;
}

/** The selected span of a paper, nothing if there is none.
 * @param {import("./paper.js").Paper} paper @returns {?number[]} */
export function selectionOn({ paper }) {
  const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
  if (!anchorNode || !paper.nodes.length) return null;
  const [start, end] = [pointOf(paper, anchorNode, anchorOffset), pointOf(paper, focusNode, focusOffset)]
    .sort((a, b) => a - b);
  return start < end ? [start, end] : null;
}

// A document on paper: its text, layers of spans painted on it, a cursor, marks at the margin and a map. Positions are code points. It knows nothing of runs, topics or assessors.
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
