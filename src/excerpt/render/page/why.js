/** "Why this number": the arithmetic of a topic's score at the rank under the cursor. */
import { make } from "./dom.js";
import { count, score, whole } from "./format.js";
import { explain } from "./arithmetic.js";
import { drawCurves } from "./charts.js";
import { button, drawGrid } from "./grid.js";

const FEW_RANKS = 14;

/** What is counted: heads of two columns, what a reader reads, and what some of it is. */
const WORDS = {
  results: ["Result", "Judged", "result", "lie in judged documents"],
  documents: ["New", "Relevant", "document", "have relevant text"],
  once: ["Size", "Relevant", "character", "are relevant, each counted once"],
  characters: ["Size", "Relevant", "character", "are relevant"],
};

/** What each rank adds: those about the cursor, or all. */
function drawRanks(desk) {
  const { columns, column, rank, unit, all, move } = desk,
    { rows } = columns[column],
    first = all ? 0 : rank - 1 - ((rank - 1) % FEW_RANKS);
  const lines = rows.slice(first, all ? rows.length : first + FEW_RANKS).map(
    ({ size, relevant, read, found, recall, precision }, n) => {
      const at = first + n + 1,
        cells = [...[size, relevant, read, found].map(whole), score(recall, 3), score(precision, 3)];
      return make(
        relevant ? "tr" : "tr.dim",
        { "aria-current": at === rank && "true", on: { click: () => move(column, at, true) } },
        make("th", at),
        cells.map((text) => make("td", text)),
      );
    },
  );
  return [
    drawGrid("ranks", ["Rank", ...WORDS[unit].slice(0, 2), "Read", "Found", "Recall", "Prec."], lines),
    lines.length < rows.length &&
    button(`All ${whole(rows.length)} ranks`, () => move(column, rank, desk.all = true), { class: "quiet" }),
  ];
}

/** What stands in the panel. @param {Object} desk @returns {Array} nodes */
export function drawWhy(desk) {
  const { columns, column, scored, topic, about, unit, rank } = desk,
    { run, rows, value } = columns[column],
    row = rows[rank - 1],
    [, , noun, is] = WORDS[unit];
  if (!rows.at(-1)?.read) return [make("p", `${scored.about} There is nothing to add up.`)];
  const sums = explain(scored, topic, run, value, rank, rows).map((
    [label, expression, result],
  ) => [
    make("dt", label),
    make("dd", [expression, (result !== null || !expression) && score(result)].filter(Boolean).join(" = ")),
  ]);
  return [
    make(
      "p",
      `${scored.about} `,
      make("b", `After rank ${rank}`),
      ` the reader has read ${count(row.read, noun)}; ${whole(row.found)} of them ${is}.`,
    ),
    make(
      "div",
      unit !== "results" && about.documents > 0 &&
        [drawCurves(columns, rank, row), make("p.note.axis", "interpolated precision by recall")],
    ),
    make("dl.well.mono", sums),
    ...drawRanks(desk),
  ];
}
