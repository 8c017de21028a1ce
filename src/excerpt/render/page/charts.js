/** Numbers into SVG. */
import { svg } from "./dom.js";
import { score } from "./format.js";
import { stepsOf } from "./arithmetic.js";

/** From 0…1 to across the picture, and to its height. */
const across = (recall) => 34 + 302 * Math.min(recall, 1);
const down = (precision) => 184 - 164 * precision;
const path = (d, stroke, more) => svg("path", { d, stroke, fill: "none", ...more });
const written = (x, y, text, more) => svg("text", { x, y, ...more }, text);

/** A curve of interpolated precision that falls in steps, its letter over it. */
function drawCurve({ letter, rows }, n) {
  const colour = `var(--${letter})`,
    steps = stepsOf(rows),
    near = (n + 1) / 10,
    { precision: height = 0 } = steps.find(({ recall }) => recall >= near) ?? {};
  const falls = steps.map(({ recall, precision }) => `V${down(precision)}H${across(recall)}`);
  return [
    path(`M34 ${down(steps[0]?.precision ?? 0)}${falls.join("")}V184H336`, colour, {
      "stroke-width": 2,
      "stroke-dasharray": [null, "6 3", "2 3"][n],
    }),
    written(across(near), down(height) - 5, letter, { fill: colour, "font-weight": 700 }),
  ];
}

/** The curves of runs, and the cursor at a rank.
 * @param {{letter: string, name: string, rows: Row[]}[]} columns @param {number} rank @param {Row} row @returns {SVGElement} */
export function drawCurves(columns, rank, { recall, precision }) {
  const x = across(recall), paint = { fill: "currentColor", "font-weight": 600 };
  return svg(
    "svg.curves",
    {
      viewBox: "0 0 344 204",
      role: "img",
      "aria-label": `Interpolated precision by recall: ${columns.map(({ name }) => name).join(", ")}`,
    },
    [0, 0.25, 0.5, 0.75, 1].map((
      at,
    ) => [
      path(`M34 ${down(at)}H336`, `var(--line${at ? "" : 2})`),
      written(16, down(at) + 4, at),
      written(across(at), 199, at),
    ]),
    columns.map(drawCurve),
    svg(
      "g",
      path(`M${x} 15V184`, "currentColor"),
      svg("circle", { cx: x, cy: down(precision), r: 4, ...paint }),
      written(
        Math.min(Math.max(x, 118), 226),
        10,
        `rank ${rank}: recall ${score(recall, 3)}, precision ${score(precision, 3)}`,
        paint,
      ),
    ),
  );
}
