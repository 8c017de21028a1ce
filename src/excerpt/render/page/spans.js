/** Sets of characters as spans [start, end) in code points: sorted, disjoint, neighbours joined. */
import { bisect } from "./offsets.js";

/** Put [start, end) at the end of a sorted list, joined with a neighbour; an empty one is left out.
 * @param {number[][]} spans @param {number} start @param {number} end */
export function appendSpan(spans, start, end) {
  if (start >= end) return;
  const last = spans[spans.length - 1];
  if (last && last[1] >= start) last[1] = Math.max(last[1], end);
  else spans.push([start, end]);
}

/** The union of spans in any order, empty and overlapping ones allowed.
 * @param {number[][]} spans @returns {number[][]} */
export function joinSpans(spans) {
  const joined = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) appendSpan(joined, start, end);
  return joined;
}

/** Walk lists of spans at once: visit(start, end, counts) for each piece between two borders, in order;
 * counts[i] says how many spans of list i lie over it (one array, reused).
 * @param {number[][][]} lists @param {function(number, number, Int32Array)} visit */
export function sweepSpans(lists, visit) {
  const borders = [], counts = new Int32Array(lists.length);
  lists.forEach((spans, list) =>
    spans.forEach(([start, end]) => {
      if (start < end) borders.push([start, list, 1], [end, list, -1]);
    })
  );
  let from = 0;
  for (const [at, list, change] of borders.sort((a, b) => a[0] - b[0])) {
    if (at > from) visit(from, at, counts);
    from = at;
    counts[list] += change;
  }
}

/** The characters in both of two lists of spans.
 * @param {number[][]} first @param {number[][]} second @returns {number[][]} */
export function sharedSpans(first, second) {
  const found = [];
  sweepSpans(
    [first, second],
    (start, end, counts) => counts[0] && counts[1] && appendSpan(found, start, end),
  );
  return found;
}

/** How many characters disjoint spans hold.
 * @param {number[][]} spans @returns {number} */
export function countPoints(spans) {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** Which of sorted disjoint spans holds a position; -1 for none.
 * @param {number[][]} spans @param {number} position @returns {number} */
export function spanAt(spans, position) {
  const at = bisect(spans.length, (i) => spans[i][1], position + 1);
  return at < spans.length && spans[at][0] <= position ? at : -1;
}
