/** Overview: verdict, ranking of the runs, limitations, topics × runs. */
import { picker } from "./bar.js";
import { make, named, svg } from "./dom.js";
import { count, heat, score } from "./format.js";
import { button, drawGrid, drawTabs, heading, scoreCell, topicHead, verdict } from "./grid.js";
import { ranking } from "./state.js";

// The runs in order: intervals of their means on one axis, lines of runs that no test separates.
const FIRST_ROWS = 10, MANY_RUNS = 20, MANY_SETS = 24, HIGH = 32, HALF = 16;

/** Round numbers from 0 to a number, five at most. @param {number} most @returns {number[]} */
export function ticksTo(most) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((size) => most / size < 5) ?? most;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => Number((i * step).toFixed(2)));
}

const picture = (words, width, ...shapes) =>
  svg("svg", { width, height: HIGH, role: "img", "aria-label": words }, shapes);
const stroke = (x1, x2, y1, y2, name) => svg("line", { class: name, x1, x2, y1, y2 });
const dot = (cx, r) => svg("circle", { cx, cy: HALF, r });

/** A line for each set of runs (as places, best first), with a dot if the run at a place is in it; with many sets, how many runs it is alike. */
function drawAlike(sets, place) {
  const mates = [...new Set(sets.filter((set) => set.includes(place)).flat())].filter((mate) =>
      mate !== place
    ),
    gap = Math.min(10, 120 / sets.length);
  const words = mates.length
    ? `cannot be told apart from place ${mates.map((mate) => mate + 1).join(", ")}`
    : "differs from all";
  return sets.length > MANY_SETS ? make("span", { title: words }, mates.length) : picture(
    words,
    gap * sets.length,
    sets.map((set, i) => {
      const x = gap * (i + 0.5), first = set[0], last = set.at(-1);
      return first <= place && place <= last &&
        [
          stroke(x, x, place === first ? HALF : 0, place === last ? HALF : HIGH),
          set.includes(place) && dot(x, 3),
        ];
    }),
  );
}

/** Draws the table of runs. @param {import("./explore.js").Context} context @returns {HTMLElement} */
export function drawRanking({ overview, measure, runs: chosen, state, link }) {
  const { measures, runs, means, intervals, comparisons } = overview,
    order = ranking(overview, measure),
    columns = [...new Set([measure, ...measures.keys()])];
  const sets = comparisons[measure]?.alike.map((set) =>
    set.map((run) => order.indexOf(run)).sort((a, b) => a - b)
  );
  const most = Math.max(...runs.map((_, run) => intervals[measure][run]?.[1] ?? means[measure][run] ?? 0)) ||
    1;
  const ticks = ticksTo(most), x = (value) => `${4 + (92 * Math.max(0, value)) / most}%`;
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
    all = button(`Show all ${runs.length}`, () => {
      for (const row of rows) row.hidden = false;
      all.remove();
    });
  return make(
    "div.scroll",
    drawGrid("ranking", ["#", "Run", first, scale, "Alike", ...others], rows),
    rows.some((row) => row.hidden) && all,
  );
}

// Topics × runs: one measure's score of every topic and run, as a table of shades.
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

// The view "Overview": the verdict in words, the runs, what it cannot tell, topics × runs, how it was made.
const BARS =
  "Bars are of means (bootstrap over topics), tests of paired differences: runs can differ although bars overlap. Alike: no test tells them apart.";

function drawMade({ made: { command, versions, settings, seed, inputs }, warnings }) {
  const facts = Object.entries({ ...versions, ...settings, seed }).filter(([, value]) => (value ?? "") !== "")
    .map((fact) => fact.join(" "));
  const files = inputs.map(({ name, sha256 }) => [make("bdi", name), make("span.mono", ` sha256 ${sha256}`)]);
  return make(
    "details.note.made",
    make("summary", "How it was made"),
    make("p.mono", command),
    [facts.join(" · "), ...files, ...warnings].map((line) => make("p", line)),
  );
}

/** What runs missed and why, what was cited: a sentence, then numbers. */
const drawTable = ({ title, note, columns, rows }) =>
  make(
    "section",
    heading(title, note),
    make(
      "div.scroll",
      drawGrid(
        "counts",
        columns,
        rows.map(([name, ...cells]) =>
          make("tr", make("th", named(name)), cells.map((cell) => make("td", cell)))
        ),
      ),
    ),
  );

/** Draws the view. @param {import("./explore.js").Context} context @returns {Promise<import("./explore.js").View>} */
export async function drawOverview(context) {
  const { overview, overview: { runs, topics, cannot, measures, verdicts, tables }, measure, link } = context,
    { headline, lead, how } = verdicts[measure],
    node = make("div.page");
  const pair = (text) => runs[1] && make("a", { href: link({ view: "pair" }) }, text),
    counted = topics.filter((topic) => topic.counted);
  let width;
  const fill = () =>
    width !== (width = innerWidth) && node.replaceChildren(
      verdict(
        [measures[measure].name, count(runs.length, "run"), count(counted.length, "topic")],
        headline,
        make("p.lead", lead.map(([text, strong]) => make(strong ? "strong" : "span", text))),
        make("p", how, " ", pair("All pairs")),
      ),
      make(
        "div.beside",
        make(
          "section",
          heading("Runs", "mean and 95 % interval", pair("Compare two runs")),
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
  fill();
  addEventListener("resize", fill);
  return { node, title: "", dispose: () => removeEventListener("resize", fill) };
}
