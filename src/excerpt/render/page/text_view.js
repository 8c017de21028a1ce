/** Text of a document with painted layers, a cursor, margin lanes and a map. */
import { make, svg } from "./dom.js";
import { appendSpan, astralOf, bisect, countPoints, sliceText, toPoint, toUnit } from "./spans.js";

/** @import { Block, Layer, Mark, Span, Page } from "./types.d.ts" */

/** @typedef {[node: HTMLElement, start: number, end: number]} Piece a block that is drawn only when visible
 * @typedef {{nodes: Text[], starts: number[], startUnits: number[], pieces: Piece[]}} Built text nodes with
 *   their first positions in code points and units; pieces are disjoint and in order
 * @typedef {Built & {page: Page | null, astral: Uint32Array, size: number}} Layout */

// Elements of the blocks of a document. Text nodes contain every character of the text and nothing else.
/** @type {Record<string, string>} */
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

/** @param {string} kind */
const isCell = (kind) => kind === "cell" || kind === "head";

/** The offsets of gaps between words that touch each other. @param {Block[]} blocks @returns {number[]} */
function gapsOf(blocks) {
  return blocks.flatMap(([kind, , , , extra]) => !isCell(kind) && Array.isArray(extra) ? extra : [])
    .sort((a, b) => a - b);
}

/** The element of a block: rows occur in tables and cells in rows only, but captions and items anywhere.
 * @param {Block} block @param {string} parent kind of the block around it @returns {HTMLElement} */
function elementOf([kind, , , , extra], parent) {
  if (kind === "heading") return make(`h${Math.min(Number(extra) + 1, 6)}`);
  if (kind === "item" && parent !== "list") return make("div.item");
  const [colspan, rowspan] = isCell(kind) && Array.isArray(extra) ? extra : [];
  return make(kind === "caption" && parent !== "table" ? "div.caption" : TAGS[kind] ?? "div", {
    colspan,
    rowspan,
  });
}

/** Fill an element with the text and the blocks of a document.
 * @param {HTMLElement} root @param {string} text @param {Uint32Array} astral @param {number} size
 * @param {Block[]} blocks @param {[number, number, string][]} types stretches with their type, in order
 * @returns {Built} */
function buildText(root, text, astral, size, blocks, types) {
  /** @type {Built} */
  const built = { nodes: [], starts: [], startUnits: [], pieces: [] };
  const { nodes, starts, startUnits, pieces } = built, gaps = gapsOf(blocks);
  let at = 0, next = 0, gap = 0, typed = 0;
  /** @param {HTMLElement} node @param {number} end */
  const write = (node, end) => {
    do {
      while (gaps[gap] < at) gap++;
      while (types[typed]?.[1] <= at) typed++;
      const [from, to, type] = types[typed] ?? [end, end, ""],
        after = gaps[gap] === at,
        stop = Math.min(gaps[after ? gap + 1 : gap] ?? end, from > at ? from : to, end);
      starts.push(at);
      startUnits.push(toUnit(astral, at));
      const parent = after
        ? node.appendChild(make("span.gap"))
        : from <= at && type
        ? node.appendChild(make(`span.${type}`))
        : node;
      parent.appendChild(nodes[nodes.push(document.createTextNode(sliceText(text, astral, at, stop))) - 1]);
      at = stop;
    } while (at < end);
  };
  /** The text that is seen, from here on. @param {number} end */
  const seenUntil = (end) => {
    let seen = "", from = at;
    for (let i = typed; types[i]?.[0] < end; i++) {
      const [start, stop, type] = types[i];
      if (type !== "markup" || stop <= from) continue;
      seen += sliceText(text, astral, from, Math.max(from, start));
      from = Math.min(stop, end);
    }
    return seen + sliceText(text, astral, from, end);
  };
  /** @param {HTMLElement} node @param {number} start @param {number} end */
  const addPiece = (node, start, end) => {
    node.classList.add("piece");
    node.style.containIntrinsicHeight = `auto ${27 * Math.ceil((end - start) / 75)}px`;
    pieces.push([node, start, end]);
  };
  /** @param {HTMLElement} node @param {number} end @param {boolean} within a piece */
  const fill = (node, end, within) => {
    if (at >= end) return;
    const list = node.tagName === "UL", leaf = !list && node.className.includes("leaf");
    if (leaf || !seenUntil(end).trim()) return write(node, end);
    const block = node.appendChild(make(list ? "li.leaf.bare" : "div.leaf"));
    if (!within) addPiece(block, at, end);
    write(block, end);
  };
  /** @param {HTMLElement} parent @param {number} depth @param {number} limit @param {string} kind
   * @param {boolean} within a piece */
  const walk = (parent, depth, limit, kind, within) => {
    while (blocks[next]?.[1] > depth) {
      const block = blocks[next++],
        [inner, deeper, start, end] = block,
        apart = inner !== "section" && !within;
      fill(parent, start, within);
      const node = elementOf(block, kind),
        framed = inner === "table"
          ? make("div.wide", { tabindex: 0, role: "group", "aria-label": "Table" }, node)
          : node,
        outer = parent.appendChild(
          kind === "list" && inner !== "item" ? make("li.bare", framed) : framed,
        );
      node.classList.toggle("leaf", !(blocks[next]?.[1] > deeper));
      if (apart && start < end) addPiece(outer, start, end);
      walk(node, deeper, end, inner, within || apart);
    }
    fill(parent, limit, within);
  };
  walk(root, -1, size, "", false);
  return built;
}

// The margin of a text view: lanes (the cursor is one), labels and flags next to the visible lines.
/** @typedef {{from: number, to: number, rects: (start: number, end: number) => DOMRect[]}} Visible
 * @typedef {[kind: string, text: string, top: number, height?: number, left?: number, width?: number]} Shape
 */

/** The box of an element or range in the window. @param {Element | Range} thing */
export const boxOf = (thing) => thing.getBoundingClientRect();
const GAP = 10, LABEL = 16, LATEST = 44;

/** Runs of adjacent lines as [top, bottom]. @param {DOMRect[]} rects in reading order */
function lineRuns(rects) {
  /** @type {[top: number, bottom: number][]} */
  const runs = [];
  for (const { top, bottom } of rects) {
    const last = runs[runs.length - 1];
    if (last && top <= last[1] + GAP && bottom >= last[0]) last[1] = Math.max(last[1], bottom);
    else runs.push([top, bottom]);
  }
  return runs;
}

/** @param {Span[]} spans @param {Visible} visible */
function rectsIn(spans, { from, to, rects }) {
  const visible = [];
  for (let i = bisect(spans.length, (at) => spans[at][1], from + 1); spans[i]?.[0] < to; i++) {
    visible.push(...rects(Math.max(spans[i][0], from), Math.min(spans[i][1], to)));
  }
  return visible;
}

/** Labels next to their lines, moved down where they would collide; one that is too far down is left out.
 * @param {Visible & {marks: Mark[]}} view */
function labelsOf({ marks, from, to, rects }) {
  /** @type {Shape[]} */
  const shown = [];
  /** The height from which on a side is free. @type {Record<string, number>} */
  const free = { left: -Infinity, right: -Infinity };
  for (const { at, text, kind = "label", side = "left" } of marks) {
    const [rect] = at >= from && at < to ? rects(at, at + 1) : [];
    if (!rect) continue;
    if (kind === "judged") shown.push(["caret", "", rect.top, rect.height, rect.left]);
    if (free[side] - rect.top > LATEST && kind === "label") continue;
    const top = Math.max(free[side], rect.top + 3);
    shown.push([`flag.${kind}${side === "right" ? ".right" : ""}`, text, top]);
    free[side] = top + LABEL;
  }
  return shown;
}

/** Whether the browser paints the lines of highlights. Paint cannot be read, and what Firefox computes
 * does not tell: it paints lines since the version that knows `text-decoration-inset`. */
const paintsLines = () =>
  CSS.supports("text-decoration", "underline dashed 2px red") &&
  (CSS.supports("text-decoration-inset", "auto") || !CSS.supports("-moz-user-select", "none"));

/** Redraw the margin.
 * @param {HTMLElement} margin over the text @param {Visible & {layers: Layer[], marks: Mark[]}} view */
function drawMargin(margin, view) {
  const origin = boxOf(margin), shown = labelsOf(view), painted = paintsLines();
  document.documentElement.dataset.lines = painted ? "painted" : "drawn";
  for (const { name, lane, line = lane, fill, spans } of view.layers) {
    const drawn = !painted && name && line, rects = lane || drawn || fill ? rectsIn(spans, view) : [];
    if (lane) {
      for (const [top, bottom] of lineRuns(rects)) shown.push([`lane.is-${lane}`, "", top, bottom - top]);
    }
    for (const kind of [fill && `fill.is-${fill}`, drawn && `line.is-${line}`]) {
      if (!kind) continue;
      for (const { top, left, width, height } of rects) shown.push([kind, "", top, height, left, width]);
    }
  }
  margin.replaceChildren(...shown.map(([kind, text, top, height, left, width]) => {
    const node = make(`div.${kind}`, text),
      sides = { top: top - origin.top, height, left: left === undefined ? left : left - origin.left, width };
    for (const [side, pixels] of Object.entries(sides)) {
      if (pixels !== undefined) node.style.setProperty(side, `${pixels}px`);
    }
    return node;
  }));
}

// The map: all of the document by characters, the window framed; a click or a drag jumps.
const ROWS = 1000;
/** Columns of the map: two, or three for two runs. @type {Record<string, number>} */
const SIDES = { left: 6, right: 26, first: 2, middle: 16, second: 30 };

/** The path of spans on one side of the map; striped: every other line only.
 * @param {Span[]} spans @param {number} size @param {number} x @param {boolean} striped */
function shapeOf(spans, size, x, striped) {
  /** @type {Span[]} */
  const rows = [];
  /** @param {number} top @param {number} bottom */
  const bar = (top, bottom) => `M${x} ${top}h12V${bottom}h-12z`;
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

/** Create a map: `draw` draws layers and marks of a text, `frame` frames a part of it, as proportions.
 * @param {(proportion: number) => void} onJump is given the proportion of the text above the pointer */
function makeMap(onJump) {
  const drawing = svg("svg", {
      viewBox: `0 0 44 ${ROWS}`,
      width: "100%",
      height: "100%",
      preserveAspectRatio: "none",
    }),
    sight = make("div.sight");
  /** @param {PointerEvent} event */
  const jump = (event) => {
    const { top, height } = boxOf(node);
    if (!event.buttons) return;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    onJump(Math.max(0, (event.clientY - top) / height));
  };
  /** @type {HTMLElement} */
  const node = make(
    "div.text-map",
    { "aria-hidden": "true", on: { pointerdown: jump, pointermove: jump } },
    drawing,
    sight,
  );
  return {
    node,
    /** @param {number} size @param {Layer[]} layers @param {Mark[]} marks */
    draw(size, layers, marks) {
      drawing.replaceChildren(
        ...layers.flatMap(({ name, lane, tone = name, map = "", spans }) =>
          map.split(" ").filter(Boolean).map((side) =>
            svg(`path.is-${lane || tone}`, { d: shapeOf(spans, size, SIDES[side], lane === "missed") })
          )
        ),
        ...marks.filter(({ kind }) => kind === "judged").map(({ at }) =>
          svg("rect", { y: (at / size) * ROWS - 3, width: 6, height: 6 })
        ),
      );
    },
    /** @param {number} from @param {number} to */
    frame(from, to) {
      sight.style.top = `${100 * from}%`;
      sight.style.height = `${100 * (to - from)}%`;
    },
  };
}

// The selection in a text view, in code points.
/** The position of a boundary point of the DOM; in an element, that of the next text.
 * @param {Layout} layout @param {Node} container @param {number} offset */
function pointOf({ nodes, starts, startUnits, astral, size }, container, offset) {
  const mark = document.createRange();
  mark.setStart(container, offset);
  const next = bisect(nodes.length, (i) => mark.comparePoint(nodes[i], 0), 0),
    node = nodes[next] === container ? next : next - 1;
  return nodes[node] === container ? toPoint(astral, startUnits[node] + offset) : starts[next] ?? size;
}

/** The selected span of a text view, null if nothing is selected.
 * @param {{layout: Layout}} view @returns {Span | null} */
export function selectionOn({ layout }) {
  const { anchorNode, anchorOffset = 0, focusNode, focusOffset = 0 } = getSelection() ?? {};
  if (!anchorNode || !focusNode || !layout.nodes.length) return null;
  const [start, end] = [pointOf(layout, anchorNode, anchorOffset), pointOf(layout, focusNode, focusOffset)]
    .sort((a, b) => a - b);
  return start < end ? [start, end] : null;
}

// The text view: text, painted layers, cursor, margin, map. It knows no runs, topics or assessors.
/** The fill of `runs-N` covers the fill of `hit`, not its line. @type {Record<string, number>} */
const PRIORITY = { again: 5, hit: 0 };
const WAIT = 80, QUIET = 0.6, NEAR = 6000;

/** The text node at a position (for the end of a span: the node before it), the offset in it, its number.
 * @param {Layout} layout @param {number} point @param {boolean} [end] @returns {[Text, number, number]} */
function boundary({ nodes, starts, startUnits, astral }, point, end) {
  const node = Math.max(0, bisect(nodes.length, (i) => starts[i], end ? point : point + 1) - 1);
  return [nodes[node], toUnit(astral, point) - startUnits[node], node];
}

/** The DOM range of a span. @param {Layout} layout @param {number} start @param {number} end */
export function rangeOf(layout, start, end) {
  const range = document.createRange(),
    [first, from] = boundary(layout, start),
    [last, to] = boundary(layout, end, end > start);
  range.setStart(first, from);
  range.setEnd(last, to);
  return range;
}

/** The rectangles of a span, text node by text node.
 * @param {Layout} layout @param {number} start @param {number} end */
export function rectsOf(layout, start, end) {
  const rects = [], last = boundary(layout, end, true)[2];
  for (let i = boundary(layout, start)[2]; i <= last; i++) {
    const range = rangeOf(
      layout,
      Math.max(start, layout.starts[i]),
      Math.min(end, layout.starts[i + 1] ?? layout.size),
    );
    for (const rect of range.getClientRects()) if (rect.width > 0) rects.push(rect);
  }
  return rects;
}

/** The position at a height of the window, by the proportion of a piece that is above it.
 * @param {Piece} piece @param {number} height */
function positionIn([node, start, end], height) {
  const box = boxOf(node);
  return start + Math.max(0, Math.min(1, (height - box.top) / (box.height || 1))) * (end - start);
}

/** The text of a document with layers of spans. All positions are code points. */
export class TextView {
  /** @param {HTMLElement} host
   * @param {{onPoint: (at: number | null) => unknown, onCursor: (at: number | null) => unknown}} events */
  constructor(host, { onPoint, onCursor }) {
    let timer = 0;
    /** @param {PointerEvent} event */
    const pointermove = ({ clientX, clientY }) => {
      clearTimeout(timer);
      timer = setTimeout(() => onPoint(this.positionAt(clientX, clientY)), WAIT);
    };
    /** @param {MouseEvent} event */
    const click = ({ clientX, clientY }) =>
      getSelection()?.isCollapsed && onCursor(this.positionAt(clientX, clientY));
    /** @type {Layout} */
    this.layout = {
      nodes: [],
      starts: [],
      startUnits: [],
      pieces: [],
      page: null,
      astral: new Uint32Array(),
      size: 0,
    };
    /** @type {Layer[]} */
    this.layers = [];
    /** @type {Mark[]} */
    this.marks = [];
    /** The span under the cursor. @type {Span | null} */
    this.span = null;
    /** The span that was revealed last. @type {Span | null} */
    this.revealed = null;
    this.frame = 0;
    this.text = make("div", { id: "text", tabindex: -1, on: { pointermove, click } });
    this.margin = make("div.margin", { "aria-hidden": "true" });
    this.map = makeMap((proportion) => {
      const at = proportion * this.layout.size;
      this.reveal([at, at + 99].map(Math.floor));
    });
    this.redraw = () => {
      this.frame ||= requestAnimationFrame(() => this.draw());
    };
    /** The text of a span, its first characters if there are more. @param {Span} span @param {number} most */
    this.quote = ([start, end], most = Infinity) =>
      sliceText(this.layout.page?.text ?? "", this.layout.astral, start, Math.min(end, start + most));
    host.append(make("div.folio", this.margin, this.text), this.map.node);
    this.watcher = new ResizeObserver(this.redraw);
    this.watcher.observe(this.text);
    addEventListener("scroll", this.redraw, { passive: true });
  }

  /** The visible pieces from start to end, and the first and the last position in the window. */
  sight() {
    const { pieces, size } = this.layout, { top } = boxOf(this.map.node);
    /** @param {"top" | "bottom"} side @param {number} limit */
    const first = (side, limit) => bisect(pieces.length, (i) => boxOf(pieces[i][0])[side], limit);
    const from = first("bottom", top), to = first("top", innerHeight) - 1;
    const window = [[from, top], [to, innerHeight]].map((
      [i, height],
    ) => (pieces[i] ? positionIn(pieces[i], height) : size));
    return { from: pieces[from - 1]?.[2] ?? 0, to: pieces[to + 1]?.[1] ?? size, window };
  }

  /** Draw the margin and the frame of the map. */
  draw() {
    const { layout, marks } = this,
      layers = [...this.layers, { name: "", lane: "cursor", spans: this.span ? [this.span] : [] }];
    this.frame = 0;
    if (!layout.nodes.length) return;
    const sight = this.sight(), [top, bottom] = sight.window;
    this.map.frame(top / layout.size, bottom / layout.size);
    drawMargin(this.margin, { ...sight, layers, marks, rects: (start, end) => rectsOf(layout, start, end) });
  }

  /** Show a document. @param {Page} page @param {{folded: boolean}} options whether whitespace is folded */
  show(page, { folded }) {
    if (this.layout.page !== page) {
      const text = page.text ?? "", astral = astralOf(text), length = toPoint(astral, text.length);
      this.text.replaceChildren();
      this.layout = {
        ...buildText(this.text, text, astral, length, text ? page.blocks : [], page.types ?? []),
        page,
        astral,
        size: text ? length : page.size,
      };
    }
    this.text.classList.toggle("folded", folded);
  }

  /** Hide the blocks that end before a position, of those that may be folded; whether there are any.
   * @param {number} hidden @param {number} most */
  fold(hidden, most) {
    const some = this.layout.pieces.filter(([, , end]) => end <= most);
    for (const [node, , end] of some) node.hidden = end <= hidden;
    return some.length > 0;
  }

  /** Paint layers and mark the margin. @param {Layer[]} layers @param {Mark[]} marks
   * @returns {string[]} the layers that cover so much of the text that only the margin shows them */
  paint(layers, marks) {
    const { size, nodes } = this.layout;
    /** @type {string[]} */
    const quiet = [];
    for (const { name, spans, silent, fill = "" } of layers) {
      if ((name || fill) && (silent || countPoints(spans) > QUIET * size)) quiet.push(name || fill);
      if (!name || !CSS.highlights) continue;
      const highlight = new Highlight();
      highlight.priority = PRIORITY[name] ?? 1;
      for (const [start, end] of nodes.length ? spans : []) {
        if (start < size) highlight.add(rangeOf(this.layout, start, Math.min(end, size)));
      }
      CSS.highlights.set(name, highlight);
    }
    document.documentElement.dataset.quiet = quiet.join(" ");
    this.layers = layers.filter(({ fill = "" }) => !quiet.includes(fill));
    this.marks = [...marks].sort((a, b) => a.at - b.at);
    this.map.draw(
      Math.max(size, 1, ...layers.map(({ spans }) => spans[spans.length - 1]?.[1] ?? 0)),
      layers,
      marks,
    );
    this.redraw();
    return quiet;
  }

  /** Put the cursor around a span. @param {Span | null} span */
  cursor(span) {
    this.span = span;
    this.redraw();
  }

  /** Scroll to the first line of a span, and again while blocks around it get their height.
   * @param {Span} span @param {number} frames */
  reveal(span, frames = 2) {
    const { layout } = this, [start, end] = span, at = Math.min(start, layout.size - 1);
    this.revealed = span;
    if (!layout.nodes.length) return;
    for (const [node, from, to] of layout.pieces) {
      if (to > at - NEAR && from < at + NEAR) node.style.contentVisibility = "visible";
    }
    const [line] = rectsOf(layout, at, Math.min(Math.max(end, at + 1), layout.size));
    if (line) scrollBy(0, line.top - 0.3 * innerHeight);
    if (frames) requestAnimationFrame(() => this.revealed === span && this.reveal(span, frames - 1));
  }

  /** Whether a position is in the upper part of the window. @param {number} at */
  shows(at) {
    const [from, to] = this.sight().window;
    return from <= at && at < from + 0.7 * (to - from);
  }

  /** The position at a point of the window, null if there is no text. @param {number} x @param {number} y */
  positionAt(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y),
      range = caret ? null : document.caretRangeFromPoint?.(x, y),
      node = caret?.offsetNode ?? range?.startContainer,
      offset = caret?.offset ?? range?.startOffset ?? 0;
    const { nodes, startUnits, astral } = this.layout, i = node instanceof Text ? nodes.indexOf(node) : -1;
    return i < 0 ? null : toPoint(astral, startUnits[i] + offset);
  }

  /** Stop watching; remove the highlights if this view has painted any. */
  dispose() {
    this.revealed = null;
    this.watcher.disconnect();
    removeEventListener("scroll", this.redraw);
    if (this.layers[0]) CSS.highlights?.clear();
  }
}
