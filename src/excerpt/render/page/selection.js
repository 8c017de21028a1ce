/** What is selected on a paper, in code points. */
import { bisect, toPoint } from "./offsets.js";

/** The position of a boundary point of the document; in an element, that of the next text. */
function pointOf({ nodes, starts, startUnits, astral, size }, container, offset) {
  const mark = document.createRange();
  mark.setStart(container, offset);
  const next = bisect(nodes.length, (i) => mark.comparePoint(nodes[i], 0), 0),
    node = nodes[next] === container ? next : next - 1;
  return nodes[node] === container ? toPoint(astral, startUnits[node] + offset) : starts[next] ?? size;
}

/** The selected span of a paper, nothing if there is none.
 * @param {import("./paper.js").Paper} paper @returns {?number[]} */
export function selectionOn({ paper }) {
  const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
  if (!anchorNode || !paper.nodes.length) return null;
  const [start, end] = [pointOf(paper, anchorNode, anchorOffset), pointOf(paper, focusNode, focusOffset)]
    .sort((a, b) => a - b);
  return start < end ? [start, end] : null;
}
