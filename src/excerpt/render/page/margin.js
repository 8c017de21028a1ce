/** The margin of a paper: lanes (the cursor is one), labels and flags beside the lines they belong to, for what is in sight. */
import { make } from "./dom.js";
import { bisect } from "./offsets.js";

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
