/** Documents of one run: relevant text found and missed, other text retrieved. */
import { picker } from "./bar.js";
import { copyTable } from "./clipboard.js";
import { make, named } from "./dom.js";
import { count, percent, whole } from "./format.js";
import { drawGrid, drawMore, sortHeads, sortRows } from "./grid.js";
import { ranking } from "./state.js";

/** @import { Context, View } from "./types.d.ts" */
/** @import { Column } from "./grid.js" */

const DOCUMENTS_AT_ONCE = 200;

/** Draw the view. @param {Context} context @returns {Promise<View>} */
export async function drawDocuments(context) {
  const { overview, overview: { topics }, measure, names, state, choose, link, data } = context,
    order = ranking(overview, measure),
    run = state.run ? names.indexOf(state.run) : order[0],
    name = names[run];
  const [{ ids, topic }, { document: documents, relevant, found, wasted, unjudged }] = await Promise.all([
    data.documents(),
    data.run(run),
  ]);
  /** @param {number} i */
  const share = (i) => relevant[i] ? found[i] / relevant[i] : -1;
  /** @type {Column[]} */
  const columns = [
    { label: "Document", key: "document", value: (i) => ids[documents[i]] },
    { label: "Share found", key: "share", value: share },
    { label: make("span.hidden", "Share as a bar"), key: "bar" },
    { label: "Found", key: "found", value: (i) => found[i] },
    { label: "Missed", key: "missed", value: (i) => relevant[i] - found[i] },
    { label: "Wasted", key: "wasted", value: (i) => wasted[i] },
    { label: "Unjudged", key: "unjudged", value: (i) => unjudged[i] },
  ];
  const every = documents.map((_, i) => i),
    marked = every.filter((i) => relevant[i]),
    zero = marked.filter((i) => !found[i]);
  const rows = sortRows(state.hide ? zero : every, columns, state.order || "-missed");
  /** @param {number} i */
  const draw = (i) => {
    const doc = ids[documents[i]],
      bar = make("i"),
      opens = link({ topic: topics[topic[documents[i]]].id, doc, runs: [name] });
    bar.style.width = `${100 * Math.max(0, share(i))}%`;
    return make(
      "tr",
      make("th", make("a", { href: opens }, named(doc, 60))),
      make("td", percent(relevant[i] ? share(i) : null)),
      make("td.bars", bar),
      make("td", whole(found[i])),
      make(
        "td",
        relevant[i] > 0
          ? make("a", {
            href: link({ view: "passages", run: name, within: doc }),
            title: `Relevant passages of ${doc}`,
          }, whole(relevant[i] - found[i]))
          : "–",
      ),
      [wasted, unjudged].map((column) => make("td", whole(column[i]))),
    );
  };
  const table = drawGrid(
    "documents",
    sortHeads(columns, state.order || "-missed", (order) => choose({ order })),
    rows.slice(0, DOCUMENTS_AT_ONCE).map(draw),
  );
  /** @type {HTMLInputElement} */
  const box = make("input", {
    type: "checkbox",
    checked: state.hide !== "",
    "data-key": "zero",
    on: { change: () => choose({ hide: box.checked ? "found" : "" }) },
  });
  return {
    title: "Documents",
    node: make(
      "div.page",
      make(
        "div.verdict",
        make("p.label", "Documents of one run"),
        make(
          "h1",
          { tabindex: -1 },
          named(name, 60),
          ` found nothing in ${whole(zero.length)} of ${
            count(marked.length, "document")
          } with relevant text.`,
        ),
      ),
      make(
        "div.controls",
        picker(
          "Run",
          order.map((one) => names[one]),
          order.indexOf(run),
          (i) => choose({ run: names[order[i]] }),
        ),
        make("label.check", box, "0 % only"),
        make("span.note", count(rows.length, "document")),
        make(
          "a.button",
          { href: link({ view: "passages", run: name, reason: "missed" }) },
          "Missed passages",
        ),
        rows.length > 0 && copyTable(context, `Documents of ${name}`, () => table, rows.length),
      ),
      rows.length ? make("div.scroll.wide", table) : make("p", "No document matches."),
      drawMore(table.tBodies[0], rows, draw, DOCUMENTS_AT_ONCE),
      make(
        "p.note",
        "Characters, each once for a topic, over all topics and all results of the run. ",
        "Wasted: retrieved from judged documents, but not relevant.",
      ),
    ),
  };
}
