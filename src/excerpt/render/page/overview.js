/** Overview: verdict, ranking of the runs, limitations, topics × runs. */
import { picker } from "./bar.js";
import { make, named, svg } from "./dom.js";
import { count, heat, score } from "./format.js";
import { button, drawGrid, drawTabs, heading, scoreCell, topicHead, verdict } from "./grid.js";
import { ranking } from "./state.js";

/** @import { Child, Context, Overview, Score, Table, View } from "./types.d.ts" */

// The ranking: means with intervals on one axis, sets of runs that do not differ significantly.
const FIRST_ROWS = 10, MANY_RUNS = 20, MANY_SETS = 24, HIGH = 32, HALF = 16;

/** Round numbers from 0 to a number, five at most. @param {number} most */
export function ticksTo(most) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((size) => most / size < 5) ?? most;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => Number((i * step).toFixed(2)));
}

/** @param {string} words @param {number | string} width @param {Child[]} shapes */
const picture = (words, width, ...shapes) =>
  svg("svg", { width, height: HIGH, role: "img", "aria-label": words }, shapes);
/** @param {number | string} x1 @param {number | string} x2 @param {number} y1 @param {number} y2
 * @param {string} [name] of the class */
const stroke = (x1, x2, y1, y2, name) => svg("line", { class: name, x1, x2, y1, y2 });
/** @param {number | string} cx @param {number} r */
const dot = (cx, r) => svg("circle", { cx, cy: HALF, r });

/** A line for each set of runs that do not differ significantly, with a dot if the run is in the set; the
 * number of such runs if there are many sets.
 * @param {number[][]} sets of places in the ranking, from 0 @param {number} place */
function drawAlike(sets, place) {
  const others = [...new Set(sets.filter((set) => set.includes(place)).flat())].filter((other) =>
      other !== place
    ),
    gap = Math.min(10, 120 / sets.length);
  const words = others.length
    ? `not significantly different from rank${others[1] === undefined ? "" : "s"} ${
      others.map((other) => other + 1).join(", ")
    }`
    : "significantly different from all other runs";
  return sets.length > MANY_SETS ? make("span", { title: words }, others.length) : picture(
    words,
    gap * sets.length,
    sets.map((set, i) => {
      const x = gap * (i + 0.5), first = set[0], last = set[set.length - 1];
      return first <= place && place <= last &&
        [
          stroke(x, x, place === first ? HALF : 0, place === last ? HALF : HIGH),
          set.includes(place) && dot(x, 3),
        ];
    }),
  );
}

/** Draw the table of runs. @param {Context} context */
function drawRanking({ overview, measure, runs: chosen, state, link }) {
  const { measures, runs, means, intervals, comparisons } = overview,
    order = ranking(overview, measure),
    columns = [...new Set([measure, ...measures.keys()])];
  const sets = comparisons[measure]?.alike.map((set) =>
    set.map((run) => order.indexOf(run)).sort((a, b) => a - b)
  );
  const most = Math.max(...runs.map((_, run) => intervals[measure][run]?.[1] ?? means[measure][run] ?? 0)) ||
    1;
  const ticks = ticksTo(most);
  /** @param {number} value */
  const x = (value) => `${4 + (92 * Math.max(0, value)) / most}%`;
  const rows = order.map((run, place) => {
    const { name, about } = runs[run], ends = intervals[measure][run], value = means[measure][run];
    const [mean, ...others] = columns.map((i) =>
      make("td", scoreCell(name, "all", measures[i].name, means[i][run]), score(means[i][run]))
    );
    return make(
      "tr",
      {
        hidden: runs.length > MANY_RUNS && place >= FIRST_ROWS &&
          !(state.runs.length && chosen.includes(run)),
      },
      make("td", place + 1),
      make(
        "th",
        { title: about },
        make("a", { href: link({ view: "pair", runs: [name] }) }, named(name)),
        " ",
        make("small", about.split(":")[0]),
      ),
      mean,
      make(
        "td",
        picture(
          ends ? ends.map((end) => score(end)).join(" to ") : "no interval",
          "100%",
          ticks.map((tick) => stroke(x(tick), x(tick), 0, HIGH, "tick")),
          ends && stroke(x(ends[0]), x(ends[1]), HALF, HALF),
          value !== null && dot(x(value), 4.5),
        ),
      ),
      make("td", sets ? drawAlike(sets, place) : "–"),
      others,
    );
  });
  const scale = svg(
    "svg",
    { width: "100%", height: 16, role: "img", "aria-label": "Interval" },
    ticks.map((tick) => svg("text", { x: x(tick), y: 12 }, tick)),
  );
  const [first, ...others] = columns.map((i) => measures[i].name),
    showAll = () => {
      for (const row of rows) row.hidden = false;
      all.remove();
    };
  /** @type {HTMLButtonElement} */
  const all = button(`Show all ${runs.length}`, showAll);
  return make(
    "div.scroll",
    drawGrid("ranking", ["#", "Run", first, scale, "Alike", ...others], rows),
    rows.some((row) => row.hidden) && all,
  );
}

// Topics × runs: heat map of one measure's scores.
const BOUNDS = [0, 0.01, 0.05, 0.1, 0.2, 0.35, 0.55, 1], WELL = 0.55;
/** @type {Record<string, string>} */
const ORDERS = { "": "by range (best − worst run)", id: "by id", hard: "hardest first" };

/** The shade of a score, 0 to 7; -1 if it is undefined. @param {Score} value */
export const shadeOf = (value) => (value === null ? -1 : BOUNDS.findIndex((bound) => value <= bound));

/** @param {HTMLElement} node @param {number} level */
function shade(node, level) {
  node.dataset.shade = `${level}`;
  node.style.background = `var(--h${level})`;
  return node;
}

/** @typedef {{topic: number, low?: number, high?: number}} TopicRow lowest and highest score of the runs */

/** The topics that count in the means, sorted.
 * @param {Pick<Overview, "topics" | "scores">} overview @param {number} measure @param {number[]} runs
 * @param {string} order one of ORDERS */
export function topicsInOrder({ topics, scores }, measure, runs, order) {
  /** @type {TopicRow[]} */
  const rows = topics.flatMap(({ counted }, topic) => {
    const values = runs.map((run) => scores[measure][run][topic]).filter((value) => value !== null);
    if (!counted) return [];
    return values.length ? { topic, low: Math.min(...values), high: Math.max(...values) } : { topic };
  });
  /** @param {TopicRow} row */
  const key = ({ low, high }) => order === "id" ? 0 : order === "hard" ? high ?? 2 : (low ?? 2) - (high ?? 0);
  return rows.sort((a, b) => key(a) - key(b));
}

/** The sizes of the heat map in pixels. @param {number} window @param {number} runs @param {number} topics */
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

/** The heat map, and a line about the cell under the cursor where cells have no digits.
 * @param {Context} context @param {TopicRow[]} rows */
function drawShades({ overview, measure, runs: chosen, link, names }, rows) {
  const { topics, scores, means, measures } = overview,
    scored = measures[measure],
    order = ranking(overview, measure).filter((run) => chosen.includes(run));
  const { first, row, cell, digits, rotated, wide } = sizesOf(innerWidth, order.length, rows.length),
    readout = make("p.readout", { "aria-hidden": "true", hidden: digits });
  /** @param {(run: number) => Score} scoreOf @param {string} [id] */
  const cells = (scoreOf, id) =>
    order.map((run) => {
      const name = names[run],
        value = scoreOf(run),
        text = digits && heat(value),
        label = [text, score(value)].filter(Boolean).join(", exactly ");
      return shade(
        make(
          "td",
          scoreCell(name, id ?? "all", scored.name, value),
          id === undefined
            ? text
            : make("a", { href: link({ topic: id, runs: [name] }), "aria-label": label }, text),
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
      make("td", row > 8 && heat(high === undefined || low === undefined ? null : high - low)),
    );
  });
  /** @param {HTMLElement} link */
  const look = (link) => {
    const { run, topic, value = "" } = link.parentElement?.dataset ?? {};
    if (!run) return;
    readout.replaceChildren(
      make("b", `${topic} ${topics.find(({ id }) => id === topic)?.title}`),
      " · ",
      make("bdi", run),
      ` · ${scored.topic} ${score(parseFloat(value))}`,
    );
  };
  const table = drawGrid(
    `heat.row${row}${rotated ? ".rotated" : ""}`,
    ["Topic", ...order.map((run) => named(names[run], 20)), "Range"],
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

/** Draw the section. @param {Context} context */
function drawHeat(context) {
  const { overview, overview: { measures, topics }, measure, runs, state: { order, hide }, choose } = context,
    orders = Object.keys(ORDERS),
    left = topics.filter(({ counted }) => !counted);
  const rows = topicsInOrder(overview, measure, runs, order).filter(({ low = 0 }) => !(hide && low > WELL));
  const scale = BOUNDS.map((bound, level) =>
    make("li", shade(make("i"), level), `${level ? "≤ " : ""}${bound}`.replace("0.", "."))
  );
  /** @type {HTMLInputElement} */
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
      make("label.check", box, `hide topics with more than ${WELL} in every run`),
    ),
    drawShades(context, rows),
    left[0] && make(
      "p.note",
      `Left out of the means: ${left.map(({ id }) => id).join(", ")}.`,
    ),
  );
}

// The view "Overview": verdict, runs, limitations, topics × runs, provenance.
const BARS = "Bars: 95 % bootstrap interval of the mean. Tests pair topics, so runs can differ although " +
  "bars overlap. Alike: not significantly different.";

/** @param {Overview} overview */
function drawMade({ made: { command, versions, settings, seed, inputs }, warnings }) {
  /** @type {Record<string, unknown>} */
  const values = { ...versions, ...settings, seed };
  const facts = Object.entries(values).filter(([, value]) => (value ?? "") !== "").map((fact) =>
    fact.join(" ")
  );
  const files = inputs.map(({ name, sha256 }) => [make("bdi", name), make("span.mono", ` sha256 ${sha256}`)]);
  return make(
    "details.note.made",
    make("summary", "How it was made"),
    make("p.mono", command),
    [facts.join(" · "), ...files, ...warnings].map((line) => make("p", line)),
  );
}

/** A table of counts, such as missed passages by reason. @param {Table} table */
const drawTable = ({ title, note, columns, rows }) =>
  make(
    "section",
    heading(title, note),
    make(
      "div.scroll",
      { tabindex: 0, role: "region", "aria-label": title },
      drawGrid(
        "counts",
        columns,
        rows.map(([name, ...cells]) =>
          make("tr", make("th", named(String(name))), cells.map((cell) => make("td", cell)))
        ),
      ),
    ),
  );

/** Draw the view. @param {Context} context @returns {View} */
export function drawOverview(context) {
  const { overview, overview: { runs, topics, cannot, measures, verdicts, tables }, measure, link } = context,
    { headline, lead, how } = verdicts[measure],
    node = make("div.page");
  const pair = runs[1] && make("a", { href: link({ view: "pair" }) }, "Compare two runs"),
    counted = topics.filter((topic) => topic.counted);
  let width = -1;
  const fill = () => {
    if (width === innerWidth) return;
    width = innerWidth;
    node.replaceChildren(
      verdict(
        [measures[measure].name, count(runs.length, "run"), count(counted.length, "topic")],
        headline,
        make("p.lead", lead.map(([text, strong]) => make(strong ? "strong" : "span", text))),
        make("p", how),
      ),
      make(
        "div.beside",
        make(
          "section",
          heading("Runs", "mean and 95 % interval", pair),
          drawRanking(context),
          make("p.note", BARS),
        ),
        make(
          "aside.card.limits",
          make("h2", "What this cannot tell you"),
          make(
            "dl",
            cannot.map(({ figure, text }) => make("div", make("dt", figure), make("dd.note", text))),
          ),
        ),
      ),
      make("div.beside.tables", tables.map(drawTable)),
      drawHeat(context),
      drawMade(overview),
    );
  };
  fill();
  addEventListener("resize", fill);
  return { node, title: "", dispose: () => removeEventListener("resize", fill) };
}
