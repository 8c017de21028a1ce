/** The map beside a paper: the whole document by characters, the window framed; a click or a drag jumps. */
import { make, svg } from "./dom.js";
import { boxOf } from "./margin.js";
import { appendSpan } from "./spans.js";

const ROWS = 1000, SIDES = { left: 6, right: 26 };

/** Spans of a text as shapes on one side of the map; striped: every other line only. */
function shapeOf(spans, size, x, striped) {
  const rows = [], bar = (top, bottom) => `M${x} ${top}h12V${bottom}h-12z`;
  for (const [start, end] of spans) {
    const first = Math.floor((start / size) * ROWS);
    appendSpan(rows, first, Math.max(first + 3, Math.ceil((end / size) * ROWS)));
  }
  let shape = "";
  for (const [top, bottom] of rows) {
    for (let y = top; y < bottom; y += striped ? 6 : bottom) {
      shape += bar(y, striped ? Math.min(bottom, y + 3) : bottom);
    }
  }
  return shape;
}

/** Make a map. `draw` layers and marks of a text of a size, `frame` a part of it (shares of 1).
 * @param {function(number)} onJump gets the share of the text above the place that was chosen */
export function makeMap(onJump) {
  const drawing = svg("svg", {
      viewBox: `0 0 44 ${ROWS}`,
      width: "100%",
      height: "100%",
      preserveAspectRatio: "none",
    }),
    sight = make("div.sight");
  const jump = (event) => {
    const { top, height } = boxOf(node);
    if (!event.buttons) return;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    onJump(Math.max(0, (event.clientY - top) / height));
  };
  const node = make(
    "div.text-map",
    { "aria-hidden": "true", on: { pointerdown: jump, pointermove: jump } },
    drawing,
    sight,
  );
  return {
    node,
    draw(size, layers, marks) {
      drawing.replaceChildren(
        ...layers.flatMap(({ lane, map = "", spans }) =>
          map.split(" ").filter(Boolean).map((side) =>
            svg("path", { class: `is-${lane}`, d: shapeOf(spans, size, SIDES[side], lane === "missed") })
          )
        ),
        ...marks.filter(({ kind }) => kind === "judged").map(({ at }) =>
          svg("rect", { y: (at / size) * ROWS - 3, width: 6, height: 6 })
        ),
      );
    },
    frame(from, to) {
      sight.style.top = `${100 * from}%`;
      sight.style.height = `${100 * (to - from)}%`;
    },
  };
}
