/** What a procedure asks of a document, and what ends it, in words. The server decides; this is what the page says before. No DOM. */
import {count, whole} from "../format.js";
import {bisect} from "../offsets.js";
import {countPoints} from "../spans.js";

const MARKING = ["inex2005", "inex2006", "inex2007", "evidence"];

/** Whether a procedure has text highlighted. @param {string} procedure @returns {boolean} */
export const marksText = (procedure) => MARKING.includes(procedure);
/** Whether it has grades of elements. @param {string} procedure @returns {boolean} */
const hasGrades = (procedure) => /^inex200[245]$/.test(procedure);
/** Whether it has best entry points. @param {string} procedure @returns {boolean} */
export const hasEntry = (procedure) => procedure === "inex2007";

/** Whether nothing was found relevant so far. @param {State} state @returns {boolean} */
const isEmpty = ({highlights, grades, bep}) => !highlights.length && bep === null && !Object.keys(grades).length;

const nothing = (procedure) => (procedure === "evidence" ? "Not answerable here" : "Nothing relevant");

/** What a passage is labelled: the label and the note of all of it; label null if it has none, "" if its parts differ; bare if a part has none.
 * @param {number[]} passage @param {Array[]} labels [start, end, label, note], in order @returns {{label: ?string, note: string, bare: boolean}} */
export function labelOf([start, end], labels) {
  const over = [];
  for (let i = bisect(labels.length, (at) => labels[at][1], start + 1); labels[i]?.[0] < end; i++) over.push(labels[i]);
  const covered = over.reduce((sum, [from, to]) => sum + Math.min(to, end) - Math.max(from, start), 0), bare = covered < end - start, [first] = over;
  return {label: !first ? null : !bare && over.every(([, , label]) => label === first[2]) ? first[2] : "", note: over.find(([, , , note]) => note)?.[3] ?? "", bare};
}

/** Passages that owe a label. @param {State} state @returns {number[][]} */
export const bareOf = ({highlights, labels = []}) => highlights.filter((passage) => labelOf(passage, labels).bare);

/** What is owed: grades of elements, or labels of passages. */
function owedOf(procedure, state) {
  const label = procedure === "evidence", many = label ? bareOf(state).length : state.owed?.length ?? 0;
  return {many, text: `${count(many, label ? "label" : "grade")} owed`};
}

/** What the one slot says that ends a document, and what it does: done, reopen, owed, entry, clear (an entry point
 * without any text, then done), or nothing.
 * @param {string} procedure @param {State} state @returns {{word: string, act: string, why: string}} */
export function slotOf(procedure, state) {
  const {done, waiting, highlights, bep, problems = []} = state, owed = owedOf(procedure, state);
  if (waiting) return {word: "Waiting …", act: "", why: "The server has not answered yet."};
  if (done) return {word: "Re-open", act: "reopen", why: ""};
  if (owed.many) return {word: owed.text, act: "owed", why: ""};
  if (hasEntry(procedure) && highlights.length && bep === null) return {word: "Entry point owed", act: "entry", why: ""};
  if (hasEntry(procedure) && !highlights.length && bep !== null) return {word: nothing(procedure), act: "clear", why: ""};
  if (isEmpty(state)) return {word: nothing(procedure), act: "done", why: ""};
  return {word: "Finish", act: "done", why: hasGrades(procedure) ? problems[0] ?? "" : ""};
}

/** What has to be so before a document is finished. @param {string} procedure @param {State} state @returns {{met: boolean, text: string}[]} */
export function toFinish(procedure, state) {
  const {highlights, bep, problems = []} = state, rows = [], owed = owedOf(procedure, state), some = highlights.length > 0;
  if (isEmpty(state)) return [{met: false, text: `Something is ${marksText(procedure) ? "highlighted" : "graded"}, or “${nothing(procedure)}”`}];
  if (marksText(procedure)) rows.push({met: some, text: "Something is highlighted"});
  if (hasEntry(procedure)) rows.push({met: some && bep !== null, text: "One best entry point"});
  if (hasGrades(procedure)) rows.push({met: !owed.many, text: owed.many ? owed.text : "All grades are given"});
  if (procedure === "evidence") rows.push({met: some && !owed.many, text: owed.many ? owed.text : "All passages have a label"});
  return rows.some(({met}) => !met) || !hasGrades(procedure) ? rows : [...rows, ...problems.map((text) => ({met: false, text}))];
}

/** The mark of a document in a list: ring, half, tick, bar. @param {Object} row of the pool @returns {string} */
export function markOf({state, passages, relevant = passages > 0}) {
  return state === "done" ? (relevant ? "tick" : "bar") : state === "open" ? "half" : "ring";
}

/** A document of the list in words. @param {string} procedure @param {Object} row of the pool @returns {string} */
export function sayRow(procedure, {state, passages = 0, owed = 0, problems = 0, relevant = passages > 0, entry = !problems}) {
  if (state === "todo") return "";
  if (state === "done" && !relevant) return nothing(procedure).toLowerCase();
  if (state === "open" && owed) return `${whole(owed)} owed`;
  if (state === "open" && problems && procedure === "evidence") return "labels owed";
  if (state === "open" && hasEntry(procedure) && passages && !entry) return "no entry point";
  return passages ? count(passages, "passage") : relevant ? "relevant" : "open";
}

const isRelevant = ({highlights, grades}) => highlights.length > 0 || Object.values(grades).some((grade) => [grade].flat()[0] !== 0);

/** What the list says of a document, after its state. @param {State} state @param {string} procedure @returns {Object} */
export function rowOf(state, procedure) {
  const {version, done, highlights, bep, problems = []} = state, {many: owed} = owedOf(procedure, state);
  return {version, state: done ? "done" : version ? "open" : "todo", passages: highlights.length, characters: countPoints(highlights),
    owed, problems: procedure === "evidence" ? owed : problems.length, relevant: isRelevant(state), entry: bep !== null};
}

/** Seconds in words. @param {number} seconds @returns {string} */
export function sayTime(seconds) {
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(seconds)} s`;
}
