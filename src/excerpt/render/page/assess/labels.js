/** Labels of highlighted passages, and the note on a document. */
import { drawSegments, makePart } from "./panel.js";
import { bareOf, labelOf } from "./rules.js";
import { make } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { spanAt } from "../spans.js";

// Labels of highlighted passages, each with an optional note.
const LABEL_QUOTE = 90, LABEL_ROWS = 60;
const labelFocus = ([start]) => `label ${start}`;

/** The passage that keys and segments mean: the chosen one, else that at the cursor, else the first without a label, else the first. */
function labelCurrent({ state: { highlights, labels }, cursor = null, keep }) {
  if (cursor !== (keep.labelCursor ?? null)) {
    keep.labelCursor = cursor;
    keep.passage = highlights[spanAt(highlights, cursor ?? -1)]?.[0] ?? keep.passage;
  }
  const chosen = highlights.findIndex(([start]) => start === keep.passage),
    bare = highlights.indexOf(bareOf({ highlights, labels })[0]);
  return chosen >= 0 ? chosen : Math.max(0, bare);
}

function labelChoose({ keep, paper }, passage) {
  keep.passage = passage[0];
  paper.cursor(passage);
  paper.reveal(passage);
}

/** A passage gets a label; one that had none hands on to the next without. */
function labelGive(context, number, label, note) {
  const { state: { highlights, labels }, act, announce } = context,
    [start, end] = highlights[number],
    bare = bareOf(context.state);
  const next = bare.includes(highlights[number]) && bare.find((passage) => passage !== highlights[number]) ||
    highlights[number];
  context.keep.passage = next[0];
  announce(`${label}: passage ${number + 1} of ${highlights.length}`);
  act("label", { start, end, label, ...note && { note } });
  if (next[0] !== start) labelChoose(context, next);
}

/** Gives the current passage the label that a digit stands for. @param {Object} context @param {string} key @returns {boolean} whether it stands for one */
export function labelKey(context, key) {
  const label = context.procedure.labels && /^[1-9]$/.test(key) ? context.labels[key - 1] : undefined,
    { highlights, labels } = context.state;
  if (label === undefined || !highlights.length) return false;
  const number = labelCurrent(context);
  labelGive(context, number, label, labelOf(highlights[number], labels).note);
  context.redraw();
  return true;
}

/** Goes to the next passage that owes a label. @param {Object} context */
export function goBare(context) {
  const { state, redraw } = context,
    at = labelCurrent(context),
    bare = bareOf(state),
    next = bare.find(([start]) => start > state.highlights[at][0]) ?? bare[0];
  labelChoose(context, next);
  redraw();
  document.querySelector(`[data-key="${labelFocus(next)}"]`)?.focus();
}

/** The note of a labelled passage; what is typed is kept at once, and saved after a pause. */
function drawLabelNote({ state: { highlights }, write }, number, { label, note }) {
  const [start, end] = highlights[number],
    input = ({ target }) => write("label", { start, end, label, note: target.value }),
    keydown = ({ key, target }) => key === "Enter" && target.blur();
  return make("input.field", {
    type: "text",
    value: note,
    maxlength: 1000,
    placeholder: "Note (optional)",
    "aria-label": "Note on this passage",
    "data-key": "label-note",
    on: { input, keydown },
  });
}

function drawLabelRow(context, number, current, again) {
  const { state: { highlights, labels }, paper, keep } = context,
    passage = highlights[number],
    given = labelOf(passage, labels),
    long = passage[1] - passage[0] > LABEL_QUOTE;
  const words = { null: "no label", "": "parts differ" }[given.label] ?? given.label,
    options = context.labels.map((label, i) => [label, i < 9 ? [label, " ", make("kbd", i + 1)] : label]);
  const give = (label) => [keep.passage = passage[0], labelGive(context, number, label, given.note), again()];
  return make(
    "li",
    { class: given.bare && "owed", "aria-current": number === current && "true" },
    button(
      [
        make("q", { dir: "auto" }, paper.quote(passage, LABEL_QUOTE), long && "…"),
        make("small", { dir: "auto" }, words, given.note && ` · ${given.note}`),
      ],
      () => [labelChoose(context, passage), again(labelFocus(passage))],
      { class: "quiet", "data-key": labelFocus(passage), tabindex: number === current ? 0 : -1 },
    ),
    number === current &&
      [
        drawSegments("Label", options, given.label, give, "give"),
        given.label && drawLabelNote(context, number, given),
      ],
  );
}

/** Draws the labels of the passages. @param {Object} context @returns {Node[]} nothing where the procedure has none */
export function drawLabels(context) {
  if (!context.procedure.labels) return [];
  return [makePart("labels", (again) => {
    const { highlights } = context.state,
      bare = bareOf(context.state).length,
      current = labelCurrent(context);
    if (!highlights.length) return [make("h2", "Labels"), make("p.note", context.procedure.about)];
    const from = Math.max(0, current - LABEL_ROWS / 2),
      shown = highlights.slice(from, from + LABEL_ROWS),
      step = (by) => {
        const passage = highlights[current + by];
        return passage && [labelChoose(context, passage), again(labelFocus(passage))];
      };
    const keydown = (event) => {
      const by = event.target.matches("input") ? 0 : { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (by) event.preventDefault(step(by));
    };
    return [
      make("h2", bare ? `Labels owed: ${whole(bare)} of ${whole(highlights.length)}` : "Labels: all given"),
      make(
        "ol.plain.passages-labelled",
        { on: { keydown } },
        shown.map((_, i) => drawLabelRow(context, from + i, current, again)),
      ),
      shown.length < highlights.length &&
      make("p.note", `${count(highlights.length - shown.length, "passage")} more; arrows go on.`),
    ];
  })];
}

// A note on the document as a whole.
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
