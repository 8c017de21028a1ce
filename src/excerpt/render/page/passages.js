/** Passages of all topics, filtered by questions. */
import { pairPickers, picker } from "./bar.js";
import { badge, find, make, named } from "./dom.js";
import { count, percent, whole } from "./format.js";
import { button } from "./grid.js";
import { ranking, REASONS } from "./state.js";

/** @import { Child, Context, Passages, State, View } from "./types.d.ts" */

/** @typedef {{row: number, rank: number}} Answer a row with the first rank at which it was retrieved
 * @typedef {Context & {passages: Passages, q: string, run: number}} ListContext `q` is the name of the
 *   question, `run` the run to which the list is limited (-1: none) */

// The questions: rows that answer each of them, in order. No DOM.
/** Name in the address and text of each question: five about relevant passages, two about results. */
const QUESTIONS = [
  ["", "All"],
  ["a", "Found by A, missed by B"],
  ["b", "Found by B, missed by A"],
  ["none", "Found by no run"],
  ["elsewhere", "Also appear, unmarked, elsewhere"],
  ["unjudged", "Retrieved but unjudged"],
  ["again", "Retrieved a second time"],
];

/** Whether a question is about results, not about relevant passages.
 * @param {string} q @returns {q is "unjudged" | "again"} */
const aboutResults = (q) => q === "unjudged" || q === "again";

/** The table with the answers to a question. @param {Passages} passages @param {string} q */
const tableOf = (passages, q) => aboutResults(q) ? passages[q] : passages.relevant;

/** Whether the table lists only the first of its rows. @param {Passages} passages @param {string} q */
function isCut(passages, q) {
  const { topic, total = 0 } = tableOf(passages, q);
  return total > topic.length;
}

/** The row in `hits` for a run and a passage; -1 if the run missed it.
 * @param {Pick<Passages, "relevant" | "hits">} passages @param {number} row @param {number} run */
function hitOf({ relevant: { from }, hits }, row, run) {
  const at = hits.run.slice(from[row], from[row + 1]).indexOf(run);
  return at < 0 ? -1 : from[row] + at;
}

/** The first rank of a row, Infinity if it was never retrieved, null if it does not answer the question.
 * @param {string} q @param {Passages} passages @param {number} row @param {number[]} runs */
function rankFor(q, passages, row, [a, b]) {
  const { relevant, hits, unjudged, unjudgedHits, again } = passages;
  /** @param {number[]} ranks @param {number[]} from */
  const best = (ranks, from) => Math.min(...ranks.slice(from[row], from[row + 1]));
  if (q === "again") return again.rank[row];
  if (q === "unjudged") return best(unjudgedHits.rank, unjudged.from);
  if (/^[ab]$/.test(q)) {
    const [found, missed] = (q === "a" ? [a, b] : [b, a]).map((run) => hitOf(passages, row, run));
    return found < 0 || missed >= 0 ? null : hits.rank[found];
  }
  const first = best(hits.rank, relevant.from);
  return (q === "none" && first < Infinity) || (q === "elsewhere" && !relevant.elsewhere[row]) ? null : first;
}

/** Whether a number is in a range such as 10-50, 10- or -50; any other text allows every number.
 * @param {number} x @param {string} text */
function within(x, text) {
  const [, low, high] = /^(\d*)-(\d*)$/.exec(text) ?? [];
  return x >= Number(low || 0) && x <= Number(high || Infinity);
}

/** Whether a run did with a relevant passage what `reason` says, or returned a result; a run of -1 stands for
 * any run. @param {Passages} passages @param {string} q @param {number} row @param {number} run
 * @param {string} reason found, missed, or one of REASONS */
function isBy({ why, unjudged: { from }, unjudgedHits, again }, q, row, run, reason) {
  if (q === "again") return run < 0 || again.run[row] === run;
  if (q === "unjudged") return run < 0 || unjudgedHits.run.slice(from[row], from[row + 1]).includes(run);
  if (!reason) return true;
  const sign = String(REASONS.indexOf(reason));
  return (run < 0 ? why : why.slice(run, run + 1)).some((signs) =>
    reason === "found" ? signs[row] === "-" : reason === "missed" ? signs[row] !== "-" : signs[row] === sign
  );
}

/** The rows that answer a question, limited to the run, reason, document, length, first rank and kind of the
 * state. @param {Passages} passages @param {string} q @param {number[]} runs
 * @param {Pick<State, "length" | "rank" | "kind" | "reason" | "within">} only @param {number} run */
export function answers(passages, q, runs, only, run = -1) {
  const { topic, document, start, end } = tableOf(passages, q);
  /** @type {Answer[]} */
  const rows = topic.flatMap((_, row) => {
    const rank = rankFor(q, passages, row, runs);
    return rank !== null &&
        within(end[row] - start[row], only.length) &&
        (!only.rank || (rank < Infinity && within(rank, only.rank))) &&
        (!only.kind || passages.kinds[document[row]] === only.kind) &&
        (!only.within || passages.documents[document[row]] === only.within) &&
        isBy(passages, q, row, run, only.reason)
      ? { row, rank }
      : [];
  });
  return /^[ab]$/.test(q) ? rows.sort((one, other) => one.rank - other.rank) : rows;
}

/** Rows of one topic, or of one document, next to each other; groups come in the order of their first rows.
 * @param {Passages} passages @param {string} q @param {Answer[]} rows @param {string} group */
export function grouped(passages, q, rows, group) {
  if (!group) return rows;
  const column = tableOf(passages, q)[group === "topic" ? "topic" : "document"];
  /** @type {Map<number, Answer[]>} */
  const groups = new Map();
  for (const one of rows) {
    const key = column[one.row], members = groups.get(key);
    if (members) members.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].flat();
}

// The view of passages: questions on the left, answers on the right.
const AT_ONCE = 50, LONGEST = 220;
/** @type {Record<string, string[]>} */
const LIMITS = {
  length: ["Length", "", "-100", "100-300", "300-1000", "1000-"],
  rank: ["First rank", "", "-1", "-5", "-20", "-100", "101-"],
};

/** @type {Record<string, string>} */
const GROUPS = { "": "none", topic: "by topic", document: "by document" };

/** @param {string} limit */
const inWords = (limit) => limit.replace(/^-/, "up to ").replace(/-$/, " or more") || "any";
/** A text in which the letters A and B are drawn. @param {string} words @param {(i: number) => Child} draw */
const withRuns = (words, draw) =>
  words.split(/\b([AB])\b/).map((part, i) => (i % 2 ? draw("AB".indexOf(part)) : part));

/** What one run did with passages, in words. @param {ListContext} context */
function sayReason({ overview: { reasons }, state: { reason } }) {
  const why = reasons[REASONS.indexOf(reason)];
  return why ? [" missed by ", `: ${why}`] : reason === "found" ? [" found by ", ""] : [" missed by ", ""];
}

/** @param {ListContext} context @param {string} words @param {Answer[]} rows */
function drawAnswerHead(context, words, rows) {
  const { names, runs, passages, q, run, state: { reason, within }, link } = context,
    [by, why] = aboutResults(q) ? [" of ", ""] : sayReason(context);
  const { topic, total = 0 } = tableOf(passages, q),
    all = topic.length,
    shown = rows.length,
    topics = new Set(rows.map(({ row }) => topic[row])).size;
  const counted = count(all, aboutResults(q) ? "result" : "relevant passage");
  return [
    make(
      "h1",
      { tabindex: -1 },
      shown === all ? counted : `${whole(shown)} of ${counted}`,
      withRuns(q && ` ${words[0].toLowerCase()}${words.slice(1)}`, (i) => named(names[runs[i]], 60)),
      (run >= 0 ? reason || aboutResults(q) : reason) &&
        [q && ",", by, run < 0 ? "any run" : named(names[run], 60), why],
      within && [" in ", named(within, 60)],
    ),
    make(
      "p.lead",
      shown
        ? `in ${count(topics, "topic")}${q === "unjudged" ? "; unjudged does not mean not relevant" : ""}. `
        : "Nothing matches. The counts show which filters do. ",
      total > all && `The first ${whole(all)} of ${whole(total)} are listed. `,
      run >= 0 && make("a", { href: link({ view: "documents", run: names[run] }) }, "Documents of this run"),
    ),
  ];
}

/** The runs that found a row, as lines of letter, words, rank.
 * @param {ListContext} context @param {number} row @returns {Child[][]} */
function findersOf({ names, runs, letters, passages, q, run: only, overview: { reasons } }, row) {
  const { relevant: { from, start, end }, hits, unjudged, unjudgedHits, again, why } = passages;
  /** @param {number} run @param {number | string} rank @returns {Child[]} */
  const line = (run, rank) => ["", named(names[run], 20), rank];
  if (q === "again") return [line(again.run[row], `${again.before[row]}, ${again.rank[row]}`)];
  if (q === "unjudged") {
    const first = unjudged.from[row],
      finders = unjudgedHits.run.slice(first, Math.min(unjudged.from[row + 1], first + 4));
    return finders.map((run, i) => line(run, unjudgedHits.rank[first + i]));
  }
  if (only >= 0) {
    const hit = hitOf(passages, row, only), reason = reasons[Number(why[only]?.[row])];
    const share = hit < 0 ? "nothing" : percent(hits.characters[hit] / (end[row] - start[row]));
    return [
      ["", `${share} found${hit < 0 ? "" : ", first at rank"}`, hits.rank[hit] ?? "–"],
      ["", reason ?? "", ""],
      ["", `found by ${from[row + 1] - from[row]} of ${count(names.length, "run")}`, ""],
    ];
  }
  return [
    ...runs.slice(0, 4).map((run, i) => {
      const hit = hitOf(passages, row, run),
        found = [
          `${percent(hits.characters[hit] / (end[row] - start[row]))} at rank`,
          make("b", hits.rank[hit]),
        ];
      return [badge(letters[i]), ...(hit < 0 ? ["missed", "–"] : found)];
    }),
    ["", `found by ${from[row + 1] - from[row]} of ${count(names.length, "run")}`, ""],
  ];
}

/** @param {ListContext} context @param {Answer} answer */
async function drawPassage(context, { row }) {
  const { overview, names, runs: chosen, state, data, link, passages, q, run } = context,
    runs = run < 0 ? chosen : [run],
    { topic, document: documents, start, end, elsewhere } = tableOf(passages, q);
  const { id, title, text: question } = overview.topics[topic[row]],
    doc = passages.documents[documents[row]],
    at = [start[row], end[row]],
    length = at[1] - at[0];
  const [text] = overview.text
    ? await data.texts(doc, [[at[0], at[0] + Math.min(length, LONGEST)]]).catch(() => [])
    : [];
  /** @type {Record<string, number>} */
  const opened = {
    a: runs[1],
    b: runs[0],
    again: passages.again.run[row],
    unjudged: passages.unjudgedHits.run[passages.unjudged.from[row]],
  };
  const opens = names[run < 0 ? opened[q] : run];
  const lost = passages.why[run]?.[row],
    missed = /^(a|b|none)$/.test(q) || (lost ? lost !== "-" : false) ||
      runs.every((run) => hitOf(passages, row, run) < 0),
    paint = aboutResults(q) ? q : missed ? "missed" : "hit";
  return make(
    "li.passage",
    make(
      "div",
      make(
        "p.note",
        make(
          "a",
          { href: link({ topic: id, doc, at, runs: opens ? [opens] : state.runs }) },
          named(title || question || id, 90),
        ),
        " ",
        make("code", named(id)),
        " ",
        make("code", named(doc, 60), ` ${at.join("–")}`),
        ` · ${count(length, "character")}`,
        elsewhere && elsewhere[row] > 0 && `, also at ${count(elsewhere[row], "other position")}`,
      ),
      text && make("p.serif", make(`span.is-${paint}`, text), length > LONGEST && " …"),
    ),
    make(
      "table.note",
      make("tbody", findersOf(context, row).map((line) => make("tr", line.map((cell) => make("td", cell))))),
    ),
  );
}

/** The heading of a group of rows: its topic or document, and how many rows it has.
 * @param {ListContext} context @param {number} row @param {number} rows */
function drawGroup({ overview: { topics }, passages, q, link, state: { group } }, row, rows) {
  const { topic, document } = tableOf(passages, q),
    { id, title, text } = topics[topic[row]],
    doc = passages.documents[document[row]],
    words = count(rows, aboutResults(q) ? "result" : "passage");
  return make(
    "li.group",
    make(
      "h2",
      group === "topic"
        ? make("a", { href: link({ topic: id }) }, make("code", named(id)), " ", named(title || text, 90))
        : make("a", { href: link({ topic: id, doc }) }, named(doc, 90)),
    ),
    make("span.note", words),
  );
}

/** The choice of one run, and what it did with the passages, with counts.
 * @param {ListContext} context */
function drawOneRun(context) {
  const { choose, state, passages, q, run, runs, names, overview, measure } = context,
    order = [-1, ...ranking(overview, measure)],
    known = overview.tables.find((table) => table.reasons)?.reasons ?? [];
  const pick = picker(
    "Run",
    order.map((one) => names[one] ?? "any"),
    order.indexOf(run),
    (i) => choose({ run: names[order[i]] ?? "", reason: order[i] < 0 ? "" : state.reason }),
  );
  const radios = ["", "found", "missed", ...known.map((code) => REASONS[code])].map((reason) => {
    const label = overview.reasons[REASONS.indexOf(reason)] ?? (reason || "found or missed");
    return make(
      REASONS.includes(reason) ? "label.check.reason" : "label.check",
      make("input", {
        type: "radio",
        name: "reason",
        "data-key": `reason-${reason}`,
        checked: reason === state.reason,
        on: { change: () => choose({ reason }) },
      }),
      make("span", label),
      make("span.number", whole(answers(passages, q, runs, { ...state, reason }, run).length)),
    );
  });
  const told = !aboutResults(q) && (run >= 0 || state.reason);
  return [
    pick,
    told && passages.why.length > 0 && radios,
    told && passages.why.length > 0 &&
    make(
      "p.note",
      "Found here: the whole passage is in the results that the measure reads (see the overview).",
    ),
    told && !passages.why.length && make("p.note", "There are too many documents to list reasons here."),
  ];
}

/** @param {ListContext} context @param {string[][]} questions @param {Answer[][]} all */
function drawQuestions(context, questions, all) {
  const { choose, state, passages, q } = context;
  const radios = questions.map(([name, words], i) =>
    make(
      "label.check",
      make("input", {
        type: "radio",
        name: "q",
        "data-key": `q-${name}`,
        checked: name === q,
        on: { change: () => choose({ q: name }) },
      }),
      make("span", withRuns(words, (run) => make("b", "AB"[run]))),
      make("span.number", whole(all[i].length), isCut(passages, name) && "+"),
    )
  );
  const pickers = Object.entries({
    length: LIMITS.length,
    rank: LIMITS.rank,
    kind: ["Kind", "", ...new Set(passages.kinds.filter(Boolean))],
  }).map(([key, [label, ...values]]) => {
    const chosen = state[/** @type {"length" | "rank" | "kind"} */ (key)],
      options = [...new Set([...values, chosen])];
    return picker(label, options.map(inWords), options.indexOf(chosen), (i) => choose({ [key]: options[i] }));
  });
  const groups = Object.entries({
    "Relevant passages": radios.slice(0, -2),
    Results: radios.slice(-2),
    "One run": drawOneRun(context),
    "Limit to": [
      pickers,
      state.within && button(["In ", named(state.within, 24), " ×"], () => choose({ within: "" }), {
        "data-key": "within",
        "aria-label": `In ${state.within}: show all documents`,
      }),
    ],
    Order: picker(
      "Group",
      Object.values(GROUPS),
      Object.keys(GROUPS).indexOf(state.group),
      (i) => choose({ group: Object.keys(GROUPS)[i] }),
    ),
  });
  return [
    ...groups.map(([legend, nodes]) => make("fieldset", make("legend", legend), nodes)),
    make("p.note", "Found: the run returned at least one character of the passage."),
  ];
}

/** Draw the view. @param {Context} context @returns {Promise<View>} */
export async function drawPassages(context) {
  /** @type {ListContext} */
  let listed;
  /** @type {Answer[]} */
  let rows = [];
  let newest = 0;
  const passages = await context.data.passages(),
    aside = make("div.questions"),
    head = make("header"),
    list = make("ol.plain"),
    items = list.getElementsByClassName("passage");
  const more = button("", () => show());
  async function show() {
    const call = ++newest,
      from = items.length,
      drawn = await Promise.all(rows.slice(from, from + AT_ONCE).map((one) => drawPassage(listed, one)));
    if (call !== newest) return;
    const { state: { group }, q } = listed,
      column = group && tableOf(passages, q)[group === "topic" ? "topic" : "document"];
    drawn.forEach((node, i) => {
      const { row } = rows[from + i], key = column && column[row];
      if (column && key !== column[rows[from + i - 1]?.row]) {
        list.append(drawGroup(listed, row, rows.filter((one) => column[one.row] === key).length));
      }
      list.append(node);
    });
    more.textContent = `Show ${AT_ONCE} more of ${whole(rows.length)}`;
    more.hidden = items.length >= rows.length;
  }
  /** @param {State} state */
  async function update(state) {
    const { runs } = context,
      questions = QUESTIONS.filter(([name]) => runs.length > 1 || !/^[ab]$/.test(name));
    const at = Math.max(0, questions.findIndex(([name]) => name === state.q)),
      [q, words] = questions[at],
      run = context.names.indexOf(state.run),
      all = questions.map(([name]) => answers(passages, name, runs, state, run));
    listed = { ...context, passages, q, run };
    rows = grouped(passages, q, all[at], state.group);
    aside.replaceChildren(...drawQuestions(listed, questions, all));
    head.replaceChildren(...drawAnswerHead(listed, words, rows));
    list.replaceChildren();
    view.tools = pairPickers(context, runs);
    await show();
    return true;
  }
  /** @param {number} by */
  async function step(by) {
    const current = document.activeElement?.closest("li"),
      at = [...items].findIndex((item) => item === current);
    if (by > 0 && at === items.length - 1) await show();
    items[Math.max(0, at + by)]?.querySelector("a")?.focus();
  }
  const focus = () => find(":checked", aside),
    keys = { next: () => step(1), previous: () => step(-1) };
  /** @type {View} */
  const view = {
    node: make("div.passages", aside, make("section", head, list, more)),
    title: "Passages",
    update,
    keys,
  };
  await update(context.state);
  return Object.assign(view, { focus: focus() });
}
