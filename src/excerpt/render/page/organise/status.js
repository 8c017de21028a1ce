/** Sentences of the organiser's page: headline, figures, what an export contains. No DOM. */
import { count, minutesOf, percent, sayDay, whole } from "../format.js";

/** Numbers of documents by state. @typedef {{total: number, done: number, open: number}} Tally */
/** An assessor's row. @typedef {Tally & {name: string, seconds_per_document: number | null,
 * last: string | null, owed: number, active?: boolean, cautions?: string[]}} Assessor */
/** A topic's row. @typedef {Tally & {id: string, title: string}} Topic */
/** Pairs of topic and document for an export. @typedef {{done: number, open: number, todo: number,
 * several: number}} Exportable */
/** Agreement of assessors. @typedef {{documents: number | null, characters: number | null,
 * pairs: number}} Agreement */
/** Assessors of whole topics, and the number of documents with assessors of their own.
 * @typedef {Record<string, {assessors: string[], documents: number}>} Assignment */
/** The answer of /api/status. @typedef {object} Status
 * @property {string} title @property {string} procedure @property {Tally & {stale: number}} documents
 * @property {number | null} seconds_per_document @property {string | null} finish date of completion
 * @property {Topic[]} topics @property {Assessor[]} assessors
 * @property {Record<string, Record<string, string>>} cells state by topic and assessor
 * @property {Assignment | null} [assignment] null if there is no table of assignments
 * @property {{name: string, role: string, active: boolean}[]} [people] assessors and adjudicators
 * @property {Agreement | null} agreement @property {string[]} cautions @property {Exportable} export */
/** Contents of an export. @typedef {{to: string, merge: string, assessor: string,
 * unfinished: boolean, undecided?: string}} Choice */

/** Words for the states of a topic. @type {Record<string, string>} */
export const CELL_WORDS = { todo: "to do", open: "in progress", done: "finished" };

/** Assessors who may judge a topic: by the table, else all who have documents of it.
 * @param {Status} status @param {string} topic */
export function assignedTo({ assignment, assessors, cells }, topic) {
  const active = assessors.filter(({ active = true }) => active).map(({ name }) => name);
  return active.filter((name) =>
    assignment ? assignment[topic]?.assessors.includes(name) : Object.hasOwn(cells[topic] ?? {}, name)
  );
}

/** The number of documents of a topic with assessors of their own, in words.
 * @param {Status} status @param {string} topic */
export function saySingle({ assignment }, topic) {
  const { documents = 0 } = assignment?.[topic] ?? {};
  return documents ? ` and ${count(documents, "single document")}` : "";
}

/** Headline: proportion of finished documents, and an estimate of the last day.
 * @param {Status} status @param {number} year the current one, which is not written */
export function sayEnd({ documents: { total, done }, finish }, year) {
  if (!total) return "There is nothing to judge yet";
  if (done >= total) return `All ${count(total, "document")} ${total === 1 ? "is" : "are"} finished`;
  const proportion = `${percent(done / total)} finished`;
  return finish
    ? `${proportion}; at this pace the last document will be finished on ${sayDay(finish, year)}`
    : `${proportion}; too early to estimate the end`;
}

/** @param {number | null} value */
const digits = (value) => (value !== null && Number.isFinite(value) ? value.toFixed(2) : "–");

/** Figures under the headline: a number and its description.
 * @param {Status} status @returns {[string, string][]} */
export function figuresOf(
  { documents: { total, done, open, stale }, seconds_per_document: seconds, agreement },
) {
  return [
    [`${whole(done)} of ${whole(total)}`, "documents finished"],
    [whole(open), stale ? `in progress, ${whole(stale)} of them for over a day` : "in progress"],
    [seconds === null ? "–" : `${minutesOf(seconds)} min`, "per document, without pauses"],
    agreement?.pairs
      ? [
        digits(agreement.documents),
        `agreement on documents (alpha), ${digits(agreement.characters)} on characters (Jaccard), ${
          count(agreement.pairs, "document")
        } judged twice`,
      ]
      : ["–", "agreement: no document finished by two assessors yet"],
  ];
}

/** Formats of an export: value and word. @type {[string, string][]} */
export const FORMATS = [["fol", "FOL"], ["inex", "INEX"], ["jsonl", "JSON Lines"], ["trec", "TREC"]];
/** Ways to merge judgments of several assessors: value and word. @type {[string, string][]} */
export const MERGES = [
  ["one", "not merged"],
  ["union", "union"],
  ["majority", "majority (of two: both)"],
  ["intersection", "intersection"],
  ["adjudicated", "as decided"],
];
/** What becomes of documents that are not decided: value and word. @type {[string, string][]} */
export const UNDECIDED = [
  ["error", "must be decided"],
  ["union", "union"],
  ["intersection", "intersection"],
  ["leave", "left out"],
];
/** File extensions by format. @type {Record<string, string>} */
const EXTENSIONS = { fol: "fol", inex: "xml", jsonl: "jsonl", trec: "qrels" };

/** Default way to merge: none if no document has several assessors. @param {Status} status */
export const firstMerge = ({ export: { several } }) => (several ? "union" : "one");

/** Documents by how they were decided, in words. @param {Record<string, number>} counts */
export function saySettled({ undecided = 0, decided = 0, agreed = 0, stale = 0 }) {
  const again = stale ? `, ${whole(stale)} of them again` : "";
  return `${whole(undecided)} to decide${again}, ${whole(decided)} decided, all agree on ${whole(agreed)}`;
}

/** Whether an export needs a way to merge.
 * @param {Status} status @param {Pick<Choice, "merge" | "assessor">} choice */
export function needsMerge({ export: { several } }, { merge, assessor }) {
  return several > 0 && merge === "one" && !assessor;
}

/** Address of an export, and the name of its file. @param {Choice} choice */
export function exportOf({ to, merge, assessor, unfinished, undecided = "error" }) {
  /** @type {[string, string][]} */
  const parameters = [
    ["to", to],
    ["merge", merge === "one" ? "" : merge],
    ["undecided", merge === "adjudicated" && undecided !== "error" ? undecided : ""],
    ["assessor", assessor],
    ["unfinished", unfinished ? "1" : ""],
  ];
  const query = parameters.filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return { href: `api/export?${query.join("&")}`, file: `judgments.${EXTENSIONS[to]}` };
}

/** Documents left out of an export, or why there is none. @param {Status} status @param {Choice} choice */
export function sayLeftOut(status, choice) {
  const { done, open, todo, several } = status.export;
  /** @param {number} n */
  const pairs = (n) => count(n, "pair");
  if (needsMerge(status, choice)) {
    return `${pairs(several)} of topic and document ${
      several === 1 ? "was" : "were"
    } finished by several assessors: choose how to merge them, or one assessor.`;
  }
  const left = [
    todo && count(todo, "unjudged pair"),
    !choice.unfinished && open && `${pairs(open)} in progress`,
  ];
  const words = left.filter(Boolean).join(" and ");
  const who = choice.assessor ? "All assessors together: " : "";
  const out = words ? `${words} will be left out` : "Nothing will be left out";
  const added = choice.unfinished && open ? ` ${pairs(open)} in progress will be included.` : "";
  return `${who}${pairs(done)} of topic and document ${done === 1 ? "is" : "are"} finished. ${out}.${added}`;
}
