/** The view of one topic: its question, the documents with relevant text, results side by side, why this number. */
import { badge, make, named, svg } from "./dom.js";
import { count, percent, whole } from "./format.js";
import { passagesOf } from "./data.js";
import { rows, share, unitOf } from "./arithmetic.js";
import { drawTabs } from "./grid.js";
import { layersOf, resultsIn } from "./layers.js";
import { countPoints } from "./spans.js";
import { drawColumn } from "./results.js";
import { drawWhy } from "./why.js";

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
