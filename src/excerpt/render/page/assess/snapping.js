/** Units of a text (words, sentences, elements), as the server tells them, and selections that snap to them. Positions are code points. No DOM. */
import { bisect } from "../offsets.js";

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
