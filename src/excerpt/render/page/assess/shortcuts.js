/** Keys of the assessor's page, and their dialog. */
import { make } from "../dom.js";
import { button } from "../grid.js";

// Which key asks for what while assessing: the table is also the help. No DOM.
/** What the help shows, key → what it asks for, and in words. */
export const ASSESS_KEYS = [
  ["h", { h: "highlight" }, "highlight what is selected, or the unit at the caret"],
  ["u", { u: "remove" }, "remove highlights from it"],
  ["b", { b: "entry" }, "best entry point: at the selection, or choose a place; Enter sets it"],
  ["f", { f: "finish" }, "nothing relevant, finish, go to what is owed, or re-open"],
  ["n N", { n: "next", N: "previous" }, "next and previous document to assess"],
  [
    "w s e",
    { w: "words", s: "sentences", e: "elements" },
    "snap to words, sentences, elements; with Alt to nothing",
  ],
  [
    "← → ↑ ↓",
    { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" },
    "move the caret in the text; with Shift select",
  ],
  ["0 1 2 3 ?", { 0: "grade", 1: "grade", 2: "grade", 3: "grade" }, "grades, where one is asked for"],
  ["/", { "/": "term" }, "find a term and keep it highlighted"],
  ["p", { p: "runs" }, "show or hide what the runs returned"],
  ["Ctrl+Z Ctrl+Y", {}, "undo and redo, as far back as you like"],
  ["Esc", { Escape: "escape" }, "leave a field, the choice of an entry point, the selection"],
  ["? F1", { "?": "help", F1: "help" }, "this help"],
];

const ACTIONS = Object.assign({}, ...ASSESS_KEYS.map(([, keys]) => keys));
const ALWAYS = ["F1", "Escape"], MOVES = ["left", "right", "up", "down"];

function chordOf({ key, shiftKey, altKey }) {
  const small = key.toLowerCase();
  if (altKey) return null;
  return small === "z" ? (shiftKey ? "redo" : "undo") : small === "y" ? "redo" : null;
}

/** The letter of a key: by its place where Alt or another script makes another sign of it, small where only the lock made it a capital. */
function letterOf({ key, code, shiftKey }, exact, lock) {
  if (/^Key[A-Z]$/.test(code) && (exact || /^[^\x20-\x7e]$/.test(key))) {
    return shiftKey && !exact ? code[3] : code[3].toLowerCase();
  }
  return lock && key.length === 1 ? key[shiftKey ? "toUpperCase" : "toLowerCase"]() : key;
}

/** What a key asks for; with Alt letters act without snapping.
 * @param {KeyboardEvent} event @param {{field: boolean, graph: boolean, singles: boolean, lock: boolean}} where in a field, AltGr, single keys are on, lock of capitals
 * @returns {?{action: string, exact: boolean, extend: boolean}} */
export function askedBy(event, { field, graph, singles, lock }) {
  const { key, ctrlKey, altKey, metaKey, shiftKey, isComposing } = event;
  if (isComposing || (field && !ALWAYS.includes(key))) return null;
  if ((ctrlKey || metaKey) && !graph) {
    const chord = chordOf(event);
    return chord && { action: chord, exact: false, extend: false };
  }
  const exact = altKey && !graph, letter = letterOf(event, exact, lock);
  const action = Object.hasOwn(ACTIONS, letter) ? ACTIONS[letter] : null, move = MOVES.includes(action);
  if (
    !action || (exact && !move && !"hub".includes(letter)) || (!singles && !move && !ALWAYS.includes(key))
  ) return null;
  return { action, exact, extend: move && shiftKey };
}

// The keys, as a dialog with a switch for the single ones.
/** @param {boolean} on whether single keys act @param {function(boolean)} setOn */
export function openGuide(on, setOn) {
  const rows = ASSESS_KEYS.map(([keys, , help]) =>
    make(
      "tr",
      make("th", { scope: "row" }, keys.split(" ").map((key) => [make("kbd", key), " "])),
      make("td", help),
    )
  );
  const box = make("input", { type: "checkbox", checked: on, on: { change: () => setOn(box.checked) } });
  const act = { close: () => dialog.remove(), click: ({ target }) => target === dialog && dialog.close() };
  const dialog = make(
    "dialog.guide",
    { "aria-label": "Keys", on: act },
    make(
      "div",
      make("h2", "Keys"),
      make("table", make("tbody", rows)),
      make("label.check", box, "Single keys are on"),
      button("Close", () => dialog.close()),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
