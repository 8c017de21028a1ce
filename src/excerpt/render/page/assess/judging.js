/** What an action makes of the judgments of a document, before the server has said so. No DOM. */
import { appendSpan, joinSpans, sweepSpans } from "../spans.js";

/** The characters of spans that are in no other ones. @param {number[][]} spans @param {number[][]} others @returns {number[][]} */
export function withoutSpans(spans, others) {
  const left = [];
  sweepSpans(
    [spans, others],
    (start, end, counts) => counts[0] && !counts[1] && appendSpan(left, start, end),
  );
  return left;
}

function without(grades, path) {
  const { [path]: _, ...others } = grades;
  return others;
}

/** Labels without those of some text. */
function cutLabels(labels = [], start, end) {
  return labels.flatMap((
    [from, to, ...given],
  ) => [[from, Math.min(to, start), ...given], [Math.max(from, end), to, ...given]]).filter(([from, to]) =>
    from < to
  );
}

/** What is known of the effects of actions; grades that follow from others are the server's. */
const EFFECTS = {
  highlight: ({ highlights }, { start, end }) => ({ highlights: joinSpans([...highlights, [start, end]]) }),
  unhighlight: ({ highlights, labels }, { start, end }) => ({
    highlights: withoutSpans(highlights, [[start, end]]),
    labels: cutLabels(labels, start, end),
  }),
  bep: (_, { start }) => ({ bep: start }),
  "no-bep": () => ({ bep: null }),
  note: (_, { note }) => ({ note }),
  label: ({ labels }, { start, end, label, note = "" }) => ({
    labels: [...cutLabels(labels, start, end), [start, end, label, note]].sort((one, other) =>
      one[0] - other[0]
    ),
  }),
  grade: ({ grades, owed = [] }, { path, grade, rest }) =>
    rest ? null : {
      grades: { ...without(grades, path), ...(grade === null ? {} : { [path]: grade }) },
      owed: owed.filter((other) => other !== path),
    },
};

/** The state after events that the server has not answered. What only the server knows (finishing, what was before this window)
 * is not guessed: the state is then `waiting` for it. Events that were made upon another version are passed over.
 * @param {State} state of the server @param {Object[]} events @returns {State} */
export function projectState(state, events) {
  const past = [], future = [];
  let now = state, { version } = state, waiting = false;
  const step = (from, to) => {
    if (from.length) to.push(now);
    else waiting = true;
    now = from.pop() ?? now;
  };
  const act = (event) => {
    const effect = EFFECTS[event.kind]?.(now, event);
    past.push(now);
    future.length = 0;
    if (effect) now = { ...now, ...effect, done: event.kind === "note" && now.done };
    else waiting = true;
  };
  for (const event of events.filter(({ base }) => base >= state.version)) {
    version += 1;
    if (event.kind === "undo") step(past, future);
    else if (event.kind === "redo") step(future, past);
    else act(event);
  }
  return version === state.version
    ? state
    : { ...now, version, waiting, undo: past.length > 0 || state.undo, redo: future.length > 0 };
}

/** What undoes or redoes an event that is not to be, or what was made of it: without it these would mean another. @param {Object} event
 * @param {Object[]} events of its document, itself among them @returns {Object[]} */
export function fallWith(event, events) {
  const past = [], future = [];
  return events.filter((one) => {
    const back = one.kind === "undo", [from, to] = back ? [past, future] : [future, past];
    if (back || one.kind === "redo") {
      const other = from.pop();
      if (other) to.push(other);
      return other?.id === event.id;
    }
    past.push(one);
    future.length = 0;
    return false;
  });
}

/** Events of one document that take part in `projectState`: the next one is made upon this version.
 * @param {number} version of the server @param {Object[]} events @returns {number} */
export function nextBase(version, events) {
  return events.reduce((base, event) => Math.max(base, event.base + 1), version);
}

const NOUNS = {
  highlight: "highlight",
  unhighlight: "removal",
  bep: "entry point",
  "no-bep": "removal of the entry point",
  grade: "grade",
  label: "label",
  note: "note",
  done: "finishing",
  reopen: "re-opening",
  undo: "undo",
  redo: "redo",
  reject: "rejection",
};

/** What some events are called together. @param {Object[]} events @returns {string} */
export function nounOf(events) {
  return events.length === 1 ? NOUNS[events[0].kind] ?? "action" : `${events.length} actions`;
}
