/** Figure of interpolated precision by recall, with points at ranks. */
import { stepsOf } from "./arithmetic.js";
import { svg } from "./dom.js";
import { score } from "./format.js";

/** @import { Row } from "./arithmetic.js" */
/** @import { Attributes } from "./types.d.ts" */

/** @typedef {{letter: string, name: string, rows: Row[]}} Curve a run on a topic, its results added up */

/** @param {number} recall */
const across = (recall) => 34 + 302 * Math.min(recall, 1);
/** @param {number} precision */
const down = (precision) => 184 - 164 * precision;
/** @param {string} d @param {string} stroke @param {Attributes} [more] */
const path = (d, stroke, more) => svg("path", { d, stroke, fill: "none", ...more });
/** @param {number} x @param {number} y @param {string | number} text @param {Attributes} [more] */
const written = (x, y, text, more) => svg("text", { x, y, ...more }, text);

/** A curve of interpolated precision that falls in steps, with the letter of its run.
 * @param {Curve} curve @param {number} n */
function drawCurve({ letter, rows }, n) {
  const colour = `var(--${letter})`,
    steps = stepsOf(rows),
    near = (n + 1) / 10,
    height = steps.find(({ recall }) => recall >= near)?.precision ?? 0;
  const falls = steps.map(({ recall, precision }) => `V${down(precision)}H${across(recall)}`);
  return [
    path(`M34 ${down(steps[0]?.precision ?? 0)}${falls.join("")}V184H336`, colour, {
      "stroke-width": 2,
      "stroke-dasharray": [null, "6 3", "2 3"][n],
    }),
    written(across(near), down(height) - 5, letter, { fill: colour, "font-weight": 700 }),
  ];
}

/** Recall and precision at a rank, in words. @param {number} rank @param {Row} row */
export const sayPoint = (rank, { recall, precision }) =>
  `rank ${rank}: recall ${score(recall, 3)}, precision ${score(precision, 3)}`;

/** The curves of runs. The point of a run is at a rank; its numbers are written if it is the only one.
 * @param {Curve[]} curves @param {Curve[]} pointed runs with a point @param {number} rank */
export function drawCurves(curves, pointed, rank) {
  const points = pointed.flatMap(({ letter, rows }) => {
    const at = Math.min(rank, rows.length), row = rows[at - 1];
    return row ? { letter, at, row } : [];
  });
  return svg(
    "svg.curves",
    {
      viewBox: "0 0 344 204",
      role: "img",
      "aria-label": `Interpolated precision by recall: ${curves.map(({ name }) => name).join(", ")}`,
    },
    [0, 0.25, 0.5, 0.75, 1].map((
      at,
    ) => [
      path(`M34 ${down(at)}H336`, `var(--line${at ? "" : 2})`),
      written(16, down(at) + 4, at),
      written(across(at), 199, at),
    ]),
    curves.map(drawCurve),
    points.map(({ letter, at, row }) => {
      const x = across(row.recall),
        only = points.length === 1,
        fill = only ? "currentColor" : `var(--${letter})`;
      return svg(
        "g",
        path(`M${x} 15V184`, fill),
        svg("circle", { cx: x, cy: down(row.precision), r: 4, fill }),
        only && written(Math.min(Math.max(x, 118), 226), 10, sayPoint(at, row), { fill, "font-weight": 600 }),
      );
    }),
  );
}
