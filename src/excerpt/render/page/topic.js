/** View of one topic: question, documents, results, how a score is computed. */
import { explain, proportion, rows, stepsOf, unitOf } from "./arithmetic.js";
import { passagesOf } from "./data.js";
import { badge, make, named, svg } from "./dom.js";
import { count, percent, score, whole } from "./format.js";
import { button, drawGrid, drawTabs } from "./grid.js";
import { drawColumn } from "./results.js";
import { countPoints, layersOf, resultsIn } from "./spans.js";

/** @import { Row, Unit } from "./arithmetic.js" */
/** @import { Column, TopicContext } from "./results.js" */
/** @import { Attributes, Child, Context, Span, TopicFacts, View } from "./types.d.ts" */

// The figure of interpolated precision by recall.
/** @param {number} recall */
const across = (recall) => 34 + 302 * Math.min(recall, 1);
/** @param {number} precision */
const down = (precision) => 184 - 164 * precision;
/** @param {string} d @param {string} stroke @param {Attributes} [more] */
const path = (d, stroke, more) => svg("path", { d, stroke, fill: "none", ...more });
/** @param {number} x @param {number} y @param {string | number} text @param {Attributes} [more] */
const written = (x, y, text, more) => svg("text", { x, y, ...more }, text);

/** A curve of interpolated precision that falls in steps, with the letter of its run.
 * @param {Pick<Column, "letter" | "rows">} column @param {number} n */
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

/** The curves of runs, and the cursor at a rank.
 * @param {Pick<Column, "letter" | "name" | "rows">[]} columns @param {number} rank @param {Row} row */
function drawCurves(columns, rank, { recall, precision }) {
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

// The panel "How this score is computed": the arithmetic at the rank under the cursor.
const FEW_RANKS = 14, COMPUTED = "How this score is computed";

/** Words by unit: two column heads, the noun of what is read, the predicate of the relevant part.
 * @type {Record<Unit, string[]>} */
const WORDS = {
  results: ["Result", "Judged", "result", "lie in judged documents"],
  documents: ["New", "Relevant", "document", "have relevant text"],
  once: ["Size", "Relevant", "character", "are relevant, each counted once"],
  characters: ["Size", "Relevant", "character", "are relevant"],
};

/** The table of ranks around the cursor, or of all ranks. @param {TopicContext} context */
function drawRanks(context) {
  const { columns, column, rank, unit, all, move } = context,
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
    button(`All ${whole(rows.length)} ranks`, () => move(column, rank, context.all = true), {
      class: "quiet",
    }),
  ];
}

/** The contents of the panel. @param {TopicContext} context @returns {Child[]} */
function drawWhy(context) {
  const { columns, column, scored, topic, about, unit, rank } = context,
    { run, rows, value } = columns[column],
    row = rows[rank - 1],
    [, , noun, is] = WORDS[unit];
  if (!rows.at(-1)?.read) return [make("p", `${scored.about} There are no results to add up.`)];
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
    ...drawRanks(context),
  ];
}

// The view of a topic: question, documents with relevant text, results side by side, panel.
/** The card of a document: relevant text above the line (found solid, missed hollow), results below.
 * @param {TopicContext} context @param {number} number */
function drawCard({ topic, columns, passages, link }, number) {
  const { id, title, size } = topic.documents,
    relevant = passages[number],
    returned = resultsIn(topic, number, columns.map(({ spans }) => spans));
  /** @param {Span[][]} runs */
  const layers = (runs) => layersOf(relevant, runs, true),
    { hit, missed } = layers(returned),
    scale = 154 / Math.max(size[number], ...[...relevant, ...returned.flat()].map(([, end]) => end));
  /** @param {Span[]} spans @param {number} y @param {number} height @param {Attributes} paint */
  const bars = (spans, y, height, paint) =>
    spans.map(([start, end]) =>
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
    returned.map((spans, n) => bars(spans, 13 + 5 * n, 4, { fill: `var(--${columns[n].letter})` })),
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
            `${letter} ${percent(proportion(countPoints(layers([returned[n]]).hit), countPoints(relevant)))}`,
          )
        ),
      ),
    ),
  );
}

/** @param {TopicContext} context */
function drawCards(context) {
  return context.about.documents
    ? make(
      "ul.plain.cards",
      Array.from({ length: context.about.documents }, (_, number) => drawCard(context, number)),
      make(
        "li.note",
        "Documents with relevant text. Above the line: relevant text found (solid), missed (hollow). ",
        "Below: retrieved text.",
      ),
    )
    : make("p.note", "This topic has no relevant text.");
}

/** @param {TopicFacts} topic @param {number} runs */
function drawTopicHead({ id, title, text, passages, documents, judged, characters, narrative, left }, runs) {
  const name = title || text || id;
  /** @param {number} n @param {string} words */
  const fact = (n, words) => make("span", make("b", whole(n)), ` ${words}`);
  return [
    make("h1", { tabindex: -1 }, name, name !== id && make("span.mono", id)),
    text && text !== name && make("p.serif.question", text),
    make(
      "div.facts",
      fact(passages, `relevant passage${passages === 1 ? "" : "s"}`),
      make("span", "in ", make("b", whole(documents)), ` of ${count(judged, "judged document")}`),
      fact(characters, "relevant characters"),
      narrative && make("details", make("summary", "Narrative"), make("p.serif", narrative)),
    ),
    left && documents > 0 && make("p.note", `This topic is left out of the means: ${left}.`),
    runs > 3 && make("p.note", `The first three of ${runs} chosen runs are shown.`),
  ];
}

/** Draw the view. @param {Context} base @returns {Promise<View>} */
export async function drawTopic(base) {
  const { overview: { topics, measures, scores }, state, letters, names, measure, data, announce, runs } =
      base,
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
  /** @param {number} column @param {number} rank @param {boolean} [reveal] */
  const move = (column, rank, reveal) => {
    if (
      (rank !== 1 && !columns[column].rows[rank - 1]) ||
      (!reveal && column === context.column && rank === context.rank)
    ) return null;
    Object.assign(context, { column, rank });
    why.replaceChildren(make("div", drawWhy(context)));
    node.querySelectorAll(".tabs button").forEach((tab, n) =>
      tab.setAttribute("aria-pressed", `${n % columns.length === column}`)
    );
    return Promise.all(lists.map(({ mark }, n) => mark(n === column ? rank : 0, reveal)));
  };
  /** @param {number} by */
  const step = (by) => () => {
    move(context.column, context.rank + by, true);
    announce(`Rank ${context.rank} of ${columns[context.column].name}`);
  };
  /** @type {TopicContext} */
  const context = {
    ...base,
    topic,
    about,
    scored,
    columns,
    move,
    passages: passagesOf(topic),
    unit: unitOf(family),
    column: 0,
    rank: 0,
    all: false,
  };
  const lists = columns.map((_, n) => drawColumn(context, n)),
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
      drawCards(context),
      tabs(),
      make("div.columns", lists.map((list) => list.node)),
    ),
    make("aside.why", { "aria-label": COMPUTED }, make("h2", COMPUTED), tabs(), why),
  );
  await move(0, 1);
  return { node, title: `${about.id} ${about.title}`, keys: { next: step(1), previous: step(-1) } };
}
