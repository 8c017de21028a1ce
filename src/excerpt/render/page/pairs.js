/** All pairs of runs: differences with intervals, p-values and wins. */
import { picker } from "./bar.js";
import { copyTable } from "./clipboard.js";
import { make, named } from "./dom.js";
import { count, score, signed, whole } from "./format.js";
import { drawGrid, drawMore, sortHeads, sortRows } from "./grid.js";
import { ranking } from "./state.js";

/** @import { Context, Overview, Pairs, View } from "./types.d.ts" */
/** @import { Column } from "./grid.js" */

const PAIRS_AT_ONCE = 100, MOST_WINS = 50_000_000;
/** @type {Record<string, string>} */
const SHOWN = { "": "all pairs", alike: "significantly different", different: "not significantly different" };

/** Numbers of topics on which the first run is better, both are equal, the second is better.
 * @param {Pick<Overview, "topics" | "scores">} overview @param {number} measure
 * @param {number} first @param {number} second */
export function winsOf({ topics, scores }, measure, first, second) {
  const wins = [0, 0, 0], [a, b] = [scores[measure][first], scores[measure][second]];
  topics.forEach(({ counted }, topic) => {
    const one = a[topic], other = b[topic];
    if (counted && one !== null && other !== null) wins[one > other ? 0 : one < other ? 2 : 1]++;
  });
  return wins;
}

/** The numbers of the pairs with a run (-1: all) that are shown.
 * @param {Pairs} pairs @param {number} run @param {string} hide one of SHOWN */
export function pairsShown({ first, second, significant }, run, hide) {
  return first.map((_, i) => i).filter((i) =>
    (run < 0 || first[i] === run || second[i] === run) &&
    (hide === "alike" ? significant[i] : hide === "different" ? !significant[i] : true)
  );
}

/** A p-value with four digits, never as 0. @param {number} p */
export const sayP = (p) => p < 0.0001 ? "< 0.0001" : score(p);

/** Draw the view. @param {Context} context @returns {View} */
export function drawPairs(context) {
  const {
      overview,
      overview: { comparisons, measures, topics, verdicts },
      measure,
      names,
      state,
      choose,
      link,
    } = context,
    compared = comparisons[measure];
  if (!compared) {
    return {
      title: "All pairs",
      node: make(
        "div.page",
        make("h1", { tabindex: -1 }, "No pair of runs was tested."),
        make("p.lead", "A test needs two runs, and two topics for which every run has a score."),
      ),
    };
  }
  const { pairs } = compared,
    { first, second } = pairs,
    order = ranking(overview, measure),
    run = names.indexOf(state.run),
    shown = pairsShown(pairs, run, state.hide);
  /** @param {number} i */
  const wins = (i) => winsOf(overview, measure, first[i], second[i]);
  /** @param {number[]} column @returns {(i: number) => number} */
  const by = (column) => (i) => column[i];
  /** @type {Column[]} */
  const columns = [
    { label: "Better run", key: "first", value: (i) => order.indexOf(first[i]) },
    { label: "Other run", key: "second", value: (i) => order.indexOf(second[i]) },
    { label: "Difference", key: "difference", value: by(pairs.difference) },
    { label: `${100 - 100 * compared.alpha} % interval`, key: "interval", value: by(pairs.low) },
    { label: "p", key: "p", value: by(pairs.adjusted) },
    {
      label: "Wins",
      key: "wins",
      value: shown.length * topics.length < MOST_WINS ? (i) => wins(i)[0] - wins(i)[2] : undefined,
    },
  ];
  const rows = sortRows(shown, columns, state.order);
  /** @param {number} i */
  const draw = (i) => {
    const [better, equal, worse] = wins(i), runs = [first[i], second[i]].map((one) => names[one]);
    return make(
      "tr",
      { "data-significant": pairs.significant[i] === 1 },
      runs.map((name) => make("th", make("a", { href: link({ view: "pair", runs }) }, named(name)))),
      make("td", make("b", signed(pairs.difference[i]))),
      make("td", `${signed(pairs.low[i])} to ${signed(pairs.high[i])}`),
      make("td", sayP(pairs.adjusted[i]), pairs.significant[i] === 1 && " *"),
      make(
        "td",
        { title: `better on ${better}, equal on ${equal}, worse on ${count(worse, "topic")}` },
        `${better} – ${equal} – ${worse}`,
      ),
    );
  };
  const table = drawGrid(
    "pairs",
    sortHeads(columns, state.order, (order) => choose({ order })),
    rows.slice(0, PAIRS_AT_ONCE).map(draw),
  );
  const different = pairs.significant.filter(Boolean).length, shows = Object.keys(SHOWN);
  const listed = [-1, ...order];
  return {
    title: "All pairs",
    node: make(
      "div.page",
      make(
        "div.verdict",
        make("p.label", "All pairs of runs"),
        make(
          "h1",
          { tabindex: -1 },
          `${whole(different)} of ${count(first.length, "pair")} differ significantly.`,
        ),
        make("p", verdicts[measure].how),
      ),
      make(
        "div.controls",
        picker(
          "Run",
          listed.map((one) => names[one] ?? "all runs"),
          listed.indexOf(run),
          (i) => choose({ run: names[listed[i]] ?? "" }),
        ),
        picker("Show", Object.values(SHOWN), shows.indexOf(state.hide), (i) => choose({ hide: shows[i] })),
        make("span.note", count(rows.length, "pair")),
        rows.length > 0 &&
          copyTable(context, `All pairs by ${measures[measure].name}`, () => table, rows.length),
      ),
      rows.length ? make("div.scroll.wide", table) : make("p", "No pair matches."),
      drawMore(table.tBodies[0], rows, draw, PAIRS_AT_ONCE),
      make(
        "p.note",
        `p: two-sided, corrected for ${count(compared.tests, "test")}; * significant. `,
        "Wins: topics on which the better run is ahead – equal – behind.",
      ),
    ),
  };
}
