/** Panels around the text: documents of the topic, facts and open requirements, tools. */
import { drawMark, drawProgress, signOf } from "./panel.js";
import { markOf, sayRow, sayTime, slotOf, toFinish } from "./rules.js";
import { find, icon, make, named } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { countPoints, joinSpans } from "../spans.js";

/** @import { Attributes, Child, Span } from "../types.d.ts" */
/** @import { Actions, DocumentContext, DocumentRow, Procedure, State } from "./types.d.ts" */

// The topic, its progress and its documents.
const WORDS = { ring: "to do", half: "in progress", tick: "finished", bar: "finished" };

/** @param {DocumentContext} context @param {DocumentRow} row */
function drawRow({ place, link, procedure }, row) {
  const mark = markOf(row);
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
      make("span.says", sayRow(procedure, row)),
    ),
  );
}

/** @param {DocumentContext} context */
function drawTopicHead({ topic }) {
  const rows = topic.documents;
  /** @param {string} state */
  const many = (state) => rows.filter((row) => row.state === state).length;
  const done = many("done"),
    open = many("open"),
    timed = rows.filter((row) => row.state === "done" && row.seconds),
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
      make("b", `${whole(done)} finished`),
      `, ${whole(open)} in progress, ${whole(rows.length - done - open)} to do`,
      minutes > 0 && ` · ${minutes < 1 ? "under 1" : Math.round(minutes)} min each`,
    ),
  );
}

/** The documents of a topic; an update draws only the rows that change. */
export class DocumentList {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.list = make("ul.plain.pile");
    /** Rows as text, to see which of them change. @type {string[]} */
    this.shown = [];
    this.head = "";
  }

  /** @param {DocumentContext} context */
  update(context) {
    const { list } = this,
      { documents } = context.topic,
      texts = documents.map((row) => [row.id, markOf(row), sayRow(context.procedure, row)].join("\n")),
      head = texts.map((text) => text.split("\n")[1]).join();
    if (head !== this.head) this.host.replaceChildren(drawTopicHead(context), list);
    for (const [i, row] of documents.entries()) {
      if (texts[i] === this.shown[i]) continue;
      const node = drawRow(context, row);
      if (list.children[i]) list.children[i].replaceWith(node);
      else list.append(node);
    }
    while (list.children.length > documents.length) list.lastChild?.remove();
    this.shown = texts;
    this.head = head;
  }

  /** Scroll the list to the open document, if the list scrolls by itself. @param {HTMLElement} around */
  seek(around) {
    const row = find("[aria-current]", this.list);
    if (row && around.scrollHeight > around.clientHeight) {
      around.scrollTop = row.offsetTop - around.clientHeight / 2;
    }
  }
}

// Facts of the document, open requirements, results of the runs.
const LISTED = 200;

/** Passages as text, for screen readers; each leads to its position. @param {DocumentContext} context */
function listPassages({ state: { highlights }, textView, focusText }) {
  /** @param {Span} span */
  const go = (span) => {
    textView.reveal(span);
    textView.release(span[0]);
    focusText();
  };
  const items = highlights.slice(0, LISTED).map((span) =>
    make(
      "li",
      button([make("span.mono", `${span[0]}–${span[1]}`), ` ${textView.quote(span, 60)}`], () => go(span), {
        class: "quiet",
      }),
    )
  );
  const more = highlights.length - LISTED;
  return more > 0 ? [...items, make("li.note", `and ${whole(more)} more`)] : items;
}

/** Facts of the document. @param {DocumentContext} context @returns {Child[]} */
export function drawFacts(context) {
  const { state, doc, procedure, act, memory, seconds } = context,
    { highlights, bep } = state,
    list = make("ul.plain.passages");
  const fill = () => list.replaceChildren(...(memory.passagesOpen ? listPassages(context) : []));
  const toggle = () => {
    memory.passagesOpen = details.open;
    fill();
  };
  /** @type {HTMLDetailsElement} */
  const details = make(
    "details",
    { open: memory.passagesOpen, on: { toggle } },
    make("summary", { "data-key": "passages" }, "List of passages"),
    list,
  );
  const entry = bep === null ? "none" : [
    `set, at ${whole(bep)} `,
    button("Remove", () => act("no-bep", {}), {
      class: "link",
      "data-key": "no-bep",
      "aria-label": "Remove the entry point",
    }),
  ];
  /** @type {[name: string, value: Child, shown: boolean][]} */
  const rows = [
    ["Length", count(doc.length, "character"), true],
    ["Passages", whole(highlights.length), procedure.marks],
    ["Highlighted", count(countPoints(highlights), "character"), procedure.marks],
    ["Entry point", entry, procedure.entry],
    ["Time spent", make("span", { id: "time" }, sayTime(seconds())), true],
  ];
  fill();
  return [
    make("h2", "This document"),
    doc.title && doc.title !== doc.id && make("p.serif", { dir: "auto" }, doc.title),
    make(
      "dl",
      rows.filter(([, , shown]) => shown).map(([name, value]) => [make("dt", name), make("dd", value)]),
    ),
    highlights.length > 0 && details,
  ];
}

/** The requirements of a finished document. @param {DocumentContext} context @returns {Child[]} */
export function drawToFinish({ procedure, state }) {
  if (state.done) return [make("h2", "Finished"), make("p.note", "Any change re-opens the document.")];
  return [
    make("h2", "To finish"),
    make(
      "ul.plain.to-finish",
      toFinish(procedure, state).map(({ met, text }) =>
        make(
          "li",
          { "data-met": String(met) },
          signOf(met ? "check" : "open"),
          make("span.hidden", met ? "Done: " : "To do: "),
          text,
        )
      ),
    ),
  ];
}

/** The results of the runs. @param {DocumentContext} context
 * @param {{shown: boolean, toggle: () => unknown}} runs @returns {Child[]} */
export function drawReturned({ doc, textView }, { shown, toggle }) {
  const passages = count(joinSpans(doc.retrieved ?? []).length, "passage"),
    margin = textView.quiet ? ", most of its text: shown at the margin only" : "";
  return [
    make(
      "p.note.returned-note",
      shown
        ? `The runs returned ${passages} of this document${margin}. `
        : "The passages that the runs returned are hidden. ",
      button([shown ? "Hide" : "Show", make("kbd", "p")], toggle, { class: "link", "data-key": "runs" }),
      make("br"),
      shown ? "The log records that they were shown." : "The log records when they are shown.",
    ),
  ];
}

// The toolbar above the text, on a phone below it.
const UNITS = ["words", "sentences", "elements"];

/** The choice of the units that a selection is extended to.
 * @param {string} unit @param {Actions} acts @param {(unit: string) => boolean} has */
function drawUnits(unit, acts, has) {
  /** @type {HTMLSelectElement} */
  const select = make(
    "select",
    { "aria-label": "Select whole", "data-key": "snap", on: { change: () => acts[select.value]() } },
    UNITS.map((value) => make("option", { value, selected: value === unit, disabled: !has(value) }, value)),
  );
  return make(
    "label.pick.snap",
    make("span.note", "Select whole"),
    select,
    icon("down"),
    make("kbd", unit[0]),
  );
}

/** The state of the document in a few words. @param {Procedure} procedure @param {State} state */
function sayState(procedure, { highlights, bep, done, closed }) {
  if (!procedure.marks || !highlights.length) return "";
  const passages = count(highlights.length, "passage");
  return done
    ? `finished, ${passages}`
    : procedure.entry
    ? `${bep === null ? "no entry point" : "entry point set"}, ${passages}`
    : procedure.phases
    ? `phase ${closed ? 2 : 1} of 2, ${passages}`
    : passages;
}

/** The toolbar.
 * @param {DocumentContext} context
 * @param {{unit: string, choosing: boolean, acts: Actions, has: (unit: string) => boolean,
 *   more: boolean}} view unit of selections, whether an entry point is being chosen, whether the menu is open
 * @returns {HTMLElement[]} */
export function drawTools({ campaign, procedure, state }, { unit, choosing, acts, has, more }) {
  const slot = slotOf(procedure, state),
    deciding = campaign.role === "adjudicator",
    control = /Mac|iP/.test(navigator.platform) ? "⌘" : "^";
  /** @param {Child} word @param {string} key @param {string} name @param {() => unknown} act
   * @param {Attributes} [attributes] */
  const tool = (word, key, name, act, attributes) =>
    button([word, make("kbd", key)], act, { "data-key": name, ...attributes });
  /** @param {"undo" | "redo"} name @param {string} word @param {string} key */
  const back = (name, word, key) =>
    button([signOf(name), make("span", word), make("kbd", control + key)], () => acts[name](), {
      "data-key": name,
      "aria-label": word,
      class: "quiet",
      disabled: !state[name],
    });
  const groups = [
    procedure.marks &&
    make(
      "div.group.main-tools",
      tool(deciding ? "Relevant" : "Highlight", "h", "highlight", () => acts.highlight(), {
        disabled: state.closed,
      }),
      tool(deciding ? "Not relevant" : "Remove", "u", "remove", () => acts.remove(), {
        disabled: state.closed,
      }),
      procedure.phases &&
        tool(
          make("span", state.closed ? "Re-open" : "Close", make("span.word", " phase")),
          "c",
          "phase",
          () => acts.phase(),
        ),
      procedure.entry &&
        tool(make("span", "Entry", make("span.word", " point")), "b", "entry", () => acts.entry(), {
          "aria-pressed": String(choosing),
        }),
    ),
    deciding && procedure.marks && make(
      "div.group.more-tools",
      tool("Previous passage", "k", "backward", () => acts.backward(), { class: "quiet" }),
      tool("Next passage", "j", "forward", () => acts.forward(), { class: "quiet" }),
    ),
    make("div.group.more-tools", back("undo", "Undo", "Z"), back("redo", "Redo", "Y")),
    procedure.marks && !deciding && make("div.group.more-tools", drawUnits(unit, acts, has)),
    make(
      "div.group.ends",
      make("span.note.how", sayState(procedure, state)),
      tool(slot.word, "f", "slot", () => acts.finish(), {
        class: state.done ? "slot" : "slot primary",
        "aria-disabled": !slot.act && "true",
        title: slot.why || null,
      }),
      tool("Next", "n", "next", () => acts.next(), { class: state.done ? "next primary" : "next quiet" }),
      button(signOf("more"), () => acts.more(), {
        class: "more",
        "data-key": "more",
        "aria-label": "More",
        "aria-expanded": String(more),
      }),
    ),
  ];
  return groups.filter((group) => group !== false);
}
