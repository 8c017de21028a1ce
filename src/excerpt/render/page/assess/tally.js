/** How far the work is: sums over the documents of topics, and what comes next. No DOM. */
import { count, whole } from "../format.js";
import { sayDuration } from "./times.js";

const tallySum = (list, value) => list.reduce((sum, item) => sum + (value(item) ?? 0), 0);

/** @typedef {{total: number, done: number, open: number, left: number, seconds: number, each: ?number, owed: number}} Tally
 *   `seconds` of work in all, `each` per finished document (null before the first), `owed` of what the procedure asks for */

/** The sums over documents. @param {Object[]} documents of the pool @param {Procedure} procedure @returns {Tally} */
export function tallyOf(documents, procedure) {
  const ended = documents.filter(({ state }) => state === "done"),
    open = documents.filter(({ state }) => state === "open");
  return {
    total: documents.length,
    done: ended.length,
    open: open.length,
    left: documents.length - ended.length - open.length,
    seconds: tallySum(documents, ({ seconds }) => seconds),
    each: ended.length ? tallySum(ended, ({ seconds }) => seconds) / ended.length : null,
    owed: tallySum(open, ({ owed, problems }) => (procedure.scale.length ? owed : problems)),
  };
}

/** The document to go on with: the first unfinished one of the first topic that is begun, else of the first topic with one.
 * @param {{topics: Object[]}} campaign @returns {?{topic: string, doc: string, number: number}} number: its place in the topic, from 1 */
export function nextUp({ topics }) {
  const unfinished = topics.filter(({ documents }) => documents.some(({ state }) => state !== "done"));
  const topic = unfinished.find(({ documents }) => documents.some(({ state }) => state !== "todo")) ??
    unfinished[0];
  const at = topic ? topic.documents.findIndex(({ state }) => state !== "done") : -1;
  return at < 0 ? null : { topic: topic.id, doc: topic.documents[at].id, number: at + 1 };
}

/** What is done, as a headline. @param {Tally} tally @returns {string} */
export function sayDone({ total, done }) {
  if (!total) return "Nothing is assigned to you yet";
  return done === total
    ? `All ${count(total, "document")} ${total === 1 ? "is" : "are"} done`
    : `${whole(done)} of ${count(total, "document")} ${done === 1 ? "is" : "are"} done`;
}

/** The time that it took and will take, as a sentence. @param {Tally} tally @returns {string} */
export function sayWork({ total, done, seconds, each }) {
  if (!total) return "The organiser adds documents or people; reload this page later.";
  if (done === total) {
    return `${sayDuration(seconds)} of work. Every document can still be opened and changed.`.replace(
      /^u/,
      "U",
    );
  }
  if (each === null) return "Times are shown when the first document is finished.";
  const left = each * (total - done);
  return `${sayDuration(seconds)} of work, about ${sayDuration(each)} a document; some ${
    sayDuration(left)
  } are left.`
    .replace(/^u/, "U").replace("about under", "under").replace(
      "some under a minute are",
      "under a minute is",
    ).replace(/some (1 minute|1 hour) are/, "about $1 is");
}

/** What a topic owes, in words; "" if it is complete. @param {Tally} tally @param {Procedure} procedure @returns {string} */
export function sayOwed({ total, done, owed }, procedure) {
  if (done === total) return "";
  return owed ? count(owed, procedure.owed) : "–";
}
