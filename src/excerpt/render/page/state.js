/** State of the page, its address and its keys. No DOM. */

// What the page shows, as one small record; the address says the same. No DOM.
/** @typedef {{view: string, topic: string, doc: string, runs: string[], m: string, at: ?number[], q: string, length: string, rank: string,
 *   kind: string, order: string, hide: string}} State */

/** The state of an empty address, its keys in the order of an address. @type {State} */
export const START = Object.freeze({
  view: "overview",
  topic: "",
  runs: [],
  m: "",
  doc: "",
  at: null,
  q: "",
  length: "",
  rank: "",
  kind: "",
  order: "",
  hide: "",
});
/** The views that the address must name; the others follow from topic and document. */
export const NAMED_VIEWS = ["pair", "passages"];

/** The state with its view as the rest of it says. @param {State} state @returns {State} */
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

/** The state after changes: a view closes the topic, a topic the document; another place forgets the cursor, another view its choices.
 * @param {State} state @param {Partial<State>} changes @returns {State} */
export function reduce(state, changes) {
  const kept = { ...state };
  if ("view" in changes) kept.topic = kept.doc = "";
  if ("topic" in changes) kept.doc = kept.view = "";
  if ("doc" in changes) kept.view = "";
  const next = settle({ ...kept, ...changes }), { q, length, rank, kind, order, hide } = START;
  if (next.topic !== state.topic || next.doc !== state.doc) next.at = changes.at ?? null;
  return next.view === state.view
    ? next
    : { ...next, q, length, rank, kind, order, hide, ...changes, view: next.view };
}

/** The numbers of all runs, best first by a measure. @param {Object} overview @param {number} measure @returns {number[]} */
export function ranking({ runs, means }, measure) {
  const mean = (run) => means[measure]?.[run] ?? -1;
  return runs.map((_, run) => run).sort((a, b) => mean(b) - mean(a));
}

/** What a state chooses, as numbers: the measure and the runs, or those that the view shows unasked; -1 for unknown names.
 * @param {State} state @param {Object} overview @returns {{measure: number, runs: number[]}} */
export function chosen(state, overview) {
  const numberOf = (list, wanted) => list.findIndex(({ name }) => name === wanted),
    measure = state.m ? numberOf(overview.measures, state.m) : 0;
  const best = ranking(overview, measure).slice(0, { overview: Infinity, document: 1 }[state.view] ?? 2);
  return {
    measure,
    runs: state.runs.length ? state.runs.map((name) => numberOf(overview.runs, name)) : best,
  };
}

// The state as the part of an address after `#`, and back. No DOM.
const WRITERS = {
  view: (view) => NAMED_VIEWS.includes(view) && view,
  runs: (runs) => runs.map(encodeURIComponent).join(","),
  at: (at) => at?.join("-"),
};

const READERS = {
  runs: (text) => [...new Set(text.split(",").map(decodeURIComponent))].filter(Boolean),
  at(text) {
    const at = /^\d{1,9}-\d{1,9}$/.test(text) && text.split("-").map(Number);
    return at && at[0] <= at[1] ? at : null;
  },
};

/** The address of a state, without `#`; what is as at the start is left out.
 * @param {State} state @returns {string} */
export function writeAddress(state) {
  const texts = Object.keys(START).map((key) => [key, (WRITERS[key] ?? encodeURIComponent)(state[key])]);
  return texts.filter(([, text]) => text).map((pair) => pair.join("=")).join("&");
}

/** The state of an address, with or without `#`; keys and values that mean nothing are passed over.
 * @param {string} address @returns {State} */
export function readAddress(address) {
  const state = { ...START };
  for (const pair of address.replace(/^#/, "").split("&")) {
    const [, key, text] = /^([a-z]+)=(.+)$/s.exec(pair) ?? [];
    try {
      if (Object.hasOwn(START, key)) state[key] = (READERS[key] ?? decodeURIComponent)(text);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
    }
  }
  return settle(state);
}

// Which key asks for what: the table is also the help. No DOM.
/** Keys, what they ask for, and in words. */
export const SHORTCUTS = [
  [["j", "k"], ["next", "previous"], "next and previous missed passage, or row of a list"],
  [["[", "]"], ["previousTopic", "nextTopic"], "previous and next topic"],
  [["n", "p"], ["nextDocument", "previousDocument"], "next and previous document"],
  [["1", "9"], [], "the best nine runs, 1 to 9, on and off"],
  [["g"], ["relevant"], "relevant text on and off"],
  [["/"], ["filter"], "passages: questions and filters"],
  [["?"], ["help"], "this help"],
  [["Escape"], ["escape"], "close, or free the cursor"],
];

/** What a key asks for, and the digit if it is one; nothing in fields and with Ctrl, Alt (which AltGr, `graph`, is not) or Meta.
 * @param {KeyboardEvent} event @param {boolean} field @param {boolean} graph @returns {?[string, number]} */
export function actionOf({ key, ctrlKey, altKey, metaKey }, field, graph) {
  if (field || metaKey || ((ctrlKey || altKey) && !graph)) return null;
  if (/^[1-9]$/.test(key)) return ["run", Number(key)];
  const [keys, actions] = SHORTCUTS.find((row) => row[0].includes(key)) ?? [];
  return keys ? [actions[keys.indexOf(key)], 0] : null;
}
