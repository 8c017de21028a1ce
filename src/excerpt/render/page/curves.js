/** Figures of a topic: interpolated precision by recall, or what a measure adds up rank by rank. */
import { drawnAt, drawnOf, ranksRead, stepsOf, unitOf } from "./arithmetic.js";
import { make, svg } from "./dom.js";
import { score, whole } from "./format.js";

/** @import { Row } from "./arithmetic.js" */
/** @import { Attributes, Measure } from "./types.d.ts" */

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
const sayBoth = (rank, { recall, precision }) =>
  `rank ${rank}: recall ${score(recall, 3)}, precision ${score(precision, 3)}`;

/** What a figure has at a rank, in words, and whether its measure stops reading before.
 * @param {Measure} measure @param {Row[]} list @param {number} rank
 * @param {number} total of relevant characters or documents */
export function sayPoint(measure, list, rank, total) {
  const { family, parameters: { beta }, topic: name } = measure,
    row = list[rank - 1],
    drawn = drawnOf(measure),
    last = ranksRead(measure, list),
    behind = rank > last ? `; ${name} stops reading at rank ${last}` : "";
  if (drawn === "curve") return sayBoth(rank, row) + behind;
  const word = unitOf(family) === "results" ? "judged" : drawn;
  return `rank ${rank}: ${word} ${score(drawnAt(drawn, row, total, beta), 3)}${behind}`;
}

/** The curves of runs. The points of runs are at a rank; the numbers are written if there is only one.
 * @param {Curve[]} curves @param {Curve[]} pointed runs with a point @param {number} rank */
function drawCurves(curves, pointed, rank) {
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
        only && written(Math.min(Math.max(x, 118), 226), 10, sayBoth(at, row), { fill, "font-weight": 600 }),
      );
    }),
  );
}

// Figures by rank, or by characters read, of measures that are no curve of interpolated precision.
const RANKS = 20, BEYOND = 2;

/** What a figure by rank has on its axes, in words.
 * @param {Pick<Measure, "family" | "parameters">} measure */
function sayAxes(measure) {
  const drawn = drawnOf(measure);
  if (drawn === "curve") return "interpolated precision by recall";
  return `${drawn} by ${measure.parameters.budget ? "characters read" : "rank"}`;
}

/** The figure of a measure at ranks or within a budget: its value after each rank, with the cut where it
 * stops reading. The points of runs are at a rank.
 * @param {Measure} measure @param {Curve[]} curves @param {Curve[]} pointed runs with a point
 * @param {number} rank @param {number} total of relevant characters or documents */
function drawByRank(measure, curves, pointed, rank, total) {
  const { parameters: { budget, beta }, topic: name } = measure,
    drawn = drawnOf(measure),
    longest = Math.max(1, ...curves.map(({ rows }) => rows.length));
  const cuts = curves.map(({ rows }) => ranksRead(measure, rows)),
    cut = budget ? Number(budget) : Math.max(0, ...cuts.filter(Number.isFinite));
  /** @param {Row} row @param {number} at */
  const place = ({ read }, at) => budget ? read : at;
  const beyond = cut ? Math.min(longest, Math.max(RANKS, BEYOND * cut)) : longest,
    last = Math.max(budget ? BEYOND * cut : beyond, cut, 1);
  /** @param {number} at */
  const x = (at) => 34 + 302 * Math.min(at / last, 1);
  const lines = curves.map(({ letter, rows }, n) => {
    const colour = `var(--${letter})`, steps = [`M34 ${down(0)}`];
    let height = 0;
    for (const [i, row] of rows.entries()) {
      const at = place(row, i + 1);
      const value = drawnAt(drawn, row, total, beta);
      if (at > last) break;
      steps.push(budget ? `L${x(at)} ${down(value)}` : `H${x(at)}V${down(value)}`);
      height = value;
    }
    steps.push("H336");
    return [
      path(steps.join(""), colour, { "stroke-width": 2, "stroke-dasharray": [null, "6 3", "2 3"][n] }),
      written(328 - 14 * n, Math.max(down(height) - 5, 12), letter, { fill: colour, "font-weight": 700 }),
    ];
  });
  const points = pointed.map(({ letter, rows }) => {
    const at = Math.min(rank, rows.length),
      row = rows[at - 1],
      fill = pointed.length === 1 ? "currentColor" : `var(--${letter})`;
    return row && place(row, at) <= last && svg(
      "g",
      path(`M${x(place(row, at))} 15V184`, fill),
      svg("circle", { cx: x(place(row, at)), cy: down(drawnAt(drawn, row, total, beta)), r: 4, fill }),
    );
  });
  return svg(
    "svg.curves",
    {
      viewBox: "0 0 344 204",
      role: "img",
      "aria-label": `${sayAxes(measure)}: ${curves.map((curve) => curve.name).join(", ")}`,
    },
    [0, 0.25, 0.5, 0.75, 1].map((level) => [
      path(`M34 ${down(level)}H336`, `var(--line${level ? "" : 2})`),
      written(16, down(level) + 4, level),
    ]),
    [0, 0.5, 1].map((part) => written(34 + 302 * part, 199, whole(Math.round(part * last)))),
    cut > 0 && [
      path(`M${x(cut)} 15V184`, "var(--ink)", { "stroke-dasharray": "4 3" }),
      written(Math.min(x(cut) + 4, 200), 12, `${name} stops reading`, { "text-anchor": "start" }),
    ],
    lines,
    points,
  );
}

/** The figure of what a measure reads, and what is on its axes.
 * @param {Measure} measure @param {Curve[]} curves @param {Curve[]} pointed runs with a point
 * @param {number} rank @param {number} total of relevant characters or documents */
export const drawFigure = (measure, curves, pointed, rank, total) => [
  drawnOf(measure) === "curve"
    ? drawCurves(curves, pointed, rank)
    : drawByRank(measure, curves, pointed, rank, total),
  make("p.note.axis", sayAxes(measure)),
];
