/** Text view for assessing: selections of whole units, highlights, a caret. */
import { make } from "../dom.js";
import { bisect, countPoints, spanAt } from "../spans.js";
import { boxOf, rangeOf, rectsOf, selectionOn, TextView } from "../text_view.js";

// Units of a text (words, sentences, elements), as the server tells them, and selections that snap to them. Positions are code points. No DOM.
/** @typedef {{starts: Int32Array, ends: Int32Array}} Units  disjoint, in order; those of elements may lie in each other at the end */

/** Units from what the server writes: gap, length, gap, length … @param {number[]} steps @returns {Units} */
export function unitsOf(steps) {
  const count = steps.length >> 1, starts = new Int32Array(count), ends = new Int32Array(count);
  for (let i = 0, at = 0; i < count; i++) {
    starts[i] = at + steps[2 * i];
    at = ends[i] = starts[i] + steps[2 * i + 1];
  }
  return { starts, ends };
}

/** The innermost of elements [path, start, end, tag], parents first, that holds a character. @returns {?Array} */
function holderOf(elements, position) {
  for (let i = bisect(elements.length, (at) => elements[at][1], position + 1) - 1; i >= 0; i--) {
    if (elements[i][2] > position) return elements[i];
  }
  return null;
}

/** Where text of elements begins, each place with the innermost element there. @param {Array[]} elements @returns {Units} */
export function unitsOfElements(elements) {
  const places = new Map();
  for (const [, start, end] of elements) if (start < end) places.set(start, end);
  const starts = Int32Array.from(places.keys());
  return { starts, ends: Int32Array.from(starts, (start) => places.get(start)), elements };
}

/** Which unit holds a position, else the next one; the number of units behind the last.
 * @param {Units} units @param {number} position @returns {number} */
function unitAt({ starts, ends }, position) {
  const before = bisect(starts.length, (i) => starts[i], position + 1) - 1;
  return before >= 0 && ends[before] > position ? before : before + 1;
}

/** A span grown to whole units and without what lies between them at its ends; nothing where it touches none.
 * @param {?Units} units null for single characters @param {number[]} span @returns {?number[]} */
export function snapSpan(units, [start, end]) {
  if (!units) return start < end ? [start, end] : null;
  if (units.elements) {
    const first = holderOf(units.elements, start), last = holderOf(units.elements, Math.max(start, end - 1));
    return first && last ? [first[1], Math.max(first[2], last[2])] : null;
  }
  const { starts, ends } = units,
    first = unitAt(units, start),
    last = bisect(starts.length, (i) => starts[i], end) - 1;
  return first <= last ? [starts[first], ends[last]] : null;
}

/** The unit at a position, or the nearest one behind it, else before it; nothing in a text without units.
 * @param {?Units} units @param {number} position @param {number} size of the text @returns {?number[]} */
export function unitSpan(units, position, size) {
  if (!units) return position < size ? [position, position + 1] : null;
  if (!units.starts.length) return null;
  const at = Math.min(unitAt(units, position), units.starts.length - 1);
  return [units.starts[at], units.ends[at]];
}

/** Where a step by one unit leads: to the beginning of the next or of this or the previous one; with `ends`, forward to the end of a unit.
 * @param {?Units} units @param {number} position @param {number} by 1 or -1 @param {number} size of the text @param {boolean} ends
 * @returns {number} */
export function stepUnit(units, position, by, size, ends) {
  if (!units) return Math.max(0, Math.min(size, position + by));
  const { starts } = units;
  if (by > 0 && ends) return firstBehind(units, position) ?? size;
  const at = bisect(starts.length, (i) => starts[i], by > 0 ? position + 1 : position) + (by > 0 ? 0 : -1);
  return at < 0 ? 0 : starts[at] ?? size;
}

function firstBehind({ starts, ends }, position) {
  for (
    let i = Math.max(0, bisect(starts.length, (at) => starts[at], position + 1) - 1);
    i < ends.length;
    i++
  ) if (ends[i] > position) return ends[i];
  return null;
}

const nearSpan = (spans, side, at) => bisect(spans.length, (i) => spans[i][side], at);

/** A span with the white space between it and what is highlighted beside it: units one after the other are one passage.
 * @param {number[]} span @param {number[][]} highlights @param {function(number[]): string} quote @returns {number[]} */
export function joinBlanks([start, end], highlights, quote) {
  const before = highlights[nearSpan(highlights, 1, start) - 1]?.[1] ?? start,
    after = highlights[nearSpan(highlights, 0, end + 1)]?.[0] ?? end;
  return [quote([before, start]).trim() ? start : before, quote([end, after]).trim() ? end : after];
}

/** A span with the highlighted white space around it, that nothing of it is left over when the span is removed.
 * @param {number[]} span @param {number[][]} highlights @param {function(number[]): string} quote @returns {number[]} */
export function cutBlanks([start, end], highlights, quote) {
  const first = highlights[nearSpan(highlights, 1, start)]?.[0] ?? start,
    last = highlights[nearSpan(highlights, 0, end + 1) - 1]?.[1] ?? end;
  const before = quote([Math.min(first, start), start]), after = quote([end, Math.max(last, end)]);
  return [start - before.length + before.trimEnd().length, end + after.length - after.trimStart().length];
}

// Layers painted on a text by CSS highlights: of a layer that changes only what is new is made anew.
/** What lies over what. */
const OVER = { returned: 0, judged: 1, "term-1": 3, "term-2": 3, "term-3": 3, "term-4": 3, suggested: 4 };

/** Sorted spans that stay, that go and that come. @param {number[][]} before @param {number[][]} after
 * @returns {{kept: number[], gone: number[]}} for each of `after` its number in `before` or -1; numbers in `before` that are in no `after` */
export function matchSpans(before, after) {
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

export class Painter {
  /** @param {function(number, number): Range} rangeFor */
  constructor(rangeFor) {
    Object.assign(this, { rangeFor, layers: new Map() });
  }

  /** Paint exactly these layers. @param {Layer[]} layers @param {number} size of the text */
  paint(layers, size) {
    const named = layers.filter(({ name }) => name && CSS.highlights);
    for (const name of [...this.layers.keys()]) {
      if (!named.some((layer) => layer.name === name)) this.clear(name);
    }
    for (const { name, spans } of named) this.update(name, spans, size);
  }

  update(name, spans, size) {
    const known = this.layers.get(name) ?? this.start(name);
    if (known.spans === spans) return;
    const fits = spans.filter(([start, end]) => start < end && end <= size),
      { kept, gone } = matchSpans(known.fits, fits);
    for (const at of gone) known.highlight.delete(known.ranges[at]);
    const ranges = fits.map(([start, end], i) => known.ranges[kept[i]] ?? this.rangeFor(start, end));
    ranges.forEach((range, i) => kept[i] < 0 && known.highlight.add(range));
    Object.assign(known, { spans, fits, ranges });
  }

  start(name) {
    const layer = { highlight: new Highlight(), spans: null, fits: [], ranges: [] };
    layer.highlight.priority = OVER[name] ?? 2;
    CSS.highlights.set(name, layer.highlight);
    this.layers.set(name, layer);
    return layer;
  }

  clear(name) {
    CSS.highlights.delete(name);
    this.layers.delete(name);
  }
}

// A paper that is worked on: a selection that snaps to units, a caret for the keyboard, a flag while an entry point is chosen.
/** How far from a line the next one may be, and how much room is left at the foot of the window. */
const FARTHEST = 12, FOOT = 72;
/** What runs returned is shown at the margin only, if it is more of the text. */
const QUIET_SHARE = 0.6;

export class Sheet extends TextView {
  /** @param {HTMLElement} host @param {{onEntry: function(number), onLook: function(), announce: function(string)}} events */
  constructor(host, events) {
    super(host, {
      onPoint: (at) => this.choosing && at !== null && this.offer(at),
      onCursor: (at) => this.click(at),
    });
    Object.assign(this, {
      events,
      snap: "words",
      caret: null,
      anchor: null,
      goal: null,
      choosing: false,
      offered: null,
      fixed: [],
      exact: false,
      held: null,
    });
    this.line = make("div.own-caret", { hidden: true });
    this.margin.before(this.line);
    this.text.tabIndex = 0;
    this.text.setAttribute("role", "document");
    this.text.addEventListener("pointerup", ({ altKey, pointerType }) => {
      this.exact = altKey;
      setTimeout(() => this.settleSelection(altKey, pointerType));
    });
    this.painter = new Painter((start, end) => rangeOf(this.layout, start, end));
  }

  /** Show a document of the server. @param {Object} doc */
  open(doc) {
    const { words, sentences } = doc.units, lazy = {};
    this.unitLists = { words, sentences, elements: doc.elements };
    this.units = (
      name,
    ) => (lazy[name] ??= name === "elements"
      ? unitsOfElements(doc.elements)
      : unitsOf(this.unitLists[name] ?? []));
    this.show(doc, { folded: doc.blocks.some(([kind]) => kind !== "text") });
    this.text.setAttribute("aria-label", `Text of ${doc.id}`);
  }

  /** Paint layers and marks; the map and the margin show those with a side and a lane. @param {Layer[]} layers @param {Mark[]} marks */
  lay(layers, marks) {
    this.painter.paint(layers, this.layout.size);
    this.fixed = marks;
    this.judged = layers.find(({ name }) => name === "judged")?.spans ?? [];
    this.paint(layers.map((layer) => ({ ...layer, name: "" })), marks);
    this.quiet = layers.some(({ name, spans }) =>
      name === "returned" && countPoints(spans) > QUIET_SHARE * this.layout.size
    );
    document.documentElement.dataset.quiet = this.quiet ? "returned" : "";
    this.offer(this.offered);
  }

  unitsNow(exact) {
    return exact ? null : this.units(this.snap);
  }

  /** What an action is about: the selection, else the unit at the caret; nothing without either.
   * @param {boolean} exact without snapping @returns {?number[]} */
  target(exact) {
    const chosen = this.selection;
    if (chosen) return snapSpan(this.unitsNow(exact || this.exact), chosen);
    return this.caret === null ? null : unitSpan(this.unitsNow(exact), this.caret, this.layout.size);
  }

  /** What is selected, or was when a finger came down on a tool: that ends a selection on some devices. */
  get selection() {
    return selectionOn(this) ?? this.held;
  }

  /** Keep what is selected for the tool that is being pressed. */
  hold() {
    this.held = selectionOn(this);
    addEventListener("pointerup", () =>
      setTimeout(() => {
        this.held = null;
      }, 50), { once: true });
  }

  /** A selection by pointer is grown to units at once, so that it is seen; fingers hold its ends, so theirs is not. */
  settleSelection(alt, pointer) {
    const chosen = selectionOn(this);
    this.exact = Boolean(chosen && alt);
    if (!chosen) return;
    const [start, end] = (pointer === "mouse" && snapSpan(this.unitsNow(alt), chosen)) || chosen;
    Object.assign(this, { anchor: start, caret: end, goal: null });
    if (pointer === "mouse") this.select(start, end);
    this.redraw();
  }

  select(anchor, focus) {
    const range = rangeOf(this.layout, Math.min(anchor, focus), Math.max(anchor, focus));
    const ends = [[range.startContainer, range.startOffset], [range.endContainer, range.endOffset]];
    getSelection().setBaseAndExtent(...(anchor <= focus ? ends : ends.reverse()).flat());
  }

  /** Nothing is selected any more; the caret stays. @param {?number} at */
  release(at = this.caret) {
    getSelection().removeAllRanges();
    Object.assign(this, { caret: at, anchor: null, exact: false, held: null });
    this.redraw();
  }

  click(at) {
    if (at === null) return;
    if (this.choosing) return this.events.onEntry(this.startOf(at));
    Object.assign(this, { caret: at, anchor: null, goal: null, exact: false });
    this.redraw();
    this.events.onLook();
  }

  startOf(at) {
    return Math.min(unitSpan(this.unitsNow(false), at, this.layout.size)?.[0] ?? at, this.layout.size - 1);
  }

  /** Where the flag stands that asks "here?"; null for none. @param {?number} at */
  offer(at) {
    this.offered = at === null ? null : this.startOf(at);
    const here = this.offered === null ? [] : [{ at: this.offered, text: "here?", kind: "returned" }];
    this.marks = [...this.fixed, ...here].sort((one, other) => one.at - other.at);
    this.redraw();
  }

  /** Begin or end the choice of an entry point. @param {boolean} on */
  choose(on) {
    this.choosing = on;
    this.text.classList.toggle("choosing", on);
    if (on) this.text.focus({ preventScroll: true });
    this.offer(on ? this.firstOffer() : null);
    if (on) this.seek(this.offered);
  }

  /** The beginning of the highlight at the caret, else the caret, else the first highlight, else what is in sight. */
  firstOffer() {
    const { caret, judged } = this,
      around = caret === null
        ? null
        : judged[spanAt(judged, caret)] ?? judged[spanAt(judged, Math.max(0, caret - 1))];
    return around?.[0] ?? caret ?? judged[0]?.[0] ?? Math.floor(this.sight().window[0]);
  }

  /** Move the caret, or the flag. @param {string} way @param {boolean} extend the selection @param {boolean} exact by characters */
  move(way, extend, exact) {
    const from = this.choosing ? this.offered : this.caret,
      by = way === "right" || way === "down" ? 1 : -1,
      { size } = this.layout;
    const units = this.unitsNow(exact),
      lines = (way === "up" || way === "down") && (exact || this.snap === "words");
    if (from === null) {
      return this.arrive(stepUnit(units, Math.floor(this.sight().window[0]) - 1, 1, size), extend);
    }
    if (!lines) this.goal = null;
    const to = lines ? this.nextLine(from, by) : stepUnit(units, from, by, size, extend);
    return this.arrive(lines && !exact && !extend ? this.startOf(to) : to, extend);
  }

  arrive(at, extend) {
    if (this.choosing) this.offer(at);
    else {
      this.anchor = extend ? this.anchor ?? this.caret ?? at : null;
      this.caret = at;
      if (extend && this.anchor !== at) this.select(this.anchor, at);
      else getSelection().removeAllRanges();
      this.exact = false;
    }
    this.seek(at);
    const heard = extend && this.anchor !== at
      ? [this.anchor, at].sort((one, other) => one - other)
      : unitSpan(this.unitsNow(false), at, this.layout.size);
    if (heard) this.events.announce(this.quote(heard, 300));
    this.events.onLook();
  }

  /** Where a character is in the window; white space that takes no place is passed over. @returns {?DOMRect} */
  boxAt(at) {
    const { size } = this.layout;
    return rectsOf(this.layout, Math.min(at, size - 1), Math.min(at + 60, size))[0] ??
      rectsOf(this.layout, Math.max(0, at - 60), Math.min(at, size)).pop() ?? null;
  }

  /** Bring a position into sight if it is not. */
  seek(at) {
    const box = this.boxAt(at), top = boxOf(this.map.node).top;
    if (!box || box.top < top + 8 || box.bottom > innerHeight - FOOT) this.reveal([at, at + 1]);
    this.redraw();
  }

  /** The position above or below a position, at the height of another line. */
  nextLine(from, by) {
    this.seek(from);
    const box = this.boxAt(from);
    if (!box) return from;
    this.goal ??= box.left + 1;
    for (let i = 1; i <= FARTHEST; i++) {
      const at = this.positionAt(this.goal, by > 0 ? box.bottom + 10 * i - 4 : box.top - 10 * i + 4);
      if (at !== null && (at - from) * by > 0) return at;
    }
    return stepUnit(this.units("words"), from, by, this.layout.size);
  }

  draw() {
    super.draw();
    const at = this.choosing ? this.offered : this.caret,
      box = at === null || !this.layout.nodes.length ? null : this.boxAt(at),
      origin = boxOf(this.margin);
    this.line.hidden = !box;
    if (!box) return;
    const right = at >= this.layout.size ||
      rectsOf(this.layout, at, Math.min(at + 60, this.layout.size)).length === 0;
    Object.assign(this.line.style, {
      left: `${(right ? box.right : box.left) - origin.left}px`,
      top: `${box.top - origin.top}px`,
      height: `${box.height}px`,
    });
  }
}
