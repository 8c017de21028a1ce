/** Judgments of a document, and the requirements of the procedure. No DOM. */
import { count, whole } from "../format.js";
import { appendSpan, bisect, countPoints, joinSpans, sweepSpans } from "../spans.js";

/** @import { Span } from "../types.d.ts" */
/** @import {
 *   Dimension, DocumentRow, EventFields, Grade, JudgmentEvent, Label, Procedure, State, Value
 * } from "./types.d.ts" */

// Effects of events on a state, shown before the server has answered.
/** The characters of some spans that are not in others.
 * @param {Span[]} spans @param {Span[]} others @returns {Span[]} */
export function withoutSpans(spans, others) {
  /** @type {Span[]} */
  const left = [];
  sweepSpans(
    [spans, others],
    (start, end, counts) => counts[0] && !counts[1] && appendSpan(left, start, end),
  );
  return left;
}

/** @param {Record<string, Grade>} grades @param {string} path */
function without(grades, path) {
  const { [path]: _, ...others } = grades;
  return others;
}

/** Labels outside of a span. @param {Label[] | undefined} labels @param {number} start @param {number} end */
function cutLabels(labels = [], start, end) {
  return labels.flatMap(([from, to, label, note]) => /** @type {Label[]} */ ([
    [from, Math.min(to, start), label, note],
    [Math.max(from, end), to, label, note],
  ])).filter(([from, to]) => from < to);
}

/** Decided spans with a new one, in order.
 * @param {NonNullable<State["decided"]>} decided @param {number} start @param {number} end
 * @param {boolean} relevant @returns {NonNullable<State["decided"]>} */
function cutDecided(decided, start, end, relevant) {
  /** @param {boolean} same */
  const spans = (same) =>
    decided.filter((one) => one[2] === same).map(([from, to]) => /** @type {Span} */ ([from, to]));
  const own = joinSpans([...spans(relevant), [start, end]]),
    others = withoutSpans(spans(!relevant), [[start, end]]);
  return [
    ...own.map(([from, to]) => /** @type {[number, number, boolean]} */ ([from, to, relevant])),
    ...others.map(([from, to]) => /** @type {[number, number, boolean]} */ ([from, to, !relevant])),
  ].sort((one, other) => one[0] - other[0]);
}

/** Known effects by kind of event; grades that follow from others come from the server only.
 * @type {Record<string, (state: State, fields: Required<EventFields>) => Partial<State> | null>} */
const EFFECTS = {
  highlight: ({ highlights }, { start, end }) => ({ highlights: joinSpans([...highlights, [start, end]]) }),
  unhighlight: ({ highlights, labels }, { start, end }) => ({
    highlights: withoutSpans(highlights, [[start, end]]),
    labels: cutLabels(labels, start, end),
  }),
  decide: ({ highlights, labels, decided = [], undecided = [] }, { start, end, relevant }) => ({
    highlights: relevant
      ? joinSpans([...highlights, [start, end]])
      : withoutSpans(highlights, [[start, end]]),
    labels: relevant ? labels : cutLabels(labels, start, end),
    undecided: withoutSpans(undecided, [[start, end]]),
    decided: cutDecided(decided, start, end, relevant),
  }),
  bep: (_, { start }) => ({ bep: start }),
  "no-bep": () => ({ bep: null }),
  note: (_, { note }) => ({ note }),
  label: ({ labels }, { start, end, label, note = "" }) => {
    /** @type {Label} */
    const added = [start, end, label, note];
    return { labels: [...cutLabels(labels, start, end), added].sort((a, b) => a[0] - b[0]) };
  },
  grade: ({ grades, owed = [] }, { path, grade, rest }) =>
    rest ? null : {
      grades: { ...without(grades, path), ...(grade === null ? {} : { [path]: grade }) },
      owed: owed.filter((other) => other !== path),
    },
  "close-phase": () => ({ closed: true }),
  "reopen-phase": () => ({ closed: false, owed: [] }),
};

/** The state after events that the server has not answered, with the number of steps that can then be undone
 * and redone. If an effect is unknown (finishing, undo of an event before this window was opened), the state
 * is `waiting`. Events based on older versions are left out.
 * @param {State} state of the server @param {JudgmentEvent[]} events @returns {State} */
export function projectState(state, events) {
  /** @type {State[]} */
  const past = [];
  /** @type {State[]} */
  const future = [];
  let now = state, { version, undo, redo } = state, waiting = false;
  /** @param {State[]} from @param {State[]} to @param {number} by 1 for redo, -1 for undo */
  const step = (from, to, by) => {
    if (from.length) to.push(now);
    else waiting = true;
    now = from.pop() ?? now;
    undo += by;
    redo -= by;
  };
  /** @param {JudgmentEvent} event */
  const act = (event) => {
    const effect = EFFECTS[event.kind]?.(now, /** @type {Required<EventFields>} */ (event));
    past.push(now);
    future.length = redo = 0;
    undo += 1;
    if (effect) now = { ...now, ...effect, done: event.kind === "note" && now.done };
    else waiting = true;
  };
  for (const event of events.filter(({ base }) => base >= state.version)) {
    version += 1;
    if (event.kind === "undo") step(past, future, -1);
    else if (event.kind === "redo") step(future, past, 1);
    else act(event);
  }
  return version === state.version ? state : { ...now, version, waiting, undo, redo };
}

/** The undo and redo events that refer to an event, and have to be dropped with it.
 * @param {JudgmentEvent} event @param {JudgmentEvent[]} events of its document, including itself */
export function undoesOf(event, events) {
  /** @type {JudgmentEvent[]} */
  const past = [];
  /** @type {JudgmentEvent[]} */
  const future = [];
  return events.filter((one) => {
    const undo = one.kind === "undo", [from, to] = undo ? [past, future] : [future, past];
    if (undo || one.kind === "redo") {
      const other = from.pop();
      if (other) to.push(other);
      return other?.id === event.id;
    }
    past.push(one);
    future.length = 0;
    return false;
  });
}

/** The version on which the next event of a document is based.
 * @param {number} version of the server @param {{base: number}[]} events that the server has not answered */
export function nextBase(version, events) {
  return events.reduce((base, event) => Math.max(base, event.base + 1), version);
}

/** @type {Record<string, string>} */
const NOUNS = {
  highlight: "highlight",
  unhighlight: "removal",
  decide: "decision",
  bep: "entry point",
  "no-bep": "removal of the entry point",
  grade: "grade",
  label: "label",
  "close-phase": "closing of the highlighting",
  "reopen-phase": "re-opening of the highlighting",
  note: "note",
  done: "finishing",
  reopen: "re-opening",
  undo: "undo",
  redo: "redo",
  reject: "rejection",
};

/** A noun for one event or several. @param {{kind: string}[]} events @returns {string} */
export function nounOf(events) {
  return events.length === 1 ? NOUNS[events[0].kind] ?? "action" : `${events.length} actions`;
}

// Requirements of the procedure in words. The server decides; the page shows them before it is asked.
/** @param {State} state */
const isEmpty = ({ highlights, grades, bep }) =>
  !highlights.length && bep === null && !Object.keys(grades).length;

/** The label and the note of a passage: label null if it has none, "" if its parts differ; unlabelled if any
 * part of it has no label.
 * @param {Span} passage @param {Label[]} labels in order */
export function labelOf([start, end], labels) {
  const over = [];
  for (let i = bisect(labels.length, (at) => labels[at][1], start + 1); labels[i]?.[0] < end; i++) {
    over.push(labels[i]);
  }
  const covered = over.reduce((sum, [from, to]) => sum + Math.min(to, end) - Math.max(from, start), 0),
    unlabelled = covered < end - start,
    [first] = over;
  return {
    label: !first ? null : !unlabelled && over.every(([, , label]) => label === first[2]) ? first[2] : "",
    note: over.find(([, , , note]) => note)?.[3] ?? "",
    unlabelled,
  };
}

/** Passages whose labels are missing. @param {Pick<State, "highlights" | "labels">} state */
export const unlabelledOf = ({ highlights, labels = [] }) =>
  highlights.filter((passage) => labelOf(passage, labels).unlabelled);

/** The number of missing labels, or else of missing grades.
 * @param {Procedure} procedure @param {State} state */
function missingOf({ labels }, state) {
  const unlabelled = labels ? unlabelledOf(state).length : 0, many = unlabelled || state.owed?.length || 0;
  return { unlabelled, many, text: `${count(many, unlabelled ? "label" : "grade")} missing` };
}

/** Whether grades are to follow when highlighting is closed.
 * @param {Procedure} procedure @param {Pick<State, "highlights" | "closed">} state */
export const isHighlighting = ({ phases }, { closed }) => phases && !closed;

/** The button that ends a document: its word, its action (done, reopen, missing, entry, close = end the
 * highlighting, clear = remove the entry point and finish, nothing = grade the document as not relevant and
 * finish, or "") and why it is impossible.
 * @param {Procedure} procedure @param {State} state @returns {{word: string, act: string, why: string}} */
export function slotOf(procedure, state) {
  const { done, waiting, highlights, bep, problems = [], undecided = [] } = state,
    { entry, nothing, scale } = procedure,
    missing = missingOf(procedure, state);
  if (waiting) return { word: "Waiting …", act: "", why: "The server has not answered yet." };
  if (done) return { word: "Re-open", act: "reopen", why: "" };
  if (undecided.length) return { word: `Decide ${whole(undecided.length)} more`, act: "undecided", why: "" };
  if (isEmpty(state)) return { word: nothing, act: missing.many ? "nothing" : "done", why: "" };
  if (isHighlighting(procedure, state) && highlights.length) {
    return { word: "Start grading", act: "close", why: "" };
  }
  if (missing.many) return { word: missing.text, act: "missing", why: "" };
  if (entry && highlights.length && bep === null) {
    return { word: "Set an entry point", act: "entry", why: "" };
  }
  if (entry && !highlights.length && bep !== null) return { word: nothing, act: "clear", why: "" };
  return { word: "Finish", act: "done", why: scale.length ? problems[0] ?? "" : "" };
}

/** The requirements of a finished document, each met or not.
 * @param {Procedure} procedure @param {State} state @returns {{met: boolean, text: string}[]} */
export function toFinish(procedure, state) {
  const { marks, entry, labels, phases, scale, nothing } = procedure,
    { highlights, bep, owed = [], problems = [], undecided } = state,
    some = highlights.length > 0,
    open = isHighlighting(procedure, state);
  if (isEmpty(state) && !undecided?.length) {
    const first = marks ? "Relevant text is highlighted" : "An element is graded";
    return [{ met: false, text: `${first}, or “${nothing}”` }];
  }
  const { unlabelled } = missingOf(procedure, state);
  /** @param {number} many @param {string} noun @param {string} all */
  const missing = (many, noun, all) => (many ? `${count(many, noun)} missing` : all);
  const rows = [
    marks && undecided &&
    { met: !undecided.length, text: missing(undecided.length, "decision", "All passages are decided") },
    marks && !undecided && { met: some, text: "Relevant text is highlighted" },
    entry && { met: some && bep !== null, text: "One best entry point is set" },
    phases && { met: !open, text: "Highlighting is closed" },
    scale.length > 0 &&
    { met: !owed.length && !open, text: missing(owed.length, "grade", "All grades are given") },
    labels &&
    { met: some && !unlabelled, text: missing(unlabelled, "label", "All passages have a label") },
  ].filter((row) => typeof row === "object");
  return rows.some(({ met }) => !met) || !scale.length
    ? rows
    : [...rows, ...problems.map((text) => ({ met: false, text }))];
}

/** The mark of a document in a list. @param {DocumentRow} row @returns {"ring" | "half" | "tick" | "bar"} */
export function markOf({ state, passages, relevant = passages > 0 }) {
  return state === "done" ? (relevant ? "tick" : "bar") : state === "open" ? "half" : "ring";
}

/** A document of the list in words. @param {Procedure} procedure @param {DocumentRow} row */
export function sayRow(
  { nothing, labels, entry: needsEntry },
  { state, passages = 0, owed = 0, problems = 0, relevant = passages > 0, entry = !problems, weight, stale },
) {
  if (stale && state !== "done") return "opened again";
  if (weight !== undefined && state !== "done") return weight ? `${whole(weight)} apart` : "";
  if (state === "todo") return "";
  if (state === "done" && !relevant) return nothing.toLowerCase();
  if (state === "open" && owed) return `${whole(owed)} missing`;
  if (state === "open" && problems && labels) return "labels missing";
  if (state === "open" && needsEntry && passages && !entry) return "no entry point";
  return passages ? count(passages, "passage") : relevant ? "relevant" : "in progress";
}

/** @param {State} state */
const isRelevant = ({ highlights, grades }) =>
  highlights.length > 0 || Object.values(grades).some((grade) => [grade].flat()[0] !== 0);

/** The fields of a document in the list that follow from its state.
 * @param {State} state @param {Procedure} procedure @returns {Partial<DocumentRow>} */
export function rowOf(state, procedure) {
  const { version, done, highlights, bep, problems = [] } = state,
    { many: owed } = missingOf(procedure, state);
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

/** A duration in hours, minutes and seconds. @param {number} seconds */
export function sayTime(seconds) {
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(seconds)} s`;
}

/** A grade of two dimensions after the value of one was chosen. The first values mean not relevant and go
 * together: choosing one sets both, and leaving one makes the other undecided.
 * @param {Dimension[]} scale @param {Grade | null} grade @param {number} at number of the dimension
 * @param {Value} value @returns {(Value | null)[]} complete if it contains no null */
export function chooseBoth(scale, grade, at, value) {
  const nothing = scale.map(([, , options]) => options[0][0]),
    other = Array.isArray(grade) ? grade[1 - at] : null;
  if (value === nothing[at]) return nothing;
  const rest = other === nothing[1 - at] ? null : other;
  return at ? [rest, value] : [value, rest];
}

/** The grade that a key stands for, complete or with one value missing; undefined if it stands for none. A
 * digit sets the first of two values, or the second if only that one is missing and has digits. The letter
 * that means not relevant needs a first value, since it has another meaning without one.
 * @param {Dimension[]} scale @param {Grade | null} grade the present one @param {string} key
 * @returns {Grade | undefined} */
export function gradeOfKey(scale, grade, key) {
  const [first, second] = scale.map(([, , options]) =>
    options.find(([, word]) => word.toLowerCase() === key)?.[0]
  );
  if (scale.length < 2) return first;
  const [one, other] = Array.isArray(grade) ? grade : [null, null];
  if (first !== undefined && (second === undefined || one === null || other !== null)) {
    return chooseBoth(scale, one === null ? grade : null, 0, first);
  }
  const isNothing = second === scale[1][2][0][0];
  return second === undefined || isNothing && (one === null || other !== null)
    ? undefined
    : chooseBoth(scale, grade, 1, second);
}

/** A grade in words. @param {Dimension[]} scale @param {Grade} grade */
export function sayGrade(scale, grade) {
  return scale.length === 1
    ? scale[0][2].find(([value]) => value === grade)?.[1] ?? "…"
    : scale.map(([, letter], i) => `${letter} ${[grade].flat()[i] ?? "…"}`).join(" · ");
}
