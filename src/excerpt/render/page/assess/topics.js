/** Topics of an assessor, and progress over their documents. */
import { drawProgress, drawTick } from "./panel.js";
import { make, named } from "../dom.js";
import { count, minutesOf, sayDuration, whole } from "../format.js";
import { drawGrid } from "../grid.js";

/** @import {
 *   Campaign, CampaignTopic, DocumentRow, PlainView, Procedure, SharedContext, Tally
 * } from "./types.d.ts" */

// Progress: sums over documents, and the next document. No DOM.
/** @template T @param {T[]} list @param {(item: T) => number} value */
const tallySum = (list, value) => list.reduce((sum, item) => sum + (value(item) ?? 0), 0);

/** @param {DocumentRow[]} documents @param {Procedure} procedure @returns {Tally} */
export function tallyOf(documents, procedure) {
  const finished = documents.filter(({ state }) => state === "done"),
    open = documents.filter(({ state }) => state === "open");
  return {
    total: documents.length,
    done: finished.length,
    open: open.length,
    left: documents.length - finished.length - open.length,
    seconds: tallySum(documents, ({ seconds }) => seconds),
    each: finished.length ? tallySum(finished, ({ seconds }) => seconds) / finished.length : null,
    owed: tallySum(open, ({ owed, problems }) => (procedure.scale.length ? owed : problems)),
  };
}

/** The next document: the first unfinished one of the first topic in progress, else of the first topic that
 * has one. @param {Pick<Campaign, "topics">} campaign
 * @returns {{topic: string, doc: string, number: number} | null} number: its position in the topic, from 1 */
export function nextUp({ topics }) {
  const unfinished = topics.filter(({ documents }) => documents.some(({ state }) => state !== "done"));
  const topic = unfinished.find(({ documents }) => documents.some(({ state }) => state !== "todo")) ??
    unfinished[0];
  const at = topic ? topic.documents.findIndex(({ state }) => state !== "done") : -1;
  return at < 0 ? null : { topic: topic.id, doc: topic.documents[at].id, number: at + 1 };
}

/** Progress as a headline. @param {Pick<Tally, "total" | "done">} tally @param {string} [role] */
export function sayDone({ total, done }, role = "") {
  if (!total) return role ? "There is nothing to decide yet" : "No documents are assigned to you yet";
  return done === total
    ? `All ${count(total, "document")} ${total === 1 ? "is" : "are"} finished`
    : `${whole(done)} of ${count(total, "document")} ${done === 1 ? "is" : "are"} finished`;
}

/** Working time so far and to come, as a sentence. @param {Tally} tally @param {string} [role] */
export function sayWork({ total, done, seconds, each }, role = "") {
  if (!total) {
    return role
      ? "Documents appear here when two assessors have finished them and differ."
      : "Reload this page when the organiser has added documents.";
  }
  if (done === total) {
    return `${sayDuration(seconds)} of work. Every document can still be opened and changed.`
      .replace(/^u/, "U");
  }
  if (each === null) return "Times are shown when the first document is finished.";
  const left = sayDuration(each * (total - done));
  return `${sayDuration(seconds)} of work, about ${sayDuration(each)} per document; about ${left} left.`
    .replace(/^u/, "U").replaceAll("about under", "under");
}

/** The missing input of a topic in words, "" if it is complete. @param {Tally} tally
 * @param {Procedure} procedure */
export function sayMissing({ total, done, owed }, procedure) {
  if (done === total) return "";
  return owed ? count(owed, procedure.owed) : "–";
}

// The first view: progress, the link to the next document, and the topics.
const TOPIC_HEADS = ["Topic", "Progress", "Finished", "In progress", "To do", "Minutes each", "Missing"];

/** A row that links to the first unfinished document of the topic, or to its first.
 * @param {CampaignTopic} topic @param {Procedure} procedure @param {SharedContext["link"]} link */
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
    make("td", total > 0 && done === total ? [drawTick(), " complete"] : sayMissing(tally, procedure)),
  );
}

/** Draw the topics of an assessor. @param {Pick<SharedContext, "campaign" | "procedure" | "link">} context
 * @returns {PlainView} */
export function drawTopics({ campaign, procedure, link }) {
  const tally = tallyOf(campaign.topics.flatMap(({ documents }) => documents), procedure),
    next = nextUp(campaign);
  const goOn = next &&
    make(
      "a.button.primary",
      { href: link({ topic: next.topic, doc: next.doc }), "data-key": "go-on" },
      make(
        "span",
        tally.done + tally.open ? "Go on with " : "Start with ",
        named(next.topic),
        `, document ${next.number}`,
      ),
      make("kbd", "n"),
    );
  const table = drawGrid(
    "topics",
    TOPIC_HEADS,
    campaign.topics.map((topic) => drawTopicRow(topic, procedure, link)),
  );
  table.querySelectorAll("thead th").forEach((head) => head.setAttribute("scope", "col"));
  return {
    title: "",
    node: make(
      "div.page",
      make(
        "header.start",
        make(
          "div",
          make("h1", { tabindex: -1 }, sayDone(tally, campaign.role)),
          make("p.lead", sayWork(tally, campaign.role)),
          tally.total > 0 && drawProgress(tally),
        ),
        goOn,
      ),
      campaign.topics.length > 0 && make("div.scroll", table),
    ),
  };
}
