/** Keyboard shortcuts of the assessor's page, and their dialog. */
import { make } from "../dom.js";
import { button } from "../grid.js";

/** @import { Asked, Procedure } from "./types.d.ts" */

// Keys and their actions; the table is also the help. No DOM.
/** Keys of a row, actions by key, help, and the field of procedures that have it, if not all do.
 * @type {[keys: string, actions: Record<string, string>, help: string, field?: keyof Procedure][]} */
export const ASSESS_KEYS = [
  ["h", { h: "highlight" }, "highlight the selection, or the unit at the caret", "marks"],
  ["u", { u: "remove" }, "remove highlights from the selection or unit", "marks"],
  ["h u", {}, "disputed passage or selection: relevant, not relevant", "decides"],
  [
    "b",
    { b: "entry" },
    "set the best entry point at the selection, or choose a position and press Enter",
    "entry",
  ],
  ["c", { c: "phase" }, "close or re-open highlighting; elements are graded after it", "phases"],
  ["f", { f: "finish" }, "finish (without highlights: nothing relevant), go to missing input, or re-open"],
  ["j k", { j: "forward", k: "backward" }, "next and previous disputed passage", "decides"],
  ["n N", { n: "next", N: "previous" }, "next and previous unfinished document"],
  [
    "w s e",
    { w: "words", s: "sentences", e: "elements" },
    "select whole words, sentences, elements; Alt: exact selection",
    "marks",
  ],
  [
    "← → ↑ ↓",
    { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" },
    "move the caret in the text; Shift: select",
  ],
  [
    "1 … 9",
    Object.fromEntries([..."0123456789"].map((key) => [key, "grade"])),
    "label the passage",
    "labels",
  ],
  ["/", { "/": "term" }, "find a term and keep it highlighted; Enter: next, Shift+Enter: previous"],
  ["p", { p: "runs" }, "show or hide the passages that the runs returned"],
  ["Ctrl+Z Ctrl+Y", {}, "undo, redo"],
  ["Esc", { Escape: "escape" }, "leave a field, cancel the choice of an entry point, clear the selection"],
  ["g", { g: "guidelines" }, "read the guidelines", "guidelines"],
  ["? F1", { "?": "help", F1: "help" }, "this help"],
];

/** @type {Record<string, string>} */
const ACTIONS = Object.assign({}, ...ASSESS_KEYS.map(([, actions]) => actions));
/** Keys that mean something else to adjudicators. */
const DECIDED_OTHERWISE = ["h", "u", "w s e"];
const ALWAYS = ["F1", "Escape"], MOVES = ["left", "right", "up", "down"];

/** The action of a key with Ctrl. @param {KeyboardEvent} event */
function chordOf({ key, shiftKey, altKey }) {
  const small = key.toLowerCase();
  if (altKey) return null;
  return small === "z" ? (shiftKey ? "redo" : "undo") : small === "y" ? "redo" : null;
}

/** The letter of a key: by its position if Alt or another script changes it; Caps Lock is ignored.
 * @param {KeyboardEvent} event @param {boolean} exact with Alt @param {boolean} lock Caps Lock is on */
function letterOf({ key, code, shiftKey }, exact, lock) {
  if (/^Key[A-Z]$/.test(code) && (exact || /^[^\x20-\x7e]$/.test(key))) {
    return shiftKey && !exact ? code[3] : code[3].toLowerCase();
  }
  return lock && key.length === 1 ? key[shiftKey ? "toUpperCase" : "toLowerCase"]() : key;
}

/** The action of a key, null if it has none; with Alt, actions do not select whole units.
 * @param {KeyboardEvent} event
 * @param {{field: boolean, graph: boolean, singles: boolean, lock: boolean}} where in a field, AltGr,
 *   whether single keys are on, Caps Lock
 * @returns {Asked | null} */
export function askedBy(event, { field, graph, singles, lock }) {
  const { key, ctrlKey, altKey, metaKey, shiftKey, isComposing } = event;
  if (isComposing || (field && !ALWAYS.includes(key))) return null;
  if ((ctrlKey || metaKey) && !graph) {
    const chord = chordOf(event);
    return chord ? { action: chord, exact: false, extend: false } : null;
  }
  const exact = altKey && !graph, letter = letterOf(event, exact, lock);
  const action = Object.hasOwn(ACTIONS, letter) ? ACTIONS[letter] : "", move = MOVES.includes(action);
  if (
    !action || (exact && !move && !"hub".includes(letter)) || (!singles && !move && !ALWAYS.includes(key))
  ) return null;
  return { action, exact, extend: move && shiftKey };
}

/** The keys of a procedure with their help. @param {Procedure} procedure @returns {[string, string][]} */
export function guideOf(procedure) {
  /** @type {[string, string][]} */
  const grades = procedure.scale.map(([name, , options], at) => [
    options.map(([, word]) => word.toLowerCase()).join(" "),
    `${name.toLowerCase()} of the current element${
      !at && procedure.scale.length > 1 ? "; 0 means not relevant" : ""
    }${options[0][1] === "N" ? "; n needs a digit before it" : ""}`,
  ]);
  const rows = ASSESS_KEYS.filter(([keys, , , field]) =>
    (!field || procedure[field]) && !(procedure.decides && DECIDED_OTHERWISE.includes(keys))
  );
  return [...grades, ...rows.map(([keys, , help]) => /** @type {[string, string]} */ ([keys, help]))];
}

/** Open the dialog of the keys, with a switch for the single ones.
 * @param {Procedure} procedure @param {boolean} on whether single keys are on
 * @param {(on: boolean) => void} setOn */
export function openGuide(procedure, on, setOn) {
  const rows = guideOf(procedure).map(([keys, help]) =>
    make(
      "tr",
      make("th", { scope: "row" }, keys.split(" ").map((key) => [make("kbd", key), " "])),
      make("td", help),
    )
  );
  /** @type {HTMLInputElement} */
  const box = make("input", { type: "checkbox", checked: on, on: { change: () => setOn(box.checked) } });
  /** @type {HTMLDialogElement} */
  const dialog = make(
    "dialog.guide",
    {
      "aria-label": "Keys",
      on: { close: () => dialog.remove(), click: ({ target }) => target === dialog && dialog.close() },
    },
    make(
      "div",
      make("h2", "Keys"),
      make("table", make("tbody", rows)),
      make("label.check", box, "Single-key shortcuts are on"),
      button("Close", () => dialog.close()),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
