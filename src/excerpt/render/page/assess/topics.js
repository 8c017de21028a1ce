/** Topics of an assessor, and progress over their documents. */
import { drawProgress, drawTick } from "./panel.js";
import { make, named } from "../dom.js";
import { count, minutesOf, sayDuration, whole } from "../format.js";
import { drawGrid } from "../grid.js";

// How far the work is: sums over the documents of topics, and what comes next. No DOM.
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

// The first view of an assessor: what is done, the one button to go on with, and the topics.
const TOPIC_HEADS = ["Topic", "Progress", "Done", "Open", "Left", "Min. each", "Owed"];

/** A row: its link goes to the first unfinished document of the topic, or to the first one. */
function drawTopicRow(topic, procedure, link) {
  const { id, title, text, documents } = topic,
    tally = tallyOf(documents, procedure),
    { total, done, open, left, each } = tally,
    name = title || text;
  const { doc = documents[0]?.id } = nextUp({ topics: [topic] }) ?? {},
    words = [make("b", { dir: "auto" }, name), " ", make("code", id)];
  return make(
    "tr",
    make(
      "th",
      { scope: "row" },
      doc === undefined
        ? make("span", words)
        : make("a", { href: link({ topic: id, doc }), "data-key": `topic ${id}` }, words),
    ),
    make("td", drawProgress(tally)),
    make("td.number", make("b", whole(done)), ` / ${whole(total)}`),
    make("td.number", whole(open)),
    make("td.number", whole(left)),
    make("td.number", minutesOf(each)),
    make("td", total > 0 && done === total ? [drawTick(), " complete"] : sayOwed(tally, procedure)),
  );
}

/** Draws the topics of an assessor.
 * @param {Object} context @returns {{node: HTMLElement, title: string, focus: HTMLElement}} */
export function drawTopics({ campaign, procedure, link }) {
  const tally = tallyOf(campaign.topics.flatMap(({ documents }) => documents), procedure),
    next = nextUp(campaign);
  const goOn = next &&
    make(
      "a.button.primary",
      { href: link({ topic: next.topic, doc: next.doc }), "data-key": "go-on" },
      make("span", `Go on with `, named(next.topic), `, document ${next.number}`),
      make("kbd", "n"),
    );
  const headline = make("h1", { tabindex: -1 }, sayDone(tally));
  const table = drawGrid(
    "topics",
    TOPIC_HEADS,
    campaign.topics.map((topic) => drawTopicRow(topic, procedure, link)),
  );
  table.querySelectorAll("thead th").forEach((head) => head.setAttribute("scope", "col"));
  return {
    title: "",
    focus: headline,
    node: make(
      "div.page",
      make(
        "header.start",
        make("div", headline, make("p.lead", sayWork(tally)), tally.total > 0 && drawProgress(tally)),
        goOn,
      ),
      campaign.topics.length > 0 && make("div.scroll", table),
    ),
  };
}
