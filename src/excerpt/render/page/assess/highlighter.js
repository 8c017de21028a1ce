/** Text view for assessing: selections of whole units, highlights, a caret. */
import { make } from "../dom.js";
import { bisect, countPoints, joinSpans, spanAt } from "../spans.js";
import { boxOf, rangeOf, rectsOf, selectionOn, TextView } from "../text_view.js";

/** @import { Layer, Mark, Span } from "../types.d.ts" */
/** @import { AssessedDocument, ElementRow } from "./types.d.ts" */

// Units of a text (words, sentences, elements), and selections of whole units. Positions are code points.
/** @typedef {{starts: Int32Array, ends: Int32Array, elements?: ElementRow[]}} Units disjoint and in order;
 *   units of elements may contain each other at their ends
 * @typedef {"words" | "sentences" | "elements"} UnitKind */

/** Decode units. @param {number[]} steps gap, length, gap, length … @returns {Units} */
export function unitsOf(steps) {
  const count = steps.length >> 1, starts = new Int32Array(count), ends = new Int32Array(count);
  for (let i = 0, at = 0; i < count; i++) {
    starts[i] = at + steps[2 * i];
    at = ends[i] = starts[i] + steps[2 * i + 1];
  }
  return { starts, ends };
}

/** The innermost element around a character, null if there is none.
 * @param {ElementRow[]} elements @param {number} position */
function elementAround(elements, position) {
  for (let i = bisect(elements.length, (at) => elements[at][1], position + 1) - 1; i >= 0; i--) {
    if (elements[i][2] > position) return elements[i];
  }
  return null;
}

/** The starts of elements, each with the end of the innermost element that starts there.
 * @param {ElementRow[]} elements @returns {Units} */
export function unitsOfElements(elements) {
  /** @type {Map<number, number>} */
  const units = new Map();
  for (const [, start, end] of elements) if (start < end) units.set(start, end);
  return { starts: Int32Array.from(units.keys()), ends: Int32Array.from(units.values()), elements };
}

/** The number of the unit at a position, else of the next one, else the number of all units.
 * @param {Units} units @param {number} position */
function unitAt({ starts, ends }, position) {
  const before = bisect(starts.length, (i) => starts[i], position + 1) - 1;
  return before >= 0 && ends[before] > position ? before : before + 1;
}

/** A span extended to whole units, without the text between units at its ends; null if it touches no unit.
 * @param {Units | null} units null for single characters @param {Span} span @returns {Span | null} */
export function snapSpan(units, [start, end]) {
  if (!units) return start < end ? [start, end] : null;
  if (units.elements) {
    const first = elementAround(units.elements, start),
      last = elementAround(units.elements, Math.max(start, end - 1));
    return first && last ? [first[1], Math.max(first[2], last[2])] : null;
  }
  const { starts, ends } = units,
    first = unitAt(units, start),
    last = bisect(starts.length, (i) => starts[i], end) - 1;
  return first <= last ? [starts[first], ends[last]] : null;
}

/** The unit at a position, else the next one, else the last; null in a text without units.
 * @param {Units | null} units @param {number} position @param {number} size of the text
 * @returns {Span | null} */
export function unitSpan(units, position, size) {
  if (!units) return position < size ? [position, position + 1] : null;
  if (!units.starts.length) return null;
  const at = Math.min(unitAt(units, position), units.starts.length - 1);
  return [units.starts[at], units.ends[at]];
}

/** The position after a step by one unit: the start of the next, or of this or the previous unit; with
 * `ends`, a step forward leads to the end of a unit. @param {Units | null} units @param {number} position
 * @param {number} by 1 or -1 @param {number} size of the text @param {boolean} [ends] */
export function stepUnit(units, position, by, size, ends) {
  if (!units) return Math.max(0, Math.min(size, position + by));
  const { starts } = units;
  if (by > 0 && ends) return nextEnd(units, position) ?? size;
  const at = bisect(starts.length, (i) => starts[i], by > 0 ? position + 1 : position) + (by > 0 ? 0 : -1);
  return at < 0 ? 0 : starts[at] ?? size;
}

/** The first end of a unit after a position. @param {Units} units @param {number} position */
function nextEnd({ starts, ends }, position) {
  const first = Math.max(0, bisect(starts.length, (at) => starts[at], position + 1) - 1);
  for (let i = first; i < ends.length; i++) if (ends[i] > position) return ends[i];
  return null;
}

/** @param {Span[]} spans @param {0 | 1} side @param {number} at */
const nearSpan = (spans, side, at) => bisect(spans.length, (i) => spans[i][side], at);

/** A span with the whitespace up to adjacent highlights, so that adjacent units become one passage.
 * @param {Span} span @param {Span[]} highlights @param {(span: Span) => string} quote @returns {Span} */
export function joinWhitespace([start, end], highlights, quote) {
  const before = highlights[nearSpan(highlights, 1, start) - 1]?.[1] ?? start,
    after = highlights[nearSpan(highlights, 0, end + 1)]?.[0] ?? end;
  return [quote([before, start]).trim() ? start : before, quote([end, after]).trim() ? end : after];
}

/** A span with the highlighted whitespace around it, so that none is left when the span is removed.
 * @param {Span} span @param {Span[]} highlights @param {(span: Span) => string} quote @returns {Span} */
export function cutWhitespace([start, end], highlights, quote) {
  const first = highlights[nearSpan(highlights, 1, start)]?.[0] ?? start,
    last = highlights[nearSpan(highlights, 0, end + 1) - 1]?.[1] ?? end;
  const before = quote([Math.min(first, start), start]), after = quote([end, Math.max(last, end)]);
  return [start - before.length + before.trimEnd().length, end + after.length - after.trimStart().length];
}

// Layers painted by CSS highlights; a change replaces only the ranges that are new.
/** Priorities of layers; higher ones cover lower ones. @type {Record<string, number>} */
const PRIORITIES = {
  returned: 0,
  judged: 1,
  "term-1": 3,
  "term-2": 3,
  "term-3": 3,
  "term-4": 3,
  suggested: 4,
};

/** Compare two sorted lists of spans. @param {Span[]} before @param {Span[]} after
 * @returns {{kept: number[], gone: number[]}} for each span of `after` its number in `before` or -1; and the
 *   numbers of the spans that are only in `before` */
export function matchSpans(before, after) {
  /** @type {number[]} */
  const gone = [];
  let i = 0;
  const kept = after.map(([start, end]) => {
    while (i < before.length && (before[i][0] < start || (before[i][0] === start && before[i][1] < end))) {
      gone.push(i++);
    }
    return i < before.length && before[i][0] === start && before[i][1] === end ? i++ : -1;
  });
  while (i < before.length) gone.push(i++);
  return { kept, gone };
}

/** @typedef {{highlight: Highlight, spans: Span[] | null, valid: Span[], ranges: Range[]}} Painted */

export class Painter {
  /** @param {(start: number, end: number) => Range} rangeFor */
  constructor(rangeFor) {
    this.rangeFor = rangeFor;
    /** @type {Map<string, Painted>} */
    this.layers = new Map();
  }

  /** Paint exactly these layers. @param {Layer[]} layers @param {number} size of the text */
  paint(layers, size) {
    const painted = layers.filter(({ name }) => name && CSS.highlights);
    for (const name of [...this.layers.keys()]) {
      if (!painted.some((layer) => layer.name === name)) this.clear(name);
    }
    for (const { name, spans } of painted) this.update(name, spans, size);
  }

  /** @param {string} name @param {Span[]} spans @param {number} size */
  update(name, spans, size) {
    const layer = this.layers.get(name) ?? this.start(name);
    if (layer.spans === spans) return;
    const valid = spans.filter(([start, end]) => start < end && end <= size),
      { kept, gone } = matchSpans(layer.valid, valid);
    for (const at of gone) layer.highlight.delete(layer.ranges[at]);
    const ranges = valid.map(([start, end], i) => layer.ranges[kept[i]] ?? this.rangeFor(start, end));
    ranges.forEach((range, i) => kept[i] < 0 && layer.highlight.add(range));
    Object.assign(layer, { spans, valid, ranges });
  }

  /** @param {string} name */
  start(name) {
    /** @type {Painted} */
    const layer = { highlight: new Highlight(), spans: null, valid: [], ranges: [] };
    layer.highlight.priority = PRIORITIES[name] ?? 2;
    CSS.highlights.set(name, layer.highlight);
    this.layers.set(name, layer);
    return layer;
  }

  /** @param {string} name */
  clear(name) {
    CSS.highlights.delete(name);
    this.layers.delete(name);
  }
}

// The text view for assessing: selection, caret for the keyboard, flag while an entry point is being chosen.
/** Steps of ten pixels to the next line, and pixels that stay free at the bottom of the window. */
const LINE_STEPS = 12, BOTTOM = 72;
/** Milliseconds after scrolling until the caret follows. */
const REST = 80;
/** Results that cover a larger proportion of the text are shown at the margin only. */
const QUIET_PROPORTION = 0.6;

export class AssessTextView extends TextView {
  /** @param {HTMLElement} host
   * @param {{onEntry: (at: number) => unknown, onLook: () => void, announce: (text: string) => void}} events
   *   `onEntry`: an entry point was chosen; `onLook`: the caret has moved */
  constructor(host, events) {
    super(host, {
      onPoint: (at) => this.choosing && at !== null && this.offer(at),
      onCursor: (at) => this.click(at),
    });
    this.events = events;
    /** The units of selections. @type {UnitKind} */
    this.unit = "words";
    /** @type {number | null} */
    this.caret = null;
    /** Whether the caret stands where the window is, not where the assessor put it. */
    this.resting = false;
    /** @type {Span[]} The text that was visible. */
    this.seen = [];
    /** The other end of the selection. @type {number | null} */
    this.anchor = null;
    /** The left edge for moves between lines. @type {number | null} */
    this.goal = null;
    /** Whether an entry point is being chosen, and the proposed position. */
    this.choosing = false;
    /** @type {number | null} */
    this.offered = null;
    /** @type {Mark[]} */
    this.fixed = [];
    /** Whether the selection was made with Alt. */
    this.exact = false;
    /** The selection when a tool was pressed. @type {Span | null} */
    this.held = null;
    /** @type {Span[]} */
    this.judged = [];
    /** Whether the results of the runs are shown at the margin only. */
    this.quiet = false;
    /** @type {AssessedDocument | null} */
    this.doc = null;
    /** @type {Partial<Record<UnitKind, Units>>} */
    this.decoded = {};
    this.line = make("div.own-caret", { hidden: true });
    this.margin.before(this.line);
    this.text.tabIndex = 0;
    this.text.setAttribute("role", "document");
    this.text.addEventListener("pointerup", ({ altKey, pointerType }) => {
      this.exact = altKey;
      setTimeout(() => this.settleSelection(altKey, pointerType));
    });
    this.painter = new Painter((start, end) => rangeOf(this.layout, start, end));
    this.follow = () => {
      clearTimeout(this.following);
      this.following = setTimeout(() => this.rest(), REST);
    };
    this.following = 0;
    addEventListener("scroll", this.follow, { passive: true });
  }

  /** @override */
  dispose() {
    clearTimeout(this.following);
    removeEventListener("scroll", this.follow);
    super.dispose();
  }

  /** Put the caret at the first visible unit if it is not in view, without a word: it is where the next
   * key acts. */
  rest() {
    if (!this.layout.nodes.length || this.choosing || this.selection || this.isVisible(this.caret)) return;
    this.caret = this.firstVisible();
    this.resting = true;
    this.anchor = this.goal = null;
    this.redraw();
  }

  /** Put the caret at a span, and show both. @param {Span} span */
  goTo(span) {
    this.release(span[0]);
    this.resting = false;
    this.cursor(span);
    this.reveal(span);
  }

  /** @param {number | null} at */
  isVisible(at) {
    const box = at === null ? null : this.boxAt(at), { top } = boxOf(this.map.node);
    return box !== null && box.bottom > top && box.top < innerHeight - BOTTOM / 2;
  }

  /** The start of the first unit in the window. */
  firstVisible() {
    const { size } = this.layout, units = this.unitsNow(), top = Math.floor(this.sight().window[0]);
    return top <= 0
      ? unitSpan(units, 0, size)?.[0] ?? 0
      : Math.min(stepUnit(units, top - 1, 1, size), Math.max(0, size - 1));
  }

  /** The proportion of the text that was visible. */
  get seenShare() {
    return this.layout.size ? countPoints(this.seen) / this.layout.size : 1;
  }

  /** Where the assessor put the caret, null if it only rests. */
  get placed() {
    return this.resting ? null : this.caret;
  }

  /** Show a document. @param {AssessedDocument} doc */
  open(doc) {
    this.doc = doc;
    this.decoded = {};
    this.show({ ...doc, size: doc.length }, { folded: doc.blocks.some(([kind]) => kind !== "text") });
    this.text.setAttribute("aria-label", `Text of ${doc.id}`);
  }

  /** Units of a kind, decoded once. @param {UnitKind} kind @returns {Units} */
  units(kind) {
    const { doc } = this;
    return (this.decoded[kind] ??= kind === "elements"
      ? unitsOfElements(doc?.elements ?? [])
      : unitsOf(doc?.units[kind] ?? []));
  }

  /** Paint layers and marks; map and margin show the layers with a side and a lane.
   * @param {Layer[]} layers @param {Mark[]} marks */
  paintAll(layers, marks) {
    this.painter.paint(layers, this.layout.size);
    this.fixed = marks;
    this.judged = layers.find(({ name }) => name === "judged")?.spans ?? [];
    this.paint(layers.map((layer) => ({ ...layer, name: "", tone: layer.name })), marks);
    this.quiet = layers.some(({ name, spans }) =>
      name === "returned" && countPoints(spans) > QUIET_PROPORTION * this.layout.size
    );
    document.documentElement.dataset.quiet = this.quiet ? "returned" : "";
    this.offer(this.offered);
  }

  /** The units of the next action. @param {boolean} [exact] single characters */
  unitsNow(exact) {
    return exact ? null : this.units(this.unit);
  }

  /** The span of the next action: the selection, else the unit at the caret, else null.
   * @param {boolean} [exact] not by whole units */
  target(exact) {
    const { selection } = this;
    if (selection) return snapSpan(this.unitsNow(exact || this.exact), selection);
    return this.caret === null ? null : unitSpan(this.unitsNow(exact), this.caret, this.layout.size);
  }

  /** The selection, or that of the moment when a tool was pressed: on some devices a tap clears it. */
  get selection() {
    return selectionOn(this) ?? this.held;
  }

  /** Keep the selection for the tool that is being pressed. */
  hold() {
    this.held = selectionOn(this);
    addEventListener("pointerup", () =>
      setTimeout(() => {
        this.held = null;
      }, 50), { once: true });
  }

  /** Extend a selection by mouse to whole units at once, visibly; on touch screens the handles of the
   * selection stay where they are. @param {boolean} alt @param {string} pointer */
  settleSelection(alt, pointer) {
    const selection = selectionOn(this);
    this.exact = Boolean(selection && alt);
    if (!selection) return;
    const [start, end] = (pointer === "mouse" && snapSpan(this.unitsNow(alt), selection)) || selection;
    this.anchor = start;
    this.caret = end;
    this.resting = false;
    this.goal = null;
    if (pointer === "mouse") this.select(start, end);
    this.redraw();
  }

  /** @param {number} anchor @param {number} focus */
  select(anchor, focus) {
    const { startContainer, startOffset, endContainer, endOffset } = rangeOf(
        this.layout,
        Math.min(anchor, focus),
        Math.max(anchor, focus),
      ),
      selection = getSelection();
    if (anchor <= focus) selection?.setBaseAndExtent(startContainer, startOffset, endContainer, endOffset);
    else selection?.setBaseAndExtent(endContainer, endOffset, startContainer, startOffset);
  }

  /** Clear the selection; the caret stays unless it is given. @param {number | null} at */
  release(at = this.caret) {
    getSelection()?.removeAllRanges();
    this.caret = at;
    this.resting = this.resting && at !== null;
    this.anchor = this.held = null;
    this.exact = false;
    this.redraw();
  }

  /** @param {number | null} at */
  click(at) {
    if (at === null) return;
    if (this.choosing) return this.events.onEntry(this.startOf(at));
    this.caret = at;
    this.resting = false;
    this.anchor = this.goal = null;
    this.exact = false;
    this.redraw();
    this.events.onLook();
  }

  /** The start of the unit at a position. @param {number} at */
  startOf(at) {
    return Math.min(unitSpan(this.unitsNow(), at, this.layout.size)?.[0] ?? at, this.layout.size - 1);
  }

  /** Propose an entry point by a flag, null for none. @param {number | null} at */
  offer(at) {
    this.offered = at === null ? null : this.startOf(at);
    const flags = this.offered === null ? [] : [{ at: this.offered, text: "here?", kind: "returned" }];
    this.marks = [...this.fixed, ...flags].sort((one, other) => one.at - other.at);
    this.redraw();
  }

  /** Begin or end the choice of an entry point. @param {boolean} on */
  choose(on) {
    this.choosing = on;
    this.text.classList.toggle("choosing", on);
    if (on) this.text.focus({ preventScroll: true });
    this.offer(on ? this.firstOffer() : null);
    if (this.offered !== null) this.seek(this.offered);
  }

  /** The start of the highlight at the caret, else the caret, else the first highlight, else the first
   * visible position. */
  firstOffer() {
    const { placed: caret, judged } = this,
      around = caret === null
        ? null
        : judged[spanAt(judged, caret)] ?? judged[spanAt(judged, Math.max(0, caret - 1))];
    return around?.[0] ?? caret ?? judged[0]?.[0] ?? Math.floor(this.sight().window[0]);
  }

  /** Move the caret, or the flag. @param {string} way left, right, up or down
   * @param {boolean} extend the selection @param {boolean} exact by characters */
  move(way, extend, exact) {
    const from = this.choosing ? this.offered : this.placed,
      by = way === "right" || way === "down" ? 1 : -1,
      { size } = this.layout;
    const units = this.unitsNow(exact),
      lines = (way === "up" || way === "down") && (exact || this.unit === "words");
    if (from === null || !(this.choosing || extend || this.isVisible(from))) {
      return this.arrive(stepUnit(units, Math.floor(this.sight().window[0]) - 1, 1, size), extend);
    }
    if (!lines) this.goal = null;
    const to = lines ? this.nextLine(from, by) : stepUnit(units, from, by, size, extend);
    return this.arrive(lines && !exact && !extend ? this.startOf(to) : to, extend);
  }

  /** Put the caret or the flag at a position. @param {number} at @param {boolean} extend the selection */
  arrive(at, extend) {
    if (this.choosing) this.offer(at);
    else {
      this.anchor = extend ? this.anchor ?? this.caret ?? at : null;
      this.caret = at;
      this.resting = false;
      if (this.anchor !== null && this.anchor !== at) this.select(this.anchor, at);
      else getSelection()?.removeAllRanges();
      this.exact = false;
    }
    this.seek(at);
    const spoken = extend && this.anchor !== null && this.anchor !== at
      ? [this.anchor, at].sort((one, other) => one - other)
      : unitSpan(this.unitsNow(), at, this.layout.size);
    if (spoken) this.events.announce(this.quote(spoken, 300));
    this.events.onLook();
  }

  /** The box of the character at a position; whitespace without a box is passed over.
   * @param {number} at @returns {DOMRect | null} */
  boxAt(at) {
    const { size } = this.layout;
    return rectsOf(this.layout, Math.min(at, size - 1), Math.min(at + 60, size))[0] ??
      rectsOf(this.layout, Math.max(0, at - 60), Math.min(at, size)).pop() ?? null;
  }

  /** Scroll to a position if it is not visible. @param {number} at */
  seek(at) {
    const box = this.boxAt(at), { top } = boxOf(this.map.node);
    if (!box || box.top < top + 8 || box.bottom > innerHeight - BOTTOM) this.reveal([at, at + 1]);
    this.redraw();
  }

  /** The position one line above or below. @param {number} from @param {number} by 1 or -1 */
  nextLine(from, by) {
    this.seek(from);
    const box = this.boxAt(from);
    if (!box) return from;
    this.goal ??= box.left + 1;
    for (let i = 1; i <= LINE_STEPS; i++) {
      const at = this.positionAt(this.goal, by > 0 ? box.bottom + 10 * i - 4 : box.top - 10 * i + 4);
      if (at !== null && (at - from) * by > 0) return at;
    }
    return stepUnit(this.units("words"), from, by, this.layout.size);
  }

  /** Draw the margin, the map and the caret. @override */
  draw() {
    super.draw();
    if (this.layout.nodes.length) {
      const [from, to] = this.sight().window.map(Math.round);
      if (from < to) this.seen = joinSpans([...this.seen, [Math.max(0, from), to]]);
    }
    const at = this.choosing ? this.offered : this.caret,
      box = at === null || !this.layout.nodes.length ? null : this.boxAt(at),
      origin = boxOf(this.margin);
    this.line.hidden = !box;
    if (at === null || !box) return;
    const right = at >= this.layout.size ||
      rectsOf(this.layout, at, Math.min(at + 60, this.layout.size)).length === 0;
    Object.assign(this.line.style, {
      left: `${(right ? box.right : box.left) - origin.left}px`,
      top: `${box.top - origin.top}px`,
      height: `${box.height}px`,
    });
  }
}
