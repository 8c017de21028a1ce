/** Topics × runs: one measure's score of every topic and run, as a table of shades. */
import { picker } from "./bar.js";
import { make, named } from "./dom.js";
import { heat, score } from "./format.js";
import { drawGrid, drawTabs, heading, scoreCell, topicHead } from "./grid.js";
import { ranking } from "./state.js";

const BOUNDS = [0, 0.01, 0.05, 0.1, 0.2, 0.35, 0.55, 1], WELL = 0.55;
const ORDERS = { "": "by spread", id: "by id", hard: "hardest first" };

/** The shade of a score: 0 for none to 7, -1 if it is undefined. @param {?number} value @returns {number} */
export const shadeOf = (value) => (value === null ? -1 : BOUNDS.findIndex((bound) => value <= bound));

function shade(node, level) {
  node.dataset.shade = level;
  node.style.background = `var(--h${level})`;
  return node;
}

/** The topics that count, in an order, with the least and best score of the runs; without them where no run has a score.
 * @param {Object} overview @param {number} measure @param {number[]} runs @param {string} order one of ORDERS
 * @returns {{topic: number, low: ?number, high: ?number}[]} */
export function topicsInOrder({ topics, scores }, measure, runs, order) {
  const rows = topics.flatMap(({ counted }, topic) => {
    const values = runs.map((run) => scores[measure][run][topic]).filter((value) => value !== null);
    return counted
      ? { topic, ...(values.length && { low: Math.min(...values), high: Math.max(...values) }) }
      : [];
  });
  const key = { id: () => 0, hard: ({ high = 2 }) => high }[order] ?? (({ low = 2, high = 0 }) => low - high);
  return rows.sort((a, b) => key(a) - key(b));
}

/** The sizes of the table in a window, in pixels. @param {number} window @param {number} runs @param {number} topics @returns {Object} */
export function sizesOf(window, runs, topics) {
  const narrow = window < 900,
    least = narrow ? 116 : 288,
    row = topics > 150 ? 8 : topics > 60 ? 14 : 24,
    free = Math.min(window - 48, 1232) - least - 56;
  const cell = Math.max(narrow && runs <= 20 && row === 24 ? 40 : 13, Math.min(72, Math.floor(free / runs)));
  return {
    first: least + Math.max(0, Math.min(160, free - cell * runs)),
    row,
    cell,
    digits: cell >= 40 && row === 24,
    rotated: cell < 64,
    wide: cell * runs > free,
  };
}

/** The table, and a bar that says what is under the cursor where there are no digits. */
function drawShades({ overview, measure, runs: chosen, link, names }, rows) {
  const { topics, scores, means, measures } = overview,
    { name: given, topic: of } = measures[measure],
    order = ranking(overview, measure).filter((run) => chosen.includes(run));
  const { first, row, cell, digits, rotated, wide } = sizesOf(innerWidth, order.length, rows.length),
    readout = make("p.readout", { "aria-hidden": "true", hidden: digits });
  const cells = (scored, id) =>
    order.map((run) => {
      const name = names[run], value = scored(run), text = digits && heat(value);
      return shade(
        make(
          "td",
          scoreCell(name, id ?? "all", given, value),
          id === undefined
            ? text
            : make("a", { href: link({ topic: id, runs: [name] }), "aria-label": score(value) }, text),
        ),
        shadeOf(value),
      );
    });
  const body = rows.map(({ topic, low, high }) => {
    const { id } = topics[topic];
    return make(
      "tr",
      topicHead(topics[topic], link({ topic: id })),
      cells((run) => scores[measure][run][topic], id),
      make("td", row > 8 && heat(high - low)),
    );
  });
  const look = ({ parentNode: { dataset: { run, topic, value } } }) =>
    run &&
    readout.replaceChildren(
      make("b", `${topic} ${topics.find(({ id }) => id === topic).title}`),
      " · ",
      make("bdi", run),
      ` · ${of} ${score(parseFloat(value))}`,
    );
  const table = drawGrid(
    `heat.row${row}${rotated ? ".rotated" : ""}`,
    ["Topic", ...order.map((run) => named(names[run], 20)), "Spread"],
    [
      make(
        "tr.mean",
        make("th", "Mean"),
        cells((run) => means[measure][run]),
        make("td"),
      ),
      ...body,
    ],
    look,
  );
  for (const [name, pixels] of Object.entries({ first, row, cell })) {
    table.style.setProperty(`--${name}`, `${pixels}px`);
  }
  return [make("div.scroll", { "data-wide": wide }, table), readout];
}

/** Draws the section. @param {import("./explore.js").Context} context @returns {HTMLElement} */
export function drawHeat(context) {
  const { overview, overview: { measures, topics }, measure, runs, state: { order, hide }, choose } = context,
    orders = Object.keys(ORDERS),
    left = topics.filter(({ counted }) => !counted);
  const rows = topicsInOrder(overview, measure, runs, order).filter(({ low }) => !(hide && low > WELL));
  const scale = BOUNDS.map((bound, level) =>
    make("li", shade(make("i"), level), `${level ? "≤ " : ""}${bound}`.replace("0.", "."))
  );
  const box = make("input", {
    type: "checkbox",
    checked: hide !== "",
    "data-key": "hide",
    on: { change: () => choose({ hide: box.checked ? "well" : "" }) },
  });
  return make(
    "section",
    heading("Topics × runs", `${measures[measure].topic} of each topic`, make("ol.scale.plain.note", scale)),
    make(
      "div.controls",
      drawTabs(
        "segments",
        measures.map(({ name }) => name),
        measure,
        (at) => choose({ m: at ? measures[at].name : "" }),
      ),
      picker("Order", Object.values(ORDERS), orders.indexOf(order), (at) => choose({ order: orders[at] })),
      make("label.check", box, "hide topics that every run does well"),
    ),
    drawShades(context, rows),
    left[0] && make(
      "p.note",
      `Left out: ${left.map(({ id }) => id).join(", ")}.`,
    ),
  );
}
