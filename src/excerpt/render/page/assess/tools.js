/** Above the text, on a phone below it: what can be done, and the one slot that ends a document. */
import { icon, make } from "../dom.js";
import { button } from "../grid.js";
import { signOf } from "./marks.js";
import { count } from "../format.js";
import { slotOf } from "./rules.js";

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
