/** View of one topic: question, documents, results, how a score is computed. */
import { sayAdvantage } from "./advantage.js";
import { explain, proportion, ranksRead, rows, totalOf, unitOf } from "./arithmetic.js";
import { drawCauses } from "./causes.js";
import { AS_MARKDOWN, copyButton } from "./clipboard.js";
import { causesOf, sayCauses } from "./counterfactuals.js";
import { drawFigure } from "./curves.js";
import { passagesOf } from "./data.js";
import { badge, make, named, svg } from "./dom.js";
import { count, percent, score, whole } from "./format.js";
import { button, drawGrid, drawTabs } from "./grid.js";
import { escapeMarkdown, linkMarkdown, tableMarkdown } from "./markdown.js";
import { makeRankBar } from "./rank_bar.js";
import { drawColumn } from "./results.js";
import { countPoints, layersOf, resultsIn } from "./spans.js";

/** @import { Unit } from "./arithmetic.js" */
/** @import { TopicContext } from "./results.js" */
/** @import { Attributes, Child, Context, Span, TopicFacts, View } from "./types.d.ts" */

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

/** The first and the last rank of the table: around the cursor, or all. @param {TopicContext} context */
function ranksShown({ columns, column, rank, all }) {
  const first = rank - 1 - ((rank - 1) % FEW_RANKS);
  return all ? [0, columns[column].rows.length] : [first, first + FEW_RANKS];
}

/** The table of ranks. @param {TopicContext} context */
function drawRanks(context) {
  const { columns, column, rank, unit, move } = context,
    { rows } = columns[column],
    [first, last] = ranksShown(context);
  const lines = rows.slice(first, last).map(
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
        drawFigure(scored, columns, [columns[column]], rank, totalOf(topic, scored.family)),
    ),
    make("dl.well.mono", sums),
    ...drawRanks(context),
  ];
}

/** The ranks of the table as Markdown, with run, score and documents. @param {TopicContext} context */
function copyRanks(context) {
  const { topic: { documents, spans }, about, columns, column, scored, address, unit } = context,
    { rows, name, value, spans: list } = columns[column],
    [first, last] = ranksShown(context);
  const lines = rows.slice(first, last).map(({ size, relevant, read, found, recall, precision }, n) => {
    const span = list[first + n];
    return [
      `${first + n + 1}`,
      documents.id[spans.document[span]] ?? "–",
      span < 0 ? "–" : `${spans.start[span]}–${spans.end[span]}`,
      ...[size, relevant, read, found].map(whole),
      score(recall, 3),
      score(precision, 3),
    ];
  });
  return [
    `${linkMarkdown(`${about.id} ${about.title || about.text}`, address({}))} · run ${escapeMarkdown(name)}` +
    ` · ${escapeMarkdown(scored.topic)} ${score(value)}`,
    tableMarkdown([
      "Rank",
      "Document",
      "Characters",
      ...WORDS[unit].slice(0, 2),
      "Read",
      "Found",
      "Recall",
      "Precision",
    ], lines),
  ].join("\n\n");
}

// The view of a topic: question, documents with relevant text, results side by side, panel.
/** The card of a document: relevant text above the line (found solid, missed hollow), results below.
 * @param {TopicContext} context @param {number} number */
function drawCard({ topic, columns, passages, link, scored }, number) {
  const { id, title, size } = topic.documents,
    relevant = passages[number],
    returned = resultsIn(
      topic,
      number,
      columns.map(({ spans, rows }) => spans.slice(0, ranksRead(scored, rows))),
    );
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
        `Below: text of the results that ${context.scored.topic} reads.`,
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
    make("h1", { tabindex: -1 }, name === id ? named(id, 90) : [name, make("span.mono", named(id))]),
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
    const { length } = columns[column].rows;
    ranks.node.hidden = length < 2;
    ranks.show(rank, length, `rank ${whole(rank)} of ${whole(length)}`);
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
    ranks = makeRankBar((rank) => move(context.column, rank, true)),
    copy = copyButton(AS_MARKDOWN, () => copyRanks(context), announce, { class: "quiet" }),
    advantage = columns[1] &&
      sayAdvantage(scored, topic, runs, columns.map(({ value }) => value), letters),
    causes = columns[1] &&
      causesOf(scored, topic, runs.slice(0, 2), columns.slice(0, 2).map(({ value }) => value)),
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
      advantage && make("p.advantage", { "data-topic": about.id }, advantage),
      causes && drawCauses(sayCauses(causes, letters), causes.causes),
      tabs(),
      make("div.columns", lists.map((list) => list.node)),
    ),
    make(
      "aside.why",
      { "aria-label": COMPUTED },
      make("header.heading", make("h2", COMPUTED), copy),
      tabs(),
      ranks.node,
      why,
    ),
  );
  await move(0, 1);
  return {
    node,
    title: `${about.id} ${about.title}`,
    keys: { next: step(1), previous: step(-1), later: step(1), earlier: step(-1), copy: () => copy.click() },
  };
}
