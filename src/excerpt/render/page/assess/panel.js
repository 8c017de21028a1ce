/** Sections, segments and icons of the panels. */
import { make, svg } from "../dom.js";
import { button } from "../grid.js";

// Small pictures of the assessor's page; each stands beside words that say the same.
const PATHS = {
  check: "M3 8.5l3.5 3.5L13 4.5",
  warning: "M8 2l6.5 12h-13zM8 6.5v3.5M8 12v.4",
  lost: "M3 5a6 6 0 0 1 10 0M5.5 8a3.5 3.5 0 0 1 5 0M2 2l12 12M8 12v.4",
  undo: "M6 3L2.5 6.5 6 10M3 6.5h6a4 4 0 0 1 0 8H7",
  redo: "M10 3l3.5 3.5L10 10M13 6.5H7a4 4 0 0 0 0 8h2",
  more: "M3 8h.1M8 8h.1M13 8h.1",
  open: "M5 8h6",
};

/** A sign in a line of text. @param {string} name one of check, warning, lost, undo, redo, more, open @returns {SVGElement} */
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

/** How a document stands: ring, half ring, disc with tick, disc with bar. @param {string} name @returns {SVGElement} */
export const drawMark = (name) =>
  svg("svg.mark", { viewBox: "0 0 16 16", "aria-hidden": "true" }, MARKS[name]());

// What the parts of the side panel share: sections that draw themselves anew, segments, how far something is.
const childrenFrom = (children) => make("div", children).childNodes;

/** A part of the panel. `draw(again)` gives its children; `again()` draws it anew, and the focus stays on what has the same key.
 * @param {string} name of the class @param {function(Function): Array} draw @returns {HTMLElement} */
export function makePart(name, draw) {
  const part = make(`section.part.${name}`);
  const again = (wanted) => {
    const active = document.activeElement,
      key = wanted ?? (part.contains(active) ? active.dataset.key : null);
    part.replaceChildren(...childrenFrom(draw(again)));
    if (key) part.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: !wanted });
  };
  part.replaceChildren(...childrenFrom(draw(again)));
  return part;
}

/** Buttons in one piece of which one is chosen.
 * @param {string} label of all @param {Array<[*, string]>} options value and word @param {*} chosen @param {function(*): void} choose
 * @param {string} key begins their keys @returns {HTMLElement} */
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

/** How far something is: done solid, open hatched. @param {{total: number, done: number, open: number}} tally @returns {HTMLElement} */
export function drawProgress({ total, done, open }) {
  const bars = [["done", done], ["open", open]].map(([name, part]) => {
    const bar = make(`i.${name}`);
    bar.style.width = `${total ? (100 * part) / total : 0}%`;
    return bar;
  });
  return make("span.progress", {
    role: "img",
    "aria-label": `${done} done, ${open} open, ${total - done - open} not begun`,
  }, bars);
}

/** A tick, for what is complete. @returns {SVGElement} */
export const drawTick = () =>
  svg(
    "svg.icon.tick",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: "M3 8.5l3.5 3.5L13 4.5" }),
  );
