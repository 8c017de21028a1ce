/** State of the page, its address and its keyboard shortcuts. No DOM. */

/** @import { Overview, State } from "./types.d.ts" */

// The state: what the page shows, as one small record.
/** Filters, order and display of a view, dropped with it. */
const FILTERS = {
  run: "",
  reason: "",
  within: "",
  q: "",
  length: "",
  rank: "",
  kind: "",
  group: "",
  order: "",
  hide: "",
  scale: "",
  upto: "",
};
/** The state of an empty address, its keys in the order of an address. @type {Readonly<State>} */
export const START = Object.freeze({
  view: "overview",
  topic: "",
  runs: [],
  m: "",
  doc: "",
  at: null,
  ...FILTERS,
});
/** Views that the address must name; the others follow from topic and document. */
export const NAMED_VIEWS = ["pair", "passages", "pairs", "documents", "measures"];

/** What the address says of passages and one run: found, missed, or missed for a reason, by its code. */
export const REASONS = ["chunk", "cut", "rank", "elsewhere", "passage", "document"];

/** The state with the view that follows from its other fields. @param {State} state @returns {State} */
export function settle(state) {
  return {
    ...state,
    view: NAMED_VIEWS.includes(state.view)
      ? state.view
      : state.doc
      ? "document"
      : state.topic
      ? "topic"
      : "overview",
  };
}

/** The state after changes. A new view closes the topic, a new topic closes the document. The cursor is
 * dropped with the document, filters and order are dropped with the view.
 * @param {State} state @param {Partial<State>} changes @returns {State} */
export function reduce(state, changes) {
  const kept = { ...state };
  if ("view" in changes) kept.topic = kept.doc = "";
  if ("topic" in changes) kept.doc = kept.view = "";
  if ("doc" in changes) kept.view = "";
  const next = settle({ ...kept, ...changes });
  if (next.topic !== state.topic || next.doc !== state.doc) next.at = changes.at ?? null;
  if (next.topic !== state.topic) next.upto = changes.upto ?? "";
  return next.view === state.view ? next : { ...next, ...FILTERS, ...changes, view: next.view };
}

/** The numbers of all runs, best first by a measure.
 * @param {Pick<Overview, "runs" | "means">} overview @param {number} measure */
export function ranking({ runs, means }, measure) {
  /** @param {number} run */
  const mean = (run) => means[measure]?.[run] ?? -1;
  return runs.map((_, run) => run).sort((a, b) => mean(b) - mean(a));
}

/** The number of runs that a view shows by default. @type {Record<string, number>} */
const DEFAULT_RUNS = { overview: Infinity, document: 1 };

/** The numbers of the chosen measure and runs, or of the default ones of the view; -1 for unknown names.
 * @param {State} state @param {Overview} overview */
export function chosen(state, overview) {
  /** @param {{name: string}[]} list @param {string} name */
  const numberOf = (list, name) => list.findIndex((one) => one.name === name),
    measure = state.m ? numberOf(overview.measures, state.m) : 0;
  const best = ranking(overview, measure).slice(0, DEFAULT_RUNS[state.view] ?? 2);
  return {
    measure,
    runs: state.runs.length ? state.runs.map((name) => numberOf(overview.runs, name)) : best,
  };
}

// The state as the part of an address after `#`, and back.
/** @type {Partial<Record<keyof State, (state: State) => string | false | undefined>>} */
const WRITERS = {
  runs: ({ runs }) => runs.map(encodeURIComponent).join(","),
  at: ({ at }) => at?.join("-"),
};

/** @type {Record<string, (text: string) => string[] | number[] | null>} */
const READERS = {
  runs: (text) => [...new Set(text.split(",").map(decodeURIComponent))].filter(Boolean),
  at(text) {
    const at = /^\d{1,9}-\d{1,9}$/.test(text) && text.split("-").map(Number);
    return at && at[0] <= at[1] ? at : null;
  },
};

/** The address of a state, without `#` and without defaults: the name of the view, if it has one, and pairs.
 * @param {State} state @returns {string} */
export function writeAddress(state) {
  const [, ...keys] = /** @type {(keyof State)[]} */ (Object.keys(START));
  const texts = keys.map((key) => {
    const write = WRITERS[key];
    return [key, write ? write(state) : encodeURIComponent(String(state[key] ?? ""))];
  });
  return [
    ...NAMED_VIEWS.filter((name) => name === state.view),
    ...texts.filter(([, text]) => text).map((pair) => pair.join("=")),
  ].join("&");
}

/** The state of an address, with or without `#`; unknown keys and invalid values are ignored.
 * @param {string} address @returns {State} */
export function readAddress(address) {
  /** @type {State & Record<string, unknown>} */
  const state = { ...START };
  for (const pair of address.replace(/^#/, "").split("&")) {
    const [, key = "view", text = pair] = /^([a-z]+)=(.+)$/s.exec(pair) ?? [];
    if (key === "view" && !NAMED_VIEWS.includes(text)) continue;
    try {
      if (Object.hasOwn(START, key)) state[key] = (READERS[key] ?? decodeURIComponent)(text);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
  }
  return settle(state);
}

// Keyboard shortcuts; the help shows the same table.
/** Keys, the action of each, and a description.
 * @type {[keys: string[], actions: string[], description: string][]} */
export const SHORTCUTS = [
  [["j", "k"], ["next", "previous"], "next and previous passage of a document, or row of a list"],
  [["J", "K"], ["nextMissed", "previousMissed"], "next and previous missed passage"],
  [[".", ","], ["later", "earlier"], "one result more and fewer, in the order of the ranks"],
  [["c"], ["copy"], "copy the passage, row or table as Markdown"],
  [["[", "]"], ["previousTopic", "nextTopic"], "previous and next topic"],
  [["n", "p"], ["nextDocument", "previousDocument"], "next and previous document"],
  [["1", "9"], [], "show or hide the run at this rank, 1 to 9"],
  [["g"], ["relevant"], "show or hide relevant text"],
  [["/", "Ctrl+K"], ["find"], "find a topic, a document or a run"],
  [["?"], ["help"], "this help"],
  [["Escape"], ["escape"], "close this help, or follow the pointer again"],
];

/** The action of a key, and its digit (else 0). None in fields and with Ctrl, Alt or Meta; AltGr is allowed.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey">} event
 * @param {boolean} field whether the focus is in a field @param {boolean} graph whether AltGr is pressed
 * @returns {[action: string, digit: number] | null} */
export function actionOf({ key, ctrlKey, altKey, metaKey }, field, graph) {
  if (field || metaKey || ((ctrlKey || altKey) && !graph)) return null;
  if (/^[1-9]$/.test(key)) return ["run", Number(key)];
  const row = SHORTCUTS.find(([keys]) => keys.includes(key));
  return row ? [row[1][row[0].indexOf(key)], 0] : null;
}
