/** A note on the document as a whole. */
import { make } from "../dom.js";
import { makePart } from "./panel.js";

const NOTE_LONGEST = 10_000;

/** Draws the note: what is typed is kept at once, and saved after a pause. @param {Object} context @returns {Node[]} */
export function drawNote({ state, write }) {
  const input = () => write("note", { note: field.value });
  const field = make("textarea.field", {
    rows: 2,
    maxlength: NOTE_LONGEST,
    "data-key": "note",
    "aria-label": "Note on this document",
    on: { input },
  });
  field.value = state.note ?? "";
  return [makePart("noting", () => [make("h2", "Note"), field])];
}
