/** View of one topic: question, documents, results, how a score is computed. */
import { explain, rows, share, stepsOf, unitOf } from "./arithmetic.js";
import { passagesOf } from "./data.js";
import { badge, make, named, svg } from "./dom.js";
import { count, percent, score, whole } from "./format.js";
import { button, drawGrid, drawTabs } from "./grid.js";
import { drawColumn } from "./results.js";
import { countPoints, layersOf, resultsIn } from "./spans.js";

// Numbers into SVG.
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

// "Why this number": the arithmetic of a topic's score at the rank under the cursor.
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

// The view of one topic: its question, the documents with relevant text, results side by side, why this number.
/** A document: relevant text over the line (found solid, missed hollow), what each run returned under it. */
function drawCard({ topic, columns, passages, link }, number) {
  const { id, title, size } = topic.documents,
    relevant = passages[number],
    returned = resultsIn(topic, number, columns.map(({ spans }) => spans));
  const layers = (runs) => layersOf(relevant, runs, true),
    { hit, missed } = layers(returned),
    scale = 154 / Math.max(size[number], ...[...relevant, ...returned.flat()].map(([, end]) => end));
  const bars = (pieces, y, height, paint) =>
    pieces.map(([start, end]) =>
      svg("rect", {
        x: start * scale,
        y,
        height,
        width: Math.max((end - start) * scale, paint.stroke ? 3.5 : 1.5),
        ...paint,
      })
    );
  const map = svg(
    "svg.small-map",
    { viewBox: `0 0 155 ${14 + 5 * columns.length}`, "aria-hidden": "true" },
    bars(missed, 1, 8, { fill: "none", stroke: "var(--missL)" }),
    bars(hit, 0.5, 9, { fill: "var(--hitL)" }),
    svg("path", { d: "M0 11.5H155", stroke: "var(--line2)" }),
    returned.map((pieces, n) => bars(pieces, 13 + 5 * n, 4, { fill: `var(--${columns[n].letter})` })),
  );
  return make(
    "li.card",
    make(
      "a",
      { href: link({ doc: id[number] }), title: title[number] },
      make("span.card-line.note", make("b.mono", named(id[number], 14)), count(relevant.length, "passage")),
      map,
      make(
        "span.card-line.note",
        columns.map(({ letter }, n) =>
          make(
            "span",
            `${letter} ${percent(share(countPoints(layers([returned[n]]).hit), countPoints(relevant)))}`,
          )
        ),
      ),
    ),
  );
}

function drawCards(desk) {
  return desk.about.documents
    ? make(
      "ul.plain.cards",
      Array.from({ length: desk.about.documents }, (_, number) => drawCard(desk, number)),
      make(
        "li.note",
        "Documents with relevant text: over the line found (solid) and missed (hollow), under it what the runs returned.",
      ),
    )
    : make("p.note", "This topic has no relevant text.");
}

function drawTopicHead({ id, title, text, passages, documents, judged, characters, narrative, left }, runs) {
  const fact = (n, words) => make("span", make("b", whole(n)), ` ${words}`), name = title || text || id;
  return [
    make("h1", { tabindex: -1 }, name, name !== id && make("span.mono", id)),
    text && text !== name && make("p.serif.question", text),
    make(
      "div.facts",
      fact(passages, `relevant passage${passages === 1 ? "" : "s"}`),
      fact(documents, `of ${count(judged, "judged document")}`),
      fact(characters, "relevant characters"),
      narrative && make("details", make("summary", "Narrative"), make("p.serif", narrative)),
    ),
    left && documents > 0 && make("p.note", `This topic is left out of the means: ${left}.`),
    runs > 3 && make("p.note", `The first three of ${runs} chosen runs are shown.`),
  ];
}

/** Draws the view. @param {import("./explore.js").Context} context @returns {Promise<import("./explore.js").View>} */
export async function drawTopic(context) {
  const { overview: { topics, measures, scores }, state, letters, names, measure, data, announce, runs } =
      context,
    number = topics.findIndex(({ id }) => id === state.topic);
  const topic = await data.topic(number),
    about = topics[number],
    scored = measures[measure],
    { family } = scored;
  const columns = runs.slice(0, 3).map((run, n) => ({
    run,
    letter: letters[n],
    name: names[run],
    spans: topic.runs[run],
    value: scores[measure][run][number],
    rows: rows(topic, run, family),
  }));
  const move = (column, rank, reveal) => {
    if (
      (rank !== 1 && !columns[column].rows[rank - 1]) ||
      (!reveal && column === desk.column && rank === desk.rank)
    ) return null;
    Object.assign(desk, { column, rank });
    why.replaceChildren(make("div", drawWhy(desk)));
    node.querySelectorAll(".tabs button").forEach((tab, n) =>
      tab.setAttribute("aria-pressed", n % columns.length === column)
    );
    return Promise.all(lists.map(({ mark }, n) => mark(n === column ? rank : 0, reveal)));
  };
  const step = (by) => () => {
    move(desk.column, desk.rank + by, true);
    announce(`Rank ${desk.rank} of ${columns[desk.column].name}`);
  };
  const desk = {
    ...context,
    topic,
    about,
    scored,
    columns,
    move,
    passages: passagesOf(topic),
    unit: unitOf(family),
  };
  const lists = columns.map((_, n) => drawColumn(desk, n)),
    why = make("div"),
    tabs = () =>
      columns[1] &&
      drawTabs("tabs", columns.map(({ letter, name }) => [badge(letter), named(name, 22)]), 0, (n) =>
        move(n, 1));
  const node = make(
    "div.topic",
    make(
      "div.topic-main",
      drawTopicHead(about, runs.length),
      drawCards(desk),
      tabs(),
      make("div.columns", lists.map((list) => list.node)),
    ),
    make("aside.why", { "aria-label": "Why this number" }, make("h2", "Why this number"), tabs(), why),
  );
  await move(0, 1);
  return { node, title: `${about.id} ${about.title}`, keys: { next: step(1), previous: step(-1) } };
}
