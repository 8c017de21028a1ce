/** Beside a document: its headings, and the documents of the topic. */
import { make } from "./dom.js";
import { button } from "./grid.js";
import { percent } from "./format.js";
import { passagesOf } from "./data.js";
import { layersOf, resultsIn } from "./layers.js";
import { countPoints } from "./spans.js";

function listHeadings({ page }, paper) {
  const rows = page.blocks.filter(([kind]) => kind === "heading").map(([, , start, end, level]) => {
    const row = make(
      "li",
      button(paper.quote([start, end]), () => paper.reveal([start, end]), { class: "quiet" }),
    );
    row.style.paddingLeft = `${12 * level - 12}px`;
    return row;
  });
  return rows.length > 1 ? [make("h2", "Contents"), make("ul.plain", rows)] : [];
}

/** The documents of the topic, each with how much of its relevant text the chosen runs returned. */
function listDocuments({ link, runs }, { topic, index }) {
  const passages = passagesOf(topic), chosen = runs.map((run) => topic.runs[run]);
  return [
    make("h2", "Documents"),
    make(
      "ul.plain",
      topic.documents.id.map((doc, i) => {
        const { hit, missed } = layersOf(passages[i], resultsIn(topic, i, chosen), true);
        const found = countPoints(hit), share = found / (found + countPoints(missed));
        const row = make(
          "a",
          { href: link({ doc }), "aria-current": i === index && "page" },
          make("span.id", doc),
          make("span", topic.documents.title[i]),
          make("b", percent(share)),
        );
        row.style.setProperty("--share", `${88 * share}%`);
        return make("li", row);
      }),
    ),
  ];
}

/** The rail of a document view.
 * @param {import("./explore.js").Context} context @param {Object} facts @param {import("./paper.js").Paper} paper @returns {Node[]} */
export function drawRail(context, facts, paper) {
  return [...listHeadings(facts, paper), ...facts.topic ? listDocuments(context, facts) : []];
}
