/** Panels around the text: documents of the topic, facts and open requirements, tools. */
import { drawMark, drawProgress, signOf } from "./panel.js";
import { markOf, sayRow, sayTime, slotOf, toFinish } from "./rules.js";
import { icon, make, named } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { countPoints, joinSpans } from "../spans.js";

// Beside the text: the topic, how far it is, its documents.
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

// Beside the text: facts of this document, what the procedure asks for, what is left to do.
const LISTED = 200;

/** Passages as words, since paint is silent; each leads to its place. */
function listPassages({ state, paper, toText }) {
  const go = (span) => {
    paper.reveal(span);
    paper.release(span[0]);
    toText();
  };
  const more = state.highlights.length - LISTED;
  return [
    ...state.highlights.slice(0, LISTED).map((span) =>
      make(
        "li",
        button([make("span.mono", `${span[0]}–${span[1]}`), ` ${paper.quote(span, 60)}`], () => go(span), {
          class: "quiet",
        }),
      )
    ),
    more > 0 && make("li.note", `and ${whole(more)} more`),
  ].filter(Boolean);
}

/** Facts of the document. @param {Object} context @returns {Node[]} */
export function drawFacts(context) {
  const { state, doc, procedure, act, keep, seconds } = context,
    { highlights, bep } = state,
    list = make("ul.plain.passages");
  const fill = () => list.replaceChildren(...(keep.passagesOpen ? listPassages(context) : []));
  const toggle = ({ target }) => {
    keep.passagesOpen = target.open;
    fill();
  };
  const rows = [
    ["Length", count(doc.length, "character")],
    procedure.marks && ["Passages", whole(highlights.length)],
    procedure.marks && ["Highlighted", count(countPoints(highlights), "character")],
    procedure.entry && [
      "Entry point",
      bep === null ? "none" : [
        `set, at ${whole(bep)} `,
        button("Remove", () => act("no-bep", {}), {
          class: "link",
          "data-key": "no-bep",
          "aria-label": "Remove the entry point",
        }),
      ],
    ],
    ["Time here", make("span", { id: "time" }, sayTime(seconds()))],
  ].filter(Boolean);
  fill();
  return [
    make("h2", "This document"),
    doc.title && doc.title !== doc.id && make("p.serif", { dir: "auto" }, doc.title),
    make("dl", rows.map(([name, value]) => [make("dt", name), make("dd", value)])),
    highlights.length &&
    make(
      "details",
      { open: keep.passagesOpen, on: { toggle } },
      make("summary", { "data-key": "passages" }, "Passages in words"),
      list,
    ),
  ].filter(Boolean);
}

/** What is left to do. @param {Object} context @returns {Node[]} */
export function drawToFinish({ procedure, state }) {
  if (state.done) return [make("h2", "Finished"), make("p.note", "Any change opens the document again.")];
  return [
    make("h2", "To finish"),
    make(
      "ul.plain.to-finish",
      toFinish(procedure, state).map(({ met, text }) =>
        make(
          "li",
          { "data-met": String(met) },
          signOf(met ? "check" : "open"),
          make("span.hidden", met ? "Done: " : "Open: "),
          text,
        )
      ),
    ),
  ];
}

/** What the runs returned. @param {Object} context @param {{shown: boolean, toggle: function()}} runs @returns {Node[]} */
export function drawReturned({ doc, paper }, { shown, toggle }) {
  const key = make("kbd", "p"), found = count(joinSpans(doc.retrieved ?? []).length, "passage");
  return [
    make(
      "p.note.returned-note",
      shown
        ? `The runs returned ${found} of this document${
          paper.quiet ? ", most of it: shown at the margin only" : ""
        }. `
        : "What the runs returned is hidden. ",
      button([shown ? "Hide" : "Show", key], toggle, { class: "link", "data-key": "runs" }),
      make("br"),
      shown ? "That it was shown is noted in the log." : "Showing it is noted in the log.",
    ),
  ];
}

// Above the text, on a phone below it: what can be done, and the one slot that ends a document.
const SNAPS = { words: "words", sentences: "sentences", elements: "elements" };

function drawSnap(snap, acts, has) {
  const select = make(
    "select",
    {
      "aria-label": "Snap to",
      "data-key": "snap",
      on: { change: () => acts[select.value]() },
    },
    Object.entries(SNAPS).map(([value, text]) =>
      make("option", { value, selected: value === snap, disabled: !has(value) }, text)
    ),
  );
  return make("label.pick.snap", make("span.note", "Snap"), select, icon("down"), make("kbd", snap[0]));
}

/** How far this document is, in a few words. */
function sayHow(procedure, { highlights, bep, done }) {
  if (!procedure.marks || !highlights.length) return "";
  const passages = count(highlights.length, "passage");
  return done
    ? `finished, ${passages}`
    : procedure.entry
    ? `${bep === null ? "no entry point" : "entry point set"}, ${passages}`
    : passages;
}

/** The toolbar. @param {Object} context @param {{snap: string, choosing: boolean, acts: Object, has: function(string): boolean, more: boolean}} view
 * @returns {Node[]} */
export function drawTools({ procedure, state }, { snap, choosing, acts, has, more }) {
  const key = (name) => make("kbd", name),
    slot = slotOf(procedure, state),
    mac = /Mac|iP/.test(navigator.platform) ? "⌘" : "^";
  const tool = (word, sign, name, act, attributes) =>
    button([word, key(sign)], act, { "data-key": name, ...attributes });
  return [
    procedure.marks &&
    make(
      "div.group.main-tools",
      tool("Highlight", "h", "highlight", () => acts.highlight()),
      tool("Remove", "u", "remove", () => acts.remove()),
      procedure.entry &&
        tool(make("span", "Entry", make("span.word", " point")), "b", "entry", () => acts.entry(), {
          "aria-pressed": String(choosing),
        }),
    ),
    make(
      "div.group.more-tools",
      button([signOf("undo"), make("span", "Undo"), key(`${mac}Z`)], acts.undo, {
        "data-key": "undo",
        "aria-label": "Undo",
        class: "quiet",
        disabled: !state.undo,
      }),
      button([signOf("redo"), make("span", "Redo"), key(`${mac}Y`)], acts.redo, {
        "data-key": "redo",
        "aria-label": "Redo",
        class: "quiet",
        disabled: !state.redo,
      }),
    ),
    procedure.marks && make("div.group.more-tools", drawSnap(snap, acts, has)),
    make(
      "div.group.ends",
      make("span.note.how", sayHow(procedure, state)),
      tool(slot.word, "f", "slot", acts.finish, {
        class: state.done ? "slot" : "slot primary",
        "aria-disabled": !slot.act && "true",
        title: slot.why || null,
      }),
      tool("Next", "n", "next", acts.next, { class: state.done ? "next primary" : "next quiet" }),
      button(signOf("more"), acts.more, {
        class: "more",
        "data-key": "more",
        "aria-label": "More",
        "aria-expanded": String(more),
      }),
    ),
  ];
}
