/** Second look: passages suggested by a machine after a document is finished. */
import { makePart } from "./panel.js";
import { messageOf } from "./sync.js";
import { find, make } from "../dom.js";
import { count, percent } from "../format.js";
import { button } from "../grid.js";
import { countPoints, sharedSpans } from "../spans.js";

/** @import { Child, Layer } from "../types.d.ts" */
/** @import { DocumentContext, EventFields, State, Suggestion } from "./types.d.ts" */

const SECOND_QUOTE = 400;

/** The suggestions that are neither confirmed nor rejected, and the position of the shown one among them.
 * @param {Suggestion[]} suggestions @param {Pick<State, "rejected" | "confirmed">} state
 * @param {number} [shown] number of a suggestion */
export function secondOpen(suggestions, { rejected = [], confirmed = [] }, shown) {
  /** @param {Suggestion} suggestion */
  const isConfirmed = ([, start, end]) =>
    end > start && countPoints(sharedSpans([[start, end]], confirmed)) === end - start;
  const open = suggestions.filter((suggestion) =>
    !rejected.includes(suggestion[0]) && !isConfirmed(suggestion)
  );
  return { open, at: Math.max(0, open.findIndex(([number]) => number === shown)) };
}

/** The open suggestions of the document. @param {DocumentContext} context */
const secondNow = ({ doc, state, memory }) => secondOpen(doc.suggestions ?? [], state, memory.suggestion);

/** The shown suggestion as a layer. @param {DocumentContext} context @returns {Layer[]} */
export function secondLayers(context) {
  const { open, at } = secondNow(context), shown = context.memory.second ? open[at] : undefined;
  /** @type {Layer["spans"]} */
  const spans = shown?.[2] ? [[shown[1], shown[2]]] : [];
  return [{ name: "suggested", spans, lane: "suggested", map: "right" }];
}

/** @param {DocumentContext} context @param {Suggestion} [suggestion] */
function secondLook(context, suggestion) {
  const { memory, textView } = context;
  memory.suggestion = suggestion?.[0];
  context.redraw();
  if (!suggestion?.[2]) return;
  const [, start, end] = suggestion;
  textView.cursor([start, end]);
  textView.reveal([start, end]);
}

/** Show the suggestions for the first time, which the server logs. @param {DocumentContext} context */
async function secondBegin(context) {
  try {
    if (!context.doc.suggestions) await context.show("suggestions");
  } catch (error) {
    return context.unable(`The suggestions cannot be shown: ${messageOf(error)}`);
  }
  context.memory.second = true;
  secondLook(context, secondNow(context).open[0]);
  find("[data-key=second-next],[data-key=second-confirm],[data-key=second-reject]")?.focus({
    preventScroll: true,
  });
}

/** The answers to one suggestion; there is no button for all of them.
 * @param {DocumentContext} context @param {Suggestion[]} open @param {number} at */
function drawSecondAnswers(context, open, at) {
  const { act, announce } = context,
    [number, start, end] = open[at],
    next = open[at + 1] ?? open[0],
    after = next[0] === number ? undefined : next;
  /** @param {string} kind @param {EventFields} fields @param {string} spoken */
  const answer = (kind, fields, spoken) => () => {
    context.memory.suggestion = after?.[0];
    if (kind === "highlight" && context.state.closed) act("reopen-phase");
    act(kind, fields);
    announce(spoken);
    secondLook(context, after);
  };
  const ofText = end > start;
  return make(
    "div.answers",
    ofText &&
      button(
        "Confirm",
        answer("highlight", { start, end, suggestion: number }, "Confirmed and highlighted"),
        {
          "data-key": "second-confirm",
        },
      ),
    button(ofText ? "Reject" : "Keep my judgment", answer("reject", { suggestion: number }, "Rejected"), {
      "data-key": "second-reject",
    }),
    after && button("Next", () => secondLook(context, after), { class: "quiet", "data-key": "second-next" }),
  );
}

/** The grade of a whole document. @param {DocumentContext} context
 * @param {Suggestion[]} open @param {number} at @param {number} grade */
function drawSecondGrade(context, open, at, grade) {
  const { doc, state, procedure } = context,
    all = doc.suggestions?.length ?? 0,
    own = state.highlights.length;
  return [
    make(
      "p.note",
      `${at + 1} of ${count(open.length, "open suggestion")}`,
      all > open.length && `, ${all - open.length} answered`,
      `. The machine gives the whole document the grade ${grade}.`,
      procedure.marks && ` You highlighted ${own ? count(own, "passage") : "nothing"}.`,
    ),
    drawSecondAnswers(context, open, at),
    make("p.note", "Change your judgment if you agree; the document is then open again."),
  ];
}

/** @param {DocumentContext} context */
function drawSecondOne(context) {
  const { doc, state, textView } = context,
    { open, at } = secondNow(context),
    all = doc.suggestions?.length ?? 0;
  if (!open.length) {
    return make(
      "p.note",
      `All ${count(all, "suggestion")} answered. `,
      !state.done && "The document is open again: finish it when you are done.",
    );
  }
  const [, start, end, label, grade] = open[at];
  if (grade !== undefined) return drawSecondGrade(context, open, at, grade);
  const own = countPoints(sharedSpans([[start, end]], state.highlights)) / (end - start);
  return [
    make(
      "p.note",
      `${at + 1} of ${count(open.length, "open suggestion")}`,
      all > open.length && `, ${all - open.length} answered`,
      `. You highlighted ${own ? percent(own) : "nothing"} of it.`,
    ),
    make(
      "blockquote.serif",
      { dir: "auto" },
      textView.quote([start, end], SECOND_QUOTE),
      end - start > SECOND_QUOTE && "…",
    ),
    label && make("p.note", "Label: ", make("bdi", label)),
    drawSecondAnswers(context, open, at),
    make(
      "p.note",
      "Confirm adds the passage to your highlights, recorded as machine-suggested, and re-opens the ",
      "document. Reject leaves your highlights as they are.",
    ),
  ];
}

/** Draw the second look, nothing if there are no suggestions.
 * @param {DocumentContext} context @returns {Child[]} */
export function drawSecond(context) {
  const { doc, state, memory } = context, all = doc.second?.count ?? 0;
  if (!all || !(state.done || memory.second)) return [];
  return [
    makePart(
      "second",
      () => [
        make("h2", "Second look"),
        memory.second && doc.suggestions ? drawSecondOne(context) : [
          make(
            "p.note",
            `A machine made ${
              count(all, "suggestion")
            } for this document. Your own judgment is finished and `,
            "stays in the log. The log also records that you looked at the suggestions.",
          ),
          button("Show one at a time", () => secondBegin(context), { "data-key": "second-show" }),
        ],
      ],
    ),
  ];
}
