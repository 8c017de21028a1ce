/** Sections, segments and icons of the panels. */
import { find, make, svg } from "../dom.js";
import { button } from "../grid.js";

/** @import { Child } from "../types.d.ts" */
/** @import { Again, Tally, Value } from "./types.d.ts" */

// Icons next to words that say the same.
const PATHS = {
  check: "M3 8.5l3.5 3.5L13 4.5",
  warning: "M8 2l6.5 12h-13zM8 6.5v3.5M8 12v.4",
  lost: "M3 5a6 6 0 0 1 10 0M5.5 8a3.5 3.5 0 0 1 5 0M2 2l12 12M8 12v.4",
  undo: "M6 3L2.5 6.5 6 10M3 6.5h6a4 4 0 0 1 0 8H7",
  redo: "M10 3l3.5 3.5L10 10M13 6.5H7a4 4 0 0 0 0 8h2",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  open: "M5 8h6",
};

/** An icon in a line of text. @param {keyof typeof PATHS} name */
export const signOf = (name) =>
  svg("svg.icon", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));

const ring = () => svg("circle", { cx: 8, cy: 8, r: 5.2, class: "ring" });
const disc = () => svg("circle", { cx: 8, cy: 8, r: 6, class: "disc" });
const MARKS = {
  ring: () => [ring()],
  half: () => [ring(), svg("path", { d: "M8 2.8a5.2 5.2 0 0 0 0 10.4z", class: "disc" })],
  tick: () => [disc(), svg("path", { d: "M5 8.2l2.2 2.2 4-4.6", class: "sign" })],
  bar: () => [disc(), svg("path", { d: "M5 8h6", class: "sign" })],
};

/** The state of a document as a ring, a half ring, a disc with a tick or with a bar.
 * @param {keyof typeof MARKS} name */
export const drawMark = (name) =>
  svg("svg.mark", { viewBox: "0 0 16 16", "aria-hidden": "true" }, MARKS[name]());

// Parts of the side panel: sections that draw themselves again, segments, progress.
/** @param {Child[]} children */
const childrenFrom = (children) => make("div", children).childNodes;

/** A section of the panel. `again(key)` draws it again, with the focus on the element that has the key; else
 * the focus stays. @param {string} name of the class @param {(again: Again) => Child[]} draw */
export function makePart(name, draw) {
  const part = make(`section.part.${name}`);
  /** @type {Again} */
  const again = (chosen) => {
    const active = document.activeElement,
      key = chosen ?? (active instanceof HTMLElement && part.contains(active) ? active.dataset.key : null);
    part.replaceChildren(...childrenFrom(draw(again)));
    if (key) find(`[data-key="${CSS.escape(key)}"]`, part)?.focus({ preventScroll: !chosen });
  };
  part.replaceChildren(...childrenFrom(draw(again)));
  return part;
}

/** Joined buttons of which one is pressed.
 * @template {Value} V
 * @param {string} label of the group @param {[value: V, word: Child][]} options
 * @param {unknown} chosen value @param {(value: V) => unknown} choose
 * @param {string} key first part of the keys of the buttons */
export function drawSegments(label, options, chosen, choose, key) {
  return make(
    "span.segments",
    { role: "group", "aria-label": label },
    options.map(([value, word]) =>
      button(word, () => choose(value), {
        "data-key": `${key} ${value}`,
        "aria-pressed": String(value === chosen),
      })
    ),
  );
}

/** Progress as a bar: finished documents solid, documents in progress hatched.
 * @param {Pick<Tally, "total" | "done" | "open">} tally */
export function drawProgress({ total, done, open }) {
  const bars = Object.entries({ done, open }).map(([name, part]) => {
    const bar = make(`i.${name}`);
    bar.style.width = `${total ? (100 * part) / total : 0}%`;
    return bar;
  });
  return make("span.progress", {
    role: "img",
    "aria-label": `${done} finished, ${open} in progress, ${total - done - open} to do`,
  }, bars);
}

/** A tick for complete topics. */
export const drawTick = () =>
  svg(
    "svg.icon.tick",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: PATHS.check }),
  );
