/** A paper that is worked on: a selection that snaps to units, a caret for the keyboard, a flag while an entry point is chosen. */
import { make } from "../dom.js";
import { boxOf } from "../margin.js";
import { Paper, rangeOf, rectsOf } from "../paper.js";
import { selectionOn } from "../selection.js";
import { countPoints, spanAt } from "../spans.js";
import { Painter } from "./painting.js";
import { snapSpan, stepUnit, unitsOf, unitsOfElements, unitSpan } from "./snapping.js";

/** How far from a line the next one may be, and how much room is left at the foot of the window. */
const FARTHEST = 12, FOOT = 72;
/** What runs returned is shown at the margin only, if it is more of the text. */
const QUIET_SHARE = 0.6;

export class Sheet extends Paper {
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
    this.painter = new Painter((start, end) => rangeOf(this.paper, start, end));
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
    this.painter.paint(layers, this.paper.size);
    this.fixed = marks;
    this.judged = layers.find(({ name }) => name === "judged")?.spans ?? [];
    this.paint(layers.map((layer) => ({ ...layer, name: "" })), marks);
    this.quiet = layers.some(({ name, spans }) =>
      name === "returned" && countPoints(spans) > QUIET_SHARE * this.paper.size
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
    return this.caret === null ? null : unitSpan(this.unitsNow(exact), this.caret, this.paper.size);
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
    const range = rangeOf(this.paper, Math.min(anchor, focus), Math.max(anchor, focus));
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
    return Math.min(unitSpan(this.unitsNow(false), at, this.paper.size)?.[0] ?? at, this.paper.size - 1);
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
      { size } = this.paper;
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
      : unitSpan(this.unitsNow(false), at, this.paper.size);
    if (heard) this.events.announce(this.quote(heard, 300));
    this.events.onLook();
  }

  /** Where a character is in the window; white space that takes no place is passed over. @returns {?DOMRect} */
  boxAt(at) {
    const { size } = this.paper;
    return rectsOf(this.paper, Math.min(at, size - 1), Math.min(at + 60, size))[0] ??
      rectsOf(this.paper, Math.max(0, at - 60), Math.min(at, size)).pop() ?? null;
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
    return stepUnit(this.units("words"), from, by, this.paper.size);
  }

  draw() {
    super.draw();
    const at = this.choosing ? this.offered : this.caret,
      box = at === null || !this.paper.nodes.length ? null : this.boxAt(at),
      origin = boxOf(this.margin);
    this.line.hidden = !box;
    if (!box) return;
    const right = at >= this.paper.size ||
      rectsOf(this.paper, at, Math.min(at + 60, this.paper.size)).length === 0;
    Object.assign(this.line.style, {
      left: `${(right ? box.right : box.left) - origin.left}px`,
      top: `${box.top - origin.top}px`,
      height: `${box.height}px`,
    });
  }
}
