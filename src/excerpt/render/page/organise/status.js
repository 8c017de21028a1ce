/** What the organiser is told, in words: the headline, figures, what an export leaves out. No DOM. */
import { count, minutesOf, percent, sayDay, whole } from "../format.js";

/** The words of the states of a topic for an assessor. */
export const CELL_WORDS = { todo: "not begun", open: "open", done: "done" };

/** The headline: how much is judged, and when it will be all. @param {Object} status @param {number} year that needs not be said @returns {string} */
export function sayEnd({ documents: { total, done }, finish }, year) {
  if (!total) return "There is nothing to judge yet";
  if (done >= total) return `All ${count(total, "document")} ${total === 1 ? "is" : "are"} judged`;
  const share = `${percent(done / total)} judged`;
  return finish
    ? `${share}; at this pace it is finished on ${sayDay(finish, year)}`
    : `${share}; too little is done to say when it is finished`;
}

const digits = (value) => (Number.isFinite(value) ? value.toFixed(2) : "–");

/** The figures under the headline: a number and what it is. @param {Object} status @returns {string[][]} */
export function figuresOf(
  { documents: { total, done, open, stale }, seconds_per_document: seconds, agreement },
) {
  return [
    [`${whole(done)} of ${whole(total)}`, "documents done"],
    [whole(open), stale ? `open, ${whole(stale)} of them for over a day` : "open"],
    [seconds === null ? "–" : `${minutesOf(seconds)} min`, "per document, idle time apart"],
    agreement?.pairs
      ? [
        digits(agreement.documents),
        `agreement on documents (κ), ${digits(agreement.characters)} on characters (Jaccard), ${
          count(agreement.pairs, "document")
        } judged twice`,
      ]
      : ["–", "agreement: no document was finished by two assessors yet"],
  ];
}

/** The choices of an export: value and word. */
export const FORMATS = [["fol", "FOL"], ["inex", "INEX"], ["jsonl", "JSON Lines"], ["trec", "TREC"]];
export const MERGES = [["one", "not merged"], ["union", "union"], ["majority", "majority"], [
  "intersection",
  "intersection",
]];
const ENDINGS = { fol: "fol", inex: "xml", jsonl: "jsonl", trec: "qrels" };

/** How to merge before anything is chosen: not at all where there is nothing to merge. @param {Object} status @returns {string} */
export const firstMerge = ({ export: { several } }) => (several ? "majority" : "one");

/** Whether an export has to be told how to merge. @param {Object} status @param {Object} choice @returns {boolean} */
export function needsMerge({ export: { several } }, { merge, assessor }) {
  return several > 0 && merge === "one" && !assessor;
}

/** The address of an export, and the name of its file. @param {{to: string, merge: string, assessor: string, unfinished: boolean}} choice
 * @returns {{href: string, file: string}} */
export function exportOf({ to, merge, assessor, unfinished }) {
  const asked = [["to", to], ["merge", merge !== "one" && merge], ["assessor", assessor], [
    "unfinished",
    unfinished && "1",
  ]].filter(([, value]) => value);
  return {
    href: `api/export?${asked.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`,
    file: `judgments.${ENDINGS[to]}`,
  };
}

/** What an export leaves out, or what it cannot do. @param {Object} status @param {Object} choice @returns {string} */
export function sayLeftOut(status, choice) {
  const { done, open, todo, several } = status.export, pairs = (n) => count(n, "pair");
  if (needsMerge(status, choice)) {
    return `${pairs(several)} of topic and document ${
      several === 1 ? "was" : "were"
    } finished by several assessors: choose how to merge them, or one assessor.`;
  }
  const who = choice.assessor ? "Of all assessors, " : "",
    left = [[todo, "unjudged"], [choice.unfinished ? 0 : open, "open"]].filter(([n]) => n);
  const words = left.map(([n, state]) => `${pairs(n)} ${n === 1 ? "is" : "are"} ${state}`).join(" and ");
  const out = words ? `${words}, and will be left out` : "nothing is left out";
  return `${who}${pairs(done)} ${done === 1 ? "is" : "are"} finished; ${out}.${
    choice.unfinished && open ? ` ${pairs(open)} that ${open === 1 ? "is" : "are"} open will be in it.` : ""
  }`;
}
