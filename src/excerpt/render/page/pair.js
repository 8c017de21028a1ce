/** Comparison of two runs. */
import { pairPickers } from "./bar.js";
import { Missing, passagesOf } from "./data.js";
import { make, named, svg } from "./dom.js";
import { count, middle, score, signed } from "./format.js";
import { button, drawGrid, heading, topicHead, verdict } from "./grid.js";
import { sharedText } from "./results.js";
import { sharedSpans } from "./spans.js";
import { ranking } from "./state.js";

// The first results of two runs on one topic, with lines between those that share text.
const FIRST_RANKS = 20, ENDS = [122, 222];
const heightOf = (rank) => 22 * (rank + 1.5);

/** The pairs of results that share text, as ranks from 0.
 * @param {Object} topic @param {number[][]} lists results of two runs @returns {{ranks: number[], relevant: boolean}[]} */
export function sharedOf(topic, [first, second]) {
  const passages = passagesOf(topic), { spans } = topic;
  return first.flatMap((one, i) =>
    second.flatMap((two, j) => {
      const shared = sharedText(spans, one, two);
      return shared.length
        ? { ranks: [i, j], relevant: sharedSpans(shared, passages[spans.document[one]]).length > 0 }
        : [];
    })
  );
}

const label = (side, y, words) =>
  svg(
    "text",
    { x: ENDS[side] + (side ? 12 : -12), y, "data-side": side },
    (side ? words : words.reverse()).join(" "),
  );

/** The picture of a topic, and the same in words. @param {import("./explore.js").Context} context @param {string[]} names
 * @param {number[]} runs @param {Object} topic @returns {Node[]} */
export function drawTwoRanks({ link }, names, runs, topic) {
  const { spans, documents, id } = topic,
    lists = runs.map((run) => [...topic.runs[run].slice(0, FIRST_RANKS)]),
    pairs = sharedOf(topic, lists).sort((a, b) => a.relevant - b.relevant);
  const lines = pairs.map(({ ranks, relevant }) => {
    const [a, b] = ranks.map(heightOf);
    return svg("path", { "data-relevant": relevant, d: `M126 ${a}C172 ${a} 172 ${b} 218 ${b}` });
  });
  const ends = lists.map((
    list,
    side,
  ) => [
    label(side, 14, [`${"AB"[side]} ${middle(names[side], 15)}`]),
    list.map((span, rank) => {
      const found = spans.relevant[span] ?? 0,
        name = middle(documents.id[spans.document[span]] ?? "?", found ? 9 : 15),
        y = heightOf(rank);
      return [
        svg("circle", { cx: ENDS[side], cy: y, r: 4, "data-relevant": found > 0 }),
        label(side, y + 4, [
          rank + 1,
          found ? `${name} ${found}/${spans.end[span] - spans.start[span]}` : name,
        ]),
      ];
    }),
  ]);
  return [
    heading("Same text, two ranks", id, make("a", { href: link({ topic: id, runs: names }) }, "Open topic")),
    svg(
      "svg",
      {
        viewBox: `0 0 344 ${heightOf(Math.max(...lists.map(({ length }) => length)))}`,
        "aria-hidden": "true",
      },
      lines,
      ends,
    ),
    make(
      "p.note",
      `First ${FIRST_RANKS} results. ● holds relevant text, with relevant and all its characters. Solid line: shared text is relevant.`,
    ),
    make(
      "ul.hidden",
      { "aria-label": "Ranks of the same text" },
      pairs.map(({ ranks: [a, b], relevant }) =>
        make("li", `A ${a + 1}, B ${b + 1}${relevant ? ", relevant" : ""}`)
      ),
    ),
  ];
}

// The view "Two runs": which is better and by how much, topics by difference, the same text at two ranks.
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
