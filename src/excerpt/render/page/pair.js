/** The view "Two runs": which is better and by how much, topics by difference, the same text at two ranks. */
import { pairPickers } from "./bar.js";
import { Missing } from "./data.js";
import { make, named } from "./dom.js";
import { count, score, signed } from "./format.js";
import { button, drawGrid, heading, topicHead, verdict } from "./grid.js";
import { drawTwoRanks } from "./ranks.js";
import { ranking } from "./state.js";

/** What the tests say of two runs, `first` being the better one; nothing if they were not compared.
 * @param {Object} overview @param {number} measure @param {number[]} runs two @returns {?Object} */
export function comparisonOf({ comparisons }, measure, runs) {
  const { pairs, alpha, tests } = comparisons[measure] ?? { pairs: { first: [] } },
    at = pairs.first.findIndex((one, i) => runs.includes(one) && runs.includes(pairs.second[i]));
  return at < 0 ? null : {
    alpha,
    tests,
    ...Object.fromEntries(Object.entries(pairs).map(([name, column]) => [name, column[at]])),
  };
}

/** The topics that both runs have a score for, largest a − b first.
 * @param {Object} overview @param {number} measure @param {number[]} runs @returns {{topic: number, values: number[], difference: number}[]} */
export function differencesOf({ topics, scores }, measure, runs) {
  const rows = topics.flatMap(({ counted }, topic) => {
    const values = runs.map((run) => scores[measure][run][topic]);
    return counted && !values.includes(null) ? { topic, values, difference: values[0] - values[1] } : [];
  });
  return rows.sort((x, y) => y.difference - x.difference);
}

/** The better run, and how sure that is, seen from it. */
function drawSentence({ overview, overview: { means, measures }, measure, names }, runs, topics) {
  const compared = comparisonOf(overview, measure, runs),
    { alpha, tests, low, high, adjusted, effect, significant } = compared ?? {},
    mean = (run) => means[measure][run] ?? NaN;
  const [first, second] = [...runs].sort((a, b) => mean(b) - mean(a)),
    by = compared?.difference ?? mean(first) - mean(second),
    [better, other] = [first, second].map((run) => named(names[run]));
  const headline = Number.isNaN(by)
    ? "One of the two has no score by this measure."
    : by === 0
    ? [better, " and ", other, " score the same."]
    : [
      better,
      significant ? " is better than " : " is ahead of ",
      other,
      ` by ${score(by)}. The difference ${
        compared ? `is ${significant ? "" : "not "}significant` : "was not tested"
      }.`,
    ];
  return verdict(
    [measures[measure].name, count(topics, "topic")],
    headline,
    compared &&
      make(
        "p.lead",
        `${100 - 100 * alpha} % interval `,
        make("strong", `${signed(low)} to ${signed(high)}`),
        ` · p ${adjusted < 0.0001 ? "< 0.0001" : `= ${score(adjusted)}`}, corrected for ${
          count(tests, "test")
        }`,
        effect !== null && [" · effect size ", make("strong", score(effect, 2))],
      ),
  );
}

function drawWins(rows) {
  return make(
    "ul.wins.plain",
    [["a", 1, "topics: A better"], ["even", 0, "equal"], ["b", -1, "B better"]].map(([name, sign, words]) => {
      const wins = rows.filter(({ difference }) => Math.sign(difference) === sign).length,
        item = make("li", make(`i.${name}`), make("b", wins), ` ${words}`);
      item.style.flexGrow = wins;
      return wins > 0 && item;
    }),
  );
}

function drawDifferences({ overview: { topics }, link }, runs, rows, show) {
  const most = Math.max(...rows.map(({ difference }) => Math.abs(difference))) || 1;
  return drawGrid(
    "differences",
    ["Topic", "A", "B", "← B | A →", "A − B"],
    rows.map(({ topic, values, difference }) => {
      const bar = make(difference < 0 ? "i.b" : "i.a");
      bar.style.width = `${(50 * Math.abs(difference)) / most}%`;
      return make(
        "tr",
        topicHead(topics[topic], link({ topic: topics[topic].id, runs })),
        values.map((value) => make("td", score(value))),
        make("td", bar),
        make("td", make("b", signed(difference))),
      );
    }),
    (link) => show(rows[link.closest("tr").sectionRowIndex].topic),
  );
}

/** Draws the view. @param {import("./explore.js").Context} context @returns {Promise<import("./explore.js").View>} */
export async function drawPair(context) {
  const { overview, measure, state: { hide }, choose, data, names: all } = context,
    runs = [...new Set([...context.runs, ...ranking(overview, measure)])].slice(0, 2);
  if (runs.length < 2) throw new Missing("there is one run only, and nothing to compare it with.");
  const names = runs.map((run) => all[run]),
    every = differencesOf(overview, measure, runs),
    ranks = make("section.lines"),
    [a, b] = pairPickers(context, runs);
  const rows = hide ? every.filter(({ difference }) => difference < 0).reverse() : every;
  let wanted;
  const show = async (topic) => {
    const found = topic !== wanted && await data.topic(wanted = topic);
    if (found && topic === wanted) ranks.replaceChildren(...drawTwoRanks(context, names, runs, found));
  };
  if (rows[0]) await show(rows[0].topic);
  const only = button("only where B is better", () => choose({ hide: hide ? "" : "a" }), {
    "data-key": "only",
    "aria-pressed": `${hide !== ""}`,
  });
  return {
    title: "Two runs",
    node: make(
      "div.page",
      make(
        "div.controls",
        a,
        button("⇄ Swap", () => choose({ runs: [...names].reverse() }), {
          class: "quiet",
          "data-key": "swap",
        }),
        b,
      ),
      drawSentence(context, runs, every.length),
      drawWins(every),
      make(
        "div.beside",
        make(
          "section",
          heading("Topics by difference", "A − B", only),
          rows[0] ? drawDifferences(context, names, rows, show) : "There is no such topic.",
        ),
        ranks,
      ),
    ),
  };
}
