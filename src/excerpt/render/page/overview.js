/** Overview: verdict, one figure of the runs, and doors to the tables behind it. */
import { copyTable } from "./clipboard.js";
import { make, named, svg, withNames } from "./dom.js";
import { count, score, whole } from "./format.js";
import { drawGrid, heading, isFolded, scoreCell, unfold, verdict } from "./grid.js";
import { drawHeat, sayGroup } from "./heat.js";
import { explainedName } from "./measures.js";
import { ranking, REASONS } from "./state.js";

/** @import { Child, Comparison, Context, Groups, Overview, Table, View } from "./types.d.ts" */

// The ranking: means with intervals on one axis, sets of runs that do not differ significantly.
const MANY_SETS = 24, HIGH = 32, HALF = 16;

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

/** The numbers of runs from which each run does not differ significantly.
 * @param {Pick<Comparison, "pairs">} comparison @param {number} runs */
export function alikeCounts({ pairs: { first, second, significant } }, runs) {
  const counts = Array(runs).fill(0);
  first.forEach((one, i) => {
    if (significant[i]) return;
    counts[one]++;
    counts[second[i]]++;
  });
  return counts;
}

/** How many runs do not differ significantly, in words. @param {number} others */
export const sayAlike = (others) =>
  others
    ? `not significantly different from ${count(others, "other run")}`
    : "significantly different from every other run";

/** A line for each set of runs that do not differ significantly, with a dot if the run is in the set; the
 * number of such runs if there are many sets.
 * @param {number[][]} sets of places in the ranking, from 0 @param {number} place @param {number} others */
function drawAlike(sets, place, others) {
  const gap = Math.min(10, 120 / sets.length);
  return sets.length > MANY_SETS ? String(others) : picture(
    sayAlike(others),
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

/** Draw the table of runs, and a button that copies it. @param {Context} context */
function drawRanking(context) {
  const { overview, measure, link } = context,
    { measures, runs, means, intervals, comparisons } = overview,
    order = ranking(overview, measure),
    places = Object.fromEntries(order.map((run, place) => [run, place])),
    compared = comparisons[measure],
    alike = compared && alikeCounts(compared, runs.length);
  const sets = compared?.alike.map((set) => set.map((run) => places[run]).sort((a, b) => a - b)) ?? [];
  const most = Math.max(...runs.map((_, run) => intervals[measure][run]?.[1] ?? means[measure][run] ?? 0)) ||
    1;
  const ticks = ticksTo(most);
  /** @param {number} value */
  const x = (value) => `${4 + (92 * Math.max(0, value)) / most}%`;
  const rows = order.map((run, place) => {
    const { name, about } = runs[run], ends = intervals[measure][run], value = means[measure][run];
    return make(
      "tr",
      {
        hidden: isFolded(context, run, place),
      },
      make("td", place + 1),
      make(
        "th",
        { title: about },
        make("a", { href: link({ view: "pair", runs: [name] }) }, named(name)),
        " ",
        make("small", about.split(":")[0]),
      ),
      make("td", scoreCell(name, "all", measures[measure].name, value), score(value)),
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
      make(
        "td",
        alike
          ? make("a", {
            href: link({ view: "pairs", run: name, hide: "different" }),
            title: sayAlike(alike[run]),
            "data-text": alike[run],
            "aria-label": `${alike[run]}: ${sayAlike(alike[run])}`,
          }, drawAlike(sets, place, alike[run]))
          : "–",
      ),
    );
  });
  const scale = svg(
    "svg",
    { width: "100%", height: 16, role: "img", "aria-label": "Interval" },
    ticks.map((tick) => svg("text", { x: x(tick), y: 12 }, tick)),
  );
  const by = explainedName(measures[measure], link),
    table = drawGrid("ranking", ["#", "Run", by, scale, "Alike"], rows);
  return [
    copyTable(context, `Runs by ${measures[measure].name}`, () => table, runs.length),
    make("div.scroll", table, unfold(rows)),
  ];
}

/** The means of every measure, in the order of the ranking. @param {Context} context */
function drawMeans(context) {
  const { overview: { measures, runs, means }, overview, measure, link } = context,
    order = [...new Set([measure, ...measures.keys()])];
  const rows = ranking(overview, measure).map((run, place) =>
    make(
      "tr",
      { hidden: isFolded(context, run, place) },
      make("td", place + 1),
      make("th", make("a", { href: link({ view: "pair", runs: [runs[run].name] }) }, named(runs[run].name))),
      order.map((i) =>
        make("td", scoreCell(runs[run].name, "all", measures[i].name, means[i][run]), score(means[i][run]))
      ),
    )
  );
  const table = drawGrid("means", ["#", "Run", ...order.map((i) => explainedName(measures[i], link))], rows);
  return make(
    "section.beside",
    heading(
      "",
      "means over the topics",
      copyTable(context, "Runs by all measures", () => table, rows.length),
    ),
    make("div.scroll", { tabindex: 0, role: "region", "aria-label": "All measures" }, table, unfold(rows)),
  );
}

/** The means of every run over each group of topics. @param {Context} context @param {Groups} groups */
function drawGroups(context, { by, names, of, means }) {
  const { overview: { measures, runs, means: all }, overview, measure, link } = context,
    counts = names.map((_, group) => of.filter((one) => one === group).length);
  /** @param {number} run @param {string} group @param {number | null} value */
  const cell = (run, group, value) =>
    make("td", scoreCell(runs[run].name, group, measures[measure].name, value), score(value));
  const rows = ranking(overview, measure).map((run, place) =>
    make(
      "tr",
      { hidden: isFolded(context, run, place) },
      make("td", place + 1),
      make("th", make("a", { href: link({ view: "pair", runs: [runs[run].name] }) }, named(runs[run].name))),
      cell(run, "all", all[measure][run]),
      names.map((name, group) => cell(run, `${by} ${name}`, means[measure][run][group])),
    )
  );
  const heads = names.map((name, group) =>
    make("span", sayGroup(name), make("small.note", ` ${count(counts[group], "topic")}`))
  );
  const table = drawGrid("means", ["#", "Run", "All topics", ...heads], rows),
    title = `${measures[measure].name} by ${by}`;
  return make(
    "section.beside",
    heading("", `${measures[measure].name}: means over the topics of each ${by}`, [
      copyTable(context, title, () => table, rows.length),
    ]),
    make("div.scroll", { tabindex: 0, role: "region", "aria-label": title }, table, unfold(rows)),
  );
}

// The view "Overview": verdict, runs, limitations, topics × runs, provenance.
const BARS = "Bars: 95 % bootstrap interval of the mean. Tests pair topics, so runs can differ although " +
  "bars overlap. Alike: runs that do not differ significantly from this one, as lines through sets of such " +
  "runs or as their number.";

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

/** A table of counts or shares of each run. @param {Context} context @param {Table} table */
function drawTable(context, { title, note, columns, rows }) {
  const table = drawGrid(
    "counts",
    columns,
    rows.map(([name, ...cells]) =>
      make("tr", make("th", named(String(name))), cells.map((cell) => make("td", cell)))
    ),
  );
  return make(
    "section.beside",
    heading("", note, copyTable(context, title, () => table, rows.length)),
    make("div.scroll", { tabindex: 0, role: "region", "aria-label": title }, table),
  );
}

/** Missed passages by reason, in the order of the ranking; each count opens what it counts.
 * @param {Context} context @param {Table} table */
function drawMissed(context, { title, note, columns, rows, reasons = [] }) {
  const { overview, measure, link } = context,
    most = Math.max(1, ...rows.map((row) => Number(row[1]))),
    asked = ["missed", ...reasons.map((code) => REASONS[code])];
  const drawn = ranking(overview, measure).map((run, place) => {
    const [name, ...counts] = rows[run];
    return make(
      "tr",
      { hidden: isFolded(context, run, place) },
      make("td", place + 1),
      make("th", make("a", { href: link({ view: "documents", run: String(name) }) }, named(String(name)))),
      counts.map((cell, i) => {
        const bar = make("i");
        bar.style.width = `${(100 * Number(cell)) / most}%`;
        return make(
          "td.bars",
          { "data-label": columns[i + 1] },
          make(
            "a",
            { href: link({ view: "passages", run: String(name), reason: asked[i] }) },
            bar,
            make("span", whole(Number(cell))),
          ),
        );
      }),
    );
  });
  const table = drawGrid("missed", ["#", ...columns], drawn);
  return make(
    "section.beside",
    heading("", note, copyTable(context, title, () => table, rows.length)),
    make("div.scroll", { tabindex: 0, role: "region", "aria-label": title }, table, unfold(drawn)),
    make("p.note", "A count opens its passages, a run the table of its documents."),
  );
}

/** Titles of the doors that are open; they stay open when the view is drawn again. @type {Set<string>} */
const opened = new Set();

/** A door: its title and what is behind it in a line; it opens to a table, which the address may ask for.
 * @param {string} title @param {Child} about @param {Child} behind @param {boolean} [asked] */
function door(title, about, behind, asked = false) {
  const node = make(
    "details.door",
    { open: (asked || opened.has(title)) && "" },
    make("summary", make("h2", title), make("span.note", about)),
    behind,
  );
  node.addEventListener("toggle", () => {
    if (/** @type {HTMLDetailsElement} */ (node).open) opened.add(title);
    else opened.delete(title);
  });
  return node;
}

/** How many passages the first run misses, in words. @param {Context} context @param {Table} table */
function sayMissed({ overview, measure }, { rows, note }) {
  const row = rows[ranking(overview, measure)[0]];
  return row ? [named(String(row[0])), ` misses ${whole(Number(row[1]))} ${note.split(",")[0]}`] : note;
}

/** Draw the view. @param {Context} context @returns {View} */
export function drawOverview(context) {
  const { overview, measure, link, names, state } = context,
    { runs, topics, cannot, measures, verdicts, tables, groups } = overview,
    { headline, lead, how } = verdicts[measure],
    node = make("div.page");
  const pair = runs[1] && make(
      "span",
      make("a", { href: link({ view: "pairs" }) }, "All pairs"),
      " · ",
      make("a", { href: link({ view: "pair" }) }, "Compare two runs"),
    ),
    counted = topics.filter((topic) => topic.counted);
  let width = -1;
  const fill = () => {
    if (width === innerWidth) return;
    width = innerWidth;
    const [copy, table] = drawRanking(context);
    node.replaceChildren(
      verdict(
        [measures[measure].name, count(runs.length, "run"), count(counted.length, "topic")],
        withNames(headline, names),
        make(
          "p.lead",
          lead.map(([text, strong]) => make(strong ? "strong" : "span", withNames(text, names))),
        ),
        make("p", how),
      ),
      make(
        "div.beside",
        make(
          "section",
          heading("Runs", "mean and 95 % interval", [pair, copy]),
          table,
          make("p.note", BARS),
        ),
      ),
      make(
        "div.doors",
        measures[1] && door(
          "All measures",
          `the means of ${count(measures.length, "measure")}`,
          drawMeans(context),
        ),
        groups && door(
          `By ${groups.by}`,
          `the means of ${count(groups.names.length, "group")} of topics`,
          drawGroups(context, groups),
        ),
        tables.map((table) =>
          door(
            table.title,
            table.reasons ? sayMissed(context, table) : table.note,
            table.reasons ? drawMissed(context, table) : drawTable(context, table),
          )
        ),
        door(
          "Topics × runs",
          `${measures[measure].topic} of ${count(counted.length, "topic")}, each a door to its results`,
          drawHeat(context),
          Boolean(state.order || state.hide || state.scale),
        ),
        cannot[0] && door(
          "What this cannot tell you",
          count(cannot.length, "limit"),
          make(
            "dl.limits",
            cannot.map(({ figure, text }) =>
              make("div", make("dt", figure), make("dd.note", withNames(text, names)))
            ),
          ),
        ),
      ),
      drawMade(overview),
    );
  };
  const openAll = () => node.querySelectorAll("details.door").forEach((one) => one.setAttribute("open", ""));
  fill();
  addEventListener("resize", fill);
  addEventListener("beforeprint", openAll);
  return {
    node,
    title: "",
    dispose: () => {
      removeEventListener("resize", fill);
      removeEventListener("beforeprint", openAll);
    },
  };
}
