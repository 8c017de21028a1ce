/** The first view of an assessor: what is done, the one button to go on with, and the topics. */
import { make, named } from "../dom.js";
import { drawGrid } from "../grid.js";
import { whole } from "../format.js";
import { drawProgress, drawTick } from "./panel.js";
import { nextUp, sayDone, sayOwed, sayWork, tallyOf } from "./tally.js";
import { minutesOf } from "./times.js";

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
