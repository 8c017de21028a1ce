/** What the page shows, as one small record; the address says the same. No DOM. */

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
