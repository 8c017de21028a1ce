/** What the parts of the side panel share: sections that draw themselves anew, segments, how far something is. */
import { make, svg } from "../dom.js";
import { button } from "../grid.js";

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
