/** Judgments of a document and what the procedure asks of them. No DOM. */
import { count, whole } from "../format.js";
import { appendSpan, bisect, countPoints, joinSpans, sweepSpans } from "../spans.js";

// What an action makes of the judgments of a document, before the server has said so. No DOM.
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

// What a procedure asks of a document, and what ends it, in words. The server decides; this is what the page says before. No DOM.
/** @typedef {{marks: boolean, entry: boolean, labels: boolean, scale: Array[], about: string, nothing: string, owed: string,
 *   rest: ?{grade: *, word: string, most: number, question: string}}} Procedure
 *   as the server describes it: text is highlighted, has one entry point, labels; parts of a grade as [name, letter, [value, word][]];
 *   a sentence on grades or labels; what a document without anything is called; what one lacks; one grade for the rest */

/** Whether nothing was found relevant so far. @param {State} state @returns {boolean} */
const isEmpty = ({ highlights, grades, bep }) =>
  !highlights.length && bep === null && !Object.keys(grades).length;

/** What a passage is labelled: the label and the note of all of it; label null if it has none, "" if its parts differ; bare if a part has none.
 * @param {number[]} passage @param {Array[]} labels [start, end, label, note], in order @returns {{label: ?string, note: string, bare: boolean}} */
export function labelOf([start, end], labels) {
  const over = [];
  for (let i = bisect(labels.length, (at) => labels[at][1], start + 1); labels[i]?.[0] < end; i++) {
    over.push(labels[i]);
  }
  const covered = over.reduce((sum, [from, to]) => sum + Math.min(to, end) - Math.max(from, start), 0),
    bare = covered < end - start,
    [first] = over;
  return {
    label: !first ? null : !bare && over.every(([, , label]) => label === first[2]) ? first[2] : "",
    note: over.find(([, , , note]) => note)?.[3] ?? "",
    bare,
  };
}

/** Passages that owe a label. @param {State} state @returns {number[][]} */
export const bareOf = ({ highlights, labels = [] }) =>
  highlights.filter((passage) => labelOf(passage, labels).bare);

/** What is owed: labels of passages, then grades of elements. */
function owedOf({ labels }, state) {
  const bare = labels ? bareOf(state).length : 0, many = bare || state.owed?.length || 0;
  return { bare, many, text: `${count(many, bare ? "label" : "grade")} owed` };
}

/** What the one slot says that ends a document, and what it does: done, reopen, owed, entry, clear (an entry point
 * without any text, then done), or nothing.
 * @param {Procedure} procedure @param {State} state @returns {{word: string, act: string, why: string}} */
export function slotOf(procedure, state) {
  const { done, waiting, highlights, bep, problems = [] } = state,
    { entry, nothing, scale } = procedure,
    owed = owedOf(procedure, state);
  if (waiting) return { word: "Waiting …", act: "", why: "The server has not answered yet." };
  if (done) return { word: "Re-open", act: "reopen", why: "" };
  if (owed.many) return { word: owed.text, act: "owed", why: "" };
  if (entry && highlights.length && bep === null) return { word: "Entry point owed", act: "entry", why: "" };
  if (entry && !highlights.length && bep !== null) return { word: nothing, act: "clear", why: "" };
  if (isEmpty(state)) return { word: nothing, act: "done", why: "" };
  return { word: "Finish", act: "done", why: scale.length ? problems[0] ?? "" : "" };
}

/** What has to be so before a document is finished. @param {Procedure} procedure @param {State} state @returns {{met: boolean, text: string}[]} */
export function toFinish(procedure, state) {
  const { marks, entry, labels, scale, nothing } = procedure,
    { highlights, bep, owed = [], problems = [] } = state,
    some = highlights.length > 0;
  if (isEmpty(state)) {
    return [{ met: false, text: `Something is ${marks ? "highlighted" : "graded"}, or “${nothing}”` }];
  }
  const { bare } = owedOf(procedure, state),
    missing = (many, word, all) => (many ? `${count(many, word)} owed` : all);
  const rows = [
    marks && { met: some, text: "Something is highlighted" },
    entry && { met: some && bep !== null, text: "One best entry point" },
    scale.length && { met: !owed.length, text: missing(owed.length, "grade", "All grades are given") },
    labels && { met: some && !bare, text: missing(bare, "label", "All passages have a label") },
  ].filter(Boolean);
  return rows.some(({ met }) => !met) || !scale.length
    ? rows
    : [...rows, ...problems.map((text) => ({ met: false, text }))];
}

/** The mark of a document in a list: ring, half, tick, bar. @param {Object} row of the pool @returns {string} */
export function markOf({ state, passages, relevant = passages > 0 }) {
  return state === "done" ? (relevant ? "tick" : "bar") : state === "open" ? "half" : "ring";
}

/** A document of the list in words. @param {Procedure} procedure @param {Object} row of the pool @returns {string} */
export function sayRow(
  { nothing, labels, entry: hasEntry },
  { state, passages = 0, owed = 0, problems = 0, relevant = passages > 0, entry = !problems },
) {
  if (state === "todo") return "";
  if (state === "done" && !relevant) return nothing.toLowerCase();
  if (state === "open" && owed) return `${whole(owed)} owed`;
  if (state === "open" && problems && labels) return "labels owed";
  if (state === "open" && hasEntry && passages && !entry) return "no entry point";
  return passages ? count(passages, "passage") : relevant ? "relevant" : "open";
}

const isRelevant = ({ highlights, grades }) =>
  highlights.length > 0 || Object.values(grades).some((grade) => [grade].flat()[0] !== 0);

/** What the list says of a document, after its state. @param {State} state @param {Procedure} procedure @returns {Object} */
export function rowOf(state, procedure) {
  const { version, done, highlights, bep, problems = [] } = state, { many: owed } = owedOf(procedure, state);
  return {
    version,
    state: done ? "done" : version ? "open" : "todo",
    passages: highlights.length,
    characters: countPoints(highlights),
    owed,
    problems: procedure.labels ? owed : problems.length,
    relevant: isRelevant(state),
    entry: bep !== null,
  };
}

/** Seconds in words. @param {number} seconds @returns {string} */
export function sayTime(seconds) {
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(seconds)} s`;
}

/** A grade of two parts after one part was chosen: nothing relevant is both at once, and what was nothing has to be said anew.
 * @param {Array[]} scale @param {?Array} grade with null for what is not said @param {number} at which part @param {*} value
 * @returns {Array} complete if it holds no null */
export function chooseBoth(scale, grade, at, value) {
  const nothing = scale.map(([, , options]) => options[0][0]), other = grade?.[1 - at] ?? null;
  if (value === nothing[at]) return nothing;
  const rest = other === nothing[1 - at] ? null : other;
  return at ? [rest, value] : [value, rest];
}

/** What a key means for a row: the grade, complete or with a part that is still to come; undefined if it means nothing.
 * @param {Array[]} scale @param {?Array} half what was begun @param {string} key @returns {*} */
export function gradeOfKey(scale, half, key) {
  if (scale.length === 1) return scale[0][2].find(([, word]) => word === key)?.[0];
  const at = half && half[1] === null ? 1 : 0,
    value = /^\d$/.test(key) ? scale[at]?.[2][key]?.[0] : undefined;
  return value === undefined ? undefined : chooseBoth(scale, at ? half : null, at, value);
}

/** A grade in words. @param {Array[]} scale @param {*} grade @returns {string} */
export function sayGrade(scale, grade) {
  return scale.length === 1
    ? scale[0][2].find(([value]) => value === grade)?.[1] ?? "…"
    : scale.map(([, letter], i) => `${letter} ${[grade].flat()[i] ?? "…"}`).join(" · ");
}
