/** List of passages, chosen by questions. */
import { pairPickers, picker } from "./bar.js";
import { badge, make, named } from "./dom.js";
import { count, percent, whole } from "./format.js";

// The questions that the list of passages answers: which rows they pick, in which order. No DOM.
/** Name in the address, and words: five questions for relevant passages, two for results. */
export const QUESTIONS = [
  ["", "All"],
  ["a", "Found by A, missed by B"],
  ["b", "Found by B, missed by A"],
  ["none", "In no run"],
  ["elsewhere", "Stand elsewhere too"],
  ["unjudged", "Retrieved but unjudged"],
  ["again", "Retrieved a second time"],
];

/** The table that the answers to a question stand in. @param {Object} passages @param {string} q @returns {Object} */
export function tableOf(passages, q) {
  return passages[q] ?? passages.relevant;
}

/** The row in `hits` that says what a run found of a passage; -1: nothing.
 * @param {Object} passages @param {number} row @param {number} run @returns {number} */
export function hitOf({ relevant: { from }, hits }, row, run) {
  const at = hits.run.slice(from[row], from[row + 1]).indexOf(run);
  return at < 0 ? -1 : from[row] + at;
}

/** The first rank of a row for a question, or null where it does not answer. */
function rankFor(q, passages, row, [a, b]) {
  const { relevant, hits, unjudged, unjudgedHits, again } = passages,
    best = (ranks, from) => Math.min(...ranks.slice(from[row], from[row + 1]));
  if (q === "again") return again.rank[row];
  if (q === "unjudged") return best(unjudgedHits.rank, unjudged.from);
  if (/^[ab]$/.test(q)) {
    const [found, missed] = (q === "a" ? [a, b] : [b, a]).map((run) => hitOf(passages, row, run));
    return found < 0 || missed >= 0 ? null : hits.rank[found];
  }
  const first = best(hits.rank, relevant.from);
  return (q === "none" && first < Infinity) || (q === "elsewhere" && !relevant.elsewhere[row]) ? null : first;
}

/** Whether a number is within what a text such as 10-50, 10- or -50 says; other texts say nothing. */
function within(x, text) {
  const [, low, high] = /^(\d*)-(\d*)$/.exec(text) ?? [];
  return x >= (low || 0) && x <= (high || Infinity);
}

/** The rows that answer a question, within what the state asks of length, first rank and kind.
 * @param {Object} passages @param {string} q @param {number[]} runs @param {State} only @returns {{row: number, rank: number}[]} */
export function answers(passages, q, runs, only) {
  const { topic, document, start, end } = tableOf(passages, q);
  const rows = topic.map((_, row) => ({ row, rank: rankFor(q, passages, row, runs) })).filter((
    { row, rank },
  ) =>
    rank !== null &&
    within(end[row] - start[row], only.length) &&
    (!only.rank || (rank < Infinity && within(rank, only.rank))) &&
    (!only.kind || passages.kinds[document[row]] === only.kind)
  );
  return /^[ab]$/.test(q) ? rows.sort((one, other) => one.rank - other.rank) : rows;
}

// The view of passages: questions on the left, their answers on the right, painted as the question asks.
const AT_ONCE = 50, LONGEST = 220;
const LIMITS = {
  length: ["Length", "", "-100", "100-300", "300-1000", "1000-"],
  rank: ["First rank", "", "-1", "-5", "-20", "-100", "101-"],
};

const inWords = (limit) => limit.replace(/^-/, "up to ").replace(/-$/, " or more") || "any";
const withRuns = (words, draw) =>
  words.split(/\b([AB])\b/).map((part, i) => (i % 2 ? draw("AB".indexOf(part)) : part));

function drawAnswerHead({ names, runs, passages, q }, words, rows) {
  const { topic, total } = tableOf(passages, q),
    all = topic.length,
    shown = rows.length,
    topics = new Set(rows.map(({ row }) => topic[row])).size;
  const what = count(all, passages[q] ? "result" : "relevant passage");
  return [
    make(
      "h1",
      { tabindex: -1 },
      shown === all ? what : `${whole(shown)} of ${what}`,
      withRuns(q && ` ${words[0].toLowerCase()}${words.slice(1)}`, (i) => named(names[runs[i]], 60)),
    ),
    make(
      "p.lead",
      shown
        ? `in ${count(topics, "topic")}${q === "unjudged" ? "; unjudged is not wrong" : ""}. `
        : "The numbers beside the questions say where there is something. ",
      total > all && `Of ${whole(total)} the first ${whole(all)} are listed.`,
    ),
  ];
}

/** Who found a row: lines of mark, words, rank. */
function findersOf({ names, runs, letters, passages, q }, row) {
  const { relevant: { from, start, end }, hits, unjudged, unjudgedHits, again } = passages,
    line = (run, rank) => ["", named(names[run], 20), rank];
  if (q === "again") return [line(again.run[row], `${again.before[row]}, ${again.rank[row]}`)];
  if (q === "unjudged") {
    const first = unjudged.from[row],
      finders = unjudgedHits.run.slice(first, Math.min(unjudged.from[row + 1], first + 4));
    return finders.map((run, i) => line(run, unjudgedHits.rank[first + i]));
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
    ["", `${from[row + 1] - from[row]} of ${count(names.length, "run")}`, ""],
  ];
}

async function drawPassage(desk, { row }) {
  const { overview, names, runs, state, data, link, passages, q } = desk,
    { topic, document: place, start, end, elsewhere } = tableOf(passages, q);
  const { id, title, text: question } = overview.topics[topic[row]],
    doc = passages.documents[place[row]],
    at = [start[row], end[row]],
    length = at[1] - at[0];
  const [text] = overview.text
    ? await data.texts(doc, [[at[0], at[0] + Math.min(length, LONGEST)]]).catch(() => [])
    : [];
  const opened = {
    a: runs[1],
    b: runs[0],
    again: passages.again.run[row],
    unjudged: passages.unjudgedHits.run[passages.unjudged.from[row]],
  }[q];
  const missed = /^(a|b|none)$/.test(q) || runs.every((run) => hitOf(passages, row, run) < 0),
    paint = passages[q] ? q : missed ? "missed" : "hit";
  return make(
    "li.passage",
    make(
      "div",
      make(
        "p.note",
        make(
          "a",
          { href: link({ topic: id, doc, at, runs: names[opened] ? [names[opened]] : state.runs }) },
          named(title || question || id, 90),
        ),
        " ",
        make("code", id),
        " ",
        make("code", `${doc} ${at.join("–")}`),
        ` · ${count(length, "character")}`,
        elsewhere?.[row] > 0 && `, also in ${count(elsewhere[row], "other place")}`,
      ),
      text && make("p.serif", make(`span.is-${paint}`, text), length > LONGEST && " …"),
    ),
    make(
      "table.note",
      make("tbody", findersOf(desk, row).map((line) => make("tr", line.map((cell) => make("td", cell))))),
    ),
  );
}

function drawQuestions({ choose, state, passages, q }, questions, all) {
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
      make("span.number", whole(all[i].length)),
    )
  );
  const limits = { ...LIMITS, kind: ["Kind", "", ...new Set(passages.kinds.filter(Boolean))] };
  const pickers = Object.entries(limits).map(([key, [label, ...values]]) => {
    const known = [...new Set([...values, state[key]])];
    return picker(label, known.map(inWords), known.indexOf(state[key]), (i) => choose({ [key]: known[i] }));
  });
  const groups = Object.entries({
    "Relevant passages": radios.slice(0, -2),
    Results: radios.slice(-2),
    Only: pickers,
  });
  return [
    ...groups.map(([legend, nodes]) => make("fieldset", make("legend", legend), nodes)),
    make("p.note", "Found: the run returned at least one character of the passage."),
  ];
}

/** Draws the questions and their answers. @param {Context} context @returns {Promise<View>} */
export async function drawPassages(context) {
  const passages = await context.data.passages(),
    aside = make("div.questions"),
    head = make("header"),
    list = make("ol.plain"),
    items = list.children;
  const more = make("button", { on: { click: () => show() } });
  let desk, rows, newest = 0;
  async function show() {
    const call = ++newest,
      drawn = await Promise.all(
        rows.slice(items.length, items.length + AT_ONCE).map((one) => drawPassage(desk, one)),
      );
    if (call !== newest) return;
    list.append(...drawn);
    more.textContent = `Show ${AT_ONCE} more of ${whole(rows.length)}`;
    more.hidden = items.length >= rows.length;
  }
  async function update(state) {
    const { runs } = context,
      questions = QUESTIONS.filter(([name]) => runs.length > 1 || !/^[ab]$/.test(name));
    const at = Math.max(0, questions.findIndex(([name]) => name === state.q)),
      [q, words] = questions[at],
      all = questions.map(([name]) => answers(passages, name, runs, state));
    desk = { ...context, passages, q };
    rows = all[at];
    aside.replaceChildren(...drawQuestions(desk, questions, all));
    head.replaceChildren(...drawAnswerHead(desk, words, rows));
    list.replaceChildren();
    view.tools = pairPickers(context, runs);
    await show();
    return true;
  }
  async function step(by) {
    const at = [...items].indexOf(document.activeElement.closest("li"));
    if (by > 0 && at === items.length - 1) await show();
    items[Math.max(0, at + by)]?.querySelector("a").focus();
  }
  const focus = () => aside.querySelector(":checked"),
    keys = { next: () => step(1), previous: () => step(-1), filter: () => focus().focus() };
  const view = {
    node: make("div.passages", aside, make("section", head, list, more)),
    title: "Passages",
    update,
    keys,
  };
  await update(context.state);
  return Object.assign(view, { focus: focus() });
}
