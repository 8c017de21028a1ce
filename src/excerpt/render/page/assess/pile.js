/** Beside the text: the topic, how far it is, its documents. */
import { make, named } from "../dom.js";
import { whole } from "../format.js";
import { drawMark } from "./marks.js";
import { drawProgress } from "./panel.js";
import { markOf, sayRow } from "./rules.js";

const WORDS = { ring: "not begun", half: "open", tick: "done", bar: "done" };

function drawRow(context, row) {
  const { place, link, procedure } = context, mark = markOf(row), words = sayRow(procedure, row);
  return make(
    "li",
    make(
      "a",
      {
        href: link({ topic: place.topic, doc: row.id }),
        "aria-current": row.id === place.doc && "page",
        "data-key": `doc ${row.id}`,
        title: row.title,
      },
      drawMark(mark),
      make("code", named(row.id, 22)),
      make("span.hidden", WORDS[mark]),
      make("span.says", words),
    ),
  );
}

function drawTopicHead({ topic }) {
  const rows = topic.documents,
    many = (state) => rows.filter((row) => row.state === state).length,
    done = many("done"),
    open = many("open");
  const timed = rows.filter((row) => row.state === "done" && row.seconds),
    minutes = timed.reduce((sum, row) => sum + row.seconds, 0) / 60 / (timed.length || 1);
  const question = topic.text && topic.text !== topic.title && make("p.serif", { dir: "auto" }, topic.text);
  return make(
    "div.topic-head",
    make("h2", { dir: "auto" }, topic.title || topic.id),
    question,
    topic.narrative &&
      make("details", make("summary", "Narrative"), make("p.serif", { dir: "auto" }, topic.narrative)),
    drawProgress({ total: rows.length, done, open }),
    make(
      "p.note",
      make("b", `${whole(done)} done`),
      `, ${whole(open)} open, ${whole(rows.length - done - open)} left`,
      minutes > 0 && ` · ${minutes < 1 ? "under 1" : Math.round(minutes)} min each`,
    ),
  );
}

/** The rail of a document; of many rows only those are drawn anew that say something else. */
export class Pile {
  /** @param {HTMLElement} host */
  constructor(host) {
    Object.assign(this, { host, list: make("ul.plain.pile"), shown: [], head: "" });
  }

  /** @param {Object} context */
  update(context) {
    const { documents } = context.topic,
      said = documents.map((row) => [row.id, markOf(row), sayRow(context.procedure, row)].join("\n")),
      head = said.map((words) => words.split("\n")[1]).join();
    if (head !== this.head) this.host.replaceChildren(drawTopicHead(context), this.list);
    for (const [i, row] of documents.entries()) {
      if (said[i] === this.shown[i]) continue;
      const node = drawRow(context, row);
      if (this.list.children[i]) this.list.children[i].replaceWith(node);
      else this.list.append(node);
    }
    while (this.list.children.length > documents.length) this.list.lastChild.remove();
    Object.assign(this, { shown: said, head });
  }

  /** Bring the open document into sight, where the list scrolls by itself. @param {HTMLElement} around */
  seek(around) {
    const row = this.list.querySelector("[aria-current]");
    if (row && around.scrollHeight > around.clientHeight) {
      around.scrollTop = row.offsetTop - around.clientHeight / 2;
    }
  }
}
