/** Labels of highlighted passages, and the note on a document. */
import { drawSegments, makePart } from "./panel.js";
import { labelOf, unlabelledOf } from "./rules.js";
import { find, make } from "../dom.js";
import { count, whole } from "../format.js";
import { button } from "../grid.js";
import { spanAt } from "../spans.js";

/** @import { Child, Span } from "../types.d.ts" */
/** @import { Again, DocumentContext } from "./types.d.ts" */

// Labels of passages, each with an optional note.
const LABEL_QUOTE = 90, LABEL_ROWS = 60;
/** @param {Span} passage */
const labelFocus = ([start]) => `label ${start}`;

/** The number of the current passage: the chosen one, else the one at the caret, else the first without a
 * label, else the first. @param {DocumentContext} context */
function labelCurrent({ state, cursor = null, memory }) {
  const { highlights } = state;
  if (cursor !== (memory.labelCursor ?? null)) {
    memory.labelCursor = cursor;
    memory.passage = highlights[spanAt(highlights, cursor ?? -1)]?.[0] ?? memory.passage;
  }
  const chosen = highlights.findIndex(([start]) => start === memory.passage),
    unlabelled = highlights.indexOf(unlabelledOf(state)[0]);
  return chosen >= 0 ? chosen : Math.max(0, unlabelled);
}

/** @param {DocumentContext} context @param {Span} passage */
function labelChoose({ memory, textView }, passage) {
  memory.passage = passage[0];
  textView.cursor(passage);
  textView.reveal(passage);
}

/** Label a passage; if it had no label, the next one without a label becomes current.
 * @param {DocumentContext} context @param {number} number @param {string} label @param {string} note */
function labelGive(context, number, label, note) {
  const { state: { highlights }, act, announce } = context,
    passage = highlights[number],
    [start, end] = passage,
    unlabelled = unlabelledOf(context.state);
  const next = unlabelled.includes(passage) && unlabelled.find((other) => other !== passage) || passage;
  context.memory.passage = next[0];
  announce(`${label}: passage ${number + 1} of ${highlights.length}`);
  act("label", { start, end, label, ...note && { note } });
  if (next[0] !== start) labelChoose(context, next);
}

/** Give the current passage the label of a digit.
 * @param {DocumentContext} context @param {string} key @returns {boolean} whether the key was a label */
export function labelKey(context, key) {
  const label = context.procedure.labels && /^[1-9]$/.test(key) ? context.labels[Number(key) - 1] : undefined,
    { highlights, labels } = context.state;
  if (label === undefined || !highlights.length) return false;
  const number = labelCurrent(context);
  labelGive(context, number, label, labelOf(highlights[number], labels).note);
  context.redraw();
  return true;
}

/** Go to the next passage without a label. @param {DocumentContext} context */
export function goToUnlabelled(context) {
  const { state, redraw } = context,
    at = labelCurrent(context),
    unlabelled = unlabelledOf(state),
    next = unlabelled.find(([start]) => start > state.highlights[at][0]) ?? unlabelled[0];
  labelChoose(context, next);
  redraw();
  find(`[data-key="${labelFocus(next)}"]`)?.focus();
}

/** The note of a labelled passage; it is stored while it is typed, and sent after a pause.
 * @param {DocumentContext} context @param {number} number @param {string} label @param {string} note */
function drawLabelNote({ state: { highlights }, write }, number, label, note) {
  const [start, end] = highlights[number],
    input = () => write("label", { start, end, label, note: field.value });
  /** @type {HTMLInputElement} */
  const field = make("input.field", {
    type: "text",
    value: note,
    maxlength: 1000,
    placeholder: "Note (optional)",
    "aria-label": "Note on this passage",
    "data-key": "label-note",
    on: { input, keydown: ({ key }) => key === "Enter" && field.blur() },
  });
  return field;
}

/** @param {DocumentContext} context @param {number} number @param {number} current @param {Again} again */
function drawLabelRow(context, number, current, again) {
  const { state: { highlights, labels }, textView, memory } = context,
    passage = highlights[number],
    { label, note, unlabelled } = labelOf(passage, labels),
    long = passage[1] - passage[0] > LABEL_QUOTE;
  /** @type {[value: string, word: Child][]} */
  const options = context.labels.map((name, i) => [name, i < 9 ? [name, " ", make("kbd", i + 1)] : name]);
  /** @param {string} value */
  const give = (value) => {
    memory.passage = passage[0];
    labelGive(context, number, value, note);
    again();
  };
  return make(
    "li",
    { class: unlabelled && "owed", "aria-current": number === current && "true" },
    button(
      [
        make("q", { dir: "auto" }, textView.quote(passage, LABEL_QUOTE), long && "…"),
        make(
          "small",
          { dir: "auto" },
          label === null ? "no label" : label || "parts have different labels",
          note && ` · ${note}`,
        ),
      ],
      () => [labelChoose(context, passage), again(labelFocus(passage))],
      { class: "quiet", "data-key": labelFocus(passage), tabindex: number === current ? 0 : -1 },
    ),
    number === current &&
      [
        drawSegments("Label", options, label, give, "give"),
        label && drawLabelNote(context, number, label, note),
      ],
  );
}

/** Draw the labels of the passages, nothing if the procedure has none.
 * @param {DocumentContext} context @returns {Child[]} */
export function drawLabels(context) {
  if (!context.procedure.labels) return [];
  return [makePart("labels", (again) => {
    const { highlights } = context.state,
      unlabelled = unlabelledOf(context.state).length,
      current = labelCurrent(context);
    if (!highlights.length) return [make("h2", "Labels"), make("p.note", context.procedure.about)];
    const from = Math.max(0, current - LABEL_ROWS / 2), shown = highlights.slice(from, from + LABEL_ROWS);
    /** @param {KeyboardEvent & {target: HTMLElement}} event */
    const keydown = (event) => {
      const by = event.target.matches("input")
        ? 0
        : Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp");
      if (!by) return;
      event.preventDefault();
      const passage = highlights[current + by];
      if (passage) {
        labelChoose(context, passage);
        again(labelFocus(passage));
      }
    };
    return [
      make(
        "h2",
        unlabelled
          ? `Labels missing: ${whole(unlabelled)} of ${whole(highlights.length)}`
          : "Labels: complete",
      ),
      make(
        "ol.plain.passages-labelled",
        { on: { keydown } },
        shown.map((_, i) => drawLabelRow(context, from + i, current, again)),
      ),
      shown.length < highlights.length &&
      make("p.note", `${count(highlights.length - shown.length, "more passage")}: use the arrow keys.`),
    ];
  })];
}

// The note on the document.
const NOTE_LONGEST = 10_000;

/** Draw the note; it is stored while it is typed, and sent after a pause.
 * @param {DocumentContext} context @returns {Child[]} */
export function drawNote({ state, write }) {
  /** @type {HTMLTextAreaElement} */
  const field = make("textarea.field", {
    rows: 2,
    maxlength: NOTE_LONGEST,
    "data-key": "note",
    "aria-label": "Note on this document",
    on: { input: () => write("note", { note: field.value }) },
  });
  field.value = state.note ?? "";
  return [makePart("noting", () => [make("h2", "Note"), field])];
}
