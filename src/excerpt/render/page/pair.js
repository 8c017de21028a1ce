/** Comparison of two runs. */
import { sayAdvantage } from "./advantage.js";
import { pairPickers } from "./bar.js";
import { drawCauses } from "./causes.js";
import { AS_MARKDOWN, copyButton, copyTable } from "./clipboard.js";
import { causesOf, closures, sayCauses } from "./counterfactuals.js";
import { Missing, passagesOf } from "./data.js";
import { find, make, named, svg } from "./dom.js";
import { count, middle, percent, score, signed } from "./format.js";
import { button, drawGrid, drawMore, heading, topicHead, verdict } from "./grid.js";
import { escapeMarkdown, linkMarkdown, tableMarkdown } from "./markdown.js";
import { sharedText } from "./results.js";
import { sharedSpans } from "./spans.js";
import { ranking } from "./state.js";

/** @import { Causes } from "./counterfactuals.js" */
/** @import { Comparison, Context, Overview, Pairs, Span, Topic, View } from "./types.d.ts" */

// The first results of two runs on one topic, with lines between those that share text.
const FIRST_RANKS = 20, TOPICS_AT_ONCE = 500, MOST_WHOLE = 200, ENDS = [122, 222];
/** @param {number} rank */
const heightOf = (rank) => 22 * (rank + 1.5);

/** The pairs of results that share text, as ranks from 0.
 * @param {Pick<Topic, "documents" | "relevant" | "spans">} topic @param {number[][]} lists of two runs */
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

/** @param {number} side @param {number} y @param {(string | number)[]} words */
const label = (side, y, words) =>
  svg(
    "text",
    { x: ENDS[side] + (side ? 12 : -12), y, "data-side": side },
    (side ? words : words.reverse()).join(" "),
  );

/** Why two runs differ on a topic. @param {Context} context @param {number[]} runs @param {Topic} topic */
function sayWhy({ overview: { topics, measures, scores }, measure }, runs, topic) {
  const number = topics.findIndex(({ id }) => id === topic.id);
  return sayAdvantage(measures[measure], topic, runs, runs.map((run) => scores[measure][run][number]));
}

/** The causes of the difference of two runs on a topic, by counterfactuals.
 * @param {Context} context @param {number[]} runs @param {Topic} topic */
function findCauses({ overview: { topics, measures, scores }, measure }, runs, topic) {
  const number = topics.findIndex(({ id }) => id === topic.id);
  return causesOf(measures[measure], topic, runs, runs.map((run) => scores[measure][run][number]));
}

/** Why two runs differ on a topic, and the share of the gap that each cause closes.
 * @param {Context} context @param {number[]} runs @param {Topic} topic @returns {(Node | string)[]} */
function drawReasons(context, runs, topic) {
  const found = findCauses(context, runs, topic), words = sayWhy(context, runs, topic);
  return found ? [words, drawCauses(sayCauses(found), found.causes)] : [words];
}

/** The causes of each of two runs as a whole, over the topics on which it is worse.
 * @param {(Causes | null)[]} found */
export function drawWhole(found) {
  return ["A", "B"].flatMap((letter, side) => {
    const own = found.filter((one) => one !== null && one.better === 1 - side);
    if (!own.length) return [];
    const causes = closures(own.flatMap((one) => one ? [one] : []));
    const words = `${letter} is worse on ${count(own.length, "topic")}. Share of the mean gap that closes; ` +
      `largest cause on: ${causes.map(({ cause, topics }) => `${cause} ${topics}`).join(", ")}.`;
    return [drawCauses(words, causes.map(({ cause, closes }) => ({ cause, share: closes })))];
  });
}

/** The row of a topic as Markdown: scores, reason, the first result with relevant text of each run.
 * @param {Context} context @param {string[]} names @param {number[]} runs @param {Topic} topic
 * @param {Difference} row */
function copyRow(context, names, runs, topic, { topic: number, values, difference }) {
  const { overview: { topics, measures }, measure, address } = context,
    { id, title, text } = topics[number],
    { spans, documents } = topic,
    found = findCauses(context, runs, topic);
  const lines = runs.map((run, side) => {
    const rank = topic.runs[run].findIndex((span) => spans.relevant[span] > 0) + 1,
      span = topic.runs[run][rank - 1];
    return [
      `${"AB"[side]} ${names[side]}`,
      score(values[side]),
      ...rank
        ? [`${rank}`, documents.id[spans.document[span]], `${spans.start[span]}–${spans.end[span]}`]
        : ["–", "–", "–"],
    ];
  });
  return [
    `${linkMarkdown(`${id} ${title || text}`, address({ topic: id, runs: names }))} · ` +
    `${escapeMarkdown(measures[measure].topic)}, A − B: ${signed(difference)}`,
    sayWhy(context, runs, topic),
    found && sayCauses(found),
    tableMarkdown(["Run", measures[measure].topic, "First relevant rank", "Document", "Characters"], lines),
  ].filter(Boolean).join("\n\n");
}

/** The figure of a topic, and a hidden list with the same content.
 * @param {Context} context @param {string[]} names @param {number[]} runs @param {Topic} topic
 * @param {Node} copy a button */
function drawTwoRanks({ link }, names, runs, topic, copy) {
  const { spans, documents, id } = topic,
    lists = runs.map((run) => [...topic.runs[run].slice(0, FIRST_RANKS)]),
    pairs = sharedOf(topic, lists).sort((a, b) => Number(a.relevant) - Number(b.relevant));
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
          found ? `${name} ${percent(found / (spans.end[span] - spans.start[span]))}` : name,
        ]),
      ];
    }),
  ]);
  return [
    heading("Same text, two ranks", named(id), [
      make("a", { href: link({ topic: id, runs: names }) }, "Open topic"),
      copy,
    ]),
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
      `First ${FIRST_RANKS} results. ●: contains relevant text (% of its characters). `,
      "Solid line: the shared text is relevant.",
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

// The view "Two runs": verdict, topics by difference, the same text at two ranks.
/** @typedef {{[K in keyof Pairs]: Pairs[K][number]} & Pick<Comparison, "alpha" | "tests">} Compared */

/** The comparison of two runs, `first` being the better one; null if they were not compared.
 * @param {Pick<Overview, "comparisons">} overview @param {number} measure @param {number[]} runs two
 * @returns {Compared | null} */
export function comparisonOf({ comparisons }, measure, runs) {
  const compared = comparisons[measure];
  if (!compared) return null;
  const { pairs, alpha, tests } = compared,
    at = pairs.first.findIndex((one, i) => runs.includes(one) && runs.includes(pairs.second[i])),
    columns = Object.entries(pairs).map(([name, column]) => [name, column[at]]);
  return at < 0 ? null : { ...Object.fromEntries(columns), alpha, tests };
}

/** @typedef {{topic: number, values: number[], difference: number}} Difference */

/** The topics for which both runs have a score, largest a − b first.
 * @param {Pick<Overview, "topics" | "scores">} overview @param {number} measure @param {number[]} runs */
export function differencesOf({ topics, scores }, measure, runs) {
  const rows = topics.flatMap(({ counted }, topic) => {
    const values = runs.map((run) => scores[measure][run][topic]).filter((value) => value !== null);
    return counted && values.length === runs.length
      ? { topic, values, difference: values[0] - values[1] }
      : [];
  });
  return rows.sort((x, y) => y.difference - x.difference);
}

/** The verdict: the better run, and whether the difference is significant.
 * @param {Context} context @param {number[]} runs @param {number} topics */
function drawSentence({ overview, overview: { means, measures }, measure, names }, runs, topics) {
  const compared = comparisonOf(overview, measure, runs);
  /** @param {number} run */
  const mean = (run) => means[measure][run] ?? NaN;
  const [first, second] = [...runs].sort((a, b) => mean(b) - mean(a)),
    by = compared?.difference ?? mean(first) - mean(second),
    [better, other] = [first, second].map((run) => named(names[run]));
  const headline = Number.isNaN(by)
    ? "One of the two has no score by this measure."
    : by === 0
    ? [better, " and ", other, " score the same."]
    : compared?.significant
    ? [better, " is significantly better than ", other, `, by ${score(by)}.`]
    : [
      better,
      " is ahead of ",
      other,
      ` by ${score(by)}. The difference ${compared ? "is not significant" : "was not tested"}.`,
    ];
  return verdict(
    [measures[measure].name, count(topics, "topic")],
    headline,
    compared &&
      make(
        "p.lead",
        `${100 - 100 * compared.alpha} % interval `,
        make("strong", `${signed(compared.low)} to ${signed(compared.high)}`),
        ` · p ${compared.adjusted < 0.0001 ? "< 0.0001" : `= ${score(compared.adjusted)}`}, two-sided, `,
        `corrected for ${count(compared.tests, "test")}`,
        compared.effect !== null && [" · effect size ", make("strong", score(compared.effect, 2))],
      ),
  );
}

/** Numbers of topics by the better run. @param {Difference[]} rows */
function drawWins(rows) {
  /** @param {string} name @param {number} sign @param {string} words */
  const bar = (name, sign, words) => {
    const wins = rows.filter(({ difference }) => Math.sign(difference) === sign).length,
      item = make("li", make(`i.${name}`), make("b", wins), ` ${words}`);
    item.style.flexGrow = `${wins}`;
    return wins > 0 && item;
  };
  return make(
    "ul.wins.plain",
    bar("a", 1, "topics better in A"),
    bar("even", 0, "equal"),
    bar("b", -1, "better in B"),
  );
}

/** The table of topics, and a button for further rows.
 * @param {Context} context @param {string[]} runs @param {Difference[]} rows
 * @param {(topic: number) => unknown} show @returns {[HTMLTableElement, HTMLButtonElement | false]} */
function drawDifferences({ overview: { topics }, link }, runs, rows, show) {
  const most = rows.reduce((high, { difference }) => Math.max(high, Math.abs(difference)), 0) || 1;
  /** @param {Difference} row */
  const draw = ({ topic, values, difference }) => {
    const bar = make(difference < 0 ? "i.b" : "i.a");
    bar.style.width = `${(50 * Math.abs(difference)) / most}%`;
    return make(
      "tr",
      topicHead(topics[topic], link({ topic: topics[topic].id, runs }), make("div.advantage")),
      values.map((value) => make("td", score(value))),
      make("td", bar),
      make("td", make("b", signed(difference))),
    );
  };
  const table = drawGrid(
    "differences",
    ["Topic", "A", "B", "← B | A →", "A − B"],
    rows.slice(0, TOPICS_AT_ONCE).map(draw),
    (link) => show(rows[link.closest("tr")?.sectionRowIndex ?? 0].topic),
  );
  return [table, drawMore(table.tBodies[0], rows, draw, TOPICS_AT_ONCE)];
}

/** Write the reason into the rows of a table that are in view, now and when others come into view; topics are
 * loaded for it, one after the other. @param {HTMLTableElement | null} table @param {Difference[]} rows
 * @param {(topic: number) => Promise<(Node | string)[]>} say */
function makeReasons(table, rows, say) {
  let turn = Promise.resolve();
  /** @param {Element} line */
  const write = async (line) => {
    const number = line instanceof HTMLTableRowElement ? line.sectionRowIndex : 0,
      place = find(".advantage:empty", line);
    if (place && line.isConnected) place.replaceChildren(...await say(rows[number].topic).catch(() => []));
  };
  /** @param {Element} line */
  const add = (line) => {
    watcher.unobserve(line);
    turn = turn.then(() => write(line));
  };
  const watcher = new IntersectionObserver((entries) =>
    entries.forEach(({ isIntersecting, target }) => isIntersecting && add(target))
  );
  return {
    shown() {
      for (const line of table?.tBodies[0].rows ?? []) {
        if (line.getBoundingClientRect().top < innerHeight) add(line);
        else watcher.observe(line);
      }
      return turn;
    },
    dispose: () => watcher.disconnect(),
  };
}

/** Draw the view. @param {Context} context @returns {Promise<View>} */
export async function drawPair(context) {
  const { overview, measure, state: { hide }, choose, data, announce, names: all } = context,
    runs = [...new Set([...context.runs, ...ranking(overview, measure)])].slice(0, 2);
  if (runs.length < 2) throw new Missing("a comparison needs two runs, and there is only one.");
  const names = runs.map((run) => all[run]),
    every = differencesOf(overview, measure, runs),
    ranks = make("section.lines"),
    [a, b] = pairPickers(context, runs);
  const rows = hide ? every.filter(({ difference }) => difference < 0).reverse() : every;
  /** @type {[HTMLTableElement | null, HTMLButtonElement | false]} */
  const [table, more] = rows[0]
    ? drawDifferences(context, names, rows, (topic) => show(topic))
    : [null, false];
  const reasons = makeReasons(
    table,
    rows,
    async (topic) => drawReasons(context, runs, await data.topic(topic)),
  );
  const whole = make("section.whole");
  const fillWhole = async () => {
    const found = [];
    for (const { topic } of every) found.push(findCauses(context, runs, await data.topic(topic)));
    whole.replaceChildren(...drawWhole(found));
  };
  const filled = every.length <= MOST_WHOLE && fillWhole().catch(() => whole.remove());
  if (more) more.addEventListener("click", () => reasons.shown());
  let latest = -1;
  /** @param {number} topic */
  const show = async (topic) => {
    if (topic === latest) return;
    latest = topic;
    const loaded = await data.topic(topic), row = rows.find((one) => one.topic === topic);
    if (topic !== latest || !row) return;
    const write = () => copyRow(context, names, runs, loaded, row),
      copy = copyButton(AS_MARKDOWN, write, announce, { class: "quiet", "data-key": "copy-row" });
    ranks.replaceChildren(...drawTwoRanks(context, names, runs, loaded, copy));
  };
  if (rows[0]) await show(rows[0].topic);
  const title = `A: ${names[0]}, B: ${names[1]}, by ${overview.measures[measure].name}`,
    copyAll = table && copyTable(context, title, () => table, rows.length);
  const only = button("only where B is better", () => choose({ hide: hide ? "" : "a" }), {
    "data-key": "only",
    "aria-pressed": `${hide !== ""}`,
  });
  return {
    title: "Two runs",
    async shown() {
      await filled; // which moves the rows that are in view
      await reasons.shown();
    },
    dispose: reasons.dispose,
    keys: { copy: () => find("[data-key=copy-row]", ranks)?.click() },
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
      whole,
      make(
        "div.beside",
        make(
          "section",
          heading("Topics by difference", "A − B", [only, copyAll]),
          table ?? "No topic matches.",
          more,
        ),
        ranks,
      ),
    ),
  };
}
